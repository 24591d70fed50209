//! Limits what all lancet processes of a user take together: memory in slots of 8 MiB, and watches of folders in
//! portions of 512. Each slot or portion is one byte of a file in the state folder. Its holder locks that byte, so that
//! it is free again when the process ends, however it ends. Without a state folder, or without such locks, each process
//! has a separate budget.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lancet_workspace::SlotLocks;

/// The bytes of one slot.
pub const SLOT_BYTES: u64 = 8 << 20;
/// The watches of one portion.
pub const WATCHES_PER_PORTION: u64 = 512;
/// The path of the file below the state folder whose bytes are locked.
const SLOT_FILE: &str = "search/slots";
/// The offset in the file where the portions of watches begin; the slots of memory begin at 0.
const WATCH_SLOTS_OFFSET: u64 = 1 << 40;
/// All lancet processes together take at most one in this many of the watches that the user may have.
const WATCH_LIMIT_DIVISOR: u64 = 4;

/// The memory that the indexes of all lancet processes of a user may take together. Clones share the same budget.
#[derive(Clone, Debug)]
pub struct MemoryBudget {
    pool: Arc<SlotPool>,
}

impl MemoryBudget {
    /// Opens the budget of the user whose state folder this is. A process that may use fewer `bytes` than others takes
    /// only from the first slots.
    pub fn open(state: &Path, bytes: u64) -> MemoryBudget {
        MemoryBudget::with_slot_file(SlotLocks::open(&state.join(SLOT_FILE)).ok(), bytes)
    }

    /// Creates a budget that only this value and its clones share.
    pub fn for_process(bytes: u64) -> MemoryBudget {
        MemoryBudget::with_slot_file(None, bytes)
    }

    fn with_slot_file(file: Option<SlotLocks>, bytes: u64) -> MemoryBudget {
        let pool = SlotPool {
            file,
            first: 0,
            number: bytes / SLOT_BYTES,
            unit: SLOT_BYTES,
            taken: Mutex::default(),
        };
        MemoryBudget {
            pool: Arc::new(pool),
        }
    }

    /// Returns the bytes of the whole budget.
    pub fn total(&self) -> u64 {
        self.pool.number * self.pool.unit
    }

    /// Takes memory, rounded up to slots; all of it or none.
    ///
    /// # Errors
    /// Returns `Exhausted` if so much is not free.
    pub fn reserve(&self, bytes: u64) -> Result<Reservation, Exhausted> {
        Reservation::new(&self.pool, bytes)
    }
}

/// The watches of folders that all lancet processes of a user may have together: a quarter of those that the user may
/// have. Clones share the same allowance.
#[derive(Clone, Debug)]
pub struct WatchAllowance {
    pool: Arc<SlotPool>,
}

impl WatchAllowance {
    /// Opens the allowance of the user whose state folder this is. `limit` is how many watches the user may have
    /// ([`lancet_workspace::watch_limit`]).
    pub fn open(state: &Path, limit: u64) -> WatchAllowance {
        WatchAllowance::with_slot_file(SlotLocks::open(&state.join(SLOT_FILE)).ok(), limit)
    }

    /// Creates an allowance that only this value and its clones share.
    pub fn for_process(limit: u64) -> WatchAllowance {
        WatchAllowance::with_slot_file(None, limit)
    }

    fn with_slot_file(file: Option<SlotLocks>, limit: u64) -> WatchAllowance {
        let pool = SlotPool {
            file,
            first: WATCH_SLOTS_OFFSET,
            number: limit / WATCH_LIMIT_DIVISOR / WATCHES_PER_PORTION,
            unit: WATCHES_PER_PORTION,
            taken: Mutex::default(),
        };
        WatchAllowance {
            pool: Arc::new(pool),
        }
    }

    /// Takes watches, rounded up to portions; all of them or none.
    ///
    /// # Errors
    /// Returns `Exhausted` if so many are not free.
    pub fn reserve(&self, watches: u64) -> Result<Reservation, Exhausted> {
        Reservation::new(&self.pool, watches)
    }
}

/// Bytes or watches that were taken. They are released when this value is dropped.
#[derive(Debug)]
#[must_use]
pub struct Reservation {
    pool: Arc<SlotPool>,
    amount: u64,
    slots: Vec<u64>,
}

impl Reservation {
    fn new(pool: &Arc<SlotPool>, amount: u64) -> Result<Reservation, Exhausted> {
        let mut held = Reservation {
            pool: Arc::clone(pool),
            amount: 0,
            slots: Vec::new(),
        };
        held.grow(amount)?;
        Ok(held)
    }

    /// Returns how much was requested: not rounded up.
    pub fn amount(&self) -> u64 {
        self.amount
    }

    /// Takes more, all of it or none.
    ///
    /// # Errors
    /// Returns `Exhausted` if so much is not free. What was taken before stays taken.
    pub fn grow(&mut self, more: u64) -> Result<(), Exhausted> {
        let amount = self.amount.saturating_add(more);
        let wanted = self.pool.slots_for(amount) - self.slots.len() as u64;
        self.slots.extend(self.pool.reserve(wanted)?);
        self.amount = amount;
        Ok(())
    }

    /// Takes more if `free` remains free besides; all of it or none.
    ///
    /// # Errors
    /// Returns `Exhausted` if so much is not free. What was taken before stays taken.
    pub fn grow_and_leave_free(&mut self, more: u64, free: u64) -> Result<(), Exhausted> {
        self.grow(more.saturating_add(free))?;
        self.shrink(free);
        Ok(())
    }

    /// Releases some, at most what was taken.
    pub fn shrink(&mut self, less: u64) {
        self.amount = self.amount.saturating_sub(less);
        let kept = usize::try_from(self.pool.slots_for(self.amount)).unwrap_or(usize::MAX);
        // The highest slots are released first: processes with a smaller budget can use only the lowest.
        self.slots.sort_unstable();
        while self.slots.len() > kept {
            self.pool.free(self.slots.pop());
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.pool.free(self.slots.drain(..));
    }
}

/// The error that a requested amount is not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{wanted} are not free; {free} are")]
pub struct Exhausted {
    /// The requested amount, rounded up.
    pub wanted: u64,
    /// The amount that was free at that moment.
    pub free: u64,
}

/// Slots of one kind.
#[derive(Debug)]
struct SlotPool {
    /// The file that other processes also lock; `None` for a pool of this process alone.
    file: Option<SlotLocks>,
    /// The offset of the first slot in the file.
    first: u64,
    /// The number of slots.
    number: u64,
    /// The amount of one slot.
    unit: u64,
    /// The slots that were taken through this value. The file shows them as free to this process, which holds their
    /// locks.
    taken: Mutex<BTreeSet<u64>>,
}

impl SlotPool {
    fn slots_for(&self, amount: u64) -> u64 {
        amount.div_ceil(self.unit)
    }

    fn lock_taken(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes this many slots, the lowest free ones, or none.
    fn reserve(&self, wanted: u64) -> Result<Vec<u64>, Exhausted> {
        let mut taken = self.lock_taken();
        let mut found = Vec::new();
        let mut slots = (self.first..self.first + self.number).filter(|slot| !taken.contains(slot));
        while (found.len() as u64) < wanted {
            let Some(slot) = slots.next() else { break };
            let is_free = |file: &SlotLocks| file.try_take(slot).unwrap_or(false);
            if self.file.as_ref().is_none_or(is_free) {
                found.push(slot);
            }
        }
        let free = found.len() as u64;
        if free < wanted {
            self.unlock(&found);
            return Err(Exhausted {
                wanted: wanted.saturating_mul(self.unit),
                free: free * self.unit,
            });
        }
        taken.extend(&found);
        Ok(found)
    }

    fn free(&self, slots: impl IntoIterator<Item = u64>) {
        let mut taken = self.lock_taken();
        for slot in slots {
            self.unlock(&[slot]);
            taken.remove(&slot);
        }
    }

    fn unlock(&self, slots: &[u64]) {
        if let Some(file) = &self.file {
            slots.iter().for_each(|slot| file.free(*slot));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_reserved_memory_up_to_slots() {
        let budget = MemoryBudget::for_process(4 * SLOT_BYTES);
        let mut held = budget.reserve(SLOT_BYTES / 2).unwrap();
        held.grow(SLOT_BYTES / 2).unwrap();
        let other = budget.reserve(3 * SLOT_BYTES).unwrap();
        assert_eq!(
            held.grow(1),
            Err(Exhausted {
                wanted: SLOT_BYTES,
                free: 0
            })
        );
        assert_eq!(
            held.amount(),
            SLOT_BYTES,
            "a refused growth changes nothing"
        );
        drop(other);
        held.grow(2 * SLOT_BYTES + 1).unwrap();
        assert!(budget.reserve(1).is_err(), "the fourth slot is begun");
        held.shrink(1);
        let rest = budget.reserve(SLOT_BYTES).unwrap();
        drop(held);
        drop(rest);
        assert!(budget.reserve(4 * SLOT_BYTES).is_ok());
        assert_eq!(
            budget.reserve(5 * SLOT_BYTES).unwrap_err().free,
            4 * SLOT_BYTES,
            "nothing of a refused take stays taken"
        );
    }

    #[test]
    fn growth_can_leave_memory_free() {
        let budget = MemoryBudget::for_process(4 * SLOT_BYTES);
        assert_eq!(budget.total(), 4 * SLOT_BYTES);
        let mut held = budget.reserve(SLOT_BYTES).unwrap();
        held.grow_and_leave_free(SLOT_BYTES, 2 * SLOT_BYTES)
            .unwrap();
        assert!(held.grow_and_leave_free(1, 2 * SLOT_BYTES).is_err());
        assert_eq!(held.amount(), 2 * SLOT_BYTES);
        assert!(
            budget.reserve(2 * SLOT_BYTES).is_ok(),
            "the others may have it"
        );
    }

    #[test]
    fn handles_zero_and_overflowing_amounts() {
        let budget = MemoryBudget::for_process(SLOT_BYTES - 1);
        let mut held = budget.reserve(0).unwrap();
        assert!(held.grow(1).is_err(), "less than a slot is no budget");
        held.shrink(u64::MAX);
        let budget = MemoryBudget::for_process(SLOT_BYTES);
        let mut held = budget.reserve(SLOT_BYTES).unwrap();
        assert!(held.grow(u64::MAX).is_err());
        assert_eq!(held.amount(), SLOT_BYTES);
    }

    #[test]
    fn watches_are_limited_to_quarter_of_user_limit() {
        let allowance = WatchAllowance::for_process(8_192);
        let held = allowance.reserve(2_048).unwrap();
        assert!(allowance.reserve(1).is_err());
        drop(held);
        assert!(allowance.reserve(2_049).is_err());
        assert!(WatchAllowance::for_process(100).reserve(1).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn budgets_of_same_folder_share_slots() {
        let state = tempfile::tempdir().unwrap();
        let large = MemoryBudget::open(state.path(), 4 * SLOT_BYTES);
        let small = MemoryBudget::open(state.path(), 2 * SLOT_BYTES);
        let watches = WatchAllowance::open(state.path(), 4 * WATCHES_PER_PORTION * 4);
        let low = large.reserve(2 * SLOT_BYTES).unwrap();
        assert_eq!(small.reserve(1).unwrap_err().free, 0);
        let high = large.reserve(2 * SLOT_BYTES).unwrap();
        drop(low);
        let held = small.reserve(2 * SLOT_BYTES).unwrap();
        assert!(small.reserve(1).is_err());
        drop(held);
        assert_eq!(
            large.reserve(3 * SLOT_BYTES).unwrap_err().free,
            2 * SLOT_BYTES
        );
        let all = watches.reserve(4 * WATCHES_PER_PORTION).unwrap();
        assert!(watches.reserve(1).is_err(), "watches are another range");
        drop((high, all));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn shrinking_releases_highest_slots_first() {
        let state = tempfile::tempdir().unwrap();
        let large = MemoryBudget::open(state.path(), 4 * SLOT_BYTES);
        let small = MemoryBudget::open(state.path(), 2 * SLOT_BYTES);
        let mut held = large.reserve(4 * SLOT_BYTES).unwrap();
        held.shrink(2 * SLOT_BYTES);
        assert!(small.reserve(1).is_err());
        assert!(large.reserve(2 * SLOT_BYTES).is_ok());
    }

    #[test]
    fn unwritable_state_folder_gives_unshared_budget() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let budget = MemoryBudget::open(&file, 2 * SLOT_BYTES);
        let held = budget.reserve(2 * SLOT_BYTES).unwrap();
        assert!(budget.reserve(1).is_err());
        drop(held);
    }
}
