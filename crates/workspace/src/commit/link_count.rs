//! Counts the hard links of a file again, where a second one may be there for a moment only.

use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use super::scratch::Scratch;
use super::{CommitFailure, Write};
use crate::mounts::RenameTrust;
use crate::stamp::Stamp;

/// How often, and after which pause, the links of a file are counted again.
const LINK_LOOKS: u32 = 30;
const LINK_PAUSE: Duration = Duration::from_millis(1);

/// Waits a moment for a second link to disappear: another lancet process may name a file by a link, which gives it two
/// for a moment. A file that still has it afterwards has hard links of the user's.
pub(super) fn settled_links(
    scratch: &Scratch<'_>,
    write: &Write<'_>,
    handle: &OwnedFd,
    stamp: Stamp,
) -> Result<Stamp, CommitFailure> {
    let disk = scratch.disk();
    let trust = scratch.rename_trust(write.located.folder());
    if stamp.links <= 1 || trust == RenameTrust::Exact {
        return Ok(stamp);
    }
    for _ in 0..LINK_LOOKS {
        match disk.stat_uncached(handle.as_fd()) {
            Ok(now) if now.links > 1 => disk.pause(LINK_PAUSE),
            Ok(now) if now.links == 1 => return Ok(now),
            // Another program removed the file, or replaced it.
            _ => return Err(CommitFailure::Changed),
        }
    }
    Ok(stamp)
}
