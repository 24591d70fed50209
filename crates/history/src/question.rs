//! Questions to the user that outlive the call that asked them: what was shown, which session asked, and the
//! decision. Any process may decide; all decide the same record, and the first decision counts.

use std::path::{Path, PathBuf};

use crate::entry::LedgerEntry;
use crate::error::HistoryError;
use crate::operation::{ChangeKind, OperationAuthor};
use crate::workspace::WorkspaceRef;

/// A BLAKE3 hash.
pub type Digest = [u8; 32];

/// The largest number of open questions of one session.
pub const MAX_OPEN_PER_SESSION: usize = 100;
/// The largest number of open questions.
pub const MAX_OPEN: usize = 1_000;

/// A question that is about to be recorded.
pub struct QuestionDraft<'a> {
    /// The id of the new question.
    pub id: &'a str,
    /// The hash by which the same call is recognised when it is sent again.
    pub call: Digest,
    /// The hash of the change that is shown: of its files, their versions and the new bytes.
    pub plan: Digest,
    /// The root that the first file is below.
    pub workspace: Option<WorkspaceRef<'a>>,
    /// The body of the event `waiting` about the question, as a JSON object.
    pub event: &'a str,
    /// The session and client that ask.
    pub author: OperationAuthor<'a>,
    /// The name of the tool that was called.
    pub tool: &'a str,
    /// The arguments of the call in the caller's own encoding, so that another process can carry it out.
    pub arguments: &'a [u8],
    /// The question in the caller's own encoding.
    pub shown: &'a [u8],
    /// The files of the question, in its order.
    pub files: Vec<QuestionFile>,
    /// The earlier question of the same call that this one replaces.
    pub renews: Option<&'a str>,
}

/// One file of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionFile {
    /// The absolute path of the file.
    pub path: PathBuf,
    /// The kind of change that would be made to the file.
    pub kind: ChangeKind,
    /// The number of lines added.
    pub added: u64,
    /// The number of lines removed.
    pub removed: u64,
    /// The session's knowledge of the file; none if it had seen nothing.
    pub seen: Option<LedgerEntry>,
}

/// Whether a question was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskOutcome {
    /// The question is recorded and waits for a decision.
    Recorded,
    /// A question of the same call about the same change waits already; this is its id.
    Known(String),
    /// Another question has this id.
    Taken,
    /// The session has [`MAX_OPEN_PER_SESSION`] open questions.
    TooManyOfSession,
    /// There are [`MAX_OPEN`] open questions.
    TooMany,
}

/// The state of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionState {
    /// No decision has been made.
    Open,
    /// The user approved all of it or parts, and nothing was written yet.
    Approved,
    /// The user rejected it.
    Rejected,
    /// A write has used up the approval.
    Used,
    /// A newer question replaced it, or it was withdrawn.
    Superseded,
}

/// A recorded question.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionRecord {
    /// Its id.
    pub id: String,
    /// The hash of the change that was shown.
    pub plan: Digest,
    /// The time at which it was asked, in milliseconds since 1970.
    pub time: i64,
    /// The session that asked.
    pub session: String,
    /// The client that asked.
    pub client: Option<String>,
    /// The caller's own id of the call.
    pub call_id: Option<String>,
    /// The name of the tool that was called.
    pub tool: String,
    /// The question in the encoding of the process that asked it.
    pub shown: Vec<u8>,
    /// The files, in the order of the question.
    pub files: Vec<QuestionFile>,
    /// Its state.
    pub state: QuestionState,
    /// The decision, if there is one.
    pub decision: Option<RecordedDecision>,
    /// Whether a rejection was reported to the caller.
    pub delivered: bool,
    /// The operation that used up the approval, or the id of the question that replaced this one.
    pub followed_by: Option<String>,
    /// The answer of the call that used up the approval, in the caller's own encoding.
    pub answer: Option<Vec<u8>>,
    /// Whether the process that asked is still running.
    pub is_caller_alive: bool,
}

/// A decision about a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedDecision {
    /// The decision in the encoding of the process that decided.
    pub words: Vec<u8>,
    /// The origin of the decision: the user, and through which interface.
    pub by: String,
    /// The time of the decision, in milliseconds since 1970.
    pub time: i64,
}

/// Whether a decision counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecideOutcome {
    /// It is the first one, and counts.
    Counts,
    /// The question was no longer open; this is its state.
    TooLate(QuestionState),
    /// There is no such question.
    Unknown,
}

/// A filter on questions.
#[derive(Clone, Debug, Default)]
pub struct QuestionQuery {
    /// Only questions with a file below one of these folders; all questions if it is empty.
    pub below: Vec<PathBuf>,
    /// Whether decided questions are included.
    pub decided: bool,
    /// The largest number of questions to return; all if none.
    pub limit: Option<usize>,
}

/// A store of questions. Several processes may use one store at once.
pub trait QuestionStore: Send + Sync {
    /// Records a question.
    ///
    /// # Errors
    /// The store cannot be written.
    fn record_question(&self, draft: &QuestionDraft<'_>) -> Result<AskOutcome, HistoryError>;

    /// Returns the newest question of a call, which is recognised by its hash.
    ///
    /// # Errors
    /// The store cannot be read.
    fn find_question_of_call(&self, call: &Digest) -> Result<Option<QuestionRecord>, HistoryError>;

    /// Returns the question of this id.
    ///
    /// # Errors
    /// The store cannot be read.
    fn find_question(&self, id: &str) -> Result<Option<QuestionRecord>, HistoryError>;

    /// Returns the questions that match, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn list_questions(&self, query: &QuestionQuery) -> Result<Vec<QuestionRecord>, HistoryError>;

    /// Returns the ids of the open questions with a file below one of these folders, newest first, without what they
    /// show.
    ///
    /// # Errors
    /// The store cannot be read.
    fn open_question_ids(&self, below: &[PathBuf]) -> Result<Vec<String>, HistoryError>;

    /// Records a decision, if the question is still open. `approves` says whether anything may be written. `event` is
    /// the body of the event `decided`, as a JSON object.
    ///
    /// # Errors
    /// The store cannot be written.
    fn record_decision(
        &self,
        id: &str,
        approves: bool,
        decision: &[u8],
        by: &str,
        event: &str,
    ) -> Result<DecideOutcome, HistoryError>;

    /// Withdraws a question whose call no longer fits its files or is no longer wanted, or whose approval cannot be
    /// carried out.
    ///
    /// # Errors
    /// The store cannot be written.
    fn withdraw_question(&self, id: &str) -> Result<(), HistoryError>;

    /// Adds a message to a rejection that was not yet reported to the caller. Returns false if it is too late for
    /// that.
    ///
    /// # Errors
    /// The store cannot be written.
    fn amend_rejection(&self, id: &str, decision: &[u8]) -> Result<bool, HistoryError>;

    /// Marks a rejection as reported to the caller. Returns false if it was reported before.
    ///
    /// # Errors
    /// The store cannot be written.
    fn mark_rejection_delivered(&self, id: &str) -> Result<bool, HistoryError>;

    /// Stores the answer of the call that carried out the decision, for other calls that wait for the same question.
    ///
    /// # Errors
    /// The store cannot be written.
    fn store_answer(&self, id: &str, answer: &[u8]) -> Result<(), HistoryError>;

    /// Returns which of these questions are no longer open.
    ///
    /// # Errors
    /// The store cannot be read.
    fn closed_questions(&self, ids: &[String]) -> Result<Vec<String>, HistoryError>;

    /// Returns the arguments of the call that asked.
    ///
    /// # Errors
    /// The store cannot be read.
    fn call_arguments(&self, id: &str) -> Result<Option<Vec<u8>>, HistoryError>;

    /// Removes questions that are too old: undecided ones after seven days, or a day after their caller ended,
    /// decided ones after two days.
    ///
    /// # Errors
    /// The store cannot be written.
    fn prune_questions(&self) -> Result<u64, HistoryError>;
}

impl QuestionState {
    pub(crate) const fn database_number(self) -> i64 {
        match self {
            Self::Open => 0,
            Self::Approved => 1,
            Self::Rejected => 2,
            Self::Used => 3,
            Self::Superseded => 4,
        }
    }

    pub(crate) const fn from_number(number: i64) -> Self {
        match number {
            0 => Self::Open,
            1 => Self::Approved,
            2 => Self::Rejected,
            3 => Self::Used,
            _ => Self::Superseded,
        }
    }
}

impl QuestionRecord {
    /// Returns whether one of its files is below one of these folders.
    #[must_use]
    pub fn is_below(&self, folders: &[PathBuf]) -> bool {
        let below = |path: &Path| folders.iter().any(|folder| path.starts_with(folder));
        folders.is_empty() || self.files.iter().any(|file| below(&file.path))
    }
}
