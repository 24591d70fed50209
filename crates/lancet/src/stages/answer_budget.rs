//! The length budget of the answer to a change. Lines that do not fit into the answer must not count as seen, so the
//! budget is spent while the change is examined, before the answer is assembled.

use std::cell::Cell;

use crate::limit::AnswerLimit;

/// The length reserved for the text that occurs once per answer, regardless of its files: repaired arguments and the
/// ending at the limit.
const CLOSING_LENGTH: usize = 1_000;

/// The remaining length of an answer, in the unit of its [`AnswerLimit`].
#[derive(Debug, Default)]
pub(crate) struct AnswerBudget {
    /// The length left for lines of the changed files.
    lines: Cell<usize>,
    /// The length left for sentences about the changes; sentences beyond it are charged to the lines.
    sentences: Cell<usize>,
}

impl AnswerBudget {
    /// Resets the budget for one attempt: half of the answer is for lines, half for sentences and the closing.
    pub(super) fn reset(&self, limit: AnswerLimit) {
        let half = limit.most / 2;
        self.lines.set(half);
        self.sentences.set(half.saturating_sub(CLOSING_LENGTH));
    }

    /// Charges the budget for sentences that precede the lines shown next.
    pub(crate) fn charge_sentence(&self, length: usize) {
        let spared = self.sentences.get().min(length);
        self.sentences.set(self.sentences.get() - spared);
        let left = self.lines.get().saturating_sub(length - spared);
        self.lines.set(left);
    }

    /// Charges a sentence that follows the lines if it fits, and returns whether it did.
    pub(super) fn try_charge_sentence(&self, length: usize) -> bool {
        let left = self.sentences.get().checked_sub(length);
        if let Some(left) = left {
            self.sentences.set(left);
        }
        left.is_some()
    }

    /// Charges lines if they fit, and returns whether they did.
    pub(crate) fn try_charge_lines(&self, length: usize) -> bool {
        let left = self.lines.get().checked_sub(length);
        if let Some(left) = left {
            self.lines.set(left);
        }
        left.is_some()
    }
}
