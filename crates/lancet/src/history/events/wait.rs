//! Waits for the next event. The kernel reports writes in the state folder, so an idle reader sleeps without a limit.
//! Where the kernel does not report them, as on a network file system, the events are polled every second.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lancet_workspace::{
    FolderChange, FolderWatch, Interest, WaitResult, is_told_of, wait_for_changes,
};

/// The delays after a write at which the events are checked again. The kernel reports the bytes of a transaction before
/// it is committed, and the moment of the commit only if the writer lives that long.
const RECHECK_DELAYS: [Duration; 5] = [
    Duration::from_millis(2),
    Duration::from_millis(10),
    Duration::from_millis(50),
    Duration::from_millis(250),
    Duration::from_secs(1),
];
/// The interval of polling where the kernel does not report writes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The reason why a wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeReason {
    /// There may be events.
    Look,
    /// The other end of the handle that was given is closed.
    Ended,
}

/// Waits for events of one state folder. Create it before the first check: what happens in between is then reported.
#[derive(Debug)]
pub struct EventWait {
    folder: PathBuf,
    watch: Option<FolderWatch>,
    /// Whether the folder is being watched.
    watched: bool,
    /// How many of the checks in [`RECHECK_DELAYS`] are left.
    again: usize,
}

impl EventWait {
    /// Prepares to wait for events of a state folder, which need not exist yet.
    pub fn new(folder: &Path) -> EventWait {
        let mut wait = EventWait {
            folder: folder.to_owned(),
            watch: FolderWatch::new().ok(),
            watched: false,
            again: RECHECK_DELAYS.len(),
        };
        wait.start_watch();
        wait
    }

    fn start_watch(&mut self) {
        let told = self.watch.as_ref().filter(|_| is_told_of(&self.folder));
        let added = told.map(|watch| watch.add(&self.folder, Interest::Writes));
        self.watched = added.is_some_and(|added| added.is_ok());
    }

    /// Waits until there may be events, or until the other end of `end` is closed: a pipe without a reader any more, or
    /// one whose last writer is gone.
    ///
    /// # Errors
    /// The system's own error.
    pub fn wait(&mut self, end: BorrowedFd<'_>) -> io::Result<WakeReason> {
        self.wait_for_any(&[end])
    }

    /// Waits like [`wait`](Self::wait), until the other end of one of several handles is closed.
    ///
    /// # Errors
    /// The system's own error.
    pub fn wait_for_any(&mut self, ends: &[BorrowedFd<'_>]) -> io::Result<WakeReason> {
        if !self.watched {
            self.start_watch();
            if self.watched {
                // Something may have happened before the watch began.
                return Ok(WakeReason::Look);
            }
        }
        let limit = match RECHECK_DELAYS.len() - self.again {
            done if self.watched => RECHECK_DELAYS.get(done).copied(),
            _ => Some(POLL_INTERVAL),
        };
        let watch = self.watch.as_ref().filter(|_| self.watched);
        match wait_for_changes(watch, ends, limit)? {
            WaitResult::Told => {}
            WaitResult::Ended => return Ok(WakeReason::Ended),
            WaitResult::TimedOut => {
                self.again = self.again.saturating_sub(1);
                return Ok(WakeReason::Look);
            }
        }
        self.again = RECHECK_DELAYS.len();
        let changes = self.watch.as_ref().map(FolderWatch::changes).transpose()?;
        for change in changes.into_iter().flatten() {
            if matches!(change, FolderChange::Gone(_)) {
                self.watched = false;
            }
        }
        Ok(WakeReason::Look)
    }
}
