//! The files of a request once they are located, each with the changes that the request has for it.

use crate::reason::Withheld;
use crate::request::{Action, EditRequest, Request, WriteRequest};
use crate::rooms::locate::Target;

/// One file of a request, with all its changes.
pub(super) struct LocatedFile<'r> {
    pub(super) target: Target,
    pub(super) work: Work<'r>,
}

/// The changes of a file. Each has its number in the order sent, from 0.
pub(super) enum Work<'r> {
    Edits(Vec<(usize, &'r EditRequest)>),
    Write(usize, LocatedWrite<'r>),
}

/// A file to be written whole.
pub(super) struct LocatedWrite<'r> {
    pub(super) write: &'r WriteRequest,
    /// Set where nothing may be said of the file before a person's yes.
    pub(super) withheld: Option<Box<Withheld>>,
}

impl LocatedFile<'_> {
    /// The numbers of the file's changes, from 0.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> {
        let (edits, write) = match &self.work {
            Work::Edits(edits) => (edits.as_slice(), None),
            Work::Write(at, _) => (&[][..], Some(*at)),
        };
        edits.iter().map(|(at, _)| *at).chain(write)
    }

    /// Gives the withheld file where nothing may be said of it before a person's yes.
    pub(super) fn withheld(&self) -> Option<Box<Withheld>> {
        match &self.work {
            Work::Edits(_) => None,
            Work::Write(_, located) => located.withheld.clone(),
        }
    }
}

/// The noun for the changes of a request: "edit" where all of them are edits.
pub(super) struct Noun {
    pub(super) capital: &'static str,
    pub(super) small: &'static str,
}

impl Noun {
    pub(super) fn of(request: &Request) -> Self {
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
