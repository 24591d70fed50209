//! The rules and settings that decide which files a resident tree has.

use std::sync::Arc;

use lancet_policy::Policy;

use crate::settings::Settings;

/// The rules and settings that a tree was built under. Under others it would have other files.
#[derive(Clone)]
pub(crate) struct RulesInForce {
    pub(crate) policy: Arc<Policy>,
    pub(crate) settings: Arc<Settings>,
}

impl RulesInForce {
    /// Returns whether both are the same objects.
    pub(super) fn is_same_as(&self, other: &RulesInForce) -> bool {
        Arc::ptr_eq(&self.policy, &other.policy) && Arc::ptr_eq(&self.settings, &other.settings)
    }
}
