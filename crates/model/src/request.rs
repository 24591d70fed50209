//! A change of files, in one form for all tools: a [`Request`], whichever tool or host built it, so that one call may
//! mix edits and whole files in one transaction. This is data only: crates/lancet carries it out.

mod folder;
mod hunk;
mod lines;
mod options;
mod planned;

use crate::non_exhaustive::NonExhaustive;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use lancet_dialects::Dialect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::hunk_place::HunkPlace;
pub use crate::line_range::LineRange;
pub use lancet_search::Substitution;
pub use lancet_text::{FinalNewline, GapHandling, HunkBounds, LastLine};
pub use lancet_workspace::ExecutableChange;

pub use self::folder::FolderChange;
pub use self::options::{DryRun, Insist};
pub use self::planned::PlannedPlaces;
pub use self::planned::{PlannedRole, SymbolRename};
pub use crate::cell_request::{CellChange, CellName, CellRequest, CellType, InsertSide};
use crate::undo::{HunkUndoRequest, Restore, UndoRequest};

/// A change of one file or several. All of it is carried out, or nothing is.
///
/// The list keeps the order in which the changes were sent: a refusal names a change by its number in that order. A
/// file may be named more than once; each of its edits then meets the result of those before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The files, in the order sent.
    pub files: Vec<FileRequest>,
    /// Whether new text is written although it looks like display text or a placeholder.
    pub insist: Insist,
    /// Whether the change is only shown.
    pub dry_run: DryRun,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

/// What is to happen to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRequest {
    /// The file's path as the caller spelled it.
    pub path: String,
    /// The change to make to the file.
    pub action: Action,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

/// The kinds of change that a request can make to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Texts in the file are replaced, one after the other.
    Edit(Vec<EditRequest>),
    /// The file is created, replaced or appended to.
    Write(WriteRequest),
    /// The file is removed; the session must have seen all of it.
    Delete(DeleteRequest),
    /// The file gets another name, which must be free. A symbolic link is moved as a link.
    Move(MoveRequest),
    /// The permission to execute the file changes.
    SetExecutable(ExecutableChange),
    /// A cell of a notebook is changed.
    Cell(CellRequest),
    /// An empty folder is made or removed.
    Folder(FolderChange),
}

/// One text to find in a file, and the text to put in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditRequest {
    /// The text to find; empty creates the file, or fills an empty one.
    pub old: String,
    /// The text that replaces the found text.
    pub new: String,
    /// Whether every occurrence is replaced, instead of the only one.
    pub replace_all: bool,
    /// If set, the edit is refused where another number of occurrences is found.
    pub expect_count: Option<u64>,
    /// If set, the edit is refused unless the file is at this revision.
    pub revision: Option<String>,
    /// Where in the file the edit is made.
    pub place: Place,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

/// Where in a file an edit is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Where the old text is.
    #[default]
    Text,
    /// Where the old lines of a hunk are, as whole lines.
    Hunk(Box<HunkPlace>),
    /// Before the line in which the old text begins. The new text is inserted there as separate lines, and the old text
    /// remains.
    Before,
    /// After the line in which the old text ends. The new text is inserted there as separate lines, and the old text
    /// remains.
    After,
    /// After the line with this number, counted from 1; 0 is the top of the file. There is no old text.
    AfterLine(u64),
    /// At whole lines that are named by their numbers. The new text replaces them; if it is empty they are deleted. Old
    /// text that is not empty must be the text of these lines.
    Lines(LineRange),
    /// After the line in which the old text ends, where lines of the same file are moved to. There is no new text.
    MovedAfter(LineRange),
    /// At every match of a regular expression. The old text is the expression and the new text its template; both are
    /// only used in messages.
    Matches(Arc<Substitution>),
    /// At the places of one version of the file that a language server planned. There is no old text.
    Planned(Arc<PlannedPlaces>),
}

/// The content to write to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteRequest {
    /// The whole text, or the text to append.
    pub content: String,
    /// What happens to a file that exists.
    pub mode: WriteMode,
    /// Whether a file that exists gets the final newline of the content.
    pub final_newline: WrittenNewline,
    /// If set, the write is refused unless the file is at this revision.
    pub revision: Option<String>,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

/// The removal of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteRequest {
    /// The removal is refused unless the file is at this revision.
    pub revision: Option<String>,
    /// The removal is refused unless these, without line ends, are the lines of the file.
    pub lines: Option<Vec<String>>,
    /// Folders, outermost first, that are removed, too, if the removal leaves them empty.
    pub folders: Vec<PathBuf>,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

/// Another name for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveRequest {
    /// The new path as the caller spelled it. Missing folders are made.
    pub to: String,
    /// Edits of the file, which apply together with the move.
    pub edits: Vec<EditRequest>,
    /// The move is refused unless the file is at this revision.
    pub revision: Option<String>,
    /// Folders, outermost first, that are removed if the move leaves them empty.
    pub folders: Vec<PathBuf>,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

/// What a write does to a file that exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum WriteMode {
    /// The file is replaced.
    #[default]
    Overwrite,
    /// The content is added at the end of the file.
    Append,
    /// The call is refused.
    Create,
}

/// Whether a file that is replaced gets the final newline of the content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WrittenNewline {
    /// The content is written as it was sent.
    #[default]
    AsSent,
    /// The content does not determine whether the file ends in a newline: a file without a final newline stays without
    /// one.
    AsFile,
}

impl Request {
    /// Makes a request that is carried out and refuses text that looks leaked.
    pub fn new(files: Vec<FileRequest>) -> Self {
        Self {
            files,
            ..Self::default()
        }
    }

    /// Returns whether every change is an edit that replaces a text by the same text.
    #[doc(hidden)]
    pub fn changes_nothing(&self) -> bool {
        self.files.iter().all(|file| match &file.action {
            Action::Edit(edits) => edits.iter().all(EditRequest::is_same_text),
            _ => false,
        })
    }
}

impl FileRequest {
    /// Makes a request for edits of one file, each on the result of those before it.
    pub fn edit(path: impl Into<String>, edits: Vec<EditRequest>) -> Self {
        Self {
            path: path.into(),
            action: Action::Edit(edits),
            non_exhaustive: NonExhaustive,
        }
    }

    /// Makes a request that changes one cell of a notebook.
    pub fn cell(path: impl Into<String>, cell: CellRequest) -> Self {
        Self {
            path: path.into(),
            action: Action::Cell(cell),
            non_exhaustive: NonExhaustive,
        }
    }

    /// Makes a request that writes a file whole, or appends to it.
    pub fn write(path: impl Into<String>, write: WriteRequest) -> Self {
        Self {
            path: path.into(),
            action: Action::Write(write),
            non_exhaustive: NonExhaustive,
        }
    }
}

impl FileRequest {
    /// Makes a request that removes a file.
    pub fn delete(path: impl Into<String>, delete: DeleteRequest) -> Self {
        Self {
            path: path.into(),
            action: Action::Delete(delete),
            non_exhaustive: NonExhaustive,
        }
    }

    /// Makes a request that makes or removes an empty folder.
    pub fn folder(path: impl Into<String>, change: FolderChange) -> Self {
        Self {
            path: path.into(),
            action: Action::Folder(change),
            non_exhaustive: NonExhaustive,
        }
    }

    /// Makes a request that renames a file.
    pub fn rename(path: impl Into<String>, to: MoveRequest) -> Self {
        Self {
            path: path.into(),
            action: Action::Move(to),
            non_exhaustive: NonExhaustive,
        }
    }

    /// Makes a request that changes a file's permission to be executed. With a write of the same path it also applies
    /// to a new file.
    pub fn set_executable(path: impl Into<String>, executable: ExecutableChange) -> Self {
        Self {
            path: path.into(),
            action: Action::SetExecutable(executable),
            non_exhaustive: NonExhaustive,
        }
    }
}

impl DeleteRequest {
    /// Makes the removal of a file at whatever revision the session has seen.
    pub fn new() -> Self {
        Self::default()
    }
}

impl MoveRequest {
    /// Makes a move without edits.
    pub fn new(to: impl Into<String>) -> Self {
        Self {
            to: to.into(),
            ..Self::default()
        }
    }

    /// Makes a move with edits of the file.
    pub fn with_edits(to: impl Into<String>, edits: Vec<EditRequest>) -> Self {
        Self {
            to: to.into(),
            edits,
            ..Self::default()
        }
    }
}

impl EditRequest {
    /// Makes an edit of a text that must occur exactly once.
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> Self {
        Self {
            old: old.into(),
            new: new.into(),
            ..Self::default()
        }
    }
}

impl EditRequest {
    /// Makes an edit of every match of a regular expression.
    pub fn matches(substitution: Arc<Substitution>) -> Self {
        Self {
            place: Place::Matches(substitution),
            ..Self::default()
        }
    }
}

impl WriteRequest {
    /// Makes a write of this content, whether or not the file exists.
    pub fn new(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            ..Self::default()
        }
    }
}

/// A change: of files as the caller describes them, or back to a state in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change<'r> {
    /// Changes of files.
    Files(Request),
    /// A response of a model.
    Response(ResponseRequest<'r>),
    /// Lines that are moved.
    MoveLines(LineMove),
    /// One file that is renamed, with the imports of other files.
    MoveFile(Request),
    /// A symbol that is renamed.
    Rename(SymbolRename),
    /// An undo or a redo.
    TakeBack(UndoRequest, UndoScope),
    /// Files that are restored to their content at some moment.
    Restore(Vec<Restore>),
    /// One hunk that is undone.
    TakeHunk(HunkUndoRequest),
}

/// A model's response to be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseRequest<'r> {
    /// The text as the caller has it, not a copy: a response may have 50 MB, a third of the memory that a call may use.
    pub text: Cow<'r, str>,
    /// The only format that is accepted; none for any format.
    pub format: Option<Dialect>,
    /// Whether text that looks leaked is written.
    pub insist: Insist,
    /// Whether the change is only shown.
    pub dry_run: DryRun,
}

/// Whole lines that are moved behind a marker, in their own file or into another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMove {
    /// The file that the lines are taken from.
    pub from: String,
    /// The lines.
    pub lines: LineRange,
    /// The file that they are put into.
    pub to: String,
    /// The text after which they are put.
    pub marker: String,
    /// Whether the change is only shown.
    pub dry_run: DryRun,
}

/// Whose changes an undo may revert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoScope {
    /// Changes of the same session, as a model may request.
    Own,
    /// All changes below the roots, as a person may request.
    Everyone,
}
