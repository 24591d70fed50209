//! What a person has looked at, and what a person has to say about it: the last look at each file, and the comments that are
//! on their way to a session. The implementation in SQLite is [`Store`](crate::Store).

use std::path::{Path, PathBuf};

use crate::entry::Revision;
use crate::error::HistoryError;
use crate::operation::{Operation, OperationKind, TakenBack};

/// The client program of changes that a person makes at the shell.
pub const SHELL_CLIENT: &str = "lancet";

/// The client program of changes that a person makes on the page.
pub const PAGE_CLIENT: &str = "lancet page";

/// Returns the name that is recorded for a program that names itself: the names of a person's own clients cannot be
/// claimed.
#[must_use]
pub fn self_named(client: String) -> String {
    match client.as_str() {
        SHELL_CLIENT | PAGE_CLIENT => format!("{client} (as it calls itself)"),
        _ => client,
    }
}

/// The largest number of comments that wait for one session.
pub const MOST_WAITING: usize = 200;

impl Operation {
    /// Returns whether a person made the operation and need not review it: on the page, or by undo, redo or restore
    /// at the shell. Any other change at the shell may be an agent's, which has a shell too.
    #[must_use]
    pub fn is_a_persons(&self) -> bool {
        let takes_back = matches!(self.kind, OperationKind::Undo | OperationKind::Redo);
        match self.client.as_deref() {
            Some(PAGE_CLIENT) => true,
            Some(SHELL_CLIENT) => takes_back || self.tool == "Restore",
            _ => false,
        }
    }
}

/// The last look at a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Look {
    /// The content that was looked at; none where the file did not exist.
    pub revision: Option<Revision>,
    /// The [`sequence`](Operation::sequence) of the newest operation that was looked at.
    pub sequence: i64,
    /// The time of the look, in milliseconds since 1970.
    pub time: i64,
}

/// A look that is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLook {
    /// The file.
    pub path: PathBuf,
    /// The root that the file was recorded with; none where it is not known.
    pub workspace: Option<[u8; 32]>,
    /// The content that was looked at; none where the file did not exist.
    pub revision: Option<Revision>,
    /// The [`sequence`](Operation::sequence) of the newest operation that was looked at.
    pub sequence: i64,
}

/// Which files to review are asked for.
#[derive(Clone, Debug, Default)]
pub struct UnseenQuery {
    /// Only files below one of these folders.
    pub below: Vec<PathBuf>,
    /// Only this file.
    pub path: Option<PathBuf>,
    /// Changes that were recorded with one of these roots are left out: they are other folders that had the same path.
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
    /// How many operations touched it since the last look.
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

/// An operation that took back a part of earlier changes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartTakenBack {
    /// The operation, and the file of it.
    pub operation: String,
    /// The index of the file in the operation.
    pub at: usize,
    /// The content before it.
    pub before: Option<Revision>,
    /// The content after it.
    pub after: Option<Revision>,
    /// The changes that it took something back of, by their operation and the index of the file in it.
    pub earlier: Vec<(String, usize)>,
}

/// What a notice for a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommentKind {
    /// A person's words about lines of a file.
    Words,
    /// A person took lines back.
    TakenBack,
    /// What became of a change of the session whose process ended in the middle of it.
    Interrupted,
}

/// How a comment reached its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeliveredWith {
    /// With the answer to a call.
    Answer,
    /// With the prompt of a person.
    Prompt,
}

/// A comment that is to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct CommentDraft<'c> {
    /// What it is.
    pub kind: CommentKind,
    /// The session that it is for.
    pub session: &'c str,
    /// The file.
    pub path: &'c Path,
    /// The first line, from 1; 0 where it is about the whole file.
    pub first: u64,
    /// The last line.
    pub last: u64,
    /// The content that the lines are lines of.
    pub revision: Option<Revision>,
    /// The words.
    pub words: &'c str,
    /// The operation that took lines back.
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
    /// What it is.
    pub kind: CommentKind,
    /// When it was made, in milliseconds since 1970.
    pub time: i64,
    /// The session that it is for.
    pub session: String,
    /// The file.
    pub path: PathBuf,
    /// The first line, from 1; 0 where it is about the whole file.
    pub first: u64,
    /// The last line.
    pub last: u64,
    /// The content that the lines are lines of.
    pub revision: Option<Revision>,
    /// The words.
    pub words: String,
    /// The operation that took lines back.
    pub operation: Option<String>,
    /// When it reached the session, in milliseconds since 1970, and how; none while it waits.
    pub delivered: Option<(i64, DeliveredWith)>,
}

/// Which comments are asked for.
#[derive(Clone, Debug, Default)]
pub struct CommentQuery {
    /// Only comments on files below one of these folders.
    pub below: Vec<PathBuf>,
    /// Only comments for this session.
    pub session: Option<String>,
    /// Only comments that have not reached their session.
    pub waiting: bool,
    /// The largest number of comments to return.
    pub limit: Option<usize>,
}

/// A store of looks and comments.
pub trait ReviewStore: Send + Sync {
    /// Returns the files with operations since the last look, the one with the newest operation first. A file that
    /// was never looked at counts from the time at which looks began to be recorded. Files with nothing but a
    /// person's own operations ([`Operation::is_a_persons`]) are left out, and so are names that a file was moved
    /// away from.
    ///
    /// # Errors
    /// The store cannot be read.
    fn unseen(&self, query: &UnseenQuery) -> Result<Vec<UnseenFile>, HistoryError>;

    /// Returns the last look at a file; looks that were recorded with one of the roots `without` do not count. The
    /// number is the [`sequence`](Operation::sequence) after which operations are to be reviewed.
    ///
    /// # Errors
    /// The store cannot be read.
    fn last_look(
        &self,
        path: &Path,
        without: &[[u8; 32]],
    ) -> Result<(Option<Look>, i64), HistoryError>;

    /// Records looks, all of them or none. A look at something older than the last look changes nothing.
    ///
    /// # Errors
    /// The store cannot be written.
    fn record_looks(&self, looks: &[NewLook]) -> Result<(), HistoryError>;

    /// Records that all files of a query were looked at as they were after the operation with this sequence. Returns how many
    /// they are.
    ///
    /// # Errors
    /// The store cannot be written.
    fn record_look_at_all(&self, query: &UnseenQuery, upto: i64) -> Result<usize, HistoryError>;

    /// Returns the operations that took back a part of a file's changes and have not been undone, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn parts_taken_back(&self, path: &Path) -> Result<Vec<PartTakenBack>, HistoryError>;

    /// Records a comment and returns its number; none where too many wait for the session. Old comments are removed.
    ///
    /// # Errors
    /// The store cannot be written.
    fn add_comment(&self, comment: &CommentDraft<'_>) -> Result<Option<i64>, HistoryError>;

    /// Returns the comments that match a query, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn comments(&self, query: &CommentQuery) -> Result<Vec<Comment>, HistoryError>;

    /// Removes a comment that has not reached its session. False where it has, or is not there.
    ///
    /// # Errors
    /// The store cannot be written.
    fn withdraw_comment(&self, id: i64) -> Result<bool, HistoryError>;

    /// Returns the comments that wait for a session, oldest first. Lines that were put back meanwhile are not told
    /// any more.
    ///
    /// # Errors
    /// The store cannot be read.
    fn waiting_comments(&self, session: &str) -> Result<Vec<Comment>, HistoryError>;

    /// Marks a comment as delivered. False where another answer or process has delivered it.
    ///
    /// # Errors
    /// The store cannot be written.
    fn deliver_comment(&self, id: i64, with: DeliveredWith) -> Result<bool, HistoryError>;
}

impl CommentKind {
    pub(crate) fn number(self) -> i64 {
        self as i64
    }

    pub(crate) fn of(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Words),
            1 => Some(Self::TakenBack),
            2 => Some(Self::Interrupted),
            _ => None,
        }
    }
}

impl DeliveredWith {
    /// Returns the word for this value in JSON output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Prompt => "prompt",
        }
    }

    pub(crate) fn number(self) -> i64 {
        self as i64
    }

    pub(crate) fn of(number: i64) -> Self {
        match number {
            1 => Self::Prompt,
            _ => Self::Answer,
        }
    }
}

impl PartTakenBack {
    /// Returns whether all changes that it took something back of are among these.
    #[must_use]
    pub fn is_part_of(&self, changes: &[TakenBack]) -> bool {
        self.earlier.iter().all(|(operation, at)| {
            let mut changes = changes.iter();
            changes.any(|change| change.operation == *operation && change.at == *at)
        })
    }
}
