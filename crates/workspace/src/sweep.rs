//! Moves abandoned temporary files to the displaced files. Recovery, which runs before the first commit, handles those
//! that a journal entry names; these are files of a crashed process whose entry is lost. Only folders that a commit
//! has locked are searched. The files are never removed, since it is not known what they contain.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::PoisonError;

use crate::disk::{EntryKind, Lease, OpenMode};
use crate::displaced::Seal;
use crate::locks::FolderLocks;
use crate::roots::Workspace;

/// The age in seconds from which a temporary file counts as abandoned: a day, while a commit takes milliseconds.
const ABANDONED_AGE_SECONDS: i64 = 24 * 3600;
/// The most entries of a folder that are examined; the others are ignored.
const MAX_ENTRIES: usize = 20_000;

impl Workspace {
    /// Sweeps the locked folders that this workspace has not swept before.
    pub(crate) fn sweep_folders(&self, guard: &FolderLocks) {
        // Without a state folder there is no place to move the files to.
        if self.state_folder.is_none() {
            return;
        }
        let new: Vec<&OwnedFd> = {
            let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
            let requested = guard.requested.iter();
            requested
                .filter(|(_, key)| swept.insert(*key))
                .map(|(folder, _)| &**folder)
                .collect()
        };
        for folder in new {
            for name in self.temporary_names_in(folder) {
                self.displace_if_abandoned(folder, &name);
            }
        }
    }

    /// Returns the names of the temporary files in a folder, of any age.
    fn temporary_names_in(&self, folder: &OwnedFd) -> Vec<OsString> {
        let mut names = Vec::new();
        let mut seen = 0;
        // A folder that cannot be listed is skipped.
        let _ = self.disk.list(folder.as_fd(), &mut |name, kind| {
            seen += 1;
            if matches!(kind, EntryKind::File | EntryKind::Link) && is_temporary(name) {
                names.push(name.to_owned());
            }
            if seen < MAX_ENTRIES {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        names
    }

    /// Moves a file to the displaced files if it belongs to this user and is old enough.
    fn displace_if_abandoned(&self, folder: &OwnedFd, name: &OsStr) {
        let disk = &*self.disk;
        let Ok(stamp) = disk.stat_at(folder.as_fd(), name) else {
            return;
        };
        let touched = stamp.mtime.0.max(stamp.ctime.0);
        let is_ours = stamp.uid == rustix::process::geteuid().as_raw();
        if !is_ours || touched > disk.now().0.saturating_sub(ABANDONED_AGE_SECONDS) {
            return;
        }
        let file = disk.open_at(folder.as_fd(), name, OpenMode::Read);
        let quiet = stamp.is_link()
            || file.is_ok_and(|file| disk.take_lease(file.as_fd(), Lease::Read).is_ok());
        let seal = if quiet { Seal::Sealed } else { Seal::Open };
        // If this fails, the file stays until the next sweep.
        let _ = self
            .displaced
            .store_file(disk, folder.as_fd(), name, name, seal);
    }
}

/// Returns whether a name is `.lancet-`, sixteen hexadecimal digits, `.tmp`, and optionally `.old`.
fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let digits = name
        .strip_suffix(b".old")
        .unwrap_or(name)
        .strip_suffix(b".tmp")
        .and_then(|name| name.strip_prefix(b".lancet-"));
    digits.is_some_and(|digits| {
        digits.len() == 16
            && digits
                .iter()
                .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random;

    #[test]
    fn recognises_only_own_temporary_names() {
        let ours = format!(".lancet-{:016x}.tmp", random());
        for name in [ours.clone(), format!("{ours}.old")] {
            assert!(is_temporary(OsStr::new(&name)), "{name}");
        }
        for name in [
            ".lancet-notes.tmp",
            ".lancet-0123456789abcdeg.tmp",
            ".lancet-0123456789ABCDEF.tmp",
            "lancet-0123456789abcdef.tmp",
            ".lancet-0123456789abcdef.tmp.bak",
            ".lancet-0123456789abcdef",
        ] {
            assert!(!is_temporary(OsStr::new(name)), "{name}");
        }
    }
}
