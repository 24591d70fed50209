//! Reuses results for later pages: a query for its next page continues in the result of the first one. It is searched
//! once, or once more to its end if the first search stopped counting when its page was full.

use std::sync::Arc;

use lancet_search::{HeldContents, SearchExtent, SearchSummary, SearchTotals};

use super::pages::PageRequest;
use super::scope::Scope;
use super::search_limit::SearchLimit;
use super::space_for_entries;
use crate::session::{CachedResult, PagedBy};
use crate::stages::context::CallContext;

/// The result of a search, made now or for an earlier page.
pub(super) struct SearchResult {
    pub(super) kept: Arc<CachedResult>,
    /// Whether all entries come from a search made now, so that they are current.
    pub(super) fresh: bool,
    /// The contents that a search made now has in memory. They are not cached: later pages read the disk.
    pub(super) held: Option<Arc<dyn HeldContents>>,
}

impl SearchResult {
    /// Returns the requested page of these entries, within the length that an answer has.
    pub(super) fn page_request<'q, 'c>(
        &'q self,
        context: &'q CallContext<'c>,
        wanted: WantedPage,
    ) -> PageRequest<'q, 'c> {
        PageRequest {
            context,
            kept: &self.kept,
            offset: wanted.offset,
            limit: wanted.limit,
            fresh: self.fresh,
            room: space_for_entries(context),
        }
    }
}

/// The page that a call requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct WantedPage {
    pub(super) offset: u64,
    pub(super) limit: u64,
    pub(super) paged_by: PagedBy,
    /// The totals that the answer needs.
    pub(super) totals: SearchTotals,
}

impl WantedPage {
    /// Returns how far the first search for this page has to go.
    fn extent(&self) -> SearchExtent {
        match self.offset.saturating_add(self.limit) {
            u64::MAX => SearchExtent::Whole,
            _ if self.totals == SearchTotals::Exact => SearchExtent::Whole,
            entries => SearchExtent::FirstEntries(entries),
        }
    }
}

/// Returns what an earlier page of the same query found, if this call requests a later page; otherwise searches, and
/// caches the result for later pages.
pub(super) fn recall_or_search(
    context: &CallContext<'_>,
    key: &str,
    page: WantedPage,
    scope: &Scope,
    search: impl Fn(&SearchLimit<'_>, SearchExtent) -> SearchSummary,
) -> SearchResult {
    let earlier = match page.offset {
        0 => None,
        _ => context.session.pages().find(key),
    };
    let until = page.offset.saturating_add(page.limit);
    if let Some(kept) = &earlier
        && kept.knows_entries(page.paged_by, page.offset, until)
    {
        return SearchResult {
            kept: Arc::clone(kept),
            fresh: false,
            held: None,
        };
    }
    let extent = match &earlier {
        Some(kept) if kept.totals == SearchTotals::AtLeast => SearchExtent::Whole,
        _ => page.extent(),
    };
    let mut survey = search(&SearchLimit::from_settings(context), extent);
    let held = survey.held.take();
    let starts = scope.paths();
    let continued = match earlier.filter(|kept| kept.starts == starts) {
        Some(kept) => kept.continue_with(survey),
        None => Err(survey),
    };
    let fresh = continued.is_err();
    let kept = continued.unwrap_or_else(|survey| CachedResult::new(starts, survey));
    let kept = Arc::new(kept);
    context.session.pages().cache_result(key, &kept);
    SearchResult { kept, fresh, held }
}

#[cfg(test)]
mod tests;
