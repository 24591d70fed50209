//! Work that searches order to be done in the background.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use lancet_search::{KeepContents, MemoryBudget, ResidentTree, WatchAllowance};

use super::rules_in_force::RulesInForce;

/// The order to build a root.
pub(crate) struct BuildOrder {
    pub(crate) root: PathBuf,
    pub(crate) rules: RulesInForce,
    pub(crate) contents: KeepContents,
    pub(crate) budget: MemoryBudget,
    pub(crate) watches: WatchAllowance,
    pub(super) begun: Instant,
}

/// A tree whose contents are to be read into memory again.
pub(crate) struct RefillOrder {
    pub(crate) tree: Arc<ResidentTree>,
    pub(crate) contents: KeepContents,
}
