//! What may be asked of the log.

use std::path::PathBuf;

use super::Operation;

/// Which operations are wanted, newest first. What is left empty filters nothing.
#[derive(Clone, Debug, Default)]
pub struct LogQuery {
    /// Only operations all of whose files are below one of these folders.
    pub below: Vec<PathBuf>,
    /// Only operations that touched this file, or a file below this folder.
    pub path: Option<PathBuf>,
    /// Only those of this session.
    pub session: Option<String>,
    /// Only those of this turn.
    pub turn: Option<String>,
    /// Only those since this time, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Only those that were recorded before this one.
    pub before: Option<String>,
    /// Only those that stand so.
    pub standing: Option<Standing>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Whether an operation may be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A change of which something has not been taken back.
    Undoable,
    /// An undo of which something has not been redone.
    Redoable,
}

/// What the beginning of an id leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// One operation.
    One(Box<Operation>),
    /// Several, newest first; at most ten of them.
    Several(Vec<Operation>),
    /// None.
    None,
}
