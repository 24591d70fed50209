//! Numbers that nobody else has, for names. Not for anything secret.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

/// The standard library's hash keys come from the system's random source; a counter of theirs makes each new.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
