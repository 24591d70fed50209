//! What a search found, in an order that pages can be cut from. Bounded: where more is found than fits, the entries that
//! come last in the order go.

use std::cmp::Ordering;
use std::path::Path;

use lancet_workspace::Moment;

/// Memory for one list; more than any page asks for, and less than a tree of millions of files would take.
const MOST_BYTES: usize = 24 << 20;

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Newest first, ties by path.
    Newest,
    /// By path, folder by folder.
    Path,
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which start it is below.
    pub start: usize,
    /// Its path from the start; empty where the start is the file.
    pub relative: Box<Path>,
    /// When it was last changed.
    pub modified: Moment,
    /// Matches in it; 0 where only files were asked for.
    pub matches: u64,
}

impl Entry {
    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        std::mem::size_of::<Entry>() + self.relative.as_os_str().len() + 16
    }

    fn compare(&self, other: &Entry, order: Order) -> Ordering {
        let by_path = || {
            self.start
                .cmp(&other.start)
                .then_with(|| self.relative.cmp(&other.relative))
        };
        match order {
            Order::Newest => other.modified.cmp(&self.modified).then_with(by_path),
            Order::Path => by_path(),
        }
    }
}

/// Entries in an order.
#[derive(Clone, Debug)]
pub struct Ranked {
    order: Order,
    entries: Vec<Entry>,
    bytes: usize,
    most: usize,
    /// How many were added.
    added: u64,
    /// The last entry that was kept when others had to go: what comes after it is not kept from then on.
    bar: Option<Entry>,
}

impl Ranked {
    /// An empty list.
    pub fn new(order: Order) -> Self {
        Self::within(order, MOST_BYTES)
    }

    fn within(order: Order, most: usize) -> Self {
        Ranked {
            order,
            entries: Vec::new(),
            bytes: 0,
            most,
            added: 0,
            bar: None,
        }
    }

    /// Adds an entry.
    pub fn add(&mut self, entry: Entry) {
        self.added += 1;
        if self.is_beyond(&entry) {
            return;
        }
        self.bytes += entry.bytes();
        self.entries.push(entry);
        if self.bytes > self.most {
            self.shrink();
        }
    }

    /// Takes in another list of the same order.
    pub fn join(&mut self, other: Ranked) {
        let added = self.added + other.added;
        if let Some(bar) = other.bar.filter(|bar| !self.is_beyond(bar)) {
            self.bar = Some(bar);
            let kept = std::mem::take(&mut self.entries);
            self.bytes = 0;
            for entry in kept {
                self.add(entry);
            }
        }
        for entry in other.entries {
            self.add(entry);
        }
        self.added = added;
    }

    fn is_beyond(&self, entry: &Entry) -> bool {
        self.bar
            .as_ref()
            .is_some_and(|bar| entry.compare(bar, self.order) == Ordering::Greater)
    }

    fn shrink(&mut self) {
        self.sort();
        while self.bytes > self.most / 2 {
            match self.entries.pop() {
                Some(entry) => self.bytes -= entry.bytes(),
                None => return,
            }
        }
        self.bar = self.entries.last().cloned();
    }

    fn sort(&mut self) {
        let order = self.order;
        self.entries
            .sort_unstable_by(|one, other| one.compare(other, order));
    }

    /// The entries in their order, and how many there were in all.
    pub fn finish(mut self) -> (Vec<Entry>, u64) {
        self.sort();
        (self.entries, self.added)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, modified: i64) -> Entry {
        Entry {
            start: 0,
            relative: Path::new(path).into(),
            modified: (modified, 0),
            matches: 1,
        }
    }

    fn paths(list: Ranked) -> Vec<String> {
        let (entries, _) = list.finish();
        entries
            .iter()
            .map(|entry| entry.relative.display().to_string())
            .collect()
    }

    #[test]
    fn newest_first_and_ties_by_path_folder_by_folder() {
        let mut list = Ranked::new(Order::Newest);
        for (path, modified) in [("b", 1), ("a.txt", 1), ("a/z", 1), ("new", 9)] {
            list.add(entry(path, modified));
        }
        assert_eq!(paths(list), ["new", "a/z", "a.txt", "b"]);
    }

    #[test]
    fn a_full_list_keeps_what_comes_first_and_counts_all() {
        let mut list = Ranked::within(Order::Newest, 10 * entry("x000", 0).bytes());
        for number in 0..1000 {
            list.add(entry(&format!("x{number:03}"), (number * 37) % 1000));
        }
        let (entries, added) = list.finish();
        assert_eq!(added, 1000);
        assert!(entries.len() >= 5 && entries.len() <= 10);
        let times: Vec<i64> = entries.iter().map(|entry| entry.modified.0).collect();
        let wanted: Vec<i64> = (0..1000).rev().take(times.len()).collect();
        assert_eq!(times, wanted);
    }

    #[test]
    fn full_lists_join_to_what_one_would_have_kept() {
        let most = 10 * entry("x000", 0).bytes();
        let mut lists = [
            Ranked::within(Order::Path, most),
            Ranked::within(Order::Path, most),
        ];
        for number in (0..1000).rev() {
            lists[number % 2].add(entry(&format!("x{number:03}"), 0));
        }
        let [mut one, other] = lists;
        one.join(other);
        let (entries, added) = one.finish();
        assert_eq!(added, 1000);
        for (number, entry) in entries.iter().enumerate() {
            assert_eq!(*entry.relative, *Path::new(&format!("x{number:03}")));
        }
        assert!(entries.len() >= 5);
    }
}
