//! Old files, moved out of the way and kept: the backup of a change is the displaced file itself. One that somebody may
//! still write into is unsealed; it is looked at again later, and bytes that came late are told as a version of their own.

use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::commit::NewBytes;
use crate::content::{Sink, write_content};
use crate::disk::{Disk, EntryKind, Lease, OpenMode};
use crate::random::random;
use crate::revision::Revision;

/// The folder of displaced files, inside the state folder.
pub const DISPLACED_FOLDER: &str = "displaced";
/// In front of the names of files that are not sealed.
const UNSEALED: &[u8] = b"open-";
/// So many seconds whoever was waiting in `open` for the commit's lease has to come: until then they are no writer that a
/// lease would show.
const SETTLING: i64 = 3;
/// Of a file that cannot be leased nobody can say that no writer is left. One that has not written for so many seconds is
/// taken for gone.
const LONG_ENOUGH: i64 = 24 * 3600;

/// An old file that was moved out of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Displaced {
    /// Where it is now.
    pub path: PathBuf,
    /// What it held when it was displaced.
    pub revision: Revision,
    /// Is it certain that nobody writes into it any more?
    pub seal: Seal,
}

/// Is it certain that nobody writes into a displaced file any more?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// A lease showed that nobody has it open for writing.
    Sealed,
    /// No lease could be had, or somebody is about to write.
    Open,
}

/// What came of another look at a displaced file that was not sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LateWriteCheck {
    /// Nobody wrote; it is sealed now and has another name.
    Sealed(Displaced),
    /// Somebody wrote into it after it was displaced.
    Late {
        /// What they left, sealed.
        version: Displaced,
        /// Its size.
        size: u64,
        /// The file itself, where they or others may go on writing into it. The version is a copy then.
        open: Option<Displaced>,
    },
    /// Somebody still has it open for writing; or no lease can be had, and nobody has written yet, for less than a day.
    Waiting,
}

/// How much of displaced files is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Together.
    pub bytes: u64,
    /// For how long.
    pub seconds: i64,
}

impl Default for Limits {
    /// 1 GiB and 30 days.
    fn default() -> Limits {
        Limits {
            bytes: 1 << 30,
            seconds: 30 * 24 * 3600,
        }
    }
}

/// The folder of displaced files.
#[derive(Debug)]
pub(crate) struct Store {
    path: Option<PathBuf>,
    opened: Mutex<Option<Arc<OwnedFd>>>,
}

impl Store {
    pub(crate) fn new(path: Option<PathBuf>) -> Store {
        Store {
            path,
            opened: Mutex::new(None),
        }
    }

    /// The folder, made at first need; none where nothing is kept.
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

    /// Forgets the folder's handle: somebody may have removed the folder.
    pub(crate) fn forget(&self) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Moves a file out of its folder; where it went. Where nothing is kept it is removed.
    pub(crate) fn put_away(
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
        let new_name = kept_name(disk, of, seal);
        match disk.move_at(folder, name, store.as_fd(), &new_name) {
            Ok(()) => return Ok(Some(path.join(new_name))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.forget();
                let (store, path) = self.folder(disk)?.ok_or(io::ErrorKind::NotFound)?;
                disk.move_at(folder, name, store.as_fd(), &new_name)?;
                return Ok(Some(path.join(new_name)));
            }
            Err(error) if !is_elsewhere(&error) => return Err(error),
            Err(_) => {}
        }
        let source = disk.open_at(folder, name, OpenMode::Read)?;
        // Only the copy outlives this: what somebody writes who still has the file open would go nowhere. Then it stays
        // for now. Where no lease can be had nobody can tell.
        let lease = disk.take_lease(source.as_fd(), Lease::Read);
        if let Err(error) = &lease
            && error.kind() == io::ErrorKind::WouldBlock
        {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        copy(disk, source.as_fd(), store.as_fd(), &new_name)?;
        if lease.is_ok() && !disk.lease_is_quiet(source.as_fd(), Lease::Read)? {
            let _ = disk.remove_at(store.as_fd(), &new_name);
            return Err(io::ErrorKind::WouldBlock.into());
        }
        disk.remove_at(folder, name)?;
        Ok(Some(path.join(new_name)))
    }

    /// Removes sealed files, oldest first, that are over the age or together over the size. What is not sealed stays.
    pub(crate) fn prune(&self, disk: &dyn Disk, limits: Limits) -> io::Result<u64> {
        let Some((store, _)) = self.folder(disk)? else {
            return Ok(0);
        };
        let mut names = Vec::new();
        disk.list(store.as_fd(), &mut |name, kind| {
            if let (EntryKind::File, Some(second)) = (kind, second_of(name)) {
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

    /// Keeps a copy of an open file; its size, and where it is.
    pub(crate) fn copy_in(
        &self,
        disk: &dyn Disk,
        source: BorrowedFd<'_>,
        of: &OsStr,
    ) -> io::Result<(u64, Displaced)> {
        let (store, path) = self.folder(disk)?.ok_or(io::ErrorKind::NotFound)?;
        let name = kept_name(disk, of, Seal::Sealed);
        let (size, revision) = copy(disk, source, store.as_fd(), &name)?;
        let copied = Displaced {
            path: path.join(name),
            revision,
            seal: Seal::Sealed,
        };
        Ok((size, copied))
    }

    /// Looks again at a file that was not sealed.
    pub(crate) fn check_late_writes(
        &self,
        disk: &dyn Disk,
        displaced: &Displaced,
    ) -> io::Result<LateWriteCheck> {
        let Some((store, path)) = self.folder(disk)? else {
            return Ok(LateWriteCheck::Waiting);
        };
        let Some(name) = displaced.path.file_name() else {
            return Ok(LateWriteCheck::Waiting);
        };
        let sealed_name = name
            .as_bytes()
            .strip_prefix(UNSEALED)
            .map_or(name, OsStr::from_bytes);
        let (name, file) = match disk.open_at(store.as_fd(), name, OpenMode::Read) {
            // Whoever looked before us sealed it and ended there.
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
            // No lease is ever to be had of this one: its bytes alone can tell.
            Err(_) => false,
        };
        let mut hasher = crate::revision::Hasher::new();
        crate::snapshot::scan_file(disk, file.as_fd(), &mut |piece| {
            hasher.update(piece);
            ControlFlow::Continue(())
        })?;
        let revision = hasher.finish();
        let kept_for = disk
            .now()
            .0
            .saturating_sub(second_of(sealed_name).unwrap_or(i64::MIN));
        if kept_for < if leased { SETTLING } else { LONG_ENOUGH } {
            if revision == displaced.revision {
                return Ok(LateWriteCheck::Waiting);
            }
            let (size, version) = self.copy_in(disk, file.as_fd(), old_name(sealed_name))?;
            return Ok(LateWriteCheck::Late {
                open: Some(Displaced {
                    revision: version.revision,
                    ..displaced.clone()
                }),
                version,
                size,
            });
        }
        if leased && !disk.lease_is_quiet(file.as_fd(), Lease::Read)? {
            return Ok(LateWriteCheck::Waiting);
        }
        if sealed_name != name {
            disk.move_at(store.as_fd(), name, store.as_fd(), sealed_name)?;
        }
        let now = Displaced {
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

/// When a sealed file was displaced: its name begins with the second.
fn second_of(name: &OsStr) -> Option<i64> {
    let digits = name.as_bytes().split(|&byte| byte == b'-').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The name that a displaced file had, as far as its present one has it.
fn old_name(name: &OsStr) -> &OsStr {
    let mut parts = name.as_bytes().splitn(3, |&byte| byte == b'-');
    OsStr::from_bytes(parts.nth(2).unwrap_or_default())
}

/// Whether a displaced file can no longer be written by a late writer, told by its name: `kept_name` begins the name of a
/// sealed file with the time, in digits, and that of the others with `open-`.
pub fn is_sealed_name(name: &OsStr) -> bool {
    name.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

/// The name of a kept file: when, something nobody else has, and the old name for whoever looks for it.
pub(crate) fn kept_name(disk: &dyn Disk, of: &OsStr, seal: Seal) -> OsString {
    let mut full = match seal {
        Seal::Sealed => Vec::new(),
        Seal::Open => UNSEALED.to_vec(),
    };
    full.extend(format!("{}-{:016x}-", disk.now().0, random()).into_bytes());
    let name = of.as_bytes();
    full.extend_from_slice(&name[..name.len().min(128)]);
    OsString::from_vec(full)
}

/// Copies an open file to a new name, flushed with its folder; how much, and what.
fn copy(
    disk: &dyn Disk,
    source: BorrowedFd<'_>,
    folder: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<(u64, Revision)> {
    let size = disk.stat(source)?.size;
    let copy = disk.open_at(folder, name, OpenMode::Create { mode: 0o600 })?;
    let mut sink = Sink::new(disk, copy.as_fd());
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

/// Another file system, or one that cannot rename without replacing.
fn is_elsewhere(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(
        Errno::from_io_error(error),
        Some(Errno::XDEV | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
    )
}
