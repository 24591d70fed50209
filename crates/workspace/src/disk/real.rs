//! The real disk: each method of [`Disk`] is one system call, repeated if a signal interrupted it.

mod attributes;
mod beneath;
mod file_system;
mod host;
mod listing;
mod open_flags;
mod origin;
mod place;
mod unnamed;

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice};
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::fs::{self, Access, AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::{
    AttributesCopied, Disk, EntryKind, FileSystemHost, FileSystemKind, Lease, MountId, OpenMode,
    ReplaceMode, raw,
};
use crate::stamp::{Moment, Stamp};
use crate::workspace_id::FolderOrigin;
use attributes::permission_bits;

/// The disk of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl RealDisk {
    #[allow(
        clippy::unnecessary_cast,
        reason = "the fields' types differ between systems"
    )]
    fn stamp(&self, stat: fs::Stat) -> Stamp {
        Stamp {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mtime: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
            ctime: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
            mode: stat.st_mode as u32,
            uid: stat.st_uid,
            gid: stat.st_gid,
            links: stat.st_nlink as u64,
            taken: self.now(),
        }
    }
}

impl Disk for RealDisk {
    fn now(&self) -> Moment {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        (now.tv_sec, u32::try_from(now.tv_nsec).unwrap_or(0))
    }

    fn boot(&self) -> String {
        file_system::boot()
    }

    fn file_system_kind(&self, folder: BorrowedFd<'_>) -> io::Result<FileSystemKind> {
        file_system::kind_of(folder)
    }

    fn file_system_host(&self, folder: BorrowedFd<'_>) -> io::Result<FileSystemHost> {
        host::file_system_host(folder)
    }

    fn mount_id(&self, folder: BorrowedFd<'_>) -> io::Result<MountId> {
        host::mount_id(folder)
    }

    fn folder_origin(&self, folder: BorrowedFd<'_>, path: &Path) -> FolderOrigin {
        origin::folder_origin(folder, path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn stat_path(&self, path: &Path) -> io::Result<Stamp> {
        Ok(self.stamp(fs::lstat(path)?))
    }

    fn stat_folder(&self, path: &Path) -> io::Result<Stamp> {
        Ok(self.stamp(place::stat(path)?))
    }

    fn open_folder(&self, path: &Path) -> io::Result<OwnedFd> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        match retry_on_intr(|| fs::open(path, OFlags::RDONLY | flags, Mode::empty())) {
            Err(Errno::ACCESS) => Ok(retry_on_intr(|| {
                fs::open(path, open_flags::PASSAGE | flags, Mode::empty())
            })?),
            other => Ok(other?),
        }
    }

    fn open_state_folder(&self, path: &Path) -> io::Result<OwnedFd> {
        match self.open_folder(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                std::fs::DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(path)?;
                self.open_folder(path)
            }
            other => other,
        }
    }

    fn open_beneath(&self, folder: BorrowedFd<'_>, relative: &Path) -> io::Result<OwnedFd> {
        beneath::open(folder, relative)
    }

    fn open_at(&self, folder: BorrowedFd<'_>, name: &OsStr, how: OpenMode) -> io::Result<OwnedFd> {
        let (flags, mode) = open_flags::flags_of(how)?;
        Ok(retry_on_intr(|| {
            fs::openat(folder, name, flags, permission_bits(mode))
        })?)
    }

    fn stat_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<Stamp> {
        Ok(self.stamp(fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    fn stat(&self, file: BorrowedFd<'_>) -> io::Result<Stamp> {
        Ok(self.stamp(fs::fstat(file)?))
    }

    fn stat_uncached(&self, file: BorrowedFd<'_>) -> io::Result<Stamp> {
        host::ask_again(file).and_then(|()| self.stat(file))
    }

    fn check_writable_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        Ok(fs::accessat(
            folder,
            name,
            Access::WRITE_OK,
            AtFlags::EACCESS,
        )?)
    }

    fn is_immutable(&self, file: BorrowedFd<'_>) -> bool {
        attributes::is_immutable(file)
    }

    fn has_attributes(&self, file: BorrowedFd<'_>) -> bool {
        attributes::has_attributes(file)
    }

    fn read_link_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<OsString> {
        let target = fs::readlinkat(folder, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()))
    }

    fn list(
        &self,
        folder: BorrowedFd<'_>,
        each: &mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        listing::for_each_entry(folder, each)
    }

    #[cfg(target_os = "linux")]
    fn list_with_dedicated_handle(
        &self,
        folder: BorrowedFd<'_>,
        each: &mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        listing::list_through_handle(folder, each)
    }

    fn list_inodes(&self, folder: BorrowedFd<'_>) -> io::Result<Vec<(OsString, u64)>> {
        listing::list_inodes(folder)
    }

    fn make_folder_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        Ok(fs::mkdirat(folder, name, permission_bits(0o777))?)
    }

    fn make_link_at(&self, folder: BorrowedFd<'_>, target: &OsStr, name: &OsStr) -> io::Result<()> {
        Ok(fs::symlinkat(target, folder, name)?)
    }

    fn remove_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(folder, name, AtFlags::empty())?)
    }

    fn remove_folder_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(folder, name, AtFlags::REMOVEDIR)?)
    }

    fn rename_at(
        &self,
        folder: BorrowedFd<'_>,
        from: &OsStr,
        to: &OsStr,
        replace: ReplaceMode,
    ) -> io::Result<()> {
        use rustix::fs::RenameFlags;
        let flags = match replace {
            ReplaceMode::Over => return Ok(fs::renameat(folder, from, folder, to)?),
            ReplaceMode::Never => RenameFlags::NOREPLACE,
            ReplaceMode::Exchange => RenameFlags::EXCHANGE,
        };
        Ok(fs::renameat_with(folder, from, folder, to, flags)?)
    }

    fn move_at(
        &self,
        from_folder: BorrowedFd<'_>,
        from: &OsStr,
        to_folder: BorrowedFd<'_>,
        to: &OsStr,
    ) -> io::Result<()> {
        use rustix::fs::RenameFlags;
        let flags = RenameFlags::NOREPLACE;
        Ok(fs::renameat_with(from_folder, from, to_folder, to, flags)?)
    }

    fn link_unnamed(
        &self,
        file: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
    ) -> io::Result<()> {
        unnamed::link(file, folder, name)
    }

    fn link_at(
        &self,
        from_folder: BorrowedFd<'_>,
        from: &OsStr,
        to_folder: BorrowedFd<'_>,
        to: &OsStr,
    ) -> io::Result<()> {
        if !host::has_sound_links(to_folder) {
            return Err(rustix::io::Errno::OPNOTSUPP.into());
        }
        let flags = AtFlags::empty();
        Ok(fs::linkat(from_folder, from, to_folder, to, flags)?)
    }

    fn read_at(&self, file: BorrowedFd<'_>, into: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(retry_on_intr(|| {
            rustix::io::pread(file, &mut *into, offset)
        })?)
    }

    fn read_more(
        &self,
        file: BorrowedFd<'_>,
        into: &mut Vec<u8>,
        offset: u64,
    ) -> io::Result<usize> {
        Ok(retry_on_intr(|| {
            rustix::io::pread(file, spare_capacity(into), offset)
        })?)
    }

    fn write_at(
        &self,
        file: BorrowedFd<'_>,
        pieces: &[IoSlice<'_>],
        offset: u64,
    ) -> io::Result<usize> {
        Ok(retry_on_intr(|| rustix::io::pwritev(file, pieces, offset))?)
    }

    #[cfg(target_os = "linux")]
    fn reserve(&self, file: BorrowedFd<'_>, from: u64, length: u64) -> io::Result<()> {
        let more = length.saturating_sub(from);
        if more == 0 {
            return Ok(());
        }
        match retry_on_intr(|| fs::fallocate(file, fs::FallocateFlags::KEEP_SIZE, from, more)) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
            other => Ok(other?),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn reserve(&self, _: BorrowedFd<'_>, _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn set_length(&self, file: BorrowedFd<'_>, length: u64) -> io::Result<()> {
        Ok(retry_on_intr(|| fs::ftruncate(file, length))?)
    }

    fn set_owner(&self, file: BorrowedFd<'_>, uid: u32, gid: u32) -> io::Result<()> {
        Ok(fs::fchown(
            file,
            Some(fs::Uid::from_raw(uid)),
            Some(fs::Gid::from_raw(gid)),
        )?)
    }

    fn set_permissions(&self, file: BorrowedFd<'_>, mode: u32) -> io::Result<()> {
        Ok(fs::fchmod(file, permission_bits(mode))?)
    }

    fn set_modified(&self, file: BorrowedFd<'_>, at: Moment) -> io::Result<()> {
        attributes::set_modified(file, at)
    }

    fn copy_attributes(
        &self,
        from: BorrowedFd<'_>,
        to: BorrowedFd<'_>,
    ) -> io::Result<AttributesCopied> {
        attributes::copy_attributes(from, to)
    }

    fn begin_sync(&self, file: BorrowedFd<'_>, offset: u64, length: u64) {
        raw::begin_sync(file, offset, length);
    }

    #[cfg(not(target_vendor = "apple"))]
    fn sync(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        Ok(retry_on_intr(|| fs::fsync(file.as_fd()))?)
    }

    /// On macOS `fsync` does not flush the drive's cache. Untested.
    #[cfg(target_vendor = "apple")]
    fn sync(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        match retry_on_intr(|| fs::fcntl_fullfsync(file.as_fd())) {
            Err(Errno::NOTSUP | Errno::INVAL | Errno::NOTTY) => {
                Ok(retry_on_intr(|| fs::fsync(file.as_fd()))?)
            }
            other => Ok(other?),
        }
    }

    fn try_lock(&self, file: BorrowedFd<'_>) -> io::Result<bool> {
        match retry_on_intr(|| fs::flock(file, FlockOperation::NonBlockingLockExclusive)) {
            Err(Errno::WOULDBLOCK) => Ok(false),
            other => Ok(other.map(|()| true)?),
        }
    }

    fn unlock(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        Ok(retry_on_intr(|| fs::flock(file, FlockOperation::Unlock))?)
    }

    fn take_lease(&self, file: BorrowedFd<'_>, lease: Lease) -> io::Result<()> {
        raw::take_lease(file, lease)
    }

    fn lease_is_unbroken(&self, file: BorrowedFd<'_>, lease: Lease) -> io::Result<bool> {
        raw::lease_is_unbroken(file, lease)
    }

    fn drop_lease(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        raw::drop_lease(file)
    }

    fn sleep(&self, time: Duration) {
        if time.is_zero() {
            return;
        }
        // The default timer slack lengthens a sleep by 50 microseconds, which is long for one of 20.
        let _exact = raw::without_timer_slack();
        std::thread::sleep(time);
    }
}
