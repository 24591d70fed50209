//! Questions that outlive their call. A call that is made with [`Asks::Recorded`](crate::call::Asks::Recorded) writes its
//! question into the state folder and is refused as `waiting`; whoever decides it, in whichever process, decides the same
//! record. The call sent again finds the decision and carries it out.

mod waiting;

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use lancet_history::{OperationStore, Presence, QuestionQuery, QuestionRecord};

use crate::approval::{Answer, Pick, Question, encoding};
use crate::engine::Lancet;

pub use lancet_history::{Decided, QuestionState, StoreError};
pub use waiting::WaitingCall;
pub(crate) use waiting::{RecordedCall, WatchedFile};

/// The questions of the state folder that concern the roots of an engine.
#[derive(Clone)]
pub struct Questions {
    store: Arc<dyn OperationStore>,
    state: PathBuf,
    roots: Vec<PathBuf>,
}

/// A question with what became of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedQuestion {
    /// Its id: twelve lower-case letters and digits.
    pub id: String,
    /// When it was asked, in milliseconds since 1970.
    pub time: i64,
    /// What became of it.
    pub state: QuestionState,
    /// The question as it is shown.
    pub question: Question,
    /// Who decided, and when in milliseconds since 1970.
    pub decided: Option<(String, i64)>,
    /// The decision.
    pub answer: Option<Answer>,
    /// The operation that was written after the decision, or the question that took this one's place.
    pub followed_by: Option<String>,
    /// Whether the process that asked is still running.
    pub is_caller_alive: bool,
}

/// Why a decision was not recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecideError {
    /// The decision does not fit the question.
    #[error("{0}")]
    DoesNotFit(String),
    /// There is no such question.
    #[error("there is no question {0}")]
    Unknown(String),
    /// The question is no longer open.
    #[error("{0}")]
    TooLate(String),
    /// The state folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The questions whose id ends with some characters.
#[derive(Debug)]
#[non_exhaustive]
pub enum FoundQuestion {
    /// There is none.
    None,
    /// There is one.
    One(Box<RecordedQuestion>),
    /// There are several; these are their ids.
    Several(Vec<String>),
}

/// As long as this value lives, calls on the same roots record their questions and wait for them.
#[derive(Debug)]
#[must_use]
pub struct Watch {
    _held: Vec<Presence>,
}

impl Lancet {
    /// The recorded questions; none without a state folder.
    pub fn questions(&self) -> Option<Questions> {
        Some(Questions {
            store: Arc::clone(self.base().history()?),
            state: self.state_dir()?.to_path_buf(),
            roots: self.roots(),
        })
    }
}

impl Questions {
    /// The open questions about files below the roots, newest first.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn open(&self) -> Result<Vec<RecordedQuestion>, StoreError> {
        self.query(false)
    }

    /// The questions about files below the roots, decided ones too, newest first.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn all(&self) -> Result<Vec<RecordedQuestion>, StoreError> {
        self.query(true)
    }

    fn query(&self, decided: bool) -> Result<Vec<RecordedQuestion>, StoreError> {
        let found = self.store.questions(&QuestionQuery {
            below: self.roots.clone(),
            decided,
            limit: None,
        })?;
        Ok(found.into_iter().filter_map(recorded).collect())
    }

    /// The question of this id.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn get(&self, id: &str) -> Result<Option<RecordedQuestion>, StoreError> {
        Ok(self.store.question(id)?.and_then(recorded))
    }

    /// Finds a question by the end of its id: among the open ones first, then among all.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn find(&self, part: &str) -> Result<FoundQuestion, StoreError> {
        let ends = |found: Vec<RecordedQuestion>| -> Vec<RecordedQuestion> {
            let ends = found.into_iter().filter(|one| one.id.ends_with(part));
            ends.collect()
        };
        let mut found = ends(self.open()?);
        if found.is_empty() {
            found = ends(self.all()?);
        }
        Ok(match found.len() {
            0 => FoundQuestion::None,
            1 => FoundQuestion::One(Box::new(found.remove(0))),
            _ => FoundQuestion::Several(found.into_iter().map(|one| one.id).collect()),
        })
    }

    /// Decides a question. The first decision counts; `by` says who decided, for the record.
    ///
    /// # Errors
    /// The decision does not fit the question, the question is not open any more, or the state folder cannot be written.
    pub fn decide(&self, id: &str, answer: &Answer, by: &str) -> Result<(), DecideError> {
        let found = self.get(id)?;
        let found = found.ok_or_else(|| DecideError::Unknown(id.to_owned()))?;
        fits(&found.question, answer).map_err(DecideError::DoesNotFit)?;
        let approves = !matches!(answer, Answer::No(_) | Answer::Unanswered(_));
        let words = encoding::answer(answer);
        match self.store.decide(id, approves, &words, by)? {
            Decided::Counts => Ok(()),
            Decided::Unknown => Err(DecideError::Unknown(id.to_owned())),
            Decided::TooLate(_) => {
                let now = self.get(id)?.unwrap_or(found);
                Err(DecideError::TooLate(now.what_became_of_it()))
            }
        }
    }

    /// Adds words for the model to a no. False where the model was told of it already.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn add_words(&self, id: &str, words: &str) -> Result<bool, StoreError> {
        let no = Answer::No(Some(words.to_owned()));
        self.store.amend(id, &encoding::answer(&no))
    }

    /// Whether somebody looks at recorded questions.
    pub fn is_watched(&self) -> bool {
        is_watched(&self.state, &self.roots)
    }

    /// Which of these questions are no longer open.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn no_longer_open(&self, ids: &[String]) -> Result<Vec<String>, StoreError> {
        self.store.no_longer_open(ids)
    }

    /// Says that somebody looks at the questions about files below the roots: from now on calls record theirs.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn watch(&self) -> io::Result<Watch> {
        let announce = |root: &PathBuf| Presence::announce(&self.state, &workspace_id(root));
        let held = self.roots.iter().map(announce).collect::<io::Result<_>>()?;
        Ok(Watch { _held: held })
    }

    /// Removes questions that are too old.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn prune(&self) -> Result<u64, StoreError> {
        self.store.prune_questions()
    }
}

impl RecordedQuestion {
    /// Says in a sentence what became of the question.
    pub fn what_became_of_it(&self) -> String {
        let id = &self.id;
        let by = self
            .decided
            .as_ref()
            .map_or("somebody", |(by, _)| by.as_str());
        let follower = self.followed_by.as_deref().unwrap_or_default();
        match self.state {
            QuestionState::Open => format!("question {id} is open"),
            QuestionState::Approved => {
                format!("question {id} was approved by {by}, and nothing was written yet")
            }
            QuestionState::Rejected => format!("question {id} was rejected by {by}"),
            QuestionState::Used => {
                format!("question {id} was approved by {by} and written as operation {follower}")
            }
            QuestionState::Superseded => format!(
                "the files of question {id} have changed since it was asked; it is superseded by {follower}"
            ),
        }
    }
}

/// The id of a root: two folders of the same path, such as those of two containers, are told apart by inode and birth time.
pub(crate) fn workspace_id(root: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(root.as_os_str().as_bytes());
    if let Ok(metadata) = root.metadata() {
        hasher.update(&metadata.ino().to_le_bytes());
        let born = metadata.created().ok();
        let born = born.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        hasher.update(&born.map_or(0, |time| time.as_nanos()).to_le_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Whether somebody looks at the questions of one of these roots.
pub(crate) fn is_watched(state: &Path, roots: &[PathBuf]) -> bool {
    let mut roots = roots.iter();
    roots.any(|root| Presence::is_announced(state, &workspace_id(root)))
}

/// Decodes a record; none where a newer lancet has written it.
fn recorded(record: QuestionRecord) -> Option<RecordedQuestion> {
    let question = encoding::decode_question(&record.shown)?;
    let answer = record.decision.as_ref();
    let answer = answer.and_then(|decision| encoding::decode_answer(&decision.words));
    Some(RecordedQuestion {
        id: record.id,
        time: record.time,
        state: record.state,
        question,
        answer,
        decided: record.decision.map(|decision| (decision.by, decision.time)),
        followed_by: record.followed_by,
        is_caller_alive: record.is_caller_alive,
    })
}

/// Checks that a decision can be carried out, and says why it cannot.
fn fits(question: &Question, answer: &Answer) -> Result<(), String> {
    let picks = match answer {
        Answer::Edited(text) if question.files.len() == 1 => vec![Pick::Edited(text.clone())],
        Answer::Edited(_) => {
            return Err("the question is about several files; name the one to edit".to_owned());
        }
        Answer::Picked { files, .. } => files.clone(),
        _ => return Ok(()),
    };
    if picks.len() > question.files.len() {
        return Err(format!("the question has {} files", question.files.len()));
    }
    let is_part = |pick: &Pick| !matches!(pick, Pick::Whole);
    if question.is_whole && (picks.len() < question.files.len() || picks.iter().any(is_part)) {
        return Err("this change is written as a whole or not at all".to_owned());
    }
    for (pick, file) in picks.iter().zip(&question.files) {
        let path = file.shown_relative();
        match pick {
            Pick::Pieces(pieces) => {
                let count = file.pieces.len();
                if pieces.iter().any(|piece| *piece >= count) {
                    return Err(format!("{path} has {count} parts that can be picked"));
                }
            }
            Pick::Edited(_) if file.text.is_none() => {
                return Err(format!("the text of {path} cannot be edited"));
            }
            Pick::Whole | Pick::Nothing | Pick::Edited(_) => {}
        }
        let partner = file.goes_with.and_then(|at| picks.get(at));
        if let Some(partner) = partner
            && (*partner == Pick::Nothing) != (*pick == Pick::Nothing)
        {
            return Err(format!(
                "{path} changes together with another file: pick both or neither"
            ));
        }
    }
    Ok(())
}
