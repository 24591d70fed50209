//! An operation that is about to be recorded. Contents are borrowed; a new content that is an edit of a stored one is
//! given as its changed ranges only.

use std::path::{Path, PathBuf};

use super::{ChangeKind, OperationKind};
use crate::content::RawChange;
use crate::entry::Revision;
use crate::workspace::WorkspaceRef;

/// The session and client that make a change.
#[derive(Clone, Copy, Debug, Default)]
pub struct OperationAuthor<'a> {
    /// The name of the session.
    pub session: &'a str,
    /// The name of the client program.
    pub client: Option<&'a str>,
    /// The version of the client program.
    pub version: Option<&'a str>,
    /// The conversation turn that the caller named.
    pub turn: Option<&'a str>,
    /// The caller's own id of the tool call.
    pub call: Option<&'a str>,
}

/// An operation whose files are about to be written.
pub struct OperationDraft<'a> {
    /// The id of the new operation.
    pub id: &'a str,
    /// The time of the change, in milliseconds since 1970.
    pub time: i64,
    /// Whether the operation is a change or reverses others.
    pub kind: OperationKind,
    /// The session and client that make the change.
    pub author: OperationAuthor<'a>,
    /// The name of the tool that was called.
    pub tool: &'a str,
    /// The matching method (the rung of the match ladder) that found each edit, in order.
    pub rungs: Vec<&'a str>,
    /// The approver of the change, or the rule that allowed it.
    pub approved: Option<&'a str>,
    /// The question whose approval the operation uses up, if a recorded question was asked.
    pub question: Option<&'a str>,
    /// The operation whose hook made this change, or which the recorded command was to prove.
    pub parent: Option<&'a str>,
    /// The files that will be changed.
    pub files: Vec<FileDraft<'a>>,
    /// The file changes that the operation reverses, in any order.
    pub takes_back: Vec<ReversedChange>,
    /// The file changes that the operation reverses in part; the rest of each stays in effect.
    pub takes_part_of: Vec<ReversedChange>,
}

/// A file change of an earlier operation that a new operation reverses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReversedChange {
    /// The index of the file in the new operation; none if the file already had its old content, so that the new
    /// operation does not write it.
    pub by: Option<usize>,
    /// The id of the earlier operation.
    pub operation: String,
    /// The index of the file in the earlier operation.
    pub at: usize,
}

/// One file of a [`OperationDraft`].
pub struct FileDraft<'a> {
    /// The absolute path of the file.
    pub path: &'a Path,
    /// The kind of change that will be made to the file.
    pub kind: ChangeKind,
    /// The old path, if the file is renamed.
    pub moved_from: Option<&'a Path>,
    /// The state before the change; none if the file does not exist.
    pub before: Option<DraftState<'a>>,
    /// The state after the change; none if the file will not exist.
    pub after: Option<DraftState<'a>>,
    /// The number of lines added.
    pub added: u64,
    /// The number of lines removed.
    pub removed: u64,
    /// The folders that are created for the file, outermost first.
    pub folders: Vec<PathBuf>,
    /// The root that contains the file; none if it is not known.
    pub workspace: Option<WorkspaceRef<'a>>,
}

/// The state of a file before or after the change, with its content.
pub struct DraftState<'a> {
    /// The BLAKE3 hash of its bytes.
    pub revision: Revision,
    /// Its size in bytes.
    pub size: u64,
    /// File type and permission bits (`st_mode`); 0 if they are not known yet.
    pub mode: u32,
    /// The target, if the file is a symbolic link.
    pub link: Option<&'a Path>,
    /// Its inode number, if it is known: a file that another program moves is recognised by it.
    pub inode: Option<u64>,
    /// Its bytes, in the cheapest form that the caller has.
    pub content: ContentDraft<'a>,
}

/// The bytes of a file, whole or as a difference to another content.
pub enum ContentDraft<'a> {
    /// The whole content.
    Whole(&'a [u8]),
    /// A delta: another content with some ranges replaced. The base is stored already or is part of the same draft.
    Spans {
        /// The hash of the content that the changes apply to.
        base: Revision,
        /// The replaced ranges with their new bytes, sorted and disjoint.
        changes: Vec<RawChange<'a>>,
    },
    /// No bytes are given. The change moves the old file itself into the state folder, and
    /// [`adopt_file`](super::ContentStore::adopt_file) then adds it to the store.
    Displaced,
}
