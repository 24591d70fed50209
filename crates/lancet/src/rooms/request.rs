//! What a call asks for, in the terms of the rooms: the types that receive gives and that examine takes.

use serde_json::Value;

use super::plan::DryRun;
use crate::arguments::{GlobArguments, GrepArguments, ReadArguments, WriteArguments};
use crate::undo::{Restore, TakeBack};

/// What a received call asks for.
pub(crate) enum Asked {
    Read(ReadArguments),
    Search(Search),
    Change(Change),
    /// A host tool has answered by itself.
    Answer {
        text: String,
        data: Value,
    },
}

/// A search for names or for text.
pub(crate) enum Search {
    Glob(GlobArguments),
    Grep(GrepArguments),
}

/// A change of files.
pub(crate) enum Change {
    Edits {
        edits: Vec<EditRequest>,
        insist: Insist,
        dry_run: DryRun,
    },
    Write(WriteArguments),
    TakeBack(TakeBack, Whose),
    Restore(Restore),
}

/// One edit, from Edit, MultiEdit or a host's tool.
#[derive(Clone, Debug)]
pub(crate) struct EditRequest {
    pub(crate) file_path: String,
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) replace_all: bool,
    pub(crate) expect_count: Option<u64>,
    pub(crate) revision: Option<String>,
}

/// Whether text that looks like display text is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Insist {
    Yes,
    No,
}

impl From<bool> for Insist {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// Whose changes may be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The session's own: what a model may ask for.
    Own,
    /// All below the roots: what a person may ask for.
    Everyone,
}
