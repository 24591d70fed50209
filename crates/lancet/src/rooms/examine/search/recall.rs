//! A question that is asked for its next page goes on in the result of the first: it is searched once.

use std::sync::Arc;

use lancet_search::{HeldContents, SearchSummary};

use super::Limit;
use super::scope::Scope;
use crate::rooms::CallContext;
use crate::session::Kept;

/// The result of a search, made now or for an earlier page.
pub(super) struct Recalled {
    pub(super) kept: Arc<Kept>,
    /// Whether the search was made now, so that its entries are current.
    pub(super) fresh: bool,
    /// The contents that a search made now has in memory. They are not cached: later pages read the disk.
    pub(super) held: Option<Arc<dyn HeldContents>>,
}

/// Takes what an earlier page of the same question found, where this call asks for a later page; else searches, and
/// caches the result for later pages.
pub(super) fn recall(
    context: &CallContext<'_>,
    key: &str,
    offset: u64,
    scope: &Scope,
    search: impl FnOnce(&Limit<'_>) -> SearchSummary,
) -> Recalled {
    if offset > 0
        && let Some(kept) = context.session.pages().find(key)
    {
        return Recalled {
            kept,
            fresh: false,
            held: None,
        };
    }
    let mut survey = search(&Limit::of(context));
    let held = survey.held.take();
    let kept = Arc::new(Kept::new(scope.paths(), survey));
    context.session.pages().keep(key, &kept);
    Recalled {
        kept,
        fresh: true,
        held,
    }
}
