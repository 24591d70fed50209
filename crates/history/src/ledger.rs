//! The ledger: what one session knows about files, in memory and within a budget.
//! It decides nothing: whether an edit may go through is for the caller, who also finds out the file behind a path.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::content::{RawChange, revise};
use crate::entry::{Asked, Entry, Revision, Version};
use crate::store::Turn;

/// How much a ledger holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Files whose content is kept.
    pub contents: usize,
    /// Bytes of content kept, all files together.
    pub content_bytes: u64,
    /// Files known by hash and ranges.
    pub entries: usize,
    /// Files that count as recently written.
    pub written: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            contents: 100,
            content_bytes: 25 << 20,
            entries: 10_000,
            written: 100,
        }
    }
}

/// What a Read, or the lines around a change, put before the model.
#[derive(Clone, Debug)]
pub struct Sight<'a> {
    /// The version that was shown.
    pub version: Version,
    /// Its bytes, where the caller has them; those of the same version kept before stay otherwise.
    pub content: Option<Arc<Vec<u8>>>,
    /// The byte ranges that were shown.
    pub shown: &'a [Range<u64>],
    /// The question, where it was a Read: the same one may then be answered with "unchanged".
    pub asked: Option<Asked>,
}

/// What one session knows about files. The key is the file itself: the caller passes the final path, the same for
/// every spelling.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    budget: Budget,
    slots: HashMap<Arc<Path>, Slot>,
    /// By the clock of their last use: all files, and those with content.
    by_use: BTreeMap<u64, Arc<Path>>,
    contents: BTreeMap<u64, Arc<Path>>,
    content_bytes: u64,
    written: BTreeMap<u64, Arc<Path>>,
    clock: u64,
    turn: Turn,
}

#[derive(Clone, Debug)]
struct Slot {
    entry: Entry,
    used: u64,
    written: Option<u64>,
}

/// What is carried over when an entry is replaced: where it stands among the written files.
#[derive(Clone, Copy, Default)]
struct WasWritten {
    wrote: Option<Revision>,
    at: Option<u64>,
}

impl Ledger {
    /// An empty ledger with the usual budget.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty ledger with another budget.
    #[must_use]
    pub fn with_budget(budget: Budget) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// What is known about a file; counts as a use of it.
    pub fn get(&mut self, path: &Path) -> Option<&Entry> {
        self.touch(path);
        self.peek(path)
    }

    /// What is known about a file, without counting as a use.
    #[must_use]
    pub fn peek(&self, path: &Path) -> Option<&Entry> {
        self.slots.get(path).map(|slot| &slot.entry)
    }

    /// All that is known, in no particular order.
    pub fn entries(&self) -> impl Iterator<Item = (&Path, &Entry)> {
        self.slots.iter().map(|(path, slot)| (&**path, &slot.entry))
    }

    /// How many files are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether no file is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Replaces what is known about a file.
    pub fn put(&mut self, path: &Path, entry: Entry) {
        let (key, was) = self.take_key(path);
        self.set(key, entry, was);
    }

    /// Changes what is known about a file, where anything is.
    pub fn update<R>(&mut self, path: &Path, change: impl FnOnce(&mut Entry) -> R) -> Option<R> {
        let (key, mut slot) = self.take(path)?;
        let was = slot.was_written();
        let result = change(&mut slot.entry);
        self.set(key, slot.entry, was);
        Some(result)
    }

    /// Takes in what the model was shown. Of the version that is already known the ranges are added; of another one
    /// they are all that is seen, and the session's own write is no longer what stands there.
    pub fn saw(&mut self, path: &Path, sight: Sight<'_>) {
        let (key, slot) = self.take_slot(path);
        let was = slot.as_ref().map(Slot::was_written).unwrap_or_default();
        let mut entry = match slot {
            Some(slot) if slot.entry.revision == sight.version.revision => slot.entry,
            _ => Entry::new(sight.version),
        };
        entry.size = sight.version.size;
        entry.stamp = sight.version.stamp;
        entry.partial_view = false;
        for range in sight.shown {
            entry.seen.add(range.clone());
        }
        if sight.content.is_some() {
            entry.content = sight.content;
        }
        if let Some(asked) = sight.asked {
            entry.answered_with_text(asked);
        }
        self.set(key, entry, was);
    }

    /// Follows the session's own edit: seen ranges move along, the new bytes are seen, the kept content is changed in
    /// place where nobody else holds it (drop the snapshot first), and the file counts as written.
    ///
    /// Gives the entry as it is now, or nothing where the file is not known. Content that the changes do not turn into
    /// `after` is no longer kept.
    pub fn revise(
        &mut self,
        path: &Path,
        changes: &[RawChange<'_>],
        after: Version,
    ) -> Option<&Entry> {
        let (key, slot) = self.take(path)?;
        let was = slot.was_written();
        let mut entry = slot.entry;
        let lengths: Vec<_> = changes
            .iter()
            .map(|(range, bytes)| (range.clone(), bytes.len() as u64))
            .collect();
        entry.seen.shift(&lengths);
        entry.seen.clip(after.size);
        if let Some(content) = &mut entry.content
            && revise(content, changes).is_err()
        {
            entry.content = None;
        }
        entry.revision = after.revision;
        entry.size = after.size;
        entry.stamp = after.stamp;
        entry.wrote = Some(after.revision);
        entry.forget_answers();
        self.set(key, entry, was);
        self.peek(path)
    }

    /// Forgets a file.
    pub fn forget(&mut self, path: &Path) -> Option<Entry> {
        self.take(path).map(|(_, slot)| slot.entry)
    }

    /// What was known about `from` is now known about `to`, in place of what was known about that.
    pub fn rename(&mut self, from: &Path, to: &Path) {
        if from == to {
            return;
        }
        self.forget(to);
        if let Some((_, slot)) = self.take(from) {
            let was = slot.was_written();
            self.set(to.into(), slot.entry, was);
        }
    }

    /// The ledger of a child conversation: a copy, which shares the kept bytes until one of the two changes them. The
    /// child may not have the parent's texts before it, so its first Read of each file has text.
    #[must_use]
    pub fn fork(&self) -> Self {
        let mut child = self.clone();
        child.shortened();
        child.turn = Turn::default();
        child
    }

    /// The host shortened the conversation: what was seen still counts, but the next Read of each file has text.
    pub fn shortened(&mut self) {
        for slot in self.slots.values_mut() {
            slot.entry.forget_answers();
        }
    }

    /// The last files that the session wrote and that it was not told about since, newest first.
    pub fn recently_written(&self) -> impl Iterator<Item = (&Path, &Entry)> {
        self.written
            .values()
            .rev()
            .filter_map(|path| Some((&**path, self.peek(path)?)))
    }

    /// The session was told that a file no longer holds what it wrote: it is told once.
    pub fn told(&mut self, path: &Path) {
        self.update(path, |entry| entry.wrote = None);
    }

    /// How far the store's rows were taken in: what to hand to the next load.
    #[must_use]
    pub fn turn(&self) -> Turn {
        self.turn
    }

    /// Takes in rows of the store, oldest first: those of an earlier process, or of another one that serves the same
    /// session. Of the same version the ranges add up; of another the row is the newer knowledge.
    pub fn take_in(&mut self, rows: Vec<(PathBuf, Entry)>, turn: Turn) {
        for (path, row) in rows {
            let (key, slot) = self.take_slot(&path);
            let was = slot.as_ref().map(Slot::was_written).unwrap_or_default();
            let entry = match slot {
                Some(Slot { mut entry, .. }) if entry.revision == row.revision => {
                    entry.seen.add_all(&row.seen);
                    entry.partial_view &= row.partial_view;
                    entry.stamp = row.stamp;
                    entry.wrote = row.wrote.or(entry.wrote);
                    entry
                }
                _ => row,
            };
            self.set(key, entry, was);
        }
        self.turn = turn;
    }

    fn touch(&mut self, path: &Path) {
        self.update(path, |_| ());
    }

    /// Takes an entry out of every list.
    fn take(&mut self, path: &Path) -> Option<(Arc<Path>, Slot)> {
        let (key, slot) = self.slots.remove_entry(path)?;
        self.by_use.remove(&slot.used);
        if self.contents.remove(&slot.used).is_some() {
            self.content_bytes -= slot.content_length();
        }
        if let Some(at) = slot.written {
            self.written.remove(&at);
        }
        Some((key, slot))
    }

    fn take_slot(&mut self, path: &Path) -> (Arc<Path>, Option<Slot>) {
        match self.take(path) {
            Some((key, slot)) => (key, Some(slot)),
            None => (path.into(), None),
        }
    }

    fn take_key(&mut self, path: &Path) -> (Arc<Path>, WasWritten) {
        let (key, slot) = self.take_slot(path);
        (key, slot.map(|slot| slot.was_written()).unwrap_or_default())
    }

    /// Puts an entry into every list it belongs to, as the one used last, and keeps the budget.
    fn set(&mut self, key: Arc<Path>, mut entry: Entry, was: WasWritten) {
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
        let slot = Slot {
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
        self.keep_budget();
    }

    fn keep_budget(&mut self) {
        while self.by_use.len() > self.budget.entries
            && let Some(path) = self.by_use.values().next().cloned()
        {
            self.take(&path);
        }
        while (self.contents.len() > self.budget.contents
            || self.content_bytes > self.budget.content_bytes)
            && let Some((_, path)) = self.contents.pop_first()
        {
            if let Some(slot) = self.slots.get_mut(&path) {
                self.content_bytes -= slot.content_length();
                slot.entry.content = None;
            }
        }
        while self.written.len() > self.budget.written
            && let Some((_, path)) = self.written.pop_first()
        {
            if let Some(slot) = self.slots.get_mut(&path) {
                slot.written = None;
            }
        }
    }
}

impl Slot {
    fn content_length(&self) -> u64 {
        self.entry
            .content
            .as_ref()
            .map_or(0, |content| content.len() as u64)
    }

    fn was_written(&self) -> WasWritten {
        WasWritten {
            wrote: self.entry.wrote,
            at: self.written,
        }
    }
}

#[cfg(test)]
mod tests;
