//! The decisive check: takes a lease on the file at the name, if one is granted, and compares its content. From here to
//! the verification nothing waits.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use super::check::{has_expected_content, open_expected, open_failure};
use super::fresh_look::{force_lookup_if_uncertain, reopen_and_compare_expected};
use super::hard_links::breaks_hard_links;
use super::scratch::Scratch;
use super::{CommitFailure, FileWrite};
use crate::disk::{Disk, Lease, OpenMode};
use crate::mounts::{LeaseCoverage, RenameTrust};
use crate::stamp::Stamp;

/// How often the check is repeated if another file takes the name meanwhile.
const MAX_TRIES: usize = 3;

/// An open file, symbolic link or empty folder whose content was compared with what the write expects. The handle of a link only
/// identifies it.
#[derive(Debug)]
pub(super) struct CheckedFile {
    pub(super) handle: OwnedFd,
    pub(super) stamp: Stamp,
    pub(super) protection: LeaseProtection,
}

/// How far a lease protects a file from other writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeaseProtection {
    /// A lease detects every writer.
    Leased,
    /// A lease detects every process that opens the file under this name, but not every writer on this file system: the
    /// bytes are compared as well.
    PartlyLeased,
    /// No lease: the file has another owner, or the file system has no leases.
    NotLeased,
    /// A symbolic link or a folder: there are no bytes that a program could write to.
    Immutable,
}

impl CheckedFile {
    /// Returns whether a lease protects the file.
    pub(super) fn is_leased(&self) -> bool {
        matches!(
            self.protection,
            LeaseProtection::Leased | LeaseProtection::PartlyLeased
        )
    }

    /// Returns whether no writer has come since; true without a lease, where this is not known.
    pub(super) fn has_no_new_writer(&self, disk: &dyn Disk) -> bool {
        let ask = || disk.lease_is_unbroken(self.handle.as_fd(), Lease::Read);
        !self.is_leased() || ask().or_else(|_| ask()).unwrap_or(false)
    }
}

/// Takes a lease; waits up to `patience` for a program that has the file open for writing.
pub(super) fn take_lease(
    scratch: &Scratch<'_>,
    file: &OwnedFd,
    lease: Lease,
    patience: Duration,
) -> Result<LeaseProtection, CommitFailure> {
    match wait_for_lease(scratch.disk(), file, lease, patience) {
        Ok(()) => Ok(match scratch.lease_coverage(file) {
            LeaseCoverage::AllWriters => LeaseProtection::Leased,
            LeaseCoverage::SomeWriters => LeaseProtection::PartlyLeased,
        }),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            Err(CommitFailure::Busy(patience))
        }
        Err(_) => Ok(LeaseProtection::NotLeased),
    }
}

/// Takes a lease; fails with `WouldBlock` if another program still has the file open after `patience`.
pub(crate) fn wait_for_lease(
    disk: &dyn Disk,
    file: &OwnedFd,
    lease: Lease,
    patience: Duration,
) -> io::Result<()> {
    let mut waited = Duration::ZERO;
    let mut pause = Duration::from_micros(500);
    loop {
        match disk.take_lease(file.as_fd(), lease) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && waited < patience => {}
            other => return other,
        }
        let pause_now = pause.min(patience - waited);
        disk.sleep(pause_now);
        waited += pause_now;
        pause *= 2;
    }
}

/// Leases and compares the file at the name of a write. `handle` and `checked` are from before staging; if another file
/// has the name now, that file is used if it has the same content.
pub(super) fn lease_and_compare(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    handle: OwnedFd,
    checked: &Stamp,
) -> Result<CheckedFile, CommitFailure> {
    let disk = scratch.disk();
    let located = write.located;
    let (mut handle, mut found) = (handle, *checked);
    for _ in 0..MAX_TRIES {
        let protection = take_lease(
            scratch,
            &handle,
            Lease::Read,
            scratch.workspace.lease_patience,
        )?;
        let now = match disk.stat_at(located.folder(), &located.name) {
            Ok(now) => now,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(CommitFailure::Changed);
            }
            Err(source) => {
                return Err(CommitFailure::Io {
                    step: "last look",
                    source,
                });
            }
        };
        if !now.is_same_file(&found) {
            (handle, found) = located.open_file(OpenMode::Read).map_err(open_failure)?;
            // The other hard links of this file would not be changed, and the caller's choice did not cover them.
            if found.links > 1 && !breaks_hard_links(write) {
                return Err(CommitFailure::Changed);
            }
            continue;
        }
        if !has_expected_content(write, &handle, now.size)
            .map_err(CommitFailure::at_step("read"))?
            || has_outdated_cache(scratch, write)
        {
            return Err(CommitFailure::Changed);
        }
        return Ok(CheckedFile {
            handle,
            stamp: now,
            protection,
        });
    }
    Err(CommitFailure::Busy(Duration::ZERO))
}

/// Returns whether the kernel's cache has another file under the name than there is now, since another machine has
/// replaced it. The cached file cannot be opened any more, or has other bytes. If it were renamed, the mount might not
/// find it again.
fn has_outdated_cache(scratch: &Scratch<'_>, write: &FileWrite<'_>) -> bool {
    let folder = write.located.folder();
    let name = &write.located.name;
    scratch.rename_trust(folder) == RenameTrust::Doubtful
        && !reopen_and_compare_expected(scratch.disk(), write, folder, name).unwrap_or(false)
}

/// The result of verifying the file that was displaced from a name.
pub(super) enum DisplacedCheck {
    /// The file that was checked, without a write since.
    SameFile,
    /// Another file with the same content, which took the name at the last moment and is leased now.
    SameContent(CheckedFile),
    /// Not what was checked, and why.
    Different(CommitFailure),
}

/// Verifies the file under `name`, where the checked file should be now.
pub(super) fn verify_displaced(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    name: &OsStr,
    old_file: &CheckedFile,
) -> DisplacedCheck {
    let disk = scratch.disk();
    let folder = write.located.folder();
    let is_doubtful = scratch.rename_trust(folder) == RenameTrust::Doubtful;
    let stat = || {
        force_lookup_if_uncertain(scratch, folder, name)?;
        disk.stat_at(folder, name)
    };
    let now = match stat().or_else(|_| stat()) {
        Ok(now) => now,
        Err(source) => return DisplacedCheck::Different(examine_failure(source, is_doubtful)),
    };
    if old_file.protection == LeaseProtection::Immutable {
        let again = || open_expected(write, name);
        return match again().or_else(|_| again()) {
            Ok(Some(link)) if link.stamp.is_same_file(&old_file.stamp) => DisplacedCheck::SameFile,
            Ok(Some(link)) => DisplacedCheck::SameContent(link),
            Ok(None) => DisplacedCheck::Different(CommitFailure::Changed),
            Err(source) => DisplacedCheck::Different(examine_failure(source, is_doubtful)),
        };
    }
    if now.is_same_file(&old_file.stamp) {
        return match old_file.protection {
            LeaseProtection::Leased if old_file.has_no_new_writer(disk) => DisplacedCheck::SameFile,
            LeaseProtection::Leased => {
                DisplacedCheck::Different(CommitFailure::Busy(Duration::ZERO))
            }
            LeaseProtection::PartlyLeased if !old_file.has_no_new_writer(disk) => {
                DisplacedCheck::Different(CommitFailure::Busy(Duration::ZERO))
            }
            LeaseProtection::PartlyLeased
            | LeaseProtection::NotLeased
            | LeaseProtection::Immutable => {
                let again = || match is_doubtful {
                    true => reopen_and_compare_expected(disk, write, folder, name),
                    false => has_expected_content(write, &old_file.handle, now.size),
                };
                match again().or_else(|_| again()) {
                    Ok(true) => DisplacedCheck::SameFile,
                    Ok(false) => DisplacedCheck::Different(CommitFailure::Changed),
                    Err(source) => DisplacedCheck::Different(examine_failure(source, is_doubtful)),
                }
            }
        };
    }
    match reopen_same_content(scratch, write, name, &now) {
        Ok(Some(old_file)) => DisplacedCheck::SameContent(old_file),
        Ok(None) => DisplacedCheck::Different(CommitFailure::Changed),
        Err(failure) => DisplacedCheck::Different(failure),
    }
}

/// Returns why a displaced file could not be examined. If a mount does not find what it has just renamed, it renamed
/// another machine's file that it did not know of.
fn examine_failure(source: io::Error, is_doubtful: bool) -> CommitFailure {
    if is_doubtful && source.kind() == io::ErrorKind::NotFound {
        return CommitFailure::Changed;
    }
    CommitFailure::Io {
        step: "look",
        source,
    }
}

fn reopen_same_content(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    name: &OsStr,
    found: &Stamp,
) -> Result<Option<CheckedFile>, CommitFailure> {
    if !found.is_file() {
        return Ok(None);
    }
    let disk = scratch.disk();
    let handle = disk
        .open_at(write.located.folder(), name, OpenMode::Read)
        .map_err(CommitFailure::at_step("look"))?;
    let protection = take_lease(scratch, &handle, Lease::Read, Duration::ZERO)?;
    let stamp = disk
        .stat(handle.as_fd())
        .map_err(CommitFailure::at_step("look"))?;
    let folder = write.located.folder();
    let holds = || match scratch.rename_trust(folder) {
        RenameTrust::Exact => has_expected_content(write, &handle, stamp.size),
        RenameTrust::Doubtful => reopen_and_compare_expected(disk, write, folder, name),
    };
    let is_equal = stamp.is_same_file(found)
        && stamp.is_file()
        && holds().map_err(CommitFailure::at_step("look"))?;
    let old_file = CheckedFile {
        handle,
        stamp,
        protection,
    };
    Ok((is_equal && old_file.has_no_new_writer(disk)).then_some(old_file))
}
