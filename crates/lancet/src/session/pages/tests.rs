//! Tests of the cache of results: its bounds, and results that are continued.

use super::*;

fn cached_result_with_entries(entries: usize) -> Arc<CachedResult> {
    let mut list = lancet_search::RankedFiles::new(lancet_search::ResultOrder::Path, 1);
    for _ in 0..entries {
        list.add(ListedFile {
            start: 0,
            relative: std::path::Path::new("some/file/of/a/tree.rs").into(),
            modified: (0, 0),
            matches: 1,
        });
    }
    let (files, total) = list.finish();
    let survey = SearchSummary {
        files,
        total,
        matches: 0,
        totals: SearchTotals::Exact,
        tally: Tally::default(),
        stopped_at: None,
        held: None,
    };
    Arc::new(CachedResult::new(vec!["/r".into()], survey))
}

#[test]
fn caches_latest_results_within_count_and_memory() {
    let mut pages = Pages::default();
    for number in 0..100 {
        pages.cache_result(&format!("q{number}"), &cached_result_with_entries(1));
    }
    assert!(pages.find("q35").is_none());
    assert!(pages.find("q36").is_some());
    pages.cache_result("large", &cached_result_with_entries(60_000));
    assert!(pages.find("q99").is_some());
    pages.cache_result("larger", &cached_result_with_entries(60_000));
    assert!(pages.find("large").is_none());
    pages.cache_result("too large", &cached_result_with_entries(150_000));
    assert!(pages.find("too large").is_none());
    assert!(pages.find("larger").is_some());
}

fn listed(name: &str, matches: u64) -> ListedFile {
    ListedFile {
        start: 0,
        relative: std::path::Path::new(name).into(),
        modified: (0, 0),
        matches,
    }
}

fn search_summary(files: &[(&str, u64)], totals: SearchTotals) -> SearchSummary {
    let entries: Vec<ListedFile> = files.iter().map(|(name, n)| listed(name, *n)).collect();
    SearchSummary {
        total: entries.len() as u64,
        matches: entries.iter().map(|entry| entry.matches).sum(),
        files: Listing::from_entries(lancet_search::ResultOrder::Path, entries, None),
        totals,
        tally: Tally::default(),
        stopped_at: None,
        held: None,
    }
}

#[test]
fn unfinished_search_does_not_know_later_entries() {
    let kept = CachedResult::new(
        vec!["/r".into()],
        search_summary(&[("a", 3), ("b", 1)], SearchTotals::AtLeast),
    );
    assert!(kept.knows_entries(PagedBy::Files, 1, 2));
    assert!(!kept.knows_entries(PagedBy::Files, 1, 3));
    assert!(kept.knows_entries(PagedBy::Matches, 1, 4));
    assert!(!kept.knows_entries(PagedBy::Matches, 1, 5));
    let kept = CachedResult::new(
        vec!["/r".into()],
        search_summary(&[("a", 3)], SearchTotals::Exact),
    );
    assert!(kept.knows_entries(PagedBy::Files, 1, 100));
}

#[test]
fn continued_search_keeps_positions_of_known_entries() {
    let first = CachedResult::new(
        vec!["/r".into()],
        search_summary(&[("c", 3), ("a", 1), ("gone", 7)], SearchTotals::AtLeast),
    );
    // "a" has another number of matches now, "b" is new, and "gone" no longer exists.
    let whole = search_summary(
        &[("a", 5), ("b", 2), ("c", 3), ("d", 4)],
        SearchTotals::Exact,
    );
    let Ok(kept) = first.continue_with(whole) else {
        panic!("the entries are there");
    };
    let entries: Vec<(String, u64)> = kept
        .entries_from(0)
        .map(|entry| (entry.relative.display().to_string(), entry.matches))
        .collect();
    let wanted = [("c", 3), ("a", 1), ("gone", 7), ("b", 2), ("d", 4)];
    assert_eq!(entries, wanted.map(|(name, n)| (name.to_owned(), n)));
    assert_eq!((kept.total, kept.known), (5, 5));
    assert_eq!((kept.matches, kept.known_matches), (17, 17));
    assert_eq!(kept.totals, SearchTotals::Exact);
}

/// Entries whose index was released.
#[derive(Debug)]
struct ReleasedEntries;

impl lancet_search::RemainingFiles for ReleasedEntries {
    fn len(&self) -> usize {
        1_000
    }

    fn bytes(&self) -> usize {
        9 << 20
    }

    fn entries(&self, _: std::ops::Range<usize>) -> Option<Vec<ListedFile>> {
        None
    }
}

#[test]
fn released_entries_are_unknown_and_count_towards_memory() {
    let mut long = search_summary(&[("a", 0), ("b", 0)], SearchTotals::Exact);
    let entries = vec![listed("a", 0), listed("b", 0)];
    long.files = Listing::from_entries(
        lancet_search::ResultOrder::Newest,
        entries,
        Some(Arc::new(ReleasedEntries)),
    );
    let kept = CachedResult::new(vec!["/r".into()], long);
    assert_eq!(kept.known, 1_002);
    assert!(kept.knows_entries(PagedBy::Files, 1, 100));
    assert!(!kept.knows_entries(PagedBy::Files, 2, 100));
    assert!(
        kept.continue_with(search_summary(&[], SearchTotals::Exact))
            .is_err()
    );
    let mut pages = Pages::default();
    pages.cache_result("too large", &Arc::new(kept));
    assert!(pages.find("too large").is_none());
}
