//! An operation on its way into the store: contents are borrowed, and where a new one is an edit of an old one that is
//! kept, only the changed stretches are handed over.

use std::path::{Path, PathBuf};

use super::{ChangeKind, OperationKind};
use crate::content::RawChange;
use crate::entry::Revision;

/// Who makes a change.
#[derive(Clone, Copy, Debug, Default)]
pub struct By<'a> {
    /// The session's name.
    pub session: &'a str,
    /// The client's name.
    pub client: Option<&'a str>,
    /// The client's version.
    pub version: Option<&'a str>,
    /// The caller's turn.
    pub turn: Option<&'a str>,
    /// The caller's id of the call.
    pub call: Option<&'a str>,
}

/// An operation that is about to be carried out.
pub struct Draft<'a> {
    /// Its id.
    pub id: &'a str,
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// What it is.
    pub kind: OperationKind,
    /// Who makes it.
    pub by: By<'a>,
    /// The tool.
    pub tool: &'a str,
    /// The rungs of its edits.
    pub rungs: Vec<&'a str>,
    /// Who let it through, or by which rule.
    pub approved: Option<&'a str>,
    /// Its files.
    pub files: Vec<FileDraft<'a>>,
    /// What it takes back, in any order.
    pub takes_back: Vec<TakenBack>,
}

/// One file of an earlier operation that is taken back by one file of this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// The place of the file in the new operation; none where the file already was what taking back would make of it, so
    /// that the new operation does not write it.
    pub by: Option<usize>,
    /// The earlier operation.
    pub operation: String,
    /// The place of the file there.
    pub at: usize,
}

/// One file of a draft.
pub struct FileDraft<'a> {
    /// The file, absolute.
    pub path: &'a Path,
    /// What happens to it.
    pub kind: ChangeKind,
    /// Of a move: the old name.
    pub moved_from: Option<&'a Path>,
    /// As it is.
    pub before: Option<State<'a>>,
    /// As it will be.
    pub after: Option<State<'a>>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// Folders made for it, outermost first.
    pub folders: Vec<PathBuf>,
}

/// A file at one moment.
pub struct State<'a> {
    /// The hash of its bytes.
    pub revision: Revision,
    /// Its size in bytes.
    pub size: u64,
    /// Type and permission bits; 0 where they are not known yet.
    pub mode: u32,
    /// Where it points to, if it is a symbolic link.
    pub link: Option<&'a Path>,
    /// Its bytes.
    pub content: Content<'a>,
}

/// The bytes of a file, in the cheapest form at hand.
pub enum Content<'a> {
    /// All of them.
    Whole(&'a [u8]),
    /// Another content with stretches of it replaced; what it is based on is kept by the same draft or was before.
    Spans {
        /// The content that they change.
        base: Revision,
        /// Sorted and disjoint.
        changes: Vec<RawChange<'a>>,
    },
    /// Not handed over: the file itself is moved out of the way by the change, and then comes in with
    /// [`adopt`](super::OperationStore::adopt).
    Displaced,
}
