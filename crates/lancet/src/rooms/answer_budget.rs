//! How much the answer about a change may still say and show. Lines behind the end of an answer must not count as seen, so
//! the budget is spent while the change is examined, before the answer is put together.

use std::cell::Cell;

use crate::limit::AnswerLimit;

/// What an answer says once, whatever its files are: repaired arguments, its end at the limit.
const CLOSING: usize = 1_000;

/// What is left of an answer, as its [`AnswerLimit`] measures lengths.
#[derive(Debug, Default)]
pub(crate) struct AnswerBudget {
    /// For lines of the changed files.
    lines: Cell<usize>,
    /// For sentences about the changes; what they take beyond it is taken from the lines.
    sentences: Cell<usize>,
}

impl AnswerBudget {
    /// Begins anew, for one attempt: half of the answer is for lines, half for sentences and the closing.
    pub(super) fn begin(&self, limit: AnswerLimit) {
        let half = limit.most / 2;
        self.lines.set(half);
        self.sentences.set(half.saturating_sub(CLOSING));
    }

    /// Spends what sentences take that come before the lines shown next.
    pub(crate) fn say(&self, length: usize) {
        let spared = self.sentences.get().min(length);
        self.sentences.set(self.sentences.get() - spared);
        let left = self.lines.get().saturating_sub(length - spared);
        self.lines.set(left);
    }

    /// Spends what lines take, if there is room for them; says whether there was.
    pub(crate) fn show(&self, length: usize) -> bool {
        let left = self.lines.get().checked_sub(length);
        if let Some(left) = left {
            self.lines.set(left);
        }
        left.is_some()
    }
}
