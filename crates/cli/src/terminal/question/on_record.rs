//! Questions of agents that are on record: the person looks at one of them and decides it, now or later.

use std::io;

use lancet::approval::{Answer, Question, Wait};

use super::edited::EditedTexts;
use super::{Asker, TerminalApprover};

/// The texts that a person edited.
pub(crate) struct EditedFiles {
    /// The text of each file of the question; none where it is as it was proposed.
    pub(crate) texts: Vec<Option<String>>,
    /// What the edited texts change, for the person.
    pub(crate) diffs: String,
}

impl TerminalApprover {
    /// Puts a question to the person. None where there is no terminal; an inner none where the person leaves it open.
    pub(crate) fn ask_on_record(&self, question: &Question) -> Option<Option<Answer>> {
        // Whoever looks at the same question twice is not told that a file changed.
        self.past().asked.clear();
        self.ask_at_terminal(question, &Wait::default(), Asker::Agent)
    }

    /// Lets the person edit the texts of a question, one file after the other.
    pub(crate) fn edit_on_record(&self, question: &Question) -> io::Result<EditedFiles> {
        let mut edited = EditedTexts::default();
        let drafts = self.past().drafts.clone();
        edited.edit(question, drafts)?;
        let diffs = edited.diffs(question, self.colour);
        Ok(EditedFiles {
            texts: edited.into_texts(),
            diffs,
        })
    }
}
