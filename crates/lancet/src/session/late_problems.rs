//! Problems that language servers found after the answer to the change that caused them. They wait until an answer of
//! the session has space for them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::outcome::FoundProblem;

/// The most problems that are stored.
const MAX_PROBLEMS: usize = 20;

/// The problems of one session.
#[derive(Default)]
pub(crate) struct LateProblems(Mutex<Vec<FoundProblem>>);

impl LateProblems {
    /// Adds problems.
    pub(crate) fn add(&self, problems: impl Iterator<Item = FoundProblem>) {
        let mut all = self.lock();
        for problem in problems {
            if all.len() < MAX_PROBLEMS && !all.contains(&problem) {
                all.push(problem);
            }
        }
    }

    /// Returns all problems, in their order.
    pub(crate) fn all(&self) -> Vec<FoundProblem> {
        self.lock().clone()
    }

    /// Removes a problem. False means that another answer has reported it.
    pub(crate) fn take(&self, problem: &FoundProblem) -> bool {
        let mut all = self.lock();
        let before = all.len();
        all.retain(|known| known != problem);
        all.len() < before
    }

    /// Removes all problems, because files have changed since.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<FoundProblem>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
