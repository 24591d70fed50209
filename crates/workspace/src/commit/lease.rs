//! The decisive check: takes a lease on the file at the name, if one is granted, and compares its content. From here to
//! the verification nothing waits.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use super::check::{holds_expected, not_there, open_expected};
use super::fresh_look::{holds_expected_afresh, look_up_where_doubtful};
use super::hard_links::breaks_links;
use super::scratch::Scratch;
use super::{CommitFailure, Write};
use crate::disk::{Disk, Lease, OpenMode};
use crate::mounts::{LeaseCoverage, RenameTrust};
use crate::stamp::Stamp;

/// How often the check is repeated if another file takes the name meanwhile.
const TRIES: usize = 3;

/// An open file, symbolic link or empty folder whose content was compared with what the write expects. The handle of a link only
/// identifies it.
#[derive(Debug)]
pub(super) struct CheckedFile {
    pub(super) handle: OwnedFd,
    pub(super) stamp: Stamp,
    pub(super) protection: Protection,
}

/// How far a lease protects a file from other writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protection {
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
            Protection::Leased | Protection::PartlyLeased
        )
    }

    /// Returns whether no writer has come since; true without a lease, where this is not known.
    pub(super) fn is_quiet(&self, disk: &dyn Disk) -> bool {
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
) -> Result<Protection, CommitFailure> {
    match wait_for_lease(scratch.disk(), file, lease, patience) {
        Ok(()) => Ok(match scratch.lease_coverage(file) {
            LeaseCoverage::AllWriters => Protection::Leased,
            LeaseCoverage::SomeWriters => Protection::PartlyLeased,
        }),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            Err(CommitFailure::Busy(patience))
        }
        Err(_) => Ok(Protection::NotLeased),
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
        disk.pause(pause_now);
        waited += pause_now;
        pause *= 2;
    }
}

/// Leases and compares the file at the name of a write. `handle` and `checked` are from before staging; if another file
/// has the name now, that file is used if it has the same content.
pub(super) fn lease_and_compare(
    scratch: &Scratch<'_>,
    write: &Write<'_>,
    handle: OwnedFd,
    checked: &Stamp,
) -> Result<CheckedFile, CommitFailure> {
    let disk = scratch.disk();
    let located = write.located;
    let (mut handle, mut found) = (handle, *checked);
    for _ in 0..TRIES {
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
        if !now.same_file(&found) {
            (handle, found) = located.open_file(OpenMode::Read).map_err(not_there)?;
            // The other hard links of this file would not be changed, and the caller's choice did not cover them.
            if found.links > 1 && !breaks_links(write) {
                return Err(CommitFailure::Changed);
            }
            continue;
        }
        if !holds_expected(write, &handle, now.size).map_err(CommitFailure::at("read"))?
            || is_remembered_wrongly(scratch, write)
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
fn is_remembered_wrongly(scratch: &Scratch<'_>, write: &Write<'_>) -> bool {
    let folder = write.located.folder();
    let name = &write.located.name;
    scratch.rename_trust(folder) == RenameTrust::Doubtful
        && !holds_expected_afresh(scratch.disk(), write, folder, name).unwrap_or(false)
}

/// The result of verifying the file that was displaced from a name.
pub(super) enum Displacement {
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
    write: &Write<'_>,
    name: &OsStr,
    old_file: &CheckedFile,
) -> Displacement {
    let disk = scratch.disk();
    let folder = write.located.folder();
    let is_doubtful = scratch.rename_trust(folder) == RenameTrust::Doubtful;
    let stat = || {
        look_up_where_doubtful(scratch, folder, name)?;
        disk.stat_at(folder, name)
    };
    let now = match stat().or_else(|_| stat()) {
        Ok(now) => now,
        Err(source) => return Displacement::Different(unseen(source, is_doubtful)),
    };
    if old_file.protection == Protection::Immutable {
        let again = || open_expected(write, name);
        return match again().or_else(|_| again()) {
            Ok(Some(link)) if link.stamp.same_file(&old_file.stamp) => Displacement::SameFile,
            Ok(Some(link)) => Displacement::SameContent(link),
            Ok(None) => Displacement::Different(CommitFailure::Changed),
            Err(source) => Displacement::Different(unseen(source, is_doubtful)),
        };
    }
    if now.same_file(&old_file.stamp) {
        return match old_file.protection {
            Protection::Leased if old_file.is_quiet(disk) => Displacement::SameFile,
            Protection::Leased => Displacement::Different(CommitFailure::Busy(Duration::ZERO)),
            Protection::PartlyLeased if !old_file.is_quiet(disk) => {
                Displacement::Different(CommitFailure::Busy(Duration::ZERO))
            }
            Protection::PartlyLeased | Protection::NotLeased | Protection::Immutable => {
                let again = || match is_doubtful {
                    true => holds_expected_afresh(disk, write, folder, name),
                    false => holds_expected(write, &old_file.handle, now.size),
                };
                match again().or_else(|_| again()) {
                    Ok(true) => Displacement::SameFile,
                    Ok(false) => Displacement::Different(CommitFailure::Changed),
                    Err(source) => Displacement::Different(unseen(source, is_doubtful)),
                }
            }
        };
    }
    match open_same_content(scratch, write, name, &now) {
        Ok(Some(old_file)) => Displacement::SameContent(old_file),
        Ok(None) => Displacement::Different(CommitFailure::Changed),
        Err(failure) => Displacement::Different(failure),
    }
}

/// Returns why a displaced file could not be examined. If a mount does not find what it has just renamed, it renamed
/// another machine's file that it did not know of.
fn unseen(source: io::Error, is_doubtful: bool) -> CommitFailure {
    if is_doubtful && source.kind() == io::ErrorKind::NotFound {
        return CommitFailure::Changed;
    }
    CommitFailure::Io {
        step: "look",
        source,
    }
}

fn open_same_content(
    scratch: &Scratch<'_>,
    write: &Write<'_>,
    name: &OsStr,
    found: &Stamp,
) -> Result<Option<CheckedFile>, CommitFailure> {
    if !found.is_file() {
        return Ok(None);
    }
    let disk = scratch.disk();
    let handle = disk
        .open_at(write.located.folder(), name, OpenMode::Read)
        .map_err(CommitFailure::at("look"))?;
    let protection = take_lease(scratch, &handle, Lease::Read, Duration::ZERO)?;
    let stamp = disk
        .stat(handle.as_fd())
        .map_err(CommitFailure::at("look"))?;
    let folder = write.located.folder();
    let holds = || match scratch.rename_trust(folder) {
        RenameTrust::Exact => holds_expected(write, &handle, stamp.size),
        RenameTrust::Doubtful => holds_expected_afresh(disk, write, folder, name),
    };
    let is_equal =
        stamp.same_file(found) && stamp.is_file() && holds().map_err(CommitFailure::at("look"))?;
    let old_file = CheckedFile {
        handle,
        stamp,
        protection,
    };
    Ok((is_equal && old_file.is_quiet(disk)).then_some(old_file))
}
