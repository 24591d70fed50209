//! The files of a request once they are located, each with the changes that the request has for it.

use crate::reason::Withheld;
use crate::request::{Action, EditRequest, Request, WriteRequest};
use crate::rooms::locate::Target;

/// One file of a request, with all that is to happen to it.
pub(super) struct LocatedFile<'r> {
    pub(super) target: Target,
    pub(super) work: Work<'r>,
}

/// What is to happen to a file. Each change has its number in the order sent, from 0.
pub(super) enum Work<'r> {
    Edits(Vec<(usize, &'r EditRequest)>),
    Write(usize, LocatedWrite<'r>),
}

/// A file to be written whole.
pub(super) struct LocatedWrite<'r> {
    pub(super) write: &'r WriteRequest,
    /// What a person must allow before anything is told of the file.
    pub(super) withheld: Option<Box<Withheld>>,
}

impl LocatedFile<'_> {
    /// The numbers of its changes, from 0.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> {
        let (edits, write) = match &self.work {
            Work::Edits(edits) => (edits.as_slice(), None),
            Work::Write(at, _) => (&[][..], Some(*at)),
        };
        edits.iter().map(|(at, _)| *at).chain(write)
    }

    /// What a person must allow before anything is told of the file.
    pub(super) fn withheld(&self) -> Option<Box<Withheld>> {
        match &self.work {
            Work::Edits(_) => None,
            Work::Write(_, located) => located.withheld.clone(),
        }
    }
}

/// What the changes of a request are called: by their kind where they are all edits.
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
