//! Questions to a person that outlive the call that asked them: what was shown, who asked, and the decision. Whoever decides,
//! in whichever process, decides the same record, and the first decision counts.

use std::path::{Path, PathBuf};

use crate::entry::Entry;
use crate::error::HistoryError;
use crate::operation::{Author, ChangeKind};
use crate::workspace::WorkspaceRef;

/// A BLAKE3 hash.
pub type Digest = [u8; 32];

/// How many questions of one session may be open at once.
pub const MOST_OPEN_OF_A_SESSION: usize = 100;
/// How many questions may be open at once.
pub const MOST_OPEN: usize = 1_000;

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
    /// What the event `waiting` says of the question, as a JSON object.
    pub event: &'a str,
    /// The session and client that ask.
    pub author: Author<'a>,
    /// The name of the tool that was called.
    pub tool: &'a str,
    /// The arguments of the call in the caller's own encoding, so that another process can carry it out.
    pub arguments: &'a [u8],
    /// The question in the caller's own encoding.
    pub shown: &'a [u8],
    /// The files of the question, in its order.
    pub files: Vec<QuestionFile>,
    /// The earlier question of the same call that this one takes the place of.
    pub renews: Option<&'a str>,
}

/// One file of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionFile {
    /// The absolute path of the file.
    pub path: PathBuf,
    /// How the file would be changed.
    pub kind: ChangeKind,
    /// The number of lines added.
    pub added: u64,
    /// The number of lines removed.
    pub removed: u64,
    /// What the session had seen of the file; none if it had seen nothing.
    pub seen: Option<Entry>,
}

/// Whether a question was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskOutcome {
    /// The question is on record and waits.
    Recorded,
    /// A question of the same call about the same change waits already; this is its id.
    Known(String),
    /// Another question has this id.
    Taken,
    /// The session has [`MOST_OPEN_OF_A_SESSION`] open questions.
    TooManyOfSession,
    /// There are [`MOST_OPEN`] open questions.
    TooMany,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionState {
    /// Nobody has decided.
    Open,
    /// A person said yes, to all or to parts, and nothing was written yet.
    Approved,
    /// A person said no.
    Rejected,
    /// The write has used the yes up.
    Used,
    /// A newer question took its place, or it was withdrawn.
    Superseded,
}

/// A recorded question.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionRecord {
    /// Its id.
    pub id: String,
    /// The hash of the change that was shown.
    pub plan: Digest,
    /// When it was asked, in milliseconds since 1970.
    pub time: i64,
    /// The session that asked.
    pub session: String,
    /// The client that asked.
    pub client: Option<String>,
    /// The caller's own id of the call.
    pub call_id: Option<String>,
    /// The name of the tool that was called.
    pub tool: String,
    /// The question in the encoding of whoever asked.
    pub shown: Vec<u8>,
    /// The files, in the order of the question.
    pub files: Vec<QuestionFile>,
    /// What became of it.
    pub state: QuestionState,
    /// The decision, where there is one.
    pub decision: Option<RecordedDecision>,
    /// Whether the caller was told of a no.
    pub delivered: bool,
    /// The operation that used the yes up, or the id of the question that took its place.
    pub followed_by: Option<String>,
    /// The answer of the call that used the yes up, in the caller's own encoding.
    pub answer: Option<Vec<u8>>,
    /// Whether the process that asked is still running.
    pub is_caller_alive: bool,
}

/// A decision about a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedDecision {
    /// The decision in the encoding of whoever decided.
    pub words: Vec<u8>,
    /// Who decided, and how.
    pub by: String,
    /// When, in milliseconds since 1970.
    pub time: i64,
}

/// Whether a decision counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided {
    /// It is the first one, and counts.
    Counts,
    /// The question was no longer open; this is its state.
    TooLate(QuestionState),
    /// There is no such question.
    Unknown,
}

/// Which questions a query returns.
#[derive(Clone, Debug, Default)]
pub struct QuestionQuery {
    /// Only questions with a file below one of these folders; all where it is empty.
    pub below: Vec<PathBuf>,
    /// Decided questions too.
    pub decided: bool,
    /// At most this many; all where it is none.
    pub limit: Option<usize>,
}

/// A store of questions. Several processes may use one store at once.
pub trait QuestionStore: Send + Sync {
    /// Records a question.
    ///
    /// # Errors
    /// The store cannot be written.
    fn ask(&self, draft: &QuestionDraft<'_>) -> Result<AskOutcome, HistoryError>;

    /// Returns the newest question of a call, which is recognised by its hash.
    ///
    /// # Errors
    /// The store cannot be read.
    fn question_of_call(&self, call: &Digest) -> Result<Option<QuestionRecord>, HistoryError>;

    /// Returns the question of this id.
    ///
    /// # Errors
    /// The store cannot be read.
    fn question(&self, id: &str) -> Result<Option<QuestionRecord>, HistoryError>;

    /// Returns the questions that match, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn questions(&self, query: &QuestionQuery) -> Result<Vec<QuestionRecord>, HistoryError>;

    /// Returns the ids of the open questions with a file below one of these folders, newest first, without what they
    /// show.
    ///
    /// # Errors
    /// The store cannot be read.
    fn open_questions(&self, below: &[PathBuf]) -> Result<Vec<String>, HistoryError>;

    /// Records a decision, if the question is still open. `approves` says whether anything may be written, and `event` is
    /// what the event `decided` says of it, as a JSON object.
    ///
    /// # Errors
    /// The store cannot be written.
    fn decide(
        &self,
        id: &str,
        approves: bool,
        decision: &[u8],
        by: &str,
        event: &str,
    ) -> Result<Decided, HistoryError>;

    /// Withdraws a question whose call no longer fits its files or is no longer wanted, or whose yes cannot be carried out.
    ///
    /// # Errors
    /// The store cannot be written.
    fn withdraw(&self, id: &str) -> Result<(), HistoryError>;

    /// Adds words to a no that the caller was not told yet. False if it is too late for that.
    ///
    /// # Errors
    /// The store cannot be written.
    fn amend(&self, id: &str, decision: &[u8]) -> Result<bool, HistoryError>;

    /// Marks a no as told to the caller. False if it was told before.
    ///
    /// # Errors
    /// The store cannot be written.
    fn deliver(&self, id: &str) -> Result<bool, HistoryError>;

    /// Keeps the answer of the call that carried out the decision, for others that wait on the same question.
    ///
    /// # Errors
    /// The store cannot be written.
    fn keep_answer(&self, id: &str, answer: &[u8]) -> Result<(), HistoryError>;

    /// Returns which of these questions are no longer open.
    ///
    /// # Errors
    /// The store cannot be read.
    fn no_longer_open(&self, ids: &[String]) -> Result<Vec<String>, HistoryError>;

    /// Returns the arguments of the call that asked.
    ///
    /// # Errors
    /// The store cannot be read.
    fn arguments(&self, id: &str) -> Result<Option<Vec<u8>>, HistoryError>;

    /// Removes questions that are too old: undecided ones after seven days, or a day after their caller ended, decided ones
    /// after two days.
    ///
    /// # Errors
    /// The store cannot be written.
    fn prune_questions(&self) -> Result<u64, HistoryError>;
}

impl QuestionState {
    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Open => 0,
            Self::Approved => 1,
            Self::Rejected => 2,
            Self::Used => 3,
            Self::Superseded => 4,
        }
    }

    pub(crate) const fn of_number(number: i64) -> Self {
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
