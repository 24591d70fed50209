//! Random numbers for unique names. Not for secrets.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

/// Returns a random number: the standard library seeds its hash keys from the system's random source and changes them
/// each time.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
