//! A file whose bytes are slots that processes hold, for resources that all processes of a user share in countable
//! portions, such as memory and watches. A slot is a lock of one byte of the file, which the kernel releases when its
//! process ends, however it ends. Nothing is written.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

/// The open file. Slots that are taken through it belong to it: taking one twice succeeds both times, so the owner must
/// track its slots. If the same file is opened again, in this process or another, that handle is another owner.
#[derive(Debug)]
pub struct SlotLocks {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    file: File,
}

impl SlotLocks {
    /// Opens the file, or creates it and its folder, which only this user may enter.
    ///
    /// # Errors
    /// The file cannot be made, or its file system has no locks of ranges.
    pub fn open(path: &Path) -> io::Result<SlotLocks> {
        if let Some(folder) = path.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)?;
        let slots = SlotLocks { file };
        slots.probe()?;
        Ok(slots)
    }

    /// Takes a slot; false if another owner holds it.
    ///
    /// # Errors
    /// The system's own error.
    #[cfg(target_os = "linux")]
    pub fn try_take(&self, slot: u64) -> io::Result<bool> {
        use nix::errno::Errno;
        match self.set_lock(libc::F_WRLCK, slot) {
            Ok(()) => Ok(true),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Releases a slot. One that is not held is left unchanged.
    #[cfg(target_os = "linux")]
    pub fn free(&self, slot: u64) {
        // If this fails, the slot is released when the file is closed.
        let _ = self.set_lock(libc::F_UNLCK, slot);
    }

    #[cfg(target_os = "linux")]
    fn set_lock(&self, kind: libc::c_int, slot: u64) -> nix::Result<()> {
        use nix::fcntl::{FcntlArg, fcntl};
        let range = lock_range(kind, slot);
        loop {
            match fcntl(&self.file, FcntlArg::F_OFD_SETLK(&range)) {
                Ok(_) => return Ok(()),
                Err(nix::errno::Errno::EINTR) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns whether the file system has such locks at all.
    #[cfg(target_os = "linux")]
    fn probe(&self) -> io::Result<()> {
        use nix::fcntl::{FcntlArg, fcntl};
        let mut range = lock_range(libc::F_WRLCK, 0);
        fcntl(&self.file, FcntlArg::F_OFD_GETLK(&mut range))?;
        Ok(())
    }
}

/// Returns the lock of one slot.
#[cfg(target_os = "linux")]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the kinds of locks are small numbers"
)]
fn lock_range(kind: libc::c_int, slot: u64) -> libc::flock {
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: libc::off_t::try_from(slot).unwrap_or(libc::off_t::MAX - 1),
        l_len: 1,
        l_pid: 0,
    }
}

#[cfg(not(target_os = "linux"))]
impl SlotLocks {
    /// There are no such locks on this system.
    ///
    /// # Errors
    /// Always.
    pub fn try_take(&self, _: u64) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// There are no such locks on this system.
    pub fn free(&self, _: u64) {}

    fn probe(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn slot_has_one_owner_until_freed_or_closed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("search/slots");
        let (first, second) = (
            SlotLocks::open(&path).unwrap(),
            SlotLocks::open(&path).unwrap(),
        );
        assert!(first.try_take(0).unwrap());
        assert!(first.try_take(7).unwrap());
        assert!(!second.try_take(0).unwrap());
        assert!(second.try_take(1).unwrap(), "a slot is one byte");
        first.free(0);
        assert!(second.try_take(0).unwrap());
        assert!(!second.try_take(7).unwrap());
        drop(first);
        assert!(second.try_take(7).unwrap());
        assert!(second.try_take(u64::MAX).unwrap(), "no number is too high");
    }

    #[test]
    fn slot_file_is_private_and_stays_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("search/slots");
        let slots = SlotLocks::open(&path).unwrap();
        assert!(slots.try_take(5).unwrap());
        let found = path.metadata().unwrap();
        assert_eq!(
            (found.len(), found.permissions().mode() & 0o777),
            (0, 0o600)
        );
        let parent = path.parent().unwrap().metadata().unwrap();
        assert_eq!(parent.permissions().mode() & 0o777, 0o700);
    }
}
