//! Queries of the log of operations.

use std::path::PathBuf;

use super::Operation;
use crate::entry::Revision;

/// A filter on operations; the result is newest first. A field that is left empty filters nothing. Fields are added
/// with new versions: end a literal with `..LogQuery::default()`.
#[derive(Clone, Debug, Default)]
pub struct LogQuery {
    /// Only operations whose files are below one of these folders; `files_below` says whether all of them or one.
    pub below: Vec<PathBuf>,
    /// How many of an operation's files have to be below the folders.
    pub files_below: FilesBelow,
    /// Only operations that touched this file, or a file below this folder.
    pub path: Option<PathBuf>,
    /// Only operations of this session.
    pub session: Option<String>,
    /// Only operations of this session and its sub-agents.
    pub tree: Option<String>,
    /// Only operations that this client program made. Among those that can be redone, the ones that reversed its
    /// changes.
    pub client: Option<String>,
    /// Only operations of this conversation turn.
    pub turn: Option<String>,
    /// Whether operations are included whose caller is not known: those of the tool `unattributed` and those of the
    /// client `watched`.
    pub callers: CallerFilter,
    /// Only operations since this time, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Only operations up to this time, in milliseconds since 1970.
    pub until: Option<i64>,
    /// Only operations that have this text in a path, in their session's name, their id or tool, or in the prompt
    /// that led to them. Case does not matter for ASCII letters.
    pub words: Option<String>,
    /// Only operations that were recorded after this [`sequence`](Operation::sequence).
    pub after: Option<i64>,
    /// Only operations that were recorded before the one with this id.
    pub before: Option<String>,
    /// Only operations that were recorded before this [`sequence`](Operation::sequence), whose operation may have
    /// been removed since.
    pub before_sequence: Option<i64>,
    /// Only operations that can be undone, or only those that can be redone.
    pub reversible: Option<ReversalDirection>,
    /// Operations on files that were recorded with one of these roots are left out, and so are their later changes of a
    /// file where those decide whether an undo can be redone: the roots are other folders that had the same path.
    pub without: Vec<[u8; 32]>,
    /// Only operations that hooks of another one made, or only those that no hook made.
    pub parentage: Option<ParentFilter>,
    /// Only recorded calls that moved HEAD of a git work tree.
    pub moves_head: bool,
    /// Only recorded calls without files that can be undone: the content of what they changed was not recorded, or they
    /// only moved HEAD.
    pub without_files: bool,
    /// The largest number of operations to return.
    pub limit: Option<usize>,
}

/// How many of an operation's files have to be below the folders of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilesBelow {
    /// All of them, by their present names.
    #[default]
    All,
    /// One of them, by its present name or by the name that it was moved from. The others may be files of other
    /// projects.
    Any,
}

/// Whether operations are included whose caller is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallerFilter {
    /// All operations.
    #[default]
    All,
    /// Only those whose caller is known ([`Operation::has_known_caller`]).
    Known,
}

/// Whether a hook of another operation made an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParentFilter {
    /// No hook made it, or the operation whose hook made it has been removed.
    None,
    /// A hook of the operation with this id made it.
    Of(String),
}

/// In which direction an operation can be reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReversalDirection {
    /// The operation is a change that has not been undone completely.
    Undoable,
    /// The operation is a change, or a redo, that has not been undone completely. Undoing a redo reverses what it
    /// restored, so a change may be listed together with the redo that restored it.
    UndoableOrRedone,
    /// The operation is an undo that has not been redone completely.
    Redoable,
}

/// The operations whose ids begin with a given prefix.
#[derive(Clone, Debug, PartialEq)]
pub enum IdMatch {
    /// Exactly one operation has this prefix.
    One(Box<Operation>),
    /// Several operations have this prefix; at most ten of them, newest first.
    Several(Vec<Operation>),
    /// No operation has this prefix.
    None,
}

/// The state that another operation made of the same state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RivalState {
    /// The content that it left or is to leave; none if it removes the file.
    pub revision: Option<Revision>,
    /// Whether a later operation found this state.
    pub is_followed: bool,
}
