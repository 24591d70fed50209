//! Approvers, the questions they get before a write, and their answers. The documentation of `lancet::approval` has an
//! example.

pub mod encoding;
mod question;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

pub use lancet_history::ChangeKind;
pub use question::{FileQuestion, LastingOffers, Piece, Question, TOO_LONG_TO_SHOW};

/// How long lancet waits for the reason of a refusal after the person has said no.
pub const REASON_WAIT: Duration = Duration::from_secs(60);

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// The whole call is written.
    Yes,
    /// Nothing is written; the text, where there is one, is passed on to the model.
    No(Option<String>),
    /// Nothing is written, because a program decided so: a policy of the host, for instance.
    NoByProgram {
        /// The name of what decided, as the model and the history get it.
        by: String,
        /// A message to the model.
        words: Option<String>,
    },
    /// The file is not written, but no person refused it: the question was dismissed, or a program answered it by
    /// itself. The text, where there is one, is passed on to the model.
    Unanswered(Option<String>),
    /// The whole call is written, and until the session ends the same questions are not asked again: about these files
    /// for these reasons, or about the files of a rule that required the question.
    Session,
    /// The whole call is written, and the rules of [`LastingOffers::always`] are added to the user's settings.
    Always,
    /// This text is written instead of [`FileQuestion::text`]. Only a question about one file can be answered with it;
    /// as the answer to a question about several files it is invalid, and nothing is written.
    Edited(String),
    /// A part of the call is written.
    Picked {
        /// One entry for each of [`Question::files`], in their order. A file without an entry is left out.
        files: Vec<Pick>,
        /// A message to the model about what was left out.
        words: Option<String>,
    },
}

/// The part of one file's change that a person picked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pick {
    /// The whole change of the file is written.
    Whole,
    /// The file stays as it is.
    Nothing,
    /// Only these pieces are written, given as indexes into [`FileQuestion::pieces`]. An index that is out of range
    /// makes the answer invalid, and nothing is written.
    Pieces(Vec<usize>),
    /// This text is written instead of [`FileQuestion::text`].
    Edited(String),
}

/// How long the call waits for an answer. Clones share one state.
#[derive(Clone, Debug, Default)]
pub struct Wait {
    over: Arc<AtomicBool>,
    declined: Arc<OnceLock<Instant>>,
}

impl Wait {
    /// Returns whether the call no longer waits for an answer: it was cancelled, took too long, or the file changed.
    /// The approver should then withdraw the question; its answer is ignored.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Declares that the answer is no and only its reason is still to come. The no is final from now on, even if the
    /// file changes; lancet waits up to [`REASON_WAIT`] for the reason.
    pub fn mark_declined(&self) {
        self.declined.get_or_init(Instant::now);
    }

    /// Returns when [`mark_declined`](Self::mark_declined) was called.
    #[doc(hidden)]
    pub fn declined_at(&self) -> Option<Instant> {
        self.declined.get().copied()
    }

    #[doc(hidden)]
    pub fn end_wait(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// Answers questions, each on a separate thread. An approver may take its time: no other file is locked meanwhile, and
/// the waiting call itself watches the file and the time.
pub trait Approver: Send + Sync {
    /// Answers one question. Where it can, it checks [`Wait::is_over`] from time to time.
    fn ask(&self, question: &Question, wait: &Wait) -> Answer;

    /// Returns the text to record if consent was given in advance, for instance by `--yes`, and no person is to be
    /// asked.
    fn consent_given_in_advance(&self, _protected: bool) -> Option<String> {
        None
    }
}

impl<F: Fn(&Question) -> Answer + Send + Sync> Approver for F {
    fn ask(&self, question: &Question, _: &Wait) -> Answer {
        self(question)
    }
}
