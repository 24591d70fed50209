//! A state of a file whose bytes the history has.

use lancet_history::{CheckpointEntry, Revision};

/// A state of a file whose bytes the history has.
#[derive(Clone)]
pub(crate) struct KeptState {
    pub(crate) entry: CheckpointEntry,
    pub(crate) revision: Revision,
}
