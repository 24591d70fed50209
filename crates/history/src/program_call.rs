//! Calls of other programs that have begun and whose end is not recorded yet.

use std::path::PathBuf;

use crate::error::HistoryError;
use crate::workspace::WorkspaceRef;

/// A call of another program that is about to begin.
#[derive(Clone, Debug)]
pub struct ProgramCallDraft<'a> {
    /// The root whose files it may change.
    pub workspace: WorkspaceRef<'a>,
    /// Identifies the call, so that the report of its end is matched with that of its beginning.
    pub key: &'a str,
    /// The name of the session that makes it.
    pub session: &'a str,
    /// The caller's name for the tool.
    pub tool: &'a str,
    /// The command line, without secrets.
    pub command: Option<&'a str>,
    /// The files that it changes, as far as the call names them; empty if it may change any file.
    pub paths: &'a [PathBuf],
    /// When it begins, in milliseconds since 1970.
    pub time: i64,
    /// The process that makes it, by which an end that is never reported is noticed.
    pub maker: CallMaker<'a>,
}

/// The process that makes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallMaker<'a> {
    /// This process.
    ThisProcess,
    /// Another one, as process id and start time with a colon in between; none if it is not known.
    Another(Option<&'a str>),
}

/// A call whose end is not recorded yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenCall {
    /// The number in the order of recording.
    pub number: i64,
    /// Identifies the call.
    pub key: String,
    /// The name of the session that makes it.
    pub session: String,
    /// The caller's name for the tool.
    pub tool: String,
    /// The command line, without secrets.
    pub command: Option<String>,
    /// The files that it changes, as far as the call names them; empty if it may change any file.
    pub paths: Vec<PathBuf>,
    /// When it began, in milliseconds since 1970.
    pub time: i64,
    /// The number of the checkpoint that was set before it; none while that checkpoint is being set.
    pub since: Option<i64>,
    /// Whether the caller goes on while it runs.
    pub is_in_background: bool,
    /// Whether the process that makes it, or that was setting its checkpoint, has ended.
    pub has_ended: bool,
}

/// A store of calls that have begun.
pub trait ProgramCallStore: Send + Sync {
    /// Records that a call is about to begin and that this process sets its checkpoint. Returns its number.
    ///
    /// # Errors
    /// The store cannot be written.
    fn begin_program_call(&self, draft: &ProgramCallDraft<'_>) -> Result<i64, HistoryError>;

    /// Records the checkpoint that was set before a call.
    ///
    /// # Errors
    /// The store cannot be written.
    fn program_call_begun(&self, number: i64, since: i64) -> Result<(), HistoryError>;

    /// Records that a call goes on in the background since this checkpoint.
    ///
    /// # Errors
    /// The store cannot be written.
    fn program_call_left(&self, number: i64, since: i64) -> Result<(), HistoryError>;

    /// Returns the calls below a root whose end is not recorded, in the order of recording.
    ///
    /// # Errors
    /// The store cannot be read.
    fn open_program_calls(&self, workspace: &[u8; 32]) -> Result<Vec<OpenCall>, HistoryError>;

    /// Removes calls that have ended.
    ///
    /// # Errors
    /// The store cannot be written.
    fn end_program_calls(&self, numbers: &[i64]) -> Result<(), HistoryError>;

    /// Returns the names of a root whose entries changed after one checkpoint, up to another one.
    ///
    /// # Errors
    /// The store cannot be read.
    fn changed_names(
        &self,
        workspace: &[u8; 32],
        after: i64,
        upto: i64,
    ) -> Result<Vec<Vec<u8>>, HistoryError>;
}
