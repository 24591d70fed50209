//! A state of a file whose bytes are in the history.

use lancet_history::{CheckpointEntry, Revision};

/// A state of a file whose bytes are in the history.
#[derive(Clone)]
pub(crate) struct KeptState {
    pub(crate) entry: CheckpointEntry,
    pub(crate) revision: Revision,
}
