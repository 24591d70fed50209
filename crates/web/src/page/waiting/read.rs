//! Questions that a person approved on the page after reading all of them. What is written by them counts as seen in
//! the review: it is exactly what was read.

use std::sync::{Mutex, PoisonError};

use lancet::Lancet;
use lancet::history::{IdMatch, OperationState};
use lancet::questions::QuestionState;

/// The largest number of approvals whose operations are awaited.
const MAX_AWAITED: usize = 1_000;

/// The ids of the questions whose operations are not yet known. They are lost when the server ends; what they write is
/// then to be reviewed.
#[derive(Default)]
pub(crate) struct ReadApprovals(Mutex<Vec<String>>);

impl ReadApprovals {
    /// Adds a question whose approver has seen all of it.
    pub(super) fn add(&self, id: &str) {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.len() < MAX_AWAITED {
            ids.push(id.to_owned());
        }
    }

    /// Marks what was written meanwhile as seen.
    pub(in crate::page) fn mark_written(&self, lancet: &Lancet) {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.retain(|id| is_awaited(lancet, id));
    }
}

/// Marks the operation of a question as seen; returns whether it is still awaited.
fn is_awaited(lancet: &Lancet, id: &str) -> bool {
    let (Some(questions), Some(history), Some(review)) =
        (lancet.questions(), lancet.history(), lancet.review())
    else {
        return false;
    };
    // An error may pass.
    let Ok(found) = questions.get(id) else {
        return true;
    };
    let Some(found) = found else {
        return false;
    };
    let operation = match (found.state, found.followed_by) {
        (QuestionState::Approved, _) => return true,
        (QuestionState::Used, Some(operation)) => operation,
        _ => return false,
    };
    match history.find(&operation) {
        Ok(IdMatch::One(found)) if found.state == OperationState::Begun => true,
        Ok(IdMatch::One(found)) => review.mark_read_operation(&found).is_err(),
        Ok(_) => false,
        Err(_) => true,
    }
}
