//! The refusals for a rejection and for questions that no person answered.

use crate::message::{Message, SEND_AGAIN, Say, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::plan::FilePlan;
use crate::visible::escape_line_for_terminal;
use crate::wording::{QuotedPath, format_count, format_duration, truncate};

/// The longest text of an answer, or list of files, that is passed on to the model, in characters.
const MAX_MESSAGE_LENGTH: usize = 4_000;
/// The longest name of a program that declined, in characters.
const MAX_PROGRAM_NAME: usize = 80;

/// The subject of a question, as text for the model.
pub(super) struct QuestionSubject {
    words: Message,
    path: QuotedPath,
}

impl QuestionSubject {
    /// Describes one file, by the name that the model may see.
    pub(super) fn file(told: &QuotedPath) -> Self {
        Self {
            words: message!("{}", told),
            path: told.clone(),
        }
    }

    /// Describes the files of a plan.
    pub(super) fn files(files: &[FilePlan]) -> Self {
        let first = files.first().map(|file| file.target.display_name());
        let mut subject = Self::file(&first.unwrap_or_default());
        if files.len() > 1 {
            subject.words = message!("{}", verbatim(format_count(files.len(), "file")));
        }
        subject
    }

    fn refusal(&self, text: impl Say) -> Refusal {
        Refusal::from_message(RefusalKind::Declined, text).with_field("file_path", &self.path)
    }
}

/// Returns the refusal where a person declined.
pub(super) fn declined_refusal(subject: &QuestionSubject, words: Option<&str>) -> Refusal {
    let (about, words) = (&subject.words, message_clause(words));
    subject.refusal(message!(
        "A person declined this change of {}{}. Nothing was written.",
        about,
        words
    ))
}

/// Returns the refusal where a program declined.
pub(super) fn declined_by_program_refusal(
    subject: &QuestionSubject,
    by: &str,
    words: Option<&str>,
) -> Refusal {
    let (about, words) = (&subject.words, message_clause(words));
    let by = verbatim(truncate(&escape_line_for_terminal(by), MAX_PROGRAM_NAME));
    subject.refusal(message!(
        "The program {} declined this change of {}{}. Nothing was written.",
        by,
        about,
        words
    ))
}

/// Returns the refusal where a person left out every part.
pub(super) fn all_left_out_refusal(subject: &QuestionSubject, words: Option<&str>) -> Refusal {
    let (about, words) = (&subject.words, message_clause(words));
    subject.refusal(message!(
        "A person left out every part of this change of {}{}. Nothing was written.",
        about,
        words
    ))
}

/// Returns the refusal where a person left out or changed a part of a move of lines.
pub(super) fn inseparable_refusal(subject: &QuestionSubject, words: Option<&str>) -> Refusal {
    let (about, words) = (&subject.words, message_clause(words));
    subject.refusal(message!("A person let through a part of this change of {}{}, and lines are moved as a whole or not at all. Nothing was written; ask the user what is wanted.", about, words))
}

/// Returns the refusal where a person accepted only some of the files that can only be changed together.
pub(super) fn only_together_refusal(
    subject: &QuestionSubject,
    names: &[QuotedPath],
    words: Option<&str>,
) -> Refusal {
    let (about, words) = (&subject.words, message_clause(words));
    let names = Message::joined(names, ", ").truncate(MAX_MESSAGE_LENGTH);
    subject.refusal(message!("A person let through a part of this change of {}{}, and these files change names or contents with each other, so that they are written together or not at all: {}. Nothing was written; ask the user what is wanted.", about, words, names))
}

/// Returns the refusal for an answer that does not fit the question, which counts as a rejection.
pub(super) fn not_understood_refusal(subject: &QuestionSubject) -> Refusal {
    let about = &subject.words;
    subject.refusal(message!("The answer to the question about this change of {} was not understood, which counts as a no. Nothing was written; ask the user, then {}.", about, SEND_AGAIN))
}

/// Returns the refusal where the question was asked and no person answered it: it was dismissed, or a program answered.
pub(super) fn not_answered_by_a_person_refusal(
    subject: &QuestionSubject,
    words: Option<&str>,
) -> Refusal {
    let (about, words) = (&subject.words, message_clause(words));
    subject.refusal(message!("The question about this change of {} was not answered by a person{}. Nothing was written; ask the user, then {}.", about, words, SEND_AGAIN))
}

/// Returns the refusal where the time for an answer has run out.
pub(super) fn timed_out_refusal(context: &CallContext<'_>, subject: &QuestionSubject) -> Refusal {
    let limit = format_duration(context.engine().permissions.wait_limit);
    let about = &subject.words;
    subject.refusal(message!("Nobody answered the question about {} within {}. Nothing was written; ask the user, then {}.", about, verbatim(limit), SEND_AGAIN))
}

/// Cuts a person's text for the model to their limit.
pub(super) fn limit_message(words: &str) -> String {
    truncate(words, MAX_MESSAGE_LENGTH)
}

fn message_clause(words: Option<&str>) -> Message {
    words
        .map(|words| message!(": {}", verbatim(limit_message(words))))
        .unwrap_or_default()
}
