//! What a person allowed for the rest of a session. Written nowhere, and gone with the session.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::Reason;

/// The grants of one session.
#[derive(Default)]
pub(crate) struct Grants(Mutex<Vec<Grant>>);

/// One grant.
struct Grant {
    key: String,
    reach: Reach,
}

/// The files that a grant is for.
pub(super) enum Reach {
    /// One file.
    File(PathBuf),
    /// Whatever the same rule asks about.
    Rule,
    /// What a folder holds, less protected names further down.
    Folder(PathBuf),
}

impl Grants {
    /// Grants a reason's questions.
    pub(super) fn add(&self, reason: &Reason, reach: Reach) {
        let mut grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        grants.push(Grant {
            key: reason.key.clone(),
            reach,
        });
    }

    /// Whether a question was granted before.
    pub(super) fn covers(&self, path: &Path, reason: &Reason) -> bool {
        let grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let covers = |grant: &Grant| match &grant.reach {
            Reach::File(file) => file == path,
            Reach::Rule => true,
            Reach::Folder(folder) => path
                .strip_prefix(folder)
                .is_ok_and(|rest| lancet_policy::judge(rest).is_none()),
        };
        grants
            .iter()
            .any(|grant| grant.key == reason.key && covers(grant))
    }
}
