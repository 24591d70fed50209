//! Lists of files: their order, their bounds, and entries that are computed later.

use super::*;

fn entry(path: &str, modified: i64) -> ListedFile {
    ListedFile {
        start: 0,
        relative: Path::new(path).into(),
        modified: (modified, 0),
        matches: 1,
    }
}

fn paths(list: RankedFiles) -> Vec<String> {
    let (mut entries, _) = list.finish();
    entries
        .all()
        .iter()
        .map(|entry| entry.relative.display().to_string())
        .collect()
}

#[test]
fn newest_first_and_ties_by_path_folder_by_folder() {
    let mut list = RankedFiles::new(Order::Newest, 1);
    for (path, modified) in [("b", 1), ("a.txt", 1), ("a/z", 1), ("new", 9)] {
        list.add(entry(path, modified));
    }
    assert_eq!(paths(list), ["new", "a/z", "a.txt", "b"]);
}

#[test]
fn a_full_list_keeps_what_comes_first_and_counts_all() {
    let mut list = RankedFiles::within(Order::Newest, 10 * entry("x000", 0).bytes());
    for number in 0..1000 {
        list.add(entry(&format!("x{number:03}"), (number * 37) % 1000));
    }
    let (mut entries, added) = list.finish();
    assert_eq!(added, 1000);
    assert!(entries.len() >= 5 && entries.len() <= 10);
    let times: Vec<i64> = entries.all().iter().map(|entry| entry.modified.0).collect();
    let wanted: Vec<i64> = (0..1000).rev().take(times.len()).collect();
    assert_eq!(times, wanted);
}

#[test]
fn full_lists_join_to_what_one_would_have_kept() {
    let most = 10 * entry("x000", 0).bytes();
    let mut lists = [
        RankedFiles::within(Order::Path, most),
        RankedFiles::within(Order::Path, most),
    ];
    for number in (0..1000).rev() {
        lists[number % 2].add(entry(&format!("x{number:03}"), 0));
    }
    let [mut one, other] = lists;
    one.join(other);
    let (mut entries, added) = one.finish();
    assert_eq!(added, 1000);
    for (number, entry) in entries.all().iter().enumerate() {
        assert_eq!(*entry.relative, *Path::new(&format!("x{number:03}")));
    }
    assert!(entries.len() >= 5);
}

/// Entries of which only the numbers are stored.
#[derive(Debug)]
struct Numbered(Range<usize>);

impl RemainingFiles for Numbered {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bytes(&self) -> usize {
        self.0.len() * 4
    }

    fn entries(&self, range: Range<usize>) -> Option<Vec<ListedFile>> {
        let names = self.0.clone().skip(range.start).take(range.len());
        Some(names.map(|name| entry(&format!("x{name:03}"), 0)).collect())
    }
}

#[derive(Debug)]
struct GivenBack;

impl RemainingFiles for GivenBack {
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
fn entries_after_those_in_memory_are_told_when_they_are_asked_for() {
    let all: Vec<ListedFile> = (0..10).map(|n| entry(&format!("x{n:03}"), 0)).collect();
    let rest = Arc::new(Numbered(4..10));
    let mut list = Listing::in_order(Order::Path, all[..4].to_vec(), Some(rest));
    assert_eq!(list.len(), 10);
    let held: usize = all[..4].iter().map(ListedFile::bytes).sum();
    assert_eq!(list.bytes(), held + 6 * 4);
    for start in 0..=11 {
        for end in start..=12 {
            let wanted = &all[start.min(10)..end.min(10)];
            assert_eq!(list.part(start..end).as_deref(), Some(wanted));
        }
    }
    assert_eq!(list.all(), &all[..4]);
}

#[test]
fn entries_that_were_given_back_are_not_taken_for_the_end() {
    let held = vec![entry("a", 0), entry("b", 0)];
    let mut list = Listing::in_order(Order::Path, held.clone(), Some(Arc::new(GivenBack)));
    assert_eq!(list.part(0..2), Some(held));
    assert_eq!(list.part(1..3), None);
    assert_eq!(list.part(2..4), None);
    assert_eq!(list.part(7..9), Some(Vec::new()), "there are seven");
}

#[test]
fn paths_compare_as_their_components_do() {
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
fn a_list_looked_at_bit_by_bit_is_in_the_order_of_one_sorted_whole() {
    let mut list = RankedFiles::new(Order::Newest, 1);
    for number in 0..10_000 {
        list.add(entry(&format!("x{number:05}"), (number * 7_919) % 3_000));
    }
    let (mut bit_by_bit, _) = list.finish();
    let mut whole = bit_by_bit.entries.clone();
    whole.sort_by(|one, other| one.compare(other, Order::Newest));
    for number in [
        0, 1, 100, 101, 1_024, 1_025, 5_000, 4_000, 9_999, 10_000, 20_000,
    ] {
        assert_eq!(bit_by_bit.first(number), &whole[..number.min(10_000)]);
    }
}
