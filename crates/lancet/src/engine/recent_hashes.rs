//! The part hashes of the most recent versions, so that a large file that is edited repeatedly is hashed only where it
//! changes. The key is the revision of the version, so an entry cannot belong to other bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lancet_text::RawChange;
use lancet_workspace::{HashedParts, Revision};

/// How many versions are remembered.
const MAX_VERSIONS: usize = 16;

/// The largest content that is remembered; its hashes have 64 KiB.
const MAX_CONTENT_SIZE: usize = 64 << 20;

/// The most recent versions, the latest first.
#[derive(Default)]
pub(crate) struct RecentHashes(Mutex<VecDeque<(Revision, Arc<HashedParts>)>>);

impl RecentHashes {
    /// Returns the revision of the result of applying `changes` to `base`, which has the revision `from`. None where
    /// the result is small.
    pub(crate) fn revision_of(
        &self,
        (base, from): (&[u8], &Revision),
        changes: &[RawChange],
    ) -> Option<Revision> {
        let known = self.find(from);
        let hashed = HashedParts::after_changes(base, changes, known.as_deref())?;
        let revision = hashed.revision();
        if hashed.length() <= MAX_CONTENT_SIZE {
            self.add(revision, hashed);
        }
        Some(revision)
    }

    fn find(&self, revision: &Revision) -> Option<Arc<HashedParts>> {
        let versions = self.versions();
        let found = versions.iter().find(|(key, _)| key == revision)?;
        Some(Arc::clone(&found.1))
    }

    fn add(&self, revision: Revision, hashed: HashedParts) {
        let mut versions = self.versions();
        versions.retain(|(key, _)| *key != revision);
        versions.push_front((revision, Arc::new(hashed)));
        versions.truncate(MAX_VERSIONS);
    }

    fn versions(&self) -> MutexGuard<'_, VecDeque<(Revision, Arc<HashedParts>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
