//! The state of one session: its ledger, its grants, its cached searches, and the notices that it received.

use std::sync::Mutex;

use lancet_history::{Ledger, SessionName};

use super::grants::Grants;
use super::late_problems::LateProblems;
use super::pages::Pages;
use super::told_flaws::ReportedFlaws;
use super::unkept::UnsavedRules;
use crate::engine::ReportedDatabases;

/// The state that all handles on one session share.
pub(crate) struct SessionInner {
    pub(crate) name: Option<SessionName>,
    /// The key of the session in the history: its name, or a generated id.
    pub(super) key: String,
    pub(super) ledger: Mutex<Ledger>,
    /// The permissions that a person granted for the rest of the session.
    pub(crate) grants: Grants,
    /// Sentences about rules that a person wanted and that could not be saved.
    pub(crate) unkept: UnsavedRules,
    /// Problems that language servers reported only after the call that caused them had been answered.
    pub(crate) late_problems: LateProblems,
    /// The cached results of its searches, for later pages.
    pub(super) pages: Mutex<Pages>,
    /// The damaged databases that this session's answers have reported.
    pub(crate) told: ReportedDatabases,
    /// The flaws of settings files that this session's answers have reported.
    pub(crate) told_flaws: ReportedFlaws,
}

impl SessionInner {
    pub(crate) fn named(name: SessionName) -> Self {
        Self {
            key: name.as_str().to_owned(),
            name: Some(name),
            ledger: Mutex::default(),
            grants: Default::default(),
            unkept: Default::default(),
            late_problems: Default::default(),
            pages: Mutex::default(),
            told: Default::default(),
            told_flaws: Default::default(),
        }
    }

    pub(crate) fn unnamed() -> Self {
        Self {
            key: unnamed(),
            name: None,
            ledger: Mutex::default(),
            grants: Default::default(),
            unkept: Default::default(),
            late_problems: Default::default(),
            pages: Mutex::default(),
            told: Default::default(),
            told_flaws: Default::default(),
        }
    }
}

/// Generates a key for a session without a name; it is used in the history only.
fn unnamed() -> String {
    format!("{UNNAMED_PREFIX}{}", crate::operation::new_id())
}

/// Returns whether a key of the history was generated for a session without a name.
pub(crate) fn is_unnamed(key: &str) -> bool {
    key.starts_with(UNNAMED_PREFIX)
}

const UNNAMED_PREFIX: &str = "unnamed-";
