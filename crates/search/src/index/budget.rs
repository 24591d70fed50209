//! Limits what all lancet processes of a user take together: memory in slots of 8 MiB, and watches of folders in
//! portions of 512. Each slot or portion is one byte of a file in the state folder. Its holder locks that byte, so that
//! it is free again when the process ends, however it ends. Without a state folder, or without such locks, each process
//! has a separate budget.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lancet_workspace::SlotLocks;

/// The bytes of one slot.
pub const SLOT: u64 = 8 << 20;
/// The watches of one portion.
pub const PORTION: u64 = 512;
/// The path of the file below the state folder whose bytes are locked.
const FILE: &str = "search/slots";
/// The offset in the file where the portions of watches begin; the slots of memory begin at 0.
const WATCHES_AT: u64 = 1 << 40;
/// All lancet processes together take at most one in this many of the watches that the user may have.
const SHARE_OF_WATCHES: u64 = 4;

/// The memory that the indexes of all lancet processes of a user may take together. Clones share the same budget.
#[derive(Clone, Debug)]
pub struct Budget {
    pool: Arc<Pool>,
}

impl Budget {
    /// Opens the budget of the user whose state folder this is. A process that may use fewer `bytes` than others takes
    /// only from the first slots.
    pub fn open(state: &Path, bytes: u64) -> Budget {
        Budget::over(SlotLocks::open(&state.join(FILE)).ok(), bytes)
    }

    /// Creates a budget that only this value and its clones share.
    pub fn of_process(bytes: u64) -> Budget {
        Budget::over(None, bytes)
    }

    fn over(file: Option<SlotLocks>, bytes: u64) -> Budget {
        let pool = Pool {
            file,
            first: 0,
            number: bytes / SLOT,
            unit: SLOT,
            taken: Mutex::default(),
        };
        Budget {
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
    pub fn take(&self, bytes: u64) -> Result<Held, Exhausted> {
        Held::new(&self.pool, bytes)
    }
}

/// The watches of folders that all lancet processes of a user may have together: a quarter of those that the user may
/// have. Clones share the same allowance.
#[derive(Clone, Debug)]
pub struct WatchAllowance {
    pool: Arc<Pool>,
}

impl WatchAllowance {
    /// Opens the allowance of the user whose state folder this is. `limit` is how many watches the user may have
    /// ([`lancet_workspace::watch_limit`]).
    pub fn open(state: &Path, limit: u64) -> WatchAllowance {
        WatchAllowance::over(SlotLocks::open(&state.join(FILE)).ok(), limit)
    }

    /// Creates an allowance that only this value and its clones share.
    pub fn of_process(limit: u64) -> WatchAllowance {
        WatchAllowance::over(None, limit)
    }

    fn over(file: Option<SlotLocks>, limit: u64) -> WatchAllowance {
        let pool = Pool {
            file,
            first: WATCHES_AT,
            number: limit / SHARE_OF_WATCHES / PORTION,
            unit: PORTION,
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
    pub fn take(&self, watches: u64) -> Result<Held, Exhausted> {
        Held::new(&self.pool, watches)
    }
}

/// Bytes or watches that were taken. They are released when this value is dropped.
#[derive(Debug)]
#[must_use]
pub struct Held {
    pool: Arc<Pool>,
    amount: u64,
    slots: Vec<u64>,
}

impl Held {
    fn new(pool: &Arc<Pool>, amount: u64) -> Result<Held, Exhausted> {
        let mut held = Held {
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
        let wanted = self.pool.slots_of(amount) - self.slots.len() as u64;
        self.slots.extend(self.pool.take(wanted)?);
        self.amount = amount;
        Ok(())
    }

    /// Takes more if `free` remains free besides; all of it or none.
    ///
    /// # Errors
    /// Returns `Exhausted` if so much is not free. What was taken before stays taken.
    pub fn grow_leaving(&mut self, more: u64, free: u64) -> Result<(), Exhausted> {
        self.grow(more.saturating_add(free))?;
        self.shrink(free);
        Ok(())
    }

    /// Releases some, at most what was taken.
    pub fn shrink(&mut self, less: u64) {
        self.amount = self.amount.saturating_sub(less);
        let kept = usize::try_from(self.pool.slots_of(self.amount)).unwrap_or(usize::MAX);
        // The highest slots are released first: processes with a smaller budget can use only the lowest.
        self.slots.sort_unstable();
        while self.slots.len() > kept {
            self.pool.free(self.slots.pop());
        }
    }
}

impl Drop for Held {
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
struct Pool {
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

impl Pool {
    fn slots_of(&self, amount: u64) -> u64 {
        amount.div_ceil(self.unit)
    }

    fn taken(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes this many slots, the lowest free ones, or none.
    fn take(&self, wanted: u64) -> Result<Vec<u64>, Exhausted> {
        let mut taken = self.taken();
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
        let mut taken = self.taken();
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
    fn memory_is_counted_in_slots_and_exact_in_what_is_added() {
        let budget = Budget::of_process(4 * SLOT);
        let mut held = budget.take(SLOT / 2).unwrap();
        held.grow(SLOT / 2).unwrap();
        let other = budget.take(3 * SLOT).unwrap();
        assert_eq!(
            held.grow(1),
            Err(Exhausted {
                wanted: SLOT,
                free: 0
            })
        );
        assert_eq!(held.amount(), SLOT, "a refused growth changes nothing");
        drop(other);
        held.grow(2 * SLOT + 1).unwrap();
        assert!(budget.take(1).is_err(), "the fourth slot is begun");
        held.shrink(1);
        let rest = budget.take(SLOT).unwrap();
        drop(held);
        drop(rest);
        assert!(budget.take(4 * SLOT).is_ok());
        assert_eq!(
            budget.take(5 * SLOT).unwrap_err().free,
            4 * SLOT,
            "nothing of a refused take stays taken"
        );
    }

    #[test]
    fn what_leaves_memory_free_takes_none_of_the_last() {
        let budget = Budget::of_process(4 * SLOT);
        assert_eq!(budget.total(), 4 * SLOT);
        let mut held = budget.take(SLOT).unwrap();
        held.grow_leaving(SLOT, 2 * SLOT).unwrap();
        assert!(held.grow_leaving(1, 2 * SLOT).is_err());
        assert_eq!(held.amount(), 2 * SLOT);
        assert!(budget.take(2 * SLOT).is_ok(), "the others may have it");
    }

    #[test]
    fn nothing_costs_nothing_and_no_amount_overflows() {
        let budget = Budget::of_process(SLOT - 1);
        let mut held = budget.take(0).unwrap();
        assert!(held.grow(1).is_err(), "less than a slot is no budget");
        held.shrink(u64::MAX);
        let budget = Budget::of_process(SLOT);
        let mut held = budget.take(SLOT).unwrap();
        assert!(held.grow(u64::MAX).is_err());
        assert_eq!(held.amount(), SLOT);
    }

    #[test]
    fn watches_are_a_quarter_of_the_users() {
        let allowance = WatchAllowance::of_process(8_192);
        let held = allowance.take(2_048).unwrap();
        assert!(allowance.take(1).is_err());
        drop(held);
        assert!(allowance.take(2_049).is_err());
        assert!(WatchAllowance::of_process(100).take(1).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn two_budgets_of_one_folder_share_and_the_smaller_takes_of_the_first() {
        let state = tempfile::tempdir().unwrap();
        let large = Budget::open(state.path(), 4 * SLOT);
        let small = Budget::open(state.path(), 2 * SLOT);
        let watches = WatchAllowance::open(state.path(), 4 * PORTION * 4);
        let low = large.take(2 * SLOT).unwrap();
        assert_eq!(small.take(1).unwrap_err().free, 0);
        let high = large.take(2 * SLOT).unwrap();
        drop(low);
        let held = small.take(2 * SLOT).unwrap();
        assert!(small.take(1).is_err());
        drop(held);
        assert_eq!(large.take(3 * SLOT).unwrap_err().free, 2 * SLOT);
        let all = watches.take(4 * PORTION).unwrap();
        assert!(watches.take(1).is_err(), "watches are another range");
        drop((high, all));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_shrinks_gives_back_the_slots_that_small_budgets_cannot_use() {
        let state = tempfile::tempdir().unwrap();
        let large = Budget::open(state.path(), 4 * SLOT);
        let small = Budget::open(state.path(), 2 * SLOT);
        let mut held = large.take(4 * SLOT).unwrap();
        held.shrink(2 * SLOT);
        assert!(small.take(1).is_err());
        assert!(large.take(2 * SLOT).is_ok());
    }

    #[test]
    fn a_state_folder_that_cannot_be_written_leaves_a_budget_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let budget = Budget::open(&file, 2 * SLOT);
        let held = budget.take(2 * SLOT).unwrap();
        assert!(budget.take(1).is_err());
        drop(held);
    }
}
