//! The files that a search found, in an order that pages can be cut from. Memory is bounded: beyond it the entries
//! that sort last are dropped. Sorting is lazy: of a hundred thousand files a page shows a hundred.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use lancet_workspace::Moment;

use crate::shared_path::SharedPath;

/// The memory for the list of one search: more than any page needs, less than a tree of millions of files would take.
const MAX_BYTES: usize = 24 << 20;
/// At least this many entries are sorted at a time.
const SORTED_AT_ONCE: usize = 1024;

/// The order of the files that a search returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultOrder {
    /// Newest modification first, ties as in [`ResultOrder::Path`].
    Newest,
    /// By start, then by the path below it, component by component.
    Path,
}

/// A file in the result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// The index of the start that the file is below.
    pub start: usize,
    /// The path relative to the start; empty where the start is the file.
    pub relative: SharedPath,
    /// The modification time.
    pub modified: Moment,
    /// The number of matches; 0 for [`list_files`](crate::list_files).
    pub matches: u64,
}

impl ListedFile {
    /// Returns the approximate memory of the entry in bytes.
    pub fn bytes(&self) -> usize {
        std::mem::size_of::<ListedFile>() + self.relative.as_os_str().len() + 16
    }

    fn compare_entries(&self, other: &ListedFile, order: ResultOrder) -> Ordering {
        let by_path = || {
            self.start
                .cmp(&other.start)
                .then_with(|| compare_paths(&self.relative, &other.relative))
        };
        match order {
            ResultOrder::Newest => other.modified.cmp(&self.modified).then_with(by_path),
            ResultOrder::Path => by_path(),
        }
    }
}

/// Compares two paths component by component, as `Path::cmp` does, without splitting them.
fn compare_paths(one: &Path, other: &Path) -> Ordering {
    let (one, other) = (one.as_os_str().as_bytes(), other.as_os_str().as_bytes());
    let differ = one.iter().zip(other).find(|(one, other)| one != other);
    match differ {
        Some((b'/', _)) => Ordering::Less,
        Some((_, b'/')) => Ordering::Greater,
        Some((one, other)) => one.cmp(other),
        None => one.len().cmp(&other.len()),
    }
}

/// A bounded list, not itself sorted, that keeps the entries that sort first. Each thread fills its own;
/// [`RankedFiles::merge`] merges them.
#[derive(Clone, Debug)]
pub struct RankedFiles {
    order: ResultOrder,
    entries: Vec<ListedFile>,
    bytes: usize,
    most: usize,
    /// The number of entries added, dropped ones included.
    added: u64,
    /// The last entry that was kept when others were dropped: entries that sort after it are not added.
    bar: Option<ListedFile>,
}

impl RankedFiles {
    /// Creates an empty list that gets an equal share of the memory among `lists`.
    pub fn new(order: ResultOrder, lists: usize) -> Self {
        Self::with_memory_limit(order, MAX_BYTES / lists.max(1))
    }

    fn with_memory_limit(order: ResultOrder, most: usize) -> Self {
        RankedFiles {
            order,
            entries: Vec::new(),
            bytes: 0,
            most,
            added: 0,
            bar: None,
        }
    }

    /// Adds an entry; drops those that sort last where memory runs out.
    pub fn add(&mut self, entry: ListedFile) {
        self.added += 1;
        if self.is_past_last_entry(&entry) {
            return;
        }
        self.bytes += entry.bytes();
        self.entries.push(entry);
        if self.bytes > self.most {
            self.drop_last_half();
        }
    }

    /// Merges another list of the same order and takes over its share of the memory.
    pub fn merge(&mut self, other: RankedFiles) {
        let added = self.added + other.added;
        self.most = (self.most + other.most).min(MAX_BYTES);
        if let Some(bar) = other.bar.filter(|bar| !self.is_past_last_entry(bar)) {
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
        // `add` has counted these entries a second time.
        self.added = added;
    }

    fn is_past_last_entry(&self, entry: &ListedFile) -> bool {
        self.bar
            .as_ref()
            .is_some_and(|bar| entry.compare_entries(bar, self.order) == Ordering::Greater)
    }

    /// Drops the half that sorts last; the last entry kept becomes the bar.
    fn drop_last_half(&mut self) {
        let order = self.order;
        let middle = self.entries.len() / 2;
        let compare = |one: &ListedFile, other: &ListedFile| one.compare_entries(other, order);
        let (_, last, _) = self.entries.select_nth_unstable_by(middle, compare);
        self.bar = Some(last.clone());
        self.entries.truncate(middle + 1);
        self.bytes = self.entries.iter().map(ListedFile::bytes).sum();
    }

    /// Returns the entries that were not dropped and the number of all that were added.
    pub fn finish(self) -> (Listing, u64) {
        let listing = Listing {
            order: self.order,
            entries: self.entries,
            sorted: 0,
            rest: None,
        };
        (listing, self.added)
    }
}

/// Entries after those that a [`Listing`] has in memory, stored in a shorter form by the producer of the list.
pub trait RemainingFiles: fmt::Debug + Send + Sync {
    /// Returns the number of entries.
    fn len(&self) -> usize;

    /// Returns whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the memory that they take for this listing alone, in bytes.
    fn bytes(&self) -> usize;

    /// Returns some of them, in order, counted from the first of these entries; fewer at their end. `None` where the
    /// data that they are made from no longer exists.
    fn entries(&self, range: Range<usize>) -> Option<Vec<ListedFile>>;
}

/// Entries that are sorted as far as they are requested.
#[derive(Clone, Debug)]
pub struct Listing {
    order: ResultOrder,
    entries: Vec<ListedFile>,
    /// The length of the sorted prefix.
    sorted: usize,
    rest: Option<Arc<dyn RemainingFiles>>,
}

impl Listing {
    /// Creates a listing from entries that are already in order, and those that follow them.
    pub fn from_entries(
        order: ResultOrder,
        entries: Vec<ListedFile>,
        rest: Option<Arc<dyn RemainingFiles>>,
    ) -> Self {
        Listing {
            order,
            sorted: entries.len(),
            entries,
            rest,
        }
    }

    /// Returns the order of the entries.
    pub fn order(&self) -> ResultOrder {
        self.order
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len() + self.rest.as_ref().map_or(0, |rest| rest.len())
    }

    /// Returns whether the list has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the approximate memory of the entries in bytes.
    pub fn bytes(&self) -> usize {
        let rest = self.rest.as_ref().map_or(0, |rest| rest.bytes());
        rest + self.entries.iter().map(ListedFile::bytes).sum::<usize>()
    }

    /// Returns the sum of the matches of the entries in memory. A list of matching files has all its entries there.
    pub fn matches(&self) -> u64 {
        self.entries.iter().map(|entry| entry.matches).sum()
    }

    /// Copies some entries in order; fewer at the end of the list. `None` where they can no longer be computed.
    pub fn copy_range(&mut self, range: Range<usize>) -> Option<Vec<ListedFile>> {
        let (held, all) = (self.entries.len(), self.len());
        let range = range.start.min(all)..range.end.min(all);
        let first = self.first_entries(range.end);
        let mut part = first.get(range.start..).unwrap_or_default().to_vec();
        if range.end > held
            && !range.is_empty()
            && let Some(rest) = &self.rest
        {
            part.extend(rest.entries(range.start.max(held) - held..range.end - held)?);
        }
        Some(part)
    }

    /// Returns the first `number` entries in order; fewer where there are fewer in memory.
    pub fn first_entries(&mut self, number: usize) -> &[ListedFile] {
        let number = number.min(self.entries.len());
        if number > self.sorted {
            let order = self.order;
            let compare = |one: &ListedFile, other: &ListedFile| one.compare_entries(other, order);
            // Sort ahead by doubling, so that a caller that reads all entries page by page costs no more than one
            // sort.
            let wanted = number.max(self.sorted * 2).max(SORTED_AT_ONCE);
            let rest = &mut self.entries[self.sorted..];
            let ahead = wanted - self.sorted;
            let next = if ahead < rest.len() {
                rest.select_nth_unstable_by(ahead, compare).0
            } else {
                rest
            };
            next.sort_unstable_by(compare);
            self.sorted += next.len();
        }
        &self.entries[..number]
    }

    /// Returns all entries in memory in order.
    pub fn all_entries(&mut self) -> &[ListedFile] {
        self.first_entries(self.entries.len())
    }
}

#[cfg(test)]
mod tests;
