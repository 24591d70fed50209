//! The ledger: what one session knows about files, in memory and within a budget. It makes no decisions: the caller
//! decides whether an edit is allowed, and resolves paths to files.
//!
//! For each file it has the hash of its bytes, the stat stamp, the byte ranges that were shown, and the content
//! within the budget. Ranges are shifted by edits. The stamp is a shortcut for finding that a file is unchanged, with
//! git's rule for racy stamps; the hash decides.

mod budget;
mod use_order;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::budget::LedgerBudget;
use crate::content::{RawChange, apply_changes};
use crate::entry::{FileVersion, LedgerEntry, ReadRange, Revision};
use crate::line_numbers::LineNumbers;
use crate::seen::SeenRanges;
use crate::store::LoadCursor;

/// Text of a file that the model was shown, by a Read or as the lines around a change.
#[derive(Clone, Debug)]
pub struct Observation<'a> {
    /// The version that was shown.
    pub version: FileVersion,
    /// The bytes of the file, if the caller has them. Otherwise the bytes already held of the same version remain.
    pub content: Option<Arc<Vec<u8>>>,
    /// The byte ranges that were shown.
    pub shown: &'a [Range<u64>],
    /// The lines that were shown with their numbers, counted from 0; empty if that is not known.
    pub numbered: Range<u64>,
    /// The range that a Read requested, if it was a Read: a repeated one may then be answered with "unchanged".
    pub asked: Option<ReadRange>,
}

/// The knowledge of one session about files. The key is the canonical path, which the caller resolves, so that all
/// spellings of a path lead to one entry. Entries, contents and written files are evicted least recently used first.
///
/// Keys are compared by their bytes: hashing a path component by component took 700 instructions, sixteen times in an
/// Edit.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    budget: LedgerBudget,
    slots: HashMap<Arc<OsStr>, LedgerSlot>,
    /// All files by the logical time of their last use; `contents` has only those with content.
    by_use: BTreeMap<u64, Arc<OsStr>>,
    contents: BTreeMap<u64, Arc<OsStr>>,
    content_bytes: u64,
    written: BTreeMap<u64, Arc<OsStr>>,
    clock: u64,
    cursor: LoadCursor,
}

#[derive(Clone, Debug)]
struct LedgerSlot {
    entry: LedgerEntry,
    used: u64,
    written: Option<u64>,
}

/// The position of an entry among the written files, which is preserved when the entry is replaced.
#[derive(Clone, Copy, Default)]
struct WriteRecord {
    wrote: Option<Revision>,
    at: Option<u64>,
}

impl Ledger {
    /// Returns an empty ledger with the default budget.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty ledger with another budget.
    #[must_use]
    pub fn with_budget(budget: LedgerBudget) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Returns the entry of a file; counts as a use of it.
    pub fn get(&mut self, path: &Path) -> Option<&LedgerEntry> {
        self.mark_used(path);
        self.get_without_use(path)
    }

    /// Returns the entry of a file, without counting as a use.
    #[must_use]
    pub fn get_without_use(&self, path: &Path) -> Option<&LedgerEntry> {
        self.slots.get(path.as_os_str()).map(|slot| &slot.entry)
    }

    /// Returns all entries, in no particular order.
    pub fn entries(&self) -> impl Iterator<Item = (&Path, &LedgerEntry)> {
        let slots = self.slots.iter();
        slots.map(|(path, slot)| (Path::new(path), &slot.entry))
    }

    /// Returns the number of files that are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether no file is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Replaces the entry of a file.
    pub fn put(&mut self, path: &Path, entry: LedgerEntry) {
        let (key, was) = self.remove_for_reinsert(path);
        self.insert_as_newest(key, entry, was);
    }

    /// Changes the entry of a file, if there is one.
    pub fn update<R>(
        &mut self,
        path: &Path,
        change: impl FnOnce(&mut LedgerEntry) -> R,
    ) -> Option<R> {
        let (key, mut slot) = self.remove_from_indexes(path)?;
        let was = slot.write_record();
        let result = change(&mut slot.entry);
        self.insert_as_newest(key, slot.entry, was);
        Some(result)
    }

    /// Records what the model was shown. Ranges of the known version are added; for another version they replace what
    /// was seen, and the session's own write no longer counts as the present content.
    pub fn record_shown(&mut self, path: &Path, observed: Observation<'_>) {
        let (key, slot) = self.remove_slot(path);
        let was = slot
            .as_ref()
            .map(LedgerSlot::write_record)
            .unwrap_or_default();
        let mut entry = match slot {
            Some(slot) if slot.entry.revision == observed.version.revision => slot.entry,
            _ => LedgerEntry::new(observed.version),
        };
        entry.size = observed.version.size;
        entry.stamp = observed.version.stamp;
        entry.partial_view = false;
        for range in observed.shown {
            entry.seen.add(range.clone());
        }
        entry.numbers.mark_shown(observed.numbered);
        if observed.content.is_some() {
            entry.content = observed.content;
        }
        if let Some(asked) = observed.asked {
            entry.answered_with_text(asked);
        }
        self.insert_as_newest(key, entry, was);
    }

    /// Applies the session's own edit: seen ranges are shifted, the new bytes count as seen, the held content is
    /// changed in place if this is the only reference to it (drop the snapshot first), and the file counts as
    /// written.
    ///
    /// Returns the new entry, or none if the file is not known. Content that the changes do not fit is dropped.
    pub fn record_edit(
        &mut self,
        path: &Path,
        changes: &[RawChange<'_>],
        after: FileVersion,
    ) -> Option<&LedgerEntry> {
        let (key, slot) = self.remove_from_indexes(path)?;
        let was = slot.write_record();
        let mut entry = slot.entry;
        let lengths: Vec<_> = changes
            .iter()
            .map(|(range, bytes)| (range.clone(), bytes.len() as u64))
            .collect();
        entry.seen.apply_edit(&lengths);
        entry.seen.truncate(after.size);
        if let Some(content) = &mut entry.content
            && apply_changes(content, changes).is_err()
        {
            entry.content = None;
        }
        entry.revision = after.revision;
        entry.size = after.size;
        entry.stamp = after.stamp;
        entry.wrote = Some(after.revision);
        entry.forget_answers();
        self.insert_as_newest(key, entry, was);
        self.get_without_use(path)
    }

    /// Changes what the model has seen of a file, and where the numbered lines are; not a use of the file.
    pub fn update_seen(
        &mut self,
        path: &Path,
        change: impl FnOnce(&mut SeenRanges, &mut LineNumbers),
    ) {
        if let Some(slot) = self.slots.get_mut(path.as_os_str()) {
            change(&mut slot.entry.seen, &mut slot.entry.numbers);
        }
    }

    /// Removes the entry of a file.
    pub fn remove(&mut self, path: &Path) -> Option<LedgerEntry> {
        self.remove_from_indexes(path).map(|(_, slot)| slot.entry)
    }

    /// Moves the entry of `from` to `to`, where it replaces the old one.
    pub fn rename(&mut self, from: &Path, to: &Path) {
        if from == to {
            return;
        }
        self.remove(to);
        if let Some((_, slot)) = self.remove_from_indexes(from) {
            let was = slot.write_record();
            self.insert_as_newest(to.as_os_str().into(), slot.entry, was);
        }
    }

    /// Returns the ledger of a child conversation: a copy that shares the held bytes until one of the two changes
    /// them. The child's context may lack the texts that the parent was shown, so its first Read of each file returns
    /// text.
    #[must_use]
    pub fn fork_for_child(&self) -> Self {
        let mut child = self.clone();
        child.forget_shown_texts();
        child.cursor = LoadCursor::default();
        child
    }

    /// Records that the host shortened the conversation: what was seen still counts, but the next Read of each file
    /// returns text.
    pub fn forget_shown_texts(&mut self) {
        for slot in self.slots.values_mut() {
            slot.entry.forget_answers();
        }
    }

    /// Frees the memory of all contents, for an idle session. What was seen still counts.
    pub fn drop_contents(&mut self) {
        for (_, path) in std::mem::take(&mut self.contents) {
            if let Some(slot) = self.slots.get_mut(&path) {
                slot.entry.content = None;
            }
        }
        self.content_bytes = 0;
    }

    /// Returns the last files that the session wrote and that no other program is known to have changed since, newest
    /// first.
    pub fn recently_written(&self) -> impl Iterator<Item = (&Path, &LedgerEntry)> {
        self.written
            .values()
            .rev()
            .filter_map(|path| Some((Path::new(path), self.get_without_use(Path::new(path))?)))
    }

    /// Records that the session was notified that another program changed a file which it wrote, so that it is
    /// notified only once.
    pub fn mark_notified(&mut self, path: &Path) {
        self.update(path, |entry| entry.wrote = None);
    }

    /// Returns the position up to which rows of the store were merged, which is the argument of the next load.
    #[must_use]
    pub fn load_cursor(&self) -> LoadCursor {
        self.cursor
    }

    /// Merges rows of the store, oldest first: those of an earlier process, or of another one that serves the same
    /// session. Ranges of the same version are merged; a row of another version replaces the entry, since it is
    /// newer.
    pub fn merge_rows(&mut self, rows: Vec<(PathBuf, LedgerEntry)>, cursor: LoadCursor) {
        for (path, row) in rows {
            let (key, slot) = self.remove_slot(&path);
            let was = slot
                .as_ref()
                .map(LedgerSlot::write_record)
                .unwrap_or_default();
            let entry = match slot {
                Some(LedgerSlot { mut entry, .. }) if entry.revision == row.revision => {
                    entry.seen.add_all(&row.seen);
                    entry.partial_view &= row.partial_view;
                    entry.stamp = row.stamp;
                    entry.wrote = row.wrote.or(entry.wrote);
                    entry
                }
                _ => row,
            };
            self.insert_as_newest(key, entry, was);
        }
        self.cursor = cursor;
    }

    /// Removes an entry from every index.
    fn remove_from_indexes(&mut self, path: &Path) -> Option<(Arc<OsStr>, LedgerSlot)> {
        let (key, slot) = self.slots.remove_entry(path.as_os_str())?;
        self.by_use.remove(&slot.used);
        if self.contents.remove(&slot.used).is_some() {
            self.content_bytes -= slot.content_length();
        }
        if let Some(at) = slot.written {
            self.written.remove(&at);
        }
        Some((key, slot))
    }

    fn remove_slot(&mut self, path: &Path) -> (Arc<OsStr>, Option<LedgerSlot>) {
        match self.remove_from_indexes(path) {
            Some((key, slot)) => (key, Some(slot)),
            None => (path.as_os_str().into(), None),
        }
    }

    fn remove_for_reinsert(&mut self, path: &Path) -> (Arc<OsStr>, WriteRecord) {
        let (key, slot) = self.remove_slot(path);
        (
            key,
            slot.map(|slot| slot.write_record()).unwrap_or_default(),
        )
    }

    /// Inserts an entry into every index as the most recently used one, then evicts what exceeds the budget.
    fn insert_as_newest(&mut self, key: Arc<OsStr>, mut entry: LedgerEntry, was: WriteRecord) {
        self.clock += 1;
        let used = self.clock;
        let fits = |content: &Arc<Vec<u8>>| {
            let length = content.len() as u64;
            length == entry.size && length <= self.budget.content_bytes
        };
        if !entry.content.as_ref().is_some_and(fits) {
            entry.content = None;
        }
        let written = match entry.wrote {
            None => None,
            same if same == was.wrote => was.at,
            _ => Some(used),
        };
        let slot = LedgerSlot {
            entry,
            used,
            written,
        };
        self.by_use.insert(used, Arc::clone(&key));
        if slot.entry.content.is_some() {
            self.contents.insert(used, Arc::clone(&key));
            self.content_bytes += slot.content_length();
        }
        if let Some(at) = written {
            self.written.insert(at, Arc::clone(&key));
        }
        self.slots.insert(key, slot);
        self.evict_over_budget();
    }
}

impl LedgerSlot {
    fn content_length(&self) -> u64 {
        self.entry
            .content
            .as_ref()
            .map_or(0, |content| content.len() as u64)
    }

    fn write_record(&self) -> WriteRecord {
        WriteRecord {
            wrote: self.entry.wrote,
            at: self.written,
        }
    }
}

#[cfg(test)]
mod tests;
