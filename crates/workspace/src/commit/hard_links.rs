//! The hard links of a file: whether a write breaks them, and how many there are where a second one may be there for a
//! moment only.

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use super::scratch::Scratch;
use super::{CommitFailure, FileWrite, HardLinkPolicy};
use crate::mounts::RenameTrust;
use crate::stamp::Stamp;

/// How often, and after which pause, the links of a file are counted again.
const LINK_COUNT_RETRIES: u32 = 30;
const LINK_PAUSE: Duration = Duration::from_millis(1);

/// Returns whether a write breaks the hard links of its file.
pub(super) fn breaks_hard_links(write: &FileWrite<'_>) -> bool {
    match write.options.links {
        HardLinkPolicy::Keep => false,
        HardLinkPolicy::Break => true,
        HardLinkPolicy::Auto => write.located.path().iter().any(is_package_store),
    }
}

/// Returns whether a folder of this name contains installed packages. Installers fill those with hard links to files
/// that other projects share: a rewrite in place would change them everywhere.
pub fn is_package_store(name: &OsStr) -> bool {
    const PACKAGE_STORES: [&str; 8] = [
        "node_modules",
        "bower_components",
        "site-packages",
        ".pnpm",
        ".pnpm-store",
        ".yarn",
        ".bun",
        ".deno",
    ];
    PACKAGE_STORES.iter().any(|store| name == OsStr::new(store))
}

/// Waits a moment for a second link to disappear: another lancet process may name a file by a link, which gives it two
/// for a moment. A file that still has it afterwards has hard links of the user's.
pub(super) fn wait_for_stable_links(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    handle: &OwnedFd,
    stamp: Stamp,
) -> Result<Stamp, CommitFailure> {
    let disk = scratch.disk();
    let trust = scratch.rename_trust(write.located.folder());
    if stamp.links <= 1 || trust == RenameTrust::Exact {
        return Ok(stamp);
    }
    for _ in 0..LINK_COUNT_RETRIES {
        match disk.stat_uncached(handle.as_fd()) {
            Ok(now) if now.links > 1 => disk.sleep(LINK_PAUSE),
            Ok(now) if now.links == 1 => return Ok(now),
            // Another program removed the file, or replaced it.
            _ => return Err(CommitFailure::Changed),
        }
    }
    Ok(stamp)
}
