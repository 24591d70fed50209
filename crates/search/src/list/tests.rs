//! Lists of files: their order, their bounds, and entries that are computed later.

use super::*;

fn new_entry(path: &str, modified: i64) -> ListedFile {
    ListedFile {
        start: 0,
        relative: Path::new(path).into(),
        modified: (modified, 0),
        matches: 1,
    }
}

fn listed_paths(list: RankedFiles) -> Vec<String> {
    let (mut entries, _) = list.finish();
    entries
        .all_entries()
        .iter()
        .map(|entry| entry.relative.display().to_string())
        .collect()
}

#[test]
fn sorts_newest_first_and_ties_by_path() {
    let mut list = RankedFiles::new(ResultOrder::Newest, 1);
    for (path, modified) in [("b", 1), ("a.txt", 1), ("a/z", 1), ("new", 9)] {
        list.add(new_entry(path, modified));
    }
    assert_eq!(listed_paths(list), ["new", "a/z", "a.txt", "b"]);
}

#[test]
fn full_list_keeps_first_entries_and_counts_all() {
    let mut list =
        RankedFiles::with_memory_limit(ResultOrder::Newest, 10 * new_entry("x000", 0).bytes());
    for number in 0..1000 {
        list.add(new_entry(&format!("x{number:03}"), (number * 37) % 1000));
    }
    let (mut entries, added) = list.finish();
    assert_eq!(added, 1000);
    assert!(entries.len() >= 5 && entries.len() <= 10);
    let times: Vec<i64> = entries
        .all_entries()
        .iter()
        .map(|entry| entry.modified.0)
        .collect();
    let wanted: Vec<i64> = (0..1000).rev().take(times.len()).collect();
    assert_eq!(times, wanted);
}

#[test]
fn merged_full_lists_equal_single_list() {
    let most = 10 * new_entry("x000", 0).bytes();
    let mut lists = [
        RankedFiles::with_memory_limit(ResultOrder::Path, most),
        RankedFiles::with_memory_limit(ResultOrder::Path, most),
    ];
    for number in (0..1000).rev() {
        lists[number % 2].add(new_entry(&format!("x{number:03}"), 0));
    }
    let [mut one, other] = lists;
    one.merge(other);
    let (mut entries, added) = one.finish();
    assert_eq!(added, 1000);
    for (number, entry) in entries.all_entries().iter().enumerate() {
        assert_eq!(*entry.relative, *Path::new(&format!("x{number:03}")));
    }
    assert!(entries.len() >= 5);
}

/// Entries of which only the numbers are stored.
#[derive(Debug)]
struct NumberedEntries(Range<usize>);

impl RemainingFiles for NumberedEntries {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bytes(&self) -> usize {
        self.0.len() * 4
    }

    fn entries(&self, range: Range<usize>) -> Option<Vec<ListedFile>> {
        let names = self.0.clone().skip(range.start).take(range.len());
        Some(
            names
                .map(|name| new_entry(&format!("x{name:03}"), 0))
                .collect(),
        )
    }
}

#[derive(Debug)]
struct DroppedEntries;

impl RemainingFiles for DroppedEntries {
    fn len(&self) -> usize {
        5
    }

    fn bytes(&self) -> usize {
        0
    }

    fn entries(&self, _: Range<usize>) -> Option<Vec<ListedFile>> {
        None
    }
}

#[test]
fn remaining_entries_are_computed_on_demand() {
    let all: Vec<ListedFile> = (0..10).map(|n| new_entry(&format!("x{n:03}"), 0)).collect();
    let rest = Arc::new(NumberedEntries(4..10));
    let mut list = Listing::from_entries(ResultOrder::Path, all[..4].to_vec(), Some(rest));
    assert_eq!(list.len(), 10);
    let held: usize = all[..4].iter().map(ListedFile::bytes).sum();
    assert_eq!(list.bytes(), held + 6 * 4);
    for start in 0..=11 {
        for end in start..=12 {
            let wanted = &all[start.min(10)..end.min(10)];
            assert_eq!(list.copy_range(start..end).as_deref(), Some(wanted));
        }
    }
    assert_eq!(list.all_entries(), &all[..4]);
}

#[test]
fn dropped_entries_are_not_end_of_list() {
    let held = vec![new_entry("a", 0), new_entry("b", 0)];
    let mut list = Listing::from_entries(
        ResultOrder::Path,
        held.clone(),
        Some(Arc::new(DroppedEntries)),
    );
    assert_eq!(list.copy_range(0..2), Some(held));
    assert_eq!(list.copy_range(1..3), None);
    assert_eq!(list.copy_range(2..4), None);
    assert_eq!(list.copy_range(7..9), Some(Vec::new()), "there are seven");
}

#[test]
fn compare_paths_agrees_with_component_order() {
    let names = [
        "a", "a/b", "a.txt", "a/b.c", "a/b/c", "a-b", "b", "", "a/ä", "a/z", "A",
    ];
    for one in names.map(Path::new) {
        for other in names.map(Path::new) {
            assert_eq!(
                compare_paths(one, other),
                one.cmp(other),
                "{one:?} {other:?}"
            );
        }
    }
}

#[test]
fn incremental_sorting_equals_full_sort() {
    let mut list = RankedFiles::new(ResultOrder::Newest, 1);
    for number in 0..10_000 {
        list.add(new_entry(
            &format!("x{number:05}"),
            (number * 7_919) % 3_000,
        ));
    }
    let (mut bit_by_bit, _) = list.finish();
    let mut whole = bit_by_bit.entries.clone();
    whole.sort_by(|one, other| one.compare_entries(other, ResultOrder::Newest));
    for number in [
        0, 1, 100, 101, 1_024, 1_025, 5_000, 4_000, 9_999, 10_000, 20_000,
    ] {
        assert_eq!(
            bit_by_bit.first_entries(number),
            &whole[..number.min(10_000)]
        );
    }
}
