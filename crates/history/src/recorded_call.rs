//! The record of a call of another program.

use std::path::PathBuf;

/// The details of a call of another program whose changes are an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedCall {
    /// The command line, without secrets; at most [`RecordedCall::LONGEST`] characters.
    pub command: Option<String>,
    /// Its exit code; 128 plus the signal number if a signal ended it.
    pub exit_code: Option<i32>,
    /// Its duration in milliseconds.
    pub duration: i64,
    /// The name that the user gave it.
    pub name: Option<String>,
    /// Changed files whose previous bytes are not stored, so that they cannot be restored; also empty folders.
    pub not_kept: Vec<PathBuf>,
}

impl RecordedCall {
    /// The largest number of characters that are stored of a command line.
    pub const LONGEST: usize = 400;
}
