//! Announces that a program shows recorded questions: it holds a shared lock on a file of its workspace. The kernel
//! releases the lock when the program ends, however it ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// The folder of these files inside the state folder.
const FOLDER: &str = "deciders";

/// How often, and at which interval, the lock is tried before another process is taken to hold it.
const TRIES: usize = 3;
const PAUSE: Duration = Duration::from_millis(2);

/// Announces a viewer of a workspace's questions: as long as this value lives, they are recorded and waited for.
#[derive(Debug)]
#[must_use]
pub struct Presence {
    held: File,
}

impl Drop for Presence {
    fn drop(&mut self) {
        release(&self.held);
    }
}

impl Presence {
    /// Announces that this program shows the questions of a workspace.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn announce(state: &Path, workspace: &str) -> io::Result<Self> {
        fs::create_dir_all(state.join(FOLDER))?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(file_of(state, workspace))?;
        // A process in `is_announced` holds the lock for a moment, so this waits.
        file.lock_shared()?;
        Ok(Self { held: file })
    }

    /// Returns whether a program shows the questions of a workspace.
    #[must_use]
    pub fn is_announced(state: &Path, workspace: &str) -> bool {
        let Ok(file) = OpenOptions::new()
            .write(true)
            .open(file_of(state, workspace))
        else {
            return false;
        };
        // Another process that checks at this moment holds the lock, too, but not for long.
        for attempt in 0..TRIES {
            if attempt > 0 {
                sleep(PAUSE);
            }
            if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                release(&file);
                return false;
            }
        }
        true
    }
}

/// Releases a lock. Closing the file is not enough: until a child that this process is starting runs its program, the
/// child has a copy of the descriptor, with the lock.
fn release(file: &File) {
    // If unlocking fails, closing the file releases the lock.
    let _ = file.unlock();
}

fn file_of(state: &Path, workspace: &str) -> PathBuf {
    state.join(FOLDER).join(workspace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_presence_lasts_as_long_as_its_value() {
        let state = tempfile::tempdir().expect("folder");
        let is_there = |workspace| Presence::is_announced(state.path(), workspace);
        assert!(!is_there("one"));
        let first = Presence::announce(state.path(), "one").expect("announced");
        let second = Presence::announce(state.path(), "one").expect("announced");
        assert!(is_there("one") && !is_there("other"));
        drop(first);
        assert!(is_there("one"));
        drop(second);
        assert!(!is_there("one"));
    }

    #[test]
    fn a_presence_ends_although_a_child_that_is_being_started_has_its_descriptor() {
        let state = tempfile::tempdir().expect("folder");
        let presence = Presence::announce(state.path(), "one").expect("announced");
        let inherited = presence.held.try_clone().expect("a copy");
        drop(presence);
        assert!(!Presence::is_announced(state.path(), "one"));
        drop(inherited);
    }
}
