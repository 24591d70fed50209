//! Tests of the cache of results: its bounds, and results that are continued.

use super::*;

fn kept_with_entries(entries: usize) -> Arc<Kept> {
    let mut list = lancet_search::RankedFiles::new(lancet_search::Order::Path, 1);
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
    Arc::new(Kept::new(vec!["/r".into()], survey))
}

#[test]
fn the_latest_questions_are_kept_within_number_and_memory() {
    let mut pages = Pages::default();
    for number in 0..100 {
        pages.keep(&format!("q{number}"), &kept_with_entries(1));
    }
    assert!(pages.find("q35").is_none());
    assert!(pages.find("q36").is_some());
    pages.keep("large", &kept_with_entries(60_000));
    assert!(pages.find("q99").is_some());
    pages.keep("larger", &kept_with_entries(60_000));
    assert!(pages.find("large").is_none());
    pages.keep("too large", &kept_with_entries(150_000));
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

fn survey(files: &[(&str, u64)], totals: SearchTotals) -> SearchSummary {
    let entries: Vec<ListedFile> = files.iter().map(|(name, n)| listed(name, *n)).collect();
    SearchSummary {
        total: entries.len() as u64,
        matches: entries.iter().map(|entry| entry.matches).sum(),
        files: Listing::in_order(lancet_search::Order::Path, entries, None),
        totals,
        tally: Tally::default(),
        stopped_at: None,
        held: None,
    }
}

#[test]
fn what_an_unfinished_search_does_not_know_has_to_be_searched_for() {
    let kept = Kept::new(
        vec!["/r".into()],
        survey(&[("a", 3), ("b", 1)], SearchTotals::AtLeast),
    );
    assert!(kept.knows(PagedBy::Files, 1, 2));
    assert!(!kept.knows(PagedBy::Files, 1, 3));
    assert!(kept.knows(PagedBy::Matches, 1, 4));
    assert!(!kept.knows(PagedBy::Matches, 1, 5));
    let kept = Kept::new(vec!["/r".into()], survey(&[("a", 3)], SearchTotals::Exact));
    assert!(kept.knows(PagedBy::Files, 1, 100));
}

#[test]
fn known_entries_keep_their_places_when_the_search_goes_on() {
    let first = Kept::new(
        vec!["/r".into()],
        survey(&[("c", 3), ("a", 1), ("gone", 7)], SearchTotals::AtLeast),
    );
    // "a" has another number of matches now, "b" is new, and "gone" no longer exists.
    let whole = survey(
        &[("a", 5), ("b", 2), ("c", 3), ("d", 4)],
        SearchTotals::Exact,
    );
    let Ok(kept) = first.continued(whole) else {
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
struct GivenBack;

impl lancet_search::RemainingFiles for GivenBack {
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
fn a_list_that_can_no_longer_be_told_is_not_known_and_counts_with_its_memory() {
    let mut long = survey(&[("a", 0), ("b", 0)], SearchTotals::Exact);
    let entries = vec![listed("a", 0), listed("b", 0)];
    long.files = Listing::in_order(
        lancet_search::Order::Newest,
        entries,
        Some(Arc::new(GivenBack)),
    );
    let kept = Kept::new(vec!["/r".into()], long);
    assert_eq!(kept.known, 1_002);
    assert!(kept.knows(PagedBy::Files, 1, 100));
    assert!(!kept.knows(PagedBy::Files, 2, 100));
    assert!(kept.continued(survey(&[], SearchTotals::Exact)).is_err());
    let mut pages = Pages::default();
    pages.keep("too large", &Arc::new(kept));
    assert!(pages.find("too large").is_none());
}
