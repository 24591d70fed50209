//! Questions that outlive their call. A call that is made with [`AskMode::Recorded`] writes its question into the state
//! folder and is refused as `waiting`. A person may decide it in any process, and all decide the same record. The call
//! sent again finds the decision and carries it out.

mod events;
mod fitting;
mod kept;
mod waiting;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_history::{OperationStore, QuestionQuery, QuestionRecord, SessionName};
use lancet_local_state::ViewerPresence;

use crate::approval::{Answer, Question, encoding};
use crate::call::{AskMode, Caller, Deciders, RawCall};
use crate::engine::Lancet;
use crate::reply::Reply;
use crate::session::{Session, is_unnamed};

use events::decided_event;
pub(crate) use events::waiting_event;
use fitting::{check_answer, leaves_file_out};
pub(crate) use kept::{DecisionProgress, StoredReply, check_carried_out};
pub use lancet_history::{DecideOutcome, HistoryError, QuestionState};
pub use lancet_model::waiting::WaitingCall;
pub(crate) use waiting::{RecordedCall, StoredCall, WatchedFile, has_changed};

/// The questions of the state folder that concern the roots of an engine.
#[derive(Clone)]
pub struct Questions {
    store: Arc<dyn OperationStore>,
    state: PathBuf,
    roots: Vec<PathBuf>,
    /// The ids of the roots.
    workspaces: Vec<String>,
}

/// A recorded question and its state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedQuestion {
    /// Its id: twelve lower-case letters and digits.
    pub id: String,
    /// When it was raised, in milliseconds since 1970.
    pub time: i64,
    /// Whether it is open, and how it ended.
    pub state: QuestionState,
    /// The question as it is shown.
    pub question: Question,
    /// Who decided, and when in milliseconds since 1970.
    pub decided: Option<(String, i64)>,
    /// The decision.
    pub answer: Option<Answer>,
    /// The operation that was written after the decision, or the question that replaced this one.
    pub followed_by: Option<String>,
    /// Whether the process of the call is still running.
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
    Store(#[from] HistoryError),
}

/// The result of searching for a question by the end of its id.
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
pub struct QuestionWatch {
    _held: Vec<ViewerPresence>,
}

impl Lancet {
    /// Returns the recorded questions; none without a state folder.
    pub fn questions(&self) -> Option<Questions> {
        let engine = self.engine();
        Some(Questions {
            store: Arc::clone(engine.history()?),
            state: self.state_dir()?.to_path_buf(),
            roots: engine.roots().to_vec(),
            workspaces: engine.workspace_names(),
        })
    }
}

impl Questions {
    /// Returns the questions of the state folder whatever the roots are. Calls do not wait for the readers of these.
    pub fn in_all_projects(self) -> Self {
        Self {
            roots: Vec::new(),
            ..self
        }
    }

    /// Returns the open questions about files below the roots, newest first.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn open(&self) -> Result<Vec<RecordedQuestion>, HistoryError> {
        self.query(false)
    }

    /// Returns the questions about files below the roots, including decided ones, newest first.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn all(&self) -> Result<Vec<RecordedQuestion>, HistoryError> {
        self.query(true)
    }

    /// Returns the ids of the open questions about files below the roots, newest first. Their content is not read.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn open_ids(&self) -> Result<Vec<String>, HistoryError> {
        self.store.open_question_ids(&self.roots)
    }

    fn query(&self, decided: bool) -> Result<Vec<RecordedQuestion>, HistoryError> {
        let found = self.store.list_questions(&QuestionQuery {
            below: self.roots.clone(),
            decided,
            limit: None,
        })?;
        Ok(found.into_iter().filter_map(decode_record).collect())
    }

    /// Returns the question of this id.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn get(&self, id: &str) -> Result<Option<RecordedQuestion>, HistoryError> {
        Ok(self.store.find_question(id)?.and_then(decode_record))
    }

    /// Finds a question by the end of its id: among the open ones first, then among all.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn find(&self, part: &str) -> Result<FoundQuestion, HistoryError> {
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

    /// Decides a question. The first decision counts; `by` is recorded as the one who decided.
    ///
    /// # Errors
    /// The decision does not fit the question, the question is not open any more, or the state folder cannot be
    /// written.
    pub fn decide(&self, id: &str, answer: &Answer, by: &str) -> Result<(), DecideError> {
        let found = self.get(id)?;
        let found = found.ok_or_else(|| DecideError::Unknown(id.to_owned()))?;
        check_answer(&found.question, answer).map_err(DecideError::DoesNotFit)?;
        // A question that is too old counts as removed.
        let _ = self.store.prune_questions();
        let approves = match answer {
            Answer::No(_) | Answer::NoByProgram { .. } | Answer::Unanswered(_) => false,
            // If nothing is picked, nothing is written, and the call sent again raises a new question.
            Answer::Picked { files, .. } => files.iter().any(|pick| !leaves_file_out(pick)),
            _ => true,
        };
        let words = encoding::encode_answer(answer);
        let event = decided_event(&found, answer, by);
        match self
            .store
            .record_decision(id, approves, &words, by, &event)?
        {
            DecideOutcome::Counts => Ok(()),
            DecideOutcome::Unknown => Err(DecideError::Unknown(id.to_owned())),
            DecideOutcome::TooLate(_) => {
                let now = self.get(id)?.unwrap_or(found);
                Err(DecideError::TooLate(now.describe_outcome()))
            }
        }
    }

    /// Adds a message for the model to a no. False if the no was already reported to the model.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn add_message(&self, id: &str, words: &str) -> Result<bool, HistoryError> {
        let words = Some(words.to_owned());
        let amended = match self.get(id)?.and_then(|found| found.answer) {
            Some(Answer::No(_)) => Answer::No(words),
            Some(Answer::Unanswered(_)) => Answer::Unanswered(words),
            _ => return Ok(false),
        };
        self.store
            .amend_rejection(id, &encoding::encode_answer(&amended))
    }

    /// Returns whether a program watches the recorded questions.
    pub fn is_watched(&self) -> bool {
        is_watched(&self.state, &self.workspaces)
    }

    /// Returns whether a question is about files below the roots alone.
    pub fn is_below_roots(&self, question: &RecordedQuestion) -> bool {
        let is_below = |path: &Path| self.roots.iter().any(|root| path.starts_with(root));
        let mut files = question.question.files.iter();
        files.all(|file| is_below(&file.path))
    }

    /// Returns the call that raised the question, to be carried out once the question is decided, and the session that
    /// it belongs to. None if there is no such question.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn call_to_carry_out(
        &self,
        id: &str,
        lancet: &Lancet,
    ) -> Result<Option<(Session, RawCall)>, HistoryError> {
        let (Some(found), Some(call)) = (self.get(id)?, self.store.call_arguments(id)?) else {
            return Ok(None);
        };
        let Some(StoredCall {
            tool,
            arguments,
            turn,
            version,
        }) = StoredCall::decode(&call)
        else {
            return Ok(None);
        };
        let asked = &found.question;
        let session = match SessionName::new(asked.session.as_str()) {
            Ok(name) if !is_unnamed(&asked.session) => lancet.session(&name),
            _ => lancet.new_session(),
        };
        let caller = Caller {
            client: asked.client.clone(),
            call: asked.call.clone(),
            turn,
            version,
            ..Caller::default()
        };
        let call = RawCall::new(tool, arguments)
            .with_caller(caller)
            .with_ask_mode(AskMode::Recorded {
                deciders: Deciders::Present,
                waited_on: Some(id.to_owned()),
            });
        Ok(Some((session, call)))
    }

    /// Stores the answer of a call that carried out a decision.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn store_reply(&self, id: &str, reply: &Reply) -> Result<(), HistoryError> {
        self.store
            .store_answer(id, &StoredReply::from_reply(reply).encode())
    }

    /// Returns the answer of the call that carried out the decision; none if no call has.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn stored_reply(&self, id: &str) -> Result<Option<Reply>, HistoryError> {
        let answer = self.store.find_question(id)?.and_then(|found| found.answer);
        Ok(answer.and_then(|answer| StoredReply::decode(&answer)?.into_reply()))
    }

    /// Withdraws an open question.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn withdraw(&self, id: &str) -> Result<(), HistoryError> {
        self.store.withdraw_question(id)
    }

    /// Returns which of these questions are no longer open.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn closed_ids(&self, ids: &[String]) -> Result<Vec<String>, HistoryError> {
        self.store.closed_questions(ids)
    }

    /// Announces that the caller watches the questions about files below the roots. From now on calls record theirs.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn watch(&self) -> io::Result<QuestionWatch> {
        let workspaces = self.workspaces.iter();
        let announced =
            workspaces.map(|workspace| ViewerPresence::announce(&self.state, workspace));
        let held = announced.collect::<io::Result<_>>()?;
        Ok(QuestionWatch { _held: held })
    }

    /// Removes questions that are too old.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn prune(&self) -> Result<u64, HistoryError> {
        self.store.prune_questions()
    }
}

impl RecordedQuestion {
    /// Describes in a sentence what became of the question.
    pub fn describe_outcome(&self) -> String {
        let id = &self.id;
        let by = self
            .decided
            .as_ref()
            .map_or("a person", |(by, _)| by.as_str());
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
            QuestionState::Superseded if self.followed_by.is_none() => format!(
                "question {id} was withdrawn: its call was given up, or no longer fits the files"
            ),
            QuestionState::Superseded => format!(
                "the files of question {id} have changed since it was asked; it is superseded by {follower}"
            ),
        }
    }
}

/// Returns whether a program watches the questions of one of these workspaces.
pub(crate) fn is_watched(state: &Path, workspaces: &[String]) -> bool {
    let mut workspaces = workspaces.iter();
    workspaces.any(|workspace| ViewerPresence::is_announced(state, workspace))
}

/// Decodes a record; none if a newer lancet has written it.
fn decode_record(record: QuestionRecord) -> Option<RecordedQuestion> {
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
