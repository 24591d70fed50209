//! Makes installs and uninstalls of one user run one after the other: each computes its changes from the receipts and
//! the settings that the one before it has left.

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::failure::Failure;

/// The file of the state folder that is locked.
const LOCK_FILE: &str = "install.lock";

/// How long the lock is waited for. Its holder may be waiting for a user's answer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// The pause between two tries.
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// Waits for the lock, which is released when the file is closed.
pub(super) fn acquire_lock(state: &Path) -> Result<File, Failure> {
    let failed = |error: std::io::Error| {
        Failure::system(format!("{} cannot be used: {error}", state.display()))
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(state)
        .map_err(failed)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(state.join(LOCK_FILE)).map_err(failed)?;
    let until = Instant::now() + LOCK_TIMEOUT;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < until => {
                std::thread::sleep(RETRY_PAUSE);
            }
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(Failure::system(
                    "another `lancet install` or `lancet uninstall` is at work; nothing was changed. Run this again when it has ended",
                ));
            }
            // The file system has no locks. The settings files themselves are written by compare-and-swap.
            Err(_) => return Ok(file),
        }
    }
}
