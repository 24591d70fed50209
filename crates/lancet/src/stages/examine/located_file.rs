//! The files of a request once they are located, each with the changes that the request has for it.

use std::borrow::Cow;
use std::path::Path;

use lancet_workspace::FileType;

use crate::reason::Withheld;
use crate::request::{
    Action, CellRequest, DeleteRequest, EditRequest, ExecutableChange, FolderChange, MoveRequest,
    Request, WriteRequest,
};
use crate::stages::locate::Target;

/// One file of a request, with all its changes.
pub(super) struct LocatedFile<'r> {
    pub(super) target: Target,
    pub(super) work: FileChanges<'r>,
    /// A change of the file's executable bit, with its number.
    pub(super) executable: Option<(usize, ExecutableChange)>,
}

/// The changes of a file. Each has its number in the order sent, from 0.
pub(super) enum FileChanges<'r> {
    Edits(Vec<NumberedEdit<'r>>),
    Write(usize, LocatedWrite<'r>),
    Delete(usize, &'r DeleteRequest),
    Move(Box<LocatedMove<'r>>),
    Cell(usize, &'r CellRequest),
    /// An empty folder is made or removed.
    Folder(usize, &'r FolderChange),
    /// Only the executable bit changes.
    Mode,
}

/// An edit with its number.
pub(super) type NumberedEdit<'r> = (usize, &'r EditRequest);

/// A file to be written whole.
pub(super) struct LocatedWrite<'r> {
    pub(super) write: Cow<'r, WriteRequest>,
    /// Set where the refusal may reveal nothing about the file before a person approves.
    pub(super) withheld: Option<Box<Withheld>>,
}

/// A file to be moved.
pub(super) struct LocatedMove<'r> {
    pub(super) at: usize,
    pub(super) request: &'r MoveRequest,
    pub(super) to: Target,
    /// Edits that are applied together with the move: sent with it, before it under the old name, or after it under the
    /// new one.
    pub(super) edits: Vec<NumberedEdit<'r>>,
    /// Set where the refusal may reveal nothing about the new name before a person approves.
    pub(super) withheld: Option<Box<Withheld>>,
}

impl LocatedFile<'_> {
    /// Returns the numbers of the file's changes, from 0.
    pub(super) fn change_numbers(&self) -> impl Iterator<Item = usize> {
        let (edits, whole) = match &self.work {
            FileChanges::Edits(edits) => (edits.as_slice(), None),
            FileChanges::Write(at, _)
            | FileChanges::Delete(at, _)
            | FileChanges::Cell(at, _)
            | FileChanges::Folder(at, _) => (&[][..], Some(*at)),
            FileChanges::Move(moved) => (moved.edits.as_slice(), Some(moved.at)),
            FileChanges::Mode => (&[][..], None),
        };
        let mode = self.executable.map(|(at, _)| at);
        whole
            .into_iter()
            .chain(edits.iter().map(|(at, _)| *at))
            .chain(mode)
    }

    /// Returns the withheld file, if a refusal may reveal nothing about it before a person approves.
    pub(super) fn withheld_file(&self) -> Option<Box<Withheld>> {
        match &self.work {
            FileChanges::Write(_, located) => located.withheld.clone(),
            FileChanges::Move(moved) => moved.withheld.clone(),
            FileChanges::Edits(_)
            | FileChanges::Delete(..)
            | FileChanges::Cell(..)
            | FileChanges::Folder(..)
            | FileChanges::Mode => None,
        }
    }

    /// Returns the names that change.
    pub(super) fn changed_paths(&self) -> impl Iterator<Item = &Path> {
        let to = match &self.work {
            FileChanges::Move(moved) => Some(moved.to.path()),
            _ => None,
        };
        std::iter::once(self.target.path()).chain(to)
    }

    /// Returns the name that the file will have and that is free now.
    pub(super) fn new_name(&self) -> Option<&Path> {
        let target = match &self.work {
            FileChanges::Move(moved) => &moved.to,
            _ => &self.target,
        };
        matches!(target.located.kind(), FileType::Missing).then(|| target.path())
    }
}

/// The noun for the changes of a request: "edit" where all of them are edits.
pub(super) struct ChangeNoun {
    pub(super) capital: &'static str,
    pub(super) small: &'static str,
}

impl ChangeNoun {
    pub(super) fn for_request(request: &Request) -> Self {
        let mut files = request.files.iter();
        if files.all(|file| matches!(file.action, Action::Edit(_))) {
            Self {
                capital: "Edit",
                small: "edit",
            }
        } else {
            Self {
                capital: "Change",
                small: "change",
            }
        }
    }
}
