//! Surveys of large files: the result of one streaming pass over a file, cached so that the next page needs no second
//! pass.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lancet_text::SurveyFacts;
use lancet_workspace::{ExpectedState, Revision, Stamp};

/// How many surveys are cached.
const MAX_SURVEYS: usize = 8;

/// The result of one pass over a large file.
pub(crate) struct FileSurvey {
    pub(crate) path: PathBuf,
    pub(crate) stamp: Stamp,
    pub(crate) revision: Revision,
    pub(crate) facts: SurveyFacts,
}

impl FileSurvey {
    /// Returns the content that the disk must still have when a plan based on this survey is carried out.
    pub(crate) fn expected(&self) -> ExpectedState {
        ExpectedState::Content {
            revision: self.revision,
            stamp: self.stamp,
            bytes: None,
        }
    }
}

/// The surveys of the large files that were used last, the latest first.
#[derive(Default)]
pub(crate) struct Surveys {
    kept: Mutex<Vec<Arc<FileSurvey>>>,
}

impl Surveys {
    /// Returns the survey of a file whose stat is `now`, unless the file may have changed since.
    pub(crate) fn get(&self, path: &Path, now: &Stamp) -> Option<Arc<FileSurvey>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().find(|survey| survey.path == path)?;
        (known.stamp.has_same_state(now) && !known.stamp.is_racy()).then(|| Arc::clone(known))
    }

    /// Stores a survey in place of an earlier one of the same file, and drops the oldest beyond [`MAX_SURVEYS`].
    pub(crate) fn put(&self, survey: Arc<FileSurvey>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|known| known.path != survey.path);
        kept.insert(0, survey);
        kept.truncate(MAX_SURVEYS);
    }
}
