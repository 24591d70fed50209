//! Announces that a program shows recorded questions: it holds a shared lock on a file of its workspace. The kernel
//! releases the lock when the program ends, however it ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// The folder of these files inside the state folder.
const PRESENCE_FOLDER: &str = "deciders";

/// How often, and at which interval, the lock is tried before another process is taken to hold it.
const MAX_LOCK_TRIES: usize = 3;
const RETRY_PAUSE: Duration = Duration::from_millis(2);

/// Announces a viewer of a workspace's questions: as long as this value lives, they are recorded and waited for.
#[derive(Debug)]
#[must_use]
pub struct ViewerPresence {
    held: File,
}

impl Drop for ViewerPresence {
    fn drop(&mut self) {
        release_lock(&self.held);
    }
}

impl ViewerPresence {
    /// Announces that this program shows the questions of a workspace.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn announce(state: &Path, workspace: &str) -> io::Result<Self> {
        fs::create_dir_all(state.join(PRESENCE_FOLDER))?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(presence_path(state, workspace))?;
        // A process in `is_announced` holds the lock for a moment, so this waits.
        file.lock_shared()?;
        Ok(Self { held: file })
    }

    /// Returns whether a program shows the questions of a workspace.
    #[must_use]
    pub fn is_announced(state: &Path, workspace: &str) -> bool {
        let Ok(file) = OpenOptions::new()
            .write(true)
            .open(presence_path(state, workspace))
        else {
            return false;
        };
        // Another process that checks at this moment holds the lock, too, but not for long.
        for attempt in 0..MAX_LOCK_TRIES {
            if attempt > 0 {
                sleep(RETRY_PAUSE);
            }
            if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                release_lock(&file);
                return false;
            }
        }
        true
    }
}

/// Releases a lock. Closing the file is not enough: until a child that this process is starting runs its program, the
/// child has a copy of the descriptor, with the lock.
fn release_lock(file: &File) {
    // If unlocking fails, closing the file releases the lock.
    let _ = file.unlock();
}

fn presence_path(state: &Path, workspace: &str) -> PathBuf {
    state.join(PRESENCE_FOLDER).join(workspace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presence_lasts_until_dropped() {
        let state = tempfile::tempdir().expect("folder");
        let is_there = |workspace| ViewerPresence::is_announced(state.path(), workspace);
        assert!(!is_there("one"));
        let first = ViewerPresence::announce(state.path(), "one").expect("announced");
        let second = ViewerPresence::announce(state.path(), "one").expect("announced");
        assert!(is_there("one") && !is_there("other"));
        drop(first);
        assert!(is_there("one"));
        drop(second);
        assert!(!is_there("one"));
    }

    #[test]
    fn presence_ends_despite_descriptor_inherited_by_child() {
        let state = tempfile::tempdir().expect("folder");
        let presence = ViewerPresence::announce(state.path(), "one").expect("announced");
        let inherited = presence.held.try_clone().expect("a copy");
        drop(presence);
        assert!(!ViewerPresence::is_announced(state.path(), "one"));
        drop(inherited);
    }
}
