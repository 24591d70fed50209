//! The input and output of the crate: changes of files, problems, and the states of servers.

use std::path::{Path, PathBuf};

/// The maximum number of problems that one answer reports; the others are counted.
pub const MAX_REPORTED: usize = 10;

/// How severe a problem is, the most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// Information.
    Information,
    /// A hint.
    Hint,
}

/// One problem that a server reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// How severe it is.
    pub severity: Severity,
    /// The server's code for this kind of problem, such as `F821` or `2305`.
    pub code: Option<String>,
    /// The server's message.
    pub message: String,
    /// The tool that reports it, such as `Ruff` or `clang`; the name of the entry if the server does not say.
    pub source: String,
    /// The revision of the file that the problem belongs to, as [`ChangedText::revision`] gave it. None if lancet has
    /// not changed the file: the change of another file broke it.
    pub revision: Option<String>,
}

/// One file that was changed. A moved file is two of them: one removed and one new.
#[derive(Debug, Clone, Copy)]
pub struct ChangedText<'a> {
    /// The file, absolute.
    pub path: &'a Path,
    /// Its text before; none if the file is new.
    pub before: Option<&'a str>,
    /// Its text now; none if the file was removed.
    pub after: Option<&'a str>,
    /// The revision of the text now.
    pub revision: &'a str,
}

/// The problems that a change caused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewProblems {
    /// The problems that the version before did not have, at most [`MAX_REPORTED`]: those of changed files first, the
    /// most severe first.
    pub new: Vec<Problem>,
    /// The number of further new problems.
    pub more: usize,
    /// The names of the servers that did not know the version before, or did not answer in time.
    pub not_ready: Vec<String>,
}

/// One server, for status reports to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    /// The name of its entry.
    pub name: String,
    /// The folder it serves.
    pub folder: PathBuf,
    /// Its state.
    pub standing: ServerStatus,
}

/// The state of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerStatus {
    /// It was started and has not announced its capabilities yet.
    Starting,
    /// It answers.
    Ready,
    /// It ended unexpectedly and is started again at the next use, after a pause.
    Crashed,
    /// It ended unexpectedly too often and is not started again for ten minutes.
    GivenUp,
    /// It was ended because it was idle, and is started again at the next use.
    Ended,
}
