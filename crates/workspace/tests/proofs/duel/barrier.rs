//! A barrier between two processes, in shared memory that both poll. Both are running when a duel begins; with a pipe
//! one of them might not have been scheduled yet.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::mm::{MapFlags, ProtFlags};

/// The shared numbers: the round that is announced, the round that the opponent is ready for, the round that has
/// started, its delay, and the round that is done.
pub(super) struct Barrier {
    words: &'static [AtomicU64; 5],
}

const CALLED: usize = 0;
const THERE: usize = 1;
const GO: usize = 2;
const DELAY: usize = 3;
const DONE: usize = 4;
const CLOSED: u64 = u64::MAX;

impl Barrier {
    pub(super) fn make(path: &Path) -> Barrier {
        fs::write(path, [0; 4096]).unwrap();
        Barrier::open(path)
    }

    #[allow(unsafe_code, reason = "memory that two processes share")]
    pub(super) fn open(path: &Path) -> Barrier {
        let file = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .unwrap();
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the mapping is new, is a whole page, is never unmapped, and both sides use it as atomics only.
        let words = unsafe {
            let map = rustix::mm::mmap(
                std::ptr::null_mut(),
                4096,
                protection,
                MapFlags::SHARED,
                &file,
                0,
            );
            &*map.unwrap().cast::<[AtomicU64; 5]>()
        };
        Barrier { words }
    }

    fn await_word(&self, word: usize, wanted: u64, mut meanwhile: impl FnMut()) -> bool {
        for looks in 0_u64.. {
            match self.words[word].load(Ordering::Acquire) {
                CLOSED => return false,
                found if found == wanted => return true,
                _ => {}
            }
            if looks % 65_536 == 65_535 {
                meanwhile();
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
        false
    }

    /// Announces a round, waits until the other side is ready, and starts the round.
    pub(super) fn begin(&self, round: u64, delay: u64, child: &mut Child) {
        self.words[DELAY].store(delay, Ordering::Relaxed);
        self.words[CALLED].store(round, Ordering::Release);
        self.await_word(THERE, round, || lives(child));
        self.words[GO].store(round, Ordering::Release);
    }

    pub(super) fn wait_for_end(&self, round: u64, child: &mut Child) {
        self.await_word(DONE, round, || lives(child));
    }

    pub(super) fn close(&self) {
        self.words[CALLED].store(CLOSED, Ordering::Release);
    }

    /// Waits on the other side for the start of a round; returns its delay, or `None` when there are no more rounds.
    pub(super) fn meet(&self, round: u64) -> Option<u64> {
        if !self.await_word(CALLED, round, || {}) {
            return None;
        }
        self.words[THERE].store(round, Ordering::Release);
        self.await_word(GO, round, || {});
        Some(self.words[DELAY].load(Ordering::Relaxed))
    }

    pub(super) fn done(&self, round: u64) {
        self.words[DONE].store(round, Ordering::Release);
    }
}

/// Binds this thread to one of the first two processors, so that both sides can run at the same time. Where there is
/// only one processor, or binding is not permitted, they take turns.
pub(super) fn pin(processor: usize) {
    let mut set = rustix::thread::CpuSet::new();
    set.set(processor);
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

/// Lets this thread run on every processor again.
pub(super) fn unpin() {
    let mut set = rustix::thread::CpuSet::new();
    for processor in 0..rustix::thread::CpuSet::MAX_CPU {
        set.set(processor);
    }
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

fn lives(child: &mut Child) {
    let ended = child.try_wait().unwrap();
    assert!(ended.is_none(), "the other process died: {ended:?}");
}
