//! What is known of a call of another program.

use std::path::PathBuf;

/// What is known of a call of another program whose changes are an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedCall {
    /// The command line, without what is secret in it; at most [`RecordedCall::LONGEST`] characters.
    pub command: Option<String>,
    /// Its exit code; 128 and the number of the signal where one ended it.
    pub exit_code: Option<i32>,
    /// How long it took, in milliseconds.
    pub duration: i64,
    /// The name that a person gave it.
    pub name: Option<String>,
    /// Changed files whose bytes from before are not kept, so that they cannot come back; with it, empty folders.
    pub not_kept: Vec<PathBuf>,
}

impl RecordedCall {
    /// The largest number of characters that are kept of a command line.
    pub const LONGEST: usize = 400;
}
