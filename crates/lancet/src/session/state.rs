//! The state of one session: its ledger, what a person allowed for it, and what it was told.

use std::sync::Mutex;

use lancet_history::{Ledger, SessionName};

use super::grants::Grants;
use super::pages::Pages;
use crate::engine::Notified;

/// What all handles on one session share.
pub(crate) struct SessionInner {
    pub(crate) name: Option<SessionName>,
    /// The session in the history: its name, or an id where it has none.
    pub(super) key: String,
    pub(super) ledger: Mutex<Ledger>,
    /// What a person allowed for the rest of the session.
    pub(crate) grants: Grants,
    /// What its searches found, for their later pages.
    pub(super) pages: Mutex<Pages>,
    /// The damaged databases that its answers have told of.
    pub(crate) told: Notified,
}

impl SessionInner {
    pub(crate) fn named(name: SessionName) -> Self {
        Self {
            key: name.as_str().to_owned(),
            name: Some(name),
            ledger: Mutex::default(),
            grants: Default::default(),
            pages: Mutex::default(),
            told: Default::default(),
        }
    }

    pub(crate) fn unnamed() -> Self {
        Self {
            key: unnamed(),
            name: None,
            ledger: Mutex::default(),
            grants: Default::default(),
            pages: Mutex::default(),
            told: Default::default(),
        }
    }
}

/// A name for a session that was given none; it counts in the history only.
fn unnamed() -> String {
    format!("{UNNAMED}{}", crate::operation::new_id())
}

/// Whether the history's name of a session is such a one.
pub(crate) fn is_unnamed(key: &str) -> bool {
    key.starts_with(UNNAMED)
}

const UNNAMED: &str = "unnamed-";
