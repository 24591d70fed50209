//! The order in which the entries of a ledger were used, and which of them are evicted.

use std::path::Path;

use super::Ledger;

impl Ledger {
    /// Makes an entry the most recently used one.
    pub(super) fn mark_used(&mut self, path: &Path) {
        let Some(slot) = self.slots.get_mut(path.as_os_str()) else {
            return;
        };
        self.clock += 1;
        let was = std::mem::replace(&mut slot.used, self.clock);
        for index in [&mut self.by_use, &mut self.contents] {
            if let Some(key) = index.remove(&was) {
                index.insert(self.clock, key);
            }
        }
    }

    /// Evicts what exceeds the budget, least recently used first.
    pub(super) fn evict_over_budget(&mut self) {
        while self.by_use.len() > self.budget.entries
            && let Some(path) = self.by_use.values().next().cloned()
        {
            self.remove_from_indexes(Path::new(&path));
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
