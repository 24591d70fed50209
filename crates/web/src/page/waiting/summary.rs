//! A summary of a question: who asks, about what, why, and its state.

use lancet::approval::{ChangeKind, FileQuestion, Question};
use lancet::questions::{QuestionState, RecordedQuestion};

use crate::page::moment::Timestamp;

/// The number of files that a summary names.
const MAX_NAMED_FILES: usize = 6;

/// The prefix of the names that lancet generates for sessions.
const UNNAMED_PREFIX: &str = "unnamed-";
/// The number of characters at the end of an operation's id that are shown.
const SHOWN_ID_LENGTH: usize = 6;

/// The summary of a question.
pub(super) struct Summary {
    pub(super) id: String,
    pub(super) tool: String,
    /// The file, or the first of several.
    pub(super) subject: String,
    pub(super) client: String,
    /// The session, if it has a name.
    pub(super) session: Option<String>,
    pub(super) call: Option<String>,
    pub(super) reason: String,
    pub(super) asked: Timestamp,
    pub(super) is_caller_alive: bool,
    pub(super) is_protected: bool,
    pub(super) added: usize,
    pub(super) removed: usize,
    /// The first files.
    pub(super) files: Vec<FileSummary>,
    /// The number of files that are not named.
    pub(super) further: usize,
    pub(super) state: QuestionStatus,
}

/// The summary of a file's change.
pub(super) struct FileSummary {
    pub(super) path: String,
    pub(super) kind: Option<&'static str>,
    pub(super) moved_from: Option<String>,
    pub(super) added: usize,
    pub(super) removed: usize,
}

impl FileSummary {
    fn from_question(file: &FileQuestion) -> Self {
        Self {
            path: file.escaped_relative_path(),
            kind: kind_label(file),
            moved_from: file.escaped_old_path(),
            added: file.lines.0,
            removed: file.lines.1,
        }
    }
}

/// Returns the label of a file's change; none if it is changed in place, or moved.
pub(super) fn kind_label(file: &FileQuestion) -> Option<&'static str> {
    match file.kind {
        ChangeKind::Create => Some("new file"),
        ChangeKind::Delete => Some("removed"),
        _ => None,
    }
}

/// The state of a question.
pub(super) enum QuestionStatus {
    Open,
    /// The user approved it, and the agent's call has not written it yet.
    Approved {
        by: String,
        at: Timestamp,
    },
    Rejected {
        by: String,
        at: Timestamp,
        words: Option<String>,
    },
    /// It was written as this operation.
    Written {
        by: String,
        at: Timestamp,
        operation: String,
        shown: String,
    },
    /// Another question replaced it.
    Superseded {
        by: String,
    },
    Withdrawn,
}

impl Summary {
    pub(super) fn from_question(found: &RecordedQuestion) -> Self {
        let question = &found.question;
        let (added, removed) = question.line_counts();
        let files = question.files.iter().take(MAX_NAMED_FILES);
        Self {
            id: found.id.clone(),
            tool: question.tool.clone(),
            subject: subject_label(question),
            client: question
                .client
                .clone()
                .unwrap_or_else(|| "an agent".to_owned()),
            session: session_label(&question.session),
            call: question.call.clone(),
            reason: question.joined_reasons(),
            asked: Timestamp(found.time),
            is_caller_alive: found.is_caller_alive,
            is_protected: question.is_protected(),
            added,
            removed,
            files: files.map(FileSummary::from_question).collect(),
            further: question.files.len().saturating_sub(MAX_NAMED_FILES),
            state: question_status(found),
        }
    }

    /// Returns the path that the question's form is sent to.
    pub(super) fn action(&self) -> String {
        format!("/waiting/{}/decide", self.id)
    }
}

fn session_label(session: &str) -> Option<String> {
    let is_named = !session.is_empty() && !session.starts_with(UNNAMED_PREFIX);
    is_named.then(|| session.to_owned())
}

/// Returns the file, or the first one and the number of others.
fn subject_label(question: &Question) -> String {
    let first = question.files.first();
    let first = first
        .map(|file| file.escaped_relative_path())
        .unwrap_or_default();
    match question.files.len().saturating_sub(1) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn question_status(found: &RecordedQuestion) -> QuestionStatus {
    let (by, at) = match &found.decided {
        Some((by, at)) => (by.clone(), Timestamp(*at)),
        None => ("a person".to_owned(), Timestamp(found.time)),
    };
    let follower = found.followed_by.clone();
    match (found.state, follower) {
        (QuestionState::Open, _) => QuestionStatus::Open,
        (QuestionState::Approved, _) | (QuestionState::Used, None) => {
            QuestionStatus::Approved { by, at }
        }
        (QuestionState::Rejected, _) => QuestionStatus::Rejected {
            by,
            at,
            words: answer_message(found),
        },
        (QuestionState::Used, Some(operation)) => QuestionStatus::Written {
            by,
            at,
            shown: id_ending(&operation).to_owned(),
            operation,
        },
        (QuestionState::Superseded, Some(by)) => QuestionStatus::Superseded { by },
        (QuestionState::Superseded, None) => QuestionStatus::Withdrawn,
    }
}

fn id_ending(id: &str) -> &str {
    let start = id.len().saturating_sub(SHOWN_ID_LENGTH);
    id.get(start..).unwrap_or(id)
}

fn answer_message(found: &RecordedQuestion) -> Option<String> {
    use lancet::approval::Answer;
    match found.answer.as_ref()? {
        Answer::No(words) | Answer::Unanswered(words) => words.clone(),
        Answer::NoByProgram { words, .. } => words.clone(),
        Answer::Picked { words, .. } => words.clone(),
        _ => None,
    }
}
