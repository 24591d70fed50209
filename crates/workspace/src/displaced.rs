//! The store of displaced files: the old file of a change is moved here and is its backup. A file that another program
//! may still have open for writing is unsealed. It is checked again later, and bytes that were written late are
//! reported as a separate version.

use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::commit::NewBytes;
use crate::content::{HashingWriter, write_content};
use crate::disk::{Disk, EntryKind, Lease, OpenMode};
use crate::random::random;
use crate::revision::Revision;

/// The folder of displaced files, inside the state folder.
pub const DISPLACED_FOLDER: &str = "displaced";
/// The prefix of the names of files that are not sealed.
const UNSEALED_PREFIX: &[u8] = b"open-";
/// A program that the commit's lease blocked in `open` becomes a writer within this many seconds. A displaced file that
/// is younger is not sealed, because a lease does not show such a program.
const SETTLING_SECONDS: i64 = 3;
/// The age in seconds at which a displaced file is sealed on a file system without leases, where nothing can prove that
/// no process has it open for writing.
const UNLEASED_SEAL_SECONDS: i64 = 24 * 3600;

/// An old file in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplacedFile {
    /// The path of the file in the store.
    pub path: PathBuf,
    /// The revision of its content when it was displaced.
    pub revision: Revision,
    /// Whether another program may still write to it.
    pub seal: Seal,
}

/// Whether another program may still write to a displaced file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// A lease proved that no process has the file open for writing.
    Sealed,
    /// No lease was granted, or another program is about to write.
    Open,
}

/// The result of checking an unsealed file again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LateWriteCheck {
    /// No program wrote to the file; it is sealed now, under a new name.
    Sealed(DisplacedFile),
    /// Another program wrote to the file after it was displaced.
    Late {
        /// The content that was written late, sealed.
        version: DisplacedFile,
        /// The size of that content in bytes.
        size: u64,
        /// The file itself if it may still be written to; `version` is then a copy.
        open: Option<DisplacedFile>,
    },
    /// The file is still open for writing elsewhere; or no lease is granted, and less than a day has passed without a
    /// write.
    Waiting,
}

/// The retention limits of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisplacedLimits {
    /// The most bytes of all files together.
    pub bytes: u64,
    /// The greatest age in seconds.
    pub seconds: i64,
}

impl Default for DisplacedLimits {
    /// Returns the defaults of 1 GiB and 30 days.
    fn default() -> DisplacedLimits {
        DisplacedLimits {
            bytes: 1 << 30,
            seconds: 30 * 24 * 3600,
        }
    }
}

/// The folder that displaced files are stored in.
#[derive(Debug)]
pub(crate) struct DisplacedStore {
    path: Option<PathBuf>,
    opened: Mutex<Option<Arc<OwnedFd>>>,
}

impl DisplacedStore {
    pub(crate) fn new(path: Option<PathBuf>) -> DisplacedStore {
        DisplacedStore {
            path,
            opened: Mutex::new(None),
        }
    }

    /// Opens the folder, creating it on first use; `None` without a state folder.
    pub(crate) fn folder(&self, disk: &dyn Disk) -> io::Result<Option<(Arc<OwnedFd>, &Path)>> {
        let Some(path) = &self.path else {
            return Ok(None);
        };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &*opened {
            return Ok(Some((Arc::clone(folder), path)));
        }
        let folder = Arc::new(disk.open_state_folder(path)?);
        *opened = Some(Arc::clone(&folder));
        Ok(Some((folder, path)))
    }

    /// Drops the cached handle, since the folder may have been removed.
    pub(crate) fn forget_handle(&self) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Moves a file into the store and returns its new path. Without a state folder the file is removed.
    pub(crate) fn store_file(
        &self,
        disk: &dyn Disk,
        folder: BorrowedFd<'_>,
        name: &OsStr,
        of: &OsStr,
        seal: Seal,
    ) -> io::Result<Option<PathBuf>> {
        let Some((store, path)) = self.folder(disk)? else {
            disk.remove_at(folder, name)?;
            return Ok(None);
        };
        let new_name = stored_name(disk, of, seal);
        match disk.move_at(folder, name, store.as_fd(), &new_name) {
            Ok(()) => return Ok(Some(path.join(new_name))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.forget_handle();
                let (store, path) = self.folder(disk)?.ok_or(io::ErrorKind::NotFound)?;
                disk.move_at(folder, name, store.as_fd(), &new_name)?;
                return Ok(Some(path.join(new_name)));
            }
            Err(error) if !is_rename_impossible(&error) => return Err(error),
            Err(_) => {}
        }
        if disk.stat_at(folder, name)?.is_link() {
            let target = disk.read_link_at(folder, name)?;
            disk.make_link_at(store.as_fd(), &target, &new_name)?;
            disk.remove_at(folder, name)?;
            return Ok(Some(path.join(new_name)));
        }
        let source = disk.open_at(folder, name, OpenMode::Read)?;
        // Another file system: only a copy is stored, and bytes written to the original afterwards would be lost. The
        // file stays in place for now if it is open for writing. If no lease is granted, this cannot be known.
        let lease = disk.take_lease(source.as_fd(), Lease::Read);
        if let Err(error) = &lease
            && error.kind() == io::ErrorKind::WouldBlock
        {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        copy_file(disk, source.as_fd(), store.as_fd(), &new_name)?;
        if lease.is_ok() && !disk.lease_is_unbroken(source.as_fd(), Lease::Read)? {
            let _ = disk.remove_at(store.as_fd(), &new_name);
            return Err(io::ErrorKind::WouldBlock.into());
        }
        disk.remove_at(folder, name)?;
        Ok(Some(path.join(new_name)))
    }

    /// Removes sealed files, oldest first, that exceed the age or the total size. Unsealed files stay.
    pub(crate) fn prune(&self, disk: &dyn Disk, limits: DisplacedLimits) -> io::Result<u64> {
        let Some((store, _)) = self.folder(disk)? else {
            return Ok(0);
        };
        let mut names = Vec::new();
        disk.list(store.as_fd(), &mut |name, kind| {
            if let (EntryKind::File | EntryKind::Link, Some(second)) =
                (kind, displacement_second(name))
            {
                names.push((second, name.to_owned()));
            }
            ControlFlow::Continue(())
        })?;
        names.sort_unstable();
        let oldest = disk.now().0.saturating_sub(limits.seconds);
        let (mut size, mut removed) = (0_u64, 0);
        for (second, name) in names.into_iter().rev() {
            let Ok(stamp) = disk.stat_at(store.as_fd(), &name) else {
                continue;
            };
            size = size.saturating_add(stamp.size);
            if size > limits.bytes || second < oldest {
                disk.remove_at(store.as_fd(), &name)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Stores a copy of an open file; returns its size and the stored file.
    pub(crate) fn store_copy(
        &self,
        disk: &dyn Disk,
        source: BorrowedFd<'_>,
        of: &OsStr,
    ) -> io::Result<(u64, DisplacedFile)> {
        let (store, path) = self.folder(disk)?.ok_or(io::ErrorKind::NotFound)?;
        let name = stored_name(disk, of, Seal::Sealed);
        let (size, revision) = copy_file(disk, source, store.as_fd(), &name)?;
        let copied = DisplacedFile {
            path: path.join(name),
            revision,
            seal: Seal::Sealed,
        };
        Ok((size, copied))
    }

    /// Stores a copy of a file of the store; returns its size and the copy.
    pub(crate) fn copy_displaced(
        &self,
        disk: &dyn Disk,
        displaced: &DisplacedFile,
    ) -> io::Result<(u64, DisplacedFile)> {
        let (store, _) = self.folder(disk)?.ok_or(io::ErrorKind::NotFound)?;
        let name = displaced.path.file_name().ok_or(io::ErrorKind::NotFound)?;
        let file = disk.open_at(store.as_fd(), name, OpenMode::Read)?;
        self.store_copy(disk, file.as_fd(), original_name(sealed_name(name)))
    }

    /// Checks an unsealed file again for late writes.
    pub(crate) fn check_late_writes(
        &self,
        disk: &dyn Disk,
        displaced: &DisplacedFile,
    ) -> io::Result<LateWriteCheck> {
        let Some((store, path)) = self.folder(disk)? else {
            return Ok(LateWriteCheck::Waiting);
        };
        let Some(name) = displaced.path.file_name() else {
            return Ok(LateWriteCheck::Waiting);
        };
        let sealed_name = sealed_name(name);
        let (name, file) = match disk.open_at(store.as_fd(), name, OpenMode::Read) {
            // An earlier check sealed the file and was interrupted there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let file = disk.open_at(store.as_fd(), sealed_name, OpenMode::Read)?;
                (sealed_name, file)
            }
            other => (name, other?),
        };
        let leased = match disk.take_lease(file.as_fd(), Lease::Read) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Ok(LateWriteCheck::Waiting);
            }
            // This file system grants no lease: only the bytes decide.
            Err(_) => false,
        };
        let mut hasher = crate::revision::RevisionHasher::new();
        crate::scan::scan_file(disk, file.as_fd(), &mut |piece| {
            hasher.update(piece);
            ControlFlow::Continue(())
        })?;
        let revision = hasher.finish();
        let kept_for = disk
            .now()
            .0
            .saturating_sub(displacement_second(sealed_name).unwrap_or(i64::MIN));
        if kept_for
            < if leased {
                SETTLING_SECONDS
            } else {
                UNLEASED_SEAL_SECONDS
            }
        {
            if revision == displaced.revision {
                return Ok(LateWriteCheck::Waiting);
            }
            let (size, version) =
                self.store_copy(disk, file.as_fd(), original_name(sealed_name))?;
            return Ok(LateWriteCheck::Late {
                open: Some(DisplacedFile {
                    revision: version.revision,
                    ..displaced.clone()
                }),
                version,
                size,
            });
        }
        if leased && !disk.lease_is_unbroken(file.as_fd(), Lease::Read)? {
            return Ok(LateWriteCheck::Waiting);
        }
        if sealed_name != name {
            disk.move_at(store.as_fd(), name, store.as_fd(), sealed_name)?;
        }
        let now = DisplacedFile {
            path: path.join(sealed_name),
            revision,
            seal: Seal::Sealed,
        };
        Ok(if revision == displaced.revision {
            LateWriteCheck::Sealed(now)
        } else {
            LateWriteCheck::Late {
                version: now,
                size: disk.stat(file.as_fd())?.size,
                open: None,
            }
        })
    }
}

/// Returns the name that a file of the store has once it is sealed.
fn sealed_name(name: &OsStr) -> &OsStr {
    let sealed = name.as_bytes().strip_prefix(UNSEALED_PREFIX);
    sealed.map_or(name, OsStr::from_bytes)
}

/// Returns the second at which a file was displaced: its name begins with it.
fn displacement_second(name: &OsStr) -> Option<i64> {
    let digits = name.as_bytes().split(|&byte| byte == b'-').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Returns the original name of a displaced file, as far as its stored name contains it.
fn original_name(name: &OsStr) -> &OsStr {
    let mut parts = name.as_bytes().splitn(3, |&byte| byte == b'-');
    OsStr::from_bytes(parts.nth(2).unwrap_or_default())
}

/// Returns whether a late writer can no longer write to a displaced file, judged by its name: `kept_name` begins the
/// name of a sealed file with the time, in digits, and that of the others with `open-`.
pub fn is_sealed_name(name: &OsStr) -> bool {
    name.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

/// Returns the name of a stored file: the time, a random part, and the old name for a person who looks for it.
pub(crate) fn stored_name(disk: &dyn Disk, of: &OsStr, seal: Seal) -> OsString {
    let mut full = match seal {
        Seal::Sealed => Vec::new(),
        Seal::Open => UNSEALED_PREFIX.to_vec(),
    };
    full.extend(format!("{}-{:016x}-", disk.now().0, random()).into_bytes());
    let name = of.as_bytes();
    full.extend_from_slice(&name[..name.len().min(128)]);
    OsString::from_vec(full)
}

/// Copies an open file to a new name and flushes file and folder; returns size and revision.
fn copy_file(
    disk: &dyn Disk,
    source: BorrowedFd<'_>,
    folder: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<(u64, Revision)> {
    let size = disk.stat(source)?.size;
    let copy = disk.open_at(folder, name, OpenMode::Create { mode: 0o600 })?;
    let mut sink = HashingWriter::new(disk, copy.as_fd());
    let unchanged = NewBytes::Streamed { changes: &[] };
    let copied = write_content(&unchanged, Some((source, size)), &mut sink)
        .and_then(|_| disk.sync(copy.as_fd()))
        .and_then(|()| disk.sync(folder));
    if let Err(error) = copied {
        let _ = disk.remove_at(folder, name);
        return Err(error);
    }
    Ok(sink.finish())
}

/// Returns whether the rename failed because the folder is on another file system, or the file system has no rename
/// without replacement.
fn is_rename_impossible(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(
        Errno::from_io_error(error),
        Some(Errno::XDEV | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
    )
}
