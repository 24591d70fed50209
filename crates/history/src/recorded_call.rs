//! The record of a call of another program.

use std::path::PathBuf;

use crate::git_head::HeadMove;

/// The details of a call of another program whose changes are an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedCall {
    /// The command line, without secrets; at most [`RecordedCall::MAX_COMMAND_CHARACTERS`] characters.
    pub command: Option<String>,
    /// Its exit code; 128 plus the signal number if a signal ended it.
    pub exit_code: Option<i32>,
    /// Its duration in milliseconds.
    pub duration: i64,
    /// The name that the user gave it.
    pub name: Option<String>,
    /// Changed files whose previous bytes are not stored, so that they cannot be restored; also empty folders.
    pub not_kept: Vec<PathBuf>,
    /// The number of the checkpoint that was set before it.
    pub since: Option<i64>,
    /// Changed files that another call, which ran at the same time, may have changed instead.
    pub shared: Vec<PathBuf>,
    /// The sessions that made these other calls.
    pub shared_with: Vec<String>,
    /// How many files changed from one state that git has to another one. They are not part of the operation.
    pub as_in_git: u64,
    /// How it moved HEAD of the root's git work tree.
    pub head: Option<HeadMove>,
    /// The operation that the call was to prove, when it is recorded. A recorded operation has it as its own
    /// [`parent`](crate::Operation::parent).
    pub parent: Option<String>,
}

impl RecordedCall {
    /// The largest number of characters that are stored of a command line.
    pub const MAX_COMMAND_CHARACTERS: usize = 400;
}
