//! Who is asked before a write, and the questions and answers. The doors bring the approvers: a terminal, an agent's own
//! dialog, a page, a callback.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub use lancet_history::ChangeKind;

use crate::visible::{visible, visible_line};

/// How long the words of a no are waited for once it is said.
pub const WORDS_WAIT: Duration = Duration::from_secs(60);

/// A question to a person: may this file be written like this? Its texts are safe to show: what would move a cursor, turn
/// the writing or forge a line is escaped. The paths are as they are; [`Question::shown_path`] and
/// [`Question::shown_relative`] give them in the same form.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Question {
    /// The tool that wants to write.
    pub tool: String,
    /// The file, absolute.
    pub path: PathBuf,
    /// The file relative to its root.
    pub relative: PathBuf,
    /// What would happen to the file.
    pub kind: ChangeKind,
    /// Why it is asked: the mode, the rule, or the protected name.
    pub reason: String,
    /// The rule that asks, where one does, with its layer and place.
    pub rule: Option<String>,
    /// Whether the name is a protected or secret one: `--yes` does not answer those.
    pub protected: bool,
    /// A unified diff of what would be written.
    pub diff: String,
    /// Sentences about the change that the diff does not show: how the text was matched, what is left out.
    pub notices: Vec<String>,
    /// Lines added and removed.
    pub lines: (usize, usize),
    /// The whole new text with LF line ends, for a person who edits it; none where it cannot be edited.
    pub text: Option<String>,
    /// What further answers would come to.
    pub offers: Offers,
    /// The other files of the same call, protected ones first.
    pub others: Vec<OtherFile>,
}

/// Another file of the call that a question is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherFile {
    /// The file, absolute.
    pub path: PathBuf,
    /// What would happen to the file.
    pub kind: ChangeKind,
    /// Lines added and removed.
    pub lines: (usize, usize),
    /// Whether the name is a protected or secret one.
    pub protected: bool,
}

impl Question {
    /// A question about one file, with all else empty: for the tests of an approver.
    pub fn new(tool: impl Into<String>, path: impl Into<PathBuf>, kind: ChangeKind) -> Self {
        Self {
            tool: tool.into(),
            path: path.into(),
            kind,
            ..Self::default()
        }
    }

    /// The path, escaped and on one line.
    pub fn shown_path(&self) -> String {
        visible_line(&self.path.display().to_string()).into_owned()
    }

    /// The path from its root, escaped and on one line.
    pub fn shown_relative(&self) -> String {
        visible_line(&self.relative.display().to_string()).into_owned()
    }

    /// The question with its texts made safe to show.
    pub(crate) fn escaped(mut self) -> Self {
        let line = |text: &mut String| *text = visible_line(text).into_owned();
        line(&mut self.tool);
        line(&mut self.reason);
        self.rule.as_mut().map(line);
        line(&mut self.offers.session);
        self.offers.always.as_mut().map(line);
        for notice in &mut self.notices {
            *notice = visible(notice).into_owned();
        }
        self.diff = visible(&self.diff).into_owned();
        self
    }
}

impl OtherFile {
    /// A file with no changed lines, and not protected: for the tests of an approver.
    pub fn new(path: impl Into<PathBuf>, kind: ChangeKind) -> Self {
        Self {
            path: path.into(),
            kind,
            ..Self::default()
        }
    }

    /// The path, escaped and on one line.
    pub fn shown_path(&self) -> String {
        visible_line(&self.path.display().to_string()).into_owned()
    }
}

/// What the longer-lasting answers to a question would cover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offers {
    /// What [`Answer::Session`] covers, in words.
    pub session: String,
    /// The rule that [`Answer::Always`] adds to the user's settings; none where that is not on offer, and the answer then
    /// counts as [`Answer::Session`].
    pub always: Option<String>,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// Write it.
    Yes,
    /// Do not; the words are passed on to the model.
    No(Option<String>),
    /// Nothing is written, and no person said so: the question was dismissed, or a program answered it by itself. Words,
    /// where there are any, are passed on to the model.
    Unanswered(Option<String>),
    /// Write it, and ask no more until the session ends: about this file for this reason, or about the files of the rule
    /// that asked.
    Session,
    /// Write it, and add a rule to the user's settings.
    Always,
    /// Write this text instead of [`Question::text`].
    Edited(String),
}

/// How long an answer is waited for. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct Wait {
    over: Arc<AtomicBool>,
    declined: Arc<OnceLock<Instant>>,
}

impl Wait {
    /// Whether nobody waits any more: the call was cancelled, took too long, or the file changed. The question is to be
    /// taken back then; what is answered counts for nothing.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Says that the answer is a no and only its words are to come. The no stands from now on, whatever becomes of the file
    /// and however long the words take; they are waited for as long as [`WORDS_WAIT`].
    pub fn declined(&self) {
        self.declined.get_or_init(Instant::now);
    }

    /// When [`declined`](Self::declined) was said.
    pub(crate) fn declined_at(&self) -> Option<Instant> {
        self.declined.get().copied()
    }

    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// Answers questions, each on a thread of its own. It may take its time: nothing is locked against other files while it
/// does, and whoever waits looks after the file and the time.
pub trait Approver: Send + Sync {
    /// Answers one question; looks at `wait` now and then where that can be done.
    fn ask(&self, question: &Question, wait: &Wait) -> Answer;

    /// Where a yes was given beforehand and nobody is asked: in which words, for the record. `--yes`, for instance.
    fn beforehand(&self, _protected: bool) -> Option<String> {
        None
    }
}

impl<F: Fn(&Question) -> Answer + Send + Sync> Approver for F {
    fn ask(&self, question: &Question, _: &Wait) -> Answer {
        self(question)
    }
}
