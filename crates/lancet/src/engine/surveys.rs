//! Surveys of large files: the result of one streaming pass over a file, cached so that the next page needs no second
//! pass.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lancet_text::Facts;
use lancet_workspace::{Expected, Revision, Stamp};

/// How many surveys are cached.
const KEPT: usize = 8;

/// The result of one pass over a large file.
pub(crate) struct Surveyed {
    pub(crate) path: PathBuf,
    pub(crate) stamp: Stamp,
    pub(crate) revision: Revision,
    pub(crate) facts: Facts,
}

impl Surveyed {
    /// Returns the content that the disk must still have when a plan based on this survey is carried out.
    pub(crate) fn expected(&self) -> Expected {
        Expected::Content {
            revision: self.revision,
            stamp: self.stamp,
            bytes: None,
        }
    }
}

/// The surveys of the large files that were used last, the latest first.
#[derive(Default)]
pub(crate) struct Surveys {
    kept: Mutex<Vec<Arc<Surveyed>>>,
}

impl Surveys {
    /// Returns the survey of a file whose stat is `now`, unless the file may have changed since.
    pub(crate) fn get(&self, path: &Path, now: &Stamp) -> Option<Arc<Surveyed>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().find(|survey| survey.path == path)?;
        (known.stamp.same_file_state(now) && !known.stamp.racy()).then(|| Arc::clone(known))
    }

    /// Stores a survey in place of an earlier one of the same file, and drops the oldest beyond [`KEPT`].
    pub(crate) fn put(&self, survey: Arc<Surveyed>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|known| known.path != survey.path);
        kept.insert(0, survey);
        kept.truncate(KEPT);
    }
}
