//! Grants: permissions that a person gave for the rest of a session. They are in memory only and end with the session.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The grants of one session.
#[derive(Default)]
pub(crate) struct Grants(Mutex<Vec<Grant>>);

/// One answer that is valid for the rest of the session.
struct Grant {
    /// The key of the questions that it answers: see `Reason::key`.
    key: String,
    reach: GrantScope,
}

/// The files that a grant covers.
pub(crate) enum GrantScope {
    /// One file.
    File(PathBuf),
    /// All files to which the same rule applies.
    Rule,
    /// The files in a folder, except for protected names further down.
    Folder(PathBuf),
}

/// The scope of a lasting answer. It takes effect only when the call has succeeded.
#[derive(Default)]
pub(crate) struct LastingAnswer {
    /// The keys of reasons, each with the files that it is granted for.
    pub(crate) grants: Vec<(String, GrantScope)>,
    /// The rules for the user's settings.
    pub(crate) rules: Vec<String>,
}

impl LastingAnswer {
    /// Makes an answer that is valid until the session ends.
    pub(crate) fn for_session(grants: Vec<(String, GrantScope)>) -> Self {
        Self {
            grants,
            rules: Vec::new(),
        }
    }

    /// Makes an answer that is always valid. If a rule cannot be saved, the session's grant is still valid.
    pub(crate) fn for_always(grants: Vec<(String, GrantScope)>, rules: Vec<String>) -> Self {
        Self { grants, rules }
    }
}

impl Grants {
    /// Grants the questions with this key.
    pub(crate) fn add(&self, key: &str, reach: GrantScope) {
        let mut grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        grants.push(Grant {
            key: key.to_owned(),
            reach,
        });
    }

    /// Returns whether a question about a file was granted before.
    pub(crate) fn covers(&self, path: &Path, key: &str) -> bool {
        let grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let covers = |grant: &Grant| match &grant.reach {
            GrantScope::File(file) => file == path,
            GrantScope::Rule => true,
            GrantScope::Folder(folder) => path
                .strip_prefix(folder)
                .is_ok_and(|rest| lancet_policy::classify_path(rest).is_none()),
        };
        grants.iter().any(|grant| grant.key == key && covers(grant))
    }
}
