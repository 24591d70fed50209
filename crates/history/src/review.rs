//! The user's review state: the last look at each file, and the comments that are to be delivered to a session. The
//! implementation in SQLite is [`Store`](crate::Store).

use std::path::{Path, PathBuf};

use crate::entry::Revision;
use crate::error::HistoryError;
use crate::operation::{Operation, OperationKind, ReversedChange};

/// The client program recorded for changes that the user makes at the shell.
pub const SHELL_CLIENT: &str = "lancet";

/// The client program recorded for changes that the user makes on the page.
pub const PAGE_CLIENT: &str = "lancet page";

/// Returns the name to record for a program that names itself. Such a program cannot claim the names of the user's
/// own clients.
#[must_use]
pub fn disambiguate_client(client: String) -> String {
    match client.as_str() {
        SHELL_CLIENT | PAGE_CLIENT => format!("{client} (as it calls itself)"),
        _ => client,
    }
}

/// The largest number of comments that wait for one session.
pub const MAX_WAITING_COMMENTS: usize = 200;

impl Operation {
    /// Returns whether the user made the operation and so need not review it: on the page, or by undo, redo or
    /// restore at the shell. Any other change at the shell may be an agent's, since agents use the shell, too.
    #[must_use]
    pub fn is_made_by_person(&self) -> bool {
        let takes_back = matches!(self.kind, OperationKind::Undo | OperationKind::Redo);
        match self.client.as_deref() {
            Some(PAGE_CLIENT) => true,
            Some(SHELL_CLIENT) => takes_back || self.tool == "Restore",
            _ => false,
        }
    }
}

/// The user's last look at a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastLook {
    /// The content that the user looked at; none if the file did not exist.
    pub revision: Option<Revision>,
    /// The [`sequence`](Operation::sequence) of the newest operation that the user looked at.
    pub sequence: i64,
    /// The time of the look, in milliseconds since 1970.
    pub time: i64,
}

/// A look that is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLook {
    /// The file.
    pub path: PathBuf,
    /// The root that the file was recorded with; none if it is not known.
    pub workspace: Option<[u8; 32]>,
    /// The content that the user looked at; none if the file did not exist.
    pub revision: Option<Revision>,
    /// The [`sequence`](Operation::sequence) of the newest operation that the user looked at.
    pub sequence: i64,
}

/// What recording a look replaced, so that the look can be withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedLook {
    /// The look that was recorded.
    pub look: NewLook,
    /// The look before it; none if the file was never looked at.
    pub before: Option<LastLook>,
}

/// A filter on the files to review.
#[derive(Clone, Debug, Default)]
pub struct UnseenQuery {
    /// Only files below one of these folders.
    pub below: Vec<PathBuf>,
    /// Only this file.
    pub path: Option<PathBuf>,
    /// Roots to exclude: changes recorded with them belong to other folders that had the same path.
    pub without: Vec<[u8; 32]>,
    /// The largest number of files to return.
    pub limit: Option<usize>,
}

/// A file with operations since the last look.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnseenFile {
    /// The file.
    pub path: PathBuf,
    /// The number of operations that changed it since the last look.
    pub operations: u64,
    /// The [`sequence`](Operation::sequence) of the newest of them.
    pub newest: i64,
    /// The id of the newest of them.
    pub operation: String,
    /// The index of the file in it.
    pub at: usize,
    /// The session of the newest of them.
    pub session: String,
}

/// An operation that undid a part of earlier changes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialUndo {
    /// The operation.
    pub operation: String,
    /// The index of the file in the operation.
    pub at: usize,
    /// The content before it.
    pub before: Option<Revision>,
    /// The content after it.
    pub after: Option<Revision>,
    /// The changes that it undid in part, by their operation and the index of the file in it.
    pub earlier: Vec<(String, usize)>,
}

/// The kind of a notice for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommentKind {
    /// The user's comment on lines of a file.
    Words,
    /// The user undid lines.
    TakenBack,
    /// The outcome of a change of the session whose process ended in the middle of it.
    Interrupted,
}

/// The message with which a comment was delivered to its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeliveredWith {
    /// With the answer to a call.
    Answer,
    /// With a prompt of the user.
    Prompt,
}

/// A comment that is to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct CommentDraft<'c> {
    /// Its kind.
    pub kind: CommentKind,
    /// The session that it is for.
    pub session: &'c str,
    /// The file.
    pub path: &'c Path,
    /// The first line, from 1; 0 if the comment is about the whole file.
    pub first: u64,
    /// The last line.
    pub last: u64,
    /// The content that the line numbers refer to.
    pub revision: Option<Revision>,
    /// The text.
    pub words: &'c str,
    /// The operation that undid lines.
    pub operation: Option<&'c str>,
    /// The fields of the event about it, as a JSON object.
    pub event: &'c str,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comment {
    /// Its number.
    pub id: i64,
    /// Its kind.
    pub kind: CommentKind,
    /// The time at which it was made, in milliseconds since 1970.
    pub time: i64,
    /// The session that it is for.
    pub session: String,
    /// The file.
    pub path: PathBuf,
    /// The first line, from 1; 0 if the comment is about the whole file.
    pub first: u64,
    /// The last line.
    pub last: u64,
    /// The content that the line numbers refer to.
    pub revision: Option<Revision>,
    /// The text.
    pub words: String,
    /// The operation that undid lines.
    pub operation: Option<String>,
    /// The time of its delivery to the session, in milliseconds since 1970, and the kind of message; none while it
    /// waits.
    pub delivered: Option<(i64, DeliveredWith)>,
}

/// A filter on comments.
#[derive(Clone, Debug, Default)]
pub struct CommentQuery {
    /// Only comments on files below one of these folders.
    pub below: Vec<PathBuf>,
    /// Only comments for this session.
    pub session: Option<String>,
    /// Only comments that have not been delivered to their session.
    pub waiting: bool,
    /// The largest number of comments to return.
    pub limit: Option<usize>,
}

/// A store of looks and comments.
pub trait ReviewStore: Send + Sync {
    /// Returns the files with operations since the last look, the one with the newest operation first. For a file
    /// that was never looked at, operations count from the time at which looks began to be recorded. Files with only
    /// the user's own operations ([`Operation::is_made_by_person`]) are left out, and so are names that a file was moved
    /// away from.
    ///
    /// # Errors
    /// The store cannot be read.
    fn unseen_files(&self, query: &UnseenQuery) -> Result<Vec<UnseenFile>, HistoryError>;

    /// Returns the last look at a file; looks that were recorded with one of the roots `without` do not count. Also
    /// returns the [`sequence`](Operation::sequence) after which operations are to be reviewed.
    ///
    /// # Errors
    /// The store cannot be read.
    fn last_look(
        &self,
        path: &Path,
        without: &[[u8; 32]],
    ) -> Result<(Option<LastLook>, i64), HistoryError>;

    /// Records looks, all of them or none. A look at something older than the last look changes nothing. Returns the
    /// looks that were recorded, with what they replaced.
    ///
    /// # Errors
    /// The store cannot be written.
    fn record_looks(&self, looks: &[NewLook]) -> Result<Vec<ReplacedLook>, HistoryError>;

    /// Records that all files of a query were looked at in their state after the operation with this sequence.
    /// Returns the looks, with what they replaced.
    ///
    /// # Errors
    /// The store cannot be written.
    fn record_looks_at_all(
        &self,
        query: &UnseenQuery,
        upto: i64,
    ) -> Result<Vec<ReplacedLook>, HistoryError>;

    /// Withdraws looks that are still the last ones: the looks before them hold again. Returns the number of
    /// looks that were withdrawn.
    ///
    /// # Errors
    /// The store cannot be written.
    fn take_looks_back(&self, looks: &[ReplacedLook]) -> Result<usize, HistoryError>;

    /// Returns the operations that undid a part of a file's changes and are still in effect, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn partial_undos(&self, path: &Path) -> Result<Vec<PartialUndo>, HistoryError>;

    /// Records a comment and returns its number; none if too many wait for the session. Old comments are removed.
    ///
    /// # Errors
    /// The store cannot be written.
    fn add_comment(&self, comment: &CommentDraft<'_>) -> Result<Option<i64>, HistoryError>;

    /// Returns the comments that match a query, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn list_comments(&self, query: &CommentQuery) -> Result<Vec<Comment>, HistoryError>;

    /// Removes a comment that has not been delivered. Returns false if it has been delivered or does not exist.
    ///
    /// # Errors
    /// The store cannot be written.
    fn withdraw_comment(&self, id: i64) -> Result<bool, HistoryError>;

    /// Returns the comments that wait for a session, oldest first. Notices about undone lines are left out if the
    /// lines were restored meanwhile.
    ///
    /// # Errors
    /// The store cannot be read.
    fn waiting_comments(&self, session: &str) -> Result<Vec<Comment>, HistoryError>;

    /// Marks a comment as delivered. Returns false if another answer or process has delivered it.
    ///
    /// # Errors
    /// The store cannot be written.
    fn deliver_comment(&self, id: i64, with: DeliveredWith) -> Result<bool, HistoryError>;
}

impl CommentKind {
    pub(crate) fn database_number(self) -> i64 {
        self as i64
    }

    pub(crate) fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Words),
            1 => Some(Self::TakenBack),
            2 => Some(Self::Interrupted),
            _ => None,
        }
    }
}

impl DeliveredWith {
    /// Returns the name of this value in JSON output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Prompt => "prompt",
        }
    }

    pub(crate) fn database_number(self) -> i64 {
        self as i64
    }

    pub(crate) fn from_number(number: i64) -> Self {
        match number {
            1 => Self::Prompt,
            _ => Self::Answer,
        }
    }
}

impl PartialUndo {
    /// Returns whether all changes that it undid in part are among these.
    #[must_use]
    pub fn is_covered_by(&self, changes: &[ReversedChange]) -> bool {
        self.earlier.iter().all(|(operation, at)| {
            let mut changes = changes.iter();
            changes.any(|change| change.operation == *operation && change.at == *at)
        })
    }
}
