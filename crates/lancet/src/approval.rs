//! Approvers, the questions they get before a write, and their answers. The programs that embed lancet bring the
//! approvers: a terminal, an agent's own dialog, a page, a callback.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub use lancet_history::ChangeKind;

use crate::visible::{visible, visible_line};

/// How long lancet waits for the reason of a refusal after the person has said no.
pub const WORDS_WAIT: Duration = Duration::from_secs(60);

/// A question to a person: may this file be written like this? Its texts are safe to show: characters that would move a
/// cursor, change the writing direction or forge a line are escaped. The paths are not escaped;
/// [`Question::shown_path`] and [`Question::shown_relative`] give the escaped form.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Question {
    /// The tool that wants to write.
    pub tool: String,
    /// The file's absolute path.
    pub path: PathBuf,
    /// The file's path relative to its root.
    pub relative: PathBuf,
    /// What would happen to the file.
    pub kind: ChangeKind,
    /// Why the question is asked: the mode, the rule, or the protected name.
    pub reason: String,
    /// The rule that requires the question, with its layer and place; none where the mode or a protected name requires
    /// it.
    pub rule: Option<String>,
    /// Whether the name is protected or secret: `--yes` does not answer questions about those.
    pub protected: bool,
    /// A unified diff of what would be written.
    pub diff: String,
    /// Sentences about the change that the diff does not show: how the text was matched, what is left out.
    pub notices: Vec<String>,
    /// The numbers of added and removed lines.
    pub lines: (usize, usize),
    /// The whole new text with LF line ends, for a person who wants to edit it; none where it cannot be edited.
    pub text: Option<String>,
    /// What the answers that last longer than this call would cover.
    pub offers: Offers,
    /// The other files of the same call, protected ones first.
    pub others: Vec<OtherFile>,
}

/// Another file of the call that a question is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherFile {
    /// The file's absolute path.
    pub path: PathBuf,
    /// What would happen to the file.
    pub kind: ChangeKind,
    /// The numbers of added and removed lines.
    pub lines: (usize, usize),
    /// Whether the name is protected or secret.
    pub protected: bool,
}

impl Question {
    /// Makes a question about one file, with all other fields empty: for the tests of an approver.
    pub fn new(tool: impl Into<String>, path: impl Into<PathBuf>, kind: ChangeKind) -> Self {
        Self {
            tool: tool.into(),
            path: path.into(),
            kind,
            ..Self::default()
        }
    }

    /// Gives the path, escaped and on one line.
    pub fn shown_path(&self) -> String {
        visible_line(&self.path.display().to_string()).into_owned()
    }

    /// Gives the path relative to its root, escaped and on one line.
    pub fn shown_relative(&self) -> String {
        visible_line(&self.relative.display().to_string()).into_owned()
    }

    /// Escapes the texts of the question so that they are safe to show.
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
    /// Makes an entry without changed lines and not protected: for the tests of an approver.
    pub fn new(path: impl Into<PathBuf>, kind: ChangeKind) -> Self {
        Self {
            path: path.into(),
            kind,
            ..Self::default()
        }
    }

    /// Gives the path, escaped and on one line.
    pub fn shown_path(&self) -> String {
        visible_line(&self.path.display().to_string()).into_owned()
    }
}

/// What the answers that last longer than one call would cover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offers {
    /// What [`Answer::Session`] covers, as text for a person.
    pub session: String,
    /// The rule that [`Answer::Always`] would add to the user's settings. None where no rule can be added;
    /// [`Answer::Always`] then counts as [`Answer::Session`].
    pub always: Option<String>,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// The file is written.
    Yes,
    /// The file is not written; the text, where there is one, is passed on to the model.
    No(Option<String>),
    /// The file is not written, and no person said so: the question was dismissed, or a program answered it by itself.
    /// The text, where there is one, is passed on to the model.
    Unanswered(Option<String>),
    /// The file is written, and until the session ends the same question is not asked again: about this file for this
    /// reason, or about the files of the rule that required the question.
    Session,
    /// The file is written, and a rule is added to the user's settings.
    Always,
    /// This text is written instead of [`Question::text`].
    Edited(String),
}

/// How long the call waits for an answer. Clones share one state.
#[derive(Clone, Debug, Default)]
pub struct Wait {
    over: Arc<AtomicBool>,
    declined: Arc<OnceLock<Instant>>,
}

impl Wait {
    /// Whether the call no longer waits for an answer: it was cancelled, took too long, or the file changed. The
    /// approver should then withdraw the question; its answer is ignored.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Declares that the answer is no and only its reason is still to come. The no is final from now on, even if the
    /// file changes; lancet waits up to [`WORDS_WAIT`] for the reason.
    pub fn declined(&self) {
        self.declined.get_or_init(Instant::now);
    }

    /// When [`declined`](Self::declined) was called.
    pub(crate) fn declined_at(&self) -> Option<Instant> {
        self.declined.get().copied()
    }

    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// Answers questions, each on a thread of its own. An approver may take its time: no other file is locked meanwhile,
/// and the waiting call itself watches the file and the time.
pub trait Approver: Send + Sync {
    /// Answers one question. Where it can, it checks [`Wait::is_over`] from time to time.
    fn ask(&self, question: &Question, wait: &Wait) -> Answer;

    /// Gives the words for the record where a yes was given in advance, for instance by `--yes`, and nobody is to be
    /// asked.
    fn beforehand(&self, _protected: bool) -> Option<String> {
        None
    }
}

impl<F: Fn(&Question) -> Answer + Send + Sync> Approver for F {
    fn ask(&self, question: &Question, _: &Wait) -> Answer {
        self(question)
    }
}
