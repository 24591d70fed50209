//! The refusals for a rejection and for questions that no person answered.

use crate::message::{Message, SEND_AGAIN, Say, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::plan::FilePlan;
use crate::wording::{QuotedPath, count, cut, duration};

/// The longest text of an answer, or list of files, that is passed on to the model, in characters.
const LONGEST_WORDS: usize = 4_000;

/// The subject of a question, as text for the model.
pub(super) struct Subject {
    words: Message,
    path: QuotedPath,
}

impl Subject {
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
            subject.words = message!("{}", verbatim(count(files.len(), "file")));
        }
        subject
    }

    fn refusal(&self, text: impl Say) -> Refusal {
        Refusal::stating(RefusalKind::Declined, text).with("file_path", &self.path)
    }
}

/// Returns the refusal where a person declined.
pub(super) fn declined(subject: &Subject, words: Option<&str>) -> Refusal {
    let (about, words) = (&subject.words, passed_on(words));
    subject.refusal(message!(
        "A person declined this change of {}{}. Nothing was written.",
        about,
        words
    ))
}

/// Returns the refusal where a person left out every part.
pub(super) fn all_left_out(subject: &Subject, words: Option<&str>) -> Refusal {
    let (about, words) = (&subject.words, passed_on(words));
    subject.refusal(message!(
        "A person left out every part of this change of {}{}. Nothing was written.",
        about,
        words
    ))
}

/// Returns the refusal where a person left out or changed a part of a move of lines.
pub(super) fn inseparable(subject: &Subject, words: Option<&str>) -> Refusal {
    let (about, words) = (&subject.words, passed_on(words));
    subject.refusal(message!("A person let through a part of this change of {}{}, and lines are moved as a whole or not at all. Nothing was written; ask the user what is wanted.", about, words))
}

/// Returns the refusal where a person accepted only some of the files that can only be changed together.
pub(super) fn only_together(
    subject: &Subject,
    names: &[QuotedPath],
    words: Option<&str>,
) -> Refusal {
    let (about, words) = (&subject.words, passed_on(words));
    let names = Message::joined(names, ", ").cut(LONGEST_WORDS);
    subject.refusal(message!("A person let through a part of this change of {}{}, and these files change names or contents with each other, so that they are written together or not at all: {}. Nothing was written; ask the user what is wanted.", about, words, names))
}

/// Returns the refusal for an answer that does not fit the question, which counts as a rejection.
pub(super) fn not_understood(subject: &Subject) -> Refusal {
    let about = &subject.words;
    subject.refusal(message!("The answer to the question about this change of {} was not understood, which counts as a no. Nothing was written; ask the user, then {}.", about, SEND_AGAIN))
}

/// Returns the refusal where the question was asked and no person answered it: it was dismissed, or a program answered.
pub(super) fn not_answered_by_a_person(subject: &Subject, words: Option<&str>) -> Refusal {
    let (about, words) = (&subject.words, passed_on(words));
    subject.refusal(message!("The question about this change of {} was not answered by a person{}. Nothing was written; ask the user, then {}.", about, words, SEND_AGAIN))
}

/// Returns the refusal where the time for an answer has run out.
pub(super) fn timed_out(context: &CallContext<'_>, subject: &Subject) -> Refusal {
    let limit = duration(context.engine().permissions.wait_limit);
    let about = &subject.words;
    subject.refusal(message!("Nobody answered the question about {} within {}. Nothing was written; ask the user, then {}.", about, verbatim(limit), SEND_AGAIN))
}

/// Cuts a person's text for the model to their limit.
pub(super) fn bounded(words: &str) -> String {
    cut(words, LONGEST_WORDS)
}

fn passed_on(words: Option<&str>) -> Message {
    words
        .map(|words| message!(": {}", verbatim(bounded(words))))
        .unwrap_or_default()
}
