//! Who is asked before a write, and the questions and answers. The doors bring the approvers: a terminal, a callback.

use std::path::PathBuf;

/// A question to a person: may this file be written like this?
#[derive(Clone, Debug)]
pub struct Question {
    /// The tool that wants to write.
    pub tool: String,
    /// The file, absolute.
    pub path: PathBuf,
    /// The file relative to its root.
    pub relative: PathBuf,
    /// Why it is asked: the mode, or the protected name.
    pub reason: String,
    /// Whether the name is a protected or secret one: `--yes` does not answer those.
    pub protected: bool,
    /// A unified diff of what would be written.
    pub diff: String,
    /// Sentences about the change that the diff does not show: how the text was matched, what is left out.
    pub notices: Vec<String>,
    /// Lines added and removed.
    pub lines: (usize, usize),
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Write it.
    Yes,
    /// Do not; the words are passed on to the model.
    No(Option<String>),
}

/// Answers questions. It may take its time: nothing is locked against other files while it does.
pub trait Approver: Send + Sync {
    /// Answers one question.
    fn ask(&self, question: &Question) -> Answer;
}

impl<F: Fn(&Question) -> Answer + Send + Sync> Approver for F {
    fn ask(&self, question: &Question) -> Answer {
        self(question)
    }
}
