//! Reads contents from the history, or refuses where the history no longer has them.

use lancet_history::{HistoryError, OperationStore, StoredContent};

use crate::message::{message, verbatim};
use crate::refusal::{Refusal, RefusalKind};

/// Returns the bytes of a state in the history.
pub(super) fn read_content(
    store: &dyn OperationStore,
    revision: &[u8; 32],
) -> Result<Vec<u8>, Refusal> {
    let content = store.content(revision).map_err(unreadable_refusal)?;
    content.ok_or_else(not_kept_refusal)
}

/// Returns the content of a state in the history that is too large for memory.
pub(super) fn open_content(
    store: &dyn OperationStore,
    revision: &[u8; 32],
) -> Result<StoredContent, Refusal> {
    let content = store.open_content(revision).map_err(unreadable_refusal)?;
    content.ok_or_else(not_kept_refusal)
}

pub(super) fn not_kept_refusal() -> Refusal {
    Refusal::from_message(
        RefusalKind::NotFound,
        "The bytes of that state are no longer kept, or were damaged. Nothing was changed.",
    )
}

pub(super) fn unreadable_refusal(error: HistoryError) -> Refusal {
    let text = message!(
        "The history cannot be read: {}. Nothing was changed; `lancet doctor` says more.",
        verbatim(error)
    );
    Refusal::from_message(RefusalKind::Io, text)
}
