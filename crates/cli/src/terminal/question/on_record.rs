//! Recorded questions of agents: the user looks at one of them and decides it, now or later.

use std::io;

use lancet::approval::{Answer, Question, Wait};

use super::edited::EditedTexts;
use super::{QuestionOrigin, TerminalApprover};

/// The texts that a person edited.
pub(crate) struct EditedFiles {
    /// The text of each file of the question; none where it is unchanged from the proposal.
    pub(crate) texts: Vec<Option<String>>,
    /// The changes that the edited texts make, for the person.
    pub(crate) diffs: String,
}

impl TerminalApprover {
    /// Prompts the person with a question. None where there is no terminal; an inner none where the person leaves it
    /// open.
    pub(crate) fn ask_recorded_question(&self, question: &Question) -> Option<Option<Answer>> {
        // A second look at the same question must not say that a file changed.
        self.lock_state().asked.clear();
        self.prompt_until_answered(question, &Wait::default(), QuestionOrigin::Agent)
    }

    /// Lets the person edit the texts of a question, one file after the other.
    pub(crate) fn edit_recorded_question(&self, question: &Question) -> io::Result<EditedFiles> {
        let mut edited = EditedTexts::default();
        let drafts = self.lock_state().drafts.clone();
        edited.edit_files(question, drafts)?;
        let diffs = edited.format_diffs(question, self.colour);
        Ok(EditedFiles {
            texts: edited.into_texts(),
            diffs,
        })
    }
}
