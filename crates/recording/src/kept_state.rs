//! A state of a file whose bytes are in the history, or of a symbolic link.

use lancet_history::{CheckpointEntry, Revision};

/// A state of a file whose bytes are in the history, or of a symbolic link, whose target is part of the entry.
#[derive(Clone)]
pub(crate) struct StoredState {
    pub(crate) entry: CheckpointEntry,
    pub(crate) revision: Revision,
}
