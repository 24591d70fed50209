//! The calls of a [`FaultyDisk`]: each checks for a fault first and then makes the real call.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice};
use std::ops::ControlFlow;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::super::{
    AttributesCopied, Disk, EntryKind, FileSystemHost, FileSystemKind, Lease, MountId, OpenMode,
    ReplaceMode,
};
use super::{FaultyDisk, FlushMode, lock_mutex};
use crate::stamp::{Moment, Stamp};
use crate::workspace_id::FolderOrigin;

impl Disk for FaultyDisk {
    fn now(&self) -> Moment {
        let (seconds, nanoseconds) = self.inner.now();
        (seconds + self.ahead.load(Ordering::SeqCst), nanoseconds)
    }

    fn boot(&self) -> String {
        let other = lock_mutex(&self.boot).clone();
        other.unwrap_or_else(|| self.inner.boot())
    }

    fn file_system_kind(&self, folder: BorrowedFd<'_>) -> io::Result<FileSystemKind> {
        match *lock_mutex(&self.file_system_kind) {
            Some(file_system_kind) => Ok(file_system_kind),
            None => self.inner.file_system_kind(folder),
        }
    }

    fn file_system_host(&self, folder: BorrowedFd<'_>) -> io::Result<FileSystemHost> {
        match *lock_mutex(&self.file_system_host) {
            Some(host) => Ok(host),
            None => self.inner.file_system_host(folder),
        }
    }

    fn mount_id(&self, folder: BorrowedFd<'_>) -> io::Result<MountId> {
        self.inner.mount_id(folder)
    }

    fn folder_origin(&self, folder: BorrowedFd<'_>, path: &Path) -> FolderOrigin {
        self.inner.folder_origin(folder, path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.before_call("resolve", None)?;
        self.inner.resolve(path)
    }

    fn stat_path(&self, path: &Path) -> io::Result<Stamp> {
        self.before_call("stat_path", Some(path.as_os_str()))?;
        self.inner.stat_path(path)
    }

    fn stat_folder(&self, path: &Path) -> io::Result<Stamp> {
        self.before_call("stat_folder", Some(path.as_os_str()))?;
        self.inner.stat_folder(path)
    }

    fn open_folder(&self, path: &Path) -> io::Result<OwnedFd> {
        self.before_call("open_folder", None)?;
        self.inner.open_folder(path)
    }

    fn open_state_folder(&self, path: &Path) -> io::Result<OwnedFd> {
        self.before_call("open_state_folder", None)?;
        self.inner.open_state_folder(path)
    }

    fn open_beneath(&self, folder: BorrowedFd<'_>, relative: &Path) -> io::Result<OwnedFd> {
        self.before_call("open_beneath", Some(relative.as_os_str()))?;
        self.inner.open_beneath(folder, relative)
    }

    fn open_at(&self, folder: BorrowedFd<'_>, name: &OsStr, how: OpenMode) -> io::Result<OwnedFd> {
        self.before_call("open_at", Some(name))?;
        self.inner.open_at(folder, name, how)
    }

    fn stat_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<Stamp> {
        self.before_call("stat_at", Some(name))?;
        self.inner.stat_at(folder, name)
    }

    fn stat(&self, file: BorrowedFd<'_>) -> io::Result<Stamp> {
        self.before_call("stat", None)?;
        self.inner.stat(file)
    }

    fn stat_uncached(&self, file: BorrowedFd<'_>) -> io::Result<Stamp> {
        self.before_call("stat_uncached", None)?;
        self.inner.stat_uncached(file)
    }

    fn check_writable_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        self.before_call("check_writable_at", Some(name))?;
        self.inner.check_writable_at(folder, name)
    }

    fn is_immutable(&self, file: BorrowedFd<'_>) -> bool {
        self.inner.is_immutable(file)
    }

    fn has_attributes(&self, file: BorrowedFd<'_>) -> bool {
        self.inner.has_attributes(file)
    }

    fn read_link_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<OsString> {
        self.before_call("read_link_at", Some(name))?;
        self.inner.read_link_at(folder, name)
    }

    fn list(
        &self,
        folder: BorrowedFd<'_>,
        each: &mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.before_call("list", None)?;
        self.inner.list(folder, each)
    }

    fn list_inodes(&self, folder: BorrowedFd<'_>) -> io::Result<Vec<(OsString, u64)>> {
        self.before_call("list_inodes", None)?;
        self.inner.list_inodes(folder)
    }

    fn make_folder_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        self.before_call("make_folder_at", Some(name))?;
        self.inner.make_folder_at(folder, name)
    }

    fn make_link_at(&self, folder: BorrowedFd<'_>, target: &OsStr, name: &OsStr) -> io::Result<()> {
        self.before_call("make_link_at", Some(name))?;
        self.inner.make_link_at(folder, target, name)
    }

    fn remove_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        self.before_call("remove_at", Some(name))?;
        self.inner.remove_at(folder, name)
    }

    fn remove_folder_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        self.before_call("remove_folder_at", Some(name))?;
        self.inner.remove_folder_at(folder, name)
    }

    fn rename_at(
        &self,
        folder: BorrowedFd<'_>,
        from: &OsStr,
        to: &OsStr,
        replace: ReplaceMode,
    ) -> io::Result<()> {
        let method = match replace {
            ReplaceMode::Over => "rename_at",
            ReplaceMode::Never => "rename_at_if_free",
            ReplaceMode::Exchange => "exchange_at",
        };
        self.before_call(method, Some(to))?;
        self.inner.rename_at(folder, from, to, replace)
    }

    fn move_at(
        &self,
        from_folder: BorrowedFd<'_>,
        from: &OsStr,
        to_folder: BorrowedFd<'_>,
        to: &OsStr,
    ) -> io::Result<()> {
        self.before_call("move_at", Some(to))?;
        self.inner.move_at(from_folder, from, to_folder, to)
    }

    fn link_unnamed(
        &self,
        file: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
    ) -> io::Result<()> {
        self.before_call("link_unnamed", Some(name))?;
        self.inner.link_unnamed(file, folder, name)
    }

    fn link_at(
        &self,
        from_folder: BorrowedFd<'_>,
        from: &OsStr,
        to_folder: BorrowedFd<'_>,
        to: &OsStr,
    ) -> io::Result<()> {
        self.before_call("link_at", Some(to))?;
        self.inner.link_at(from_folder, from, to_folder, to)
    }

    fn read_at(&self, file: BorrowedFd<'_>, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.before_call("read_at", None)?;
        self.inner.read_at(file, into, offset)
    }

    fn read_more(
        &self,
        file: BorrowedFd<'_>,
        into: &mut Vec<u8>,
        offset: u64,
    ) -> io::Result<usize> {
        self.before_call("read_more", None)?;
        self.inner.read_more(file, into, offset)
    }

    fn write_at(
        &self,
        file: BorrowedFd<'_>,
        pieces: &[IoSlice<'_>],
        offset: u64,
    ) -> io::Result<usize> {
        self.before_call("write_at", None)?;
        self.inner.write_at(file, pieces, offset)
    }

    fn reserve(&self, file: BorrowedFd<'_>, from: u64, length: u64) -> io::Result<()> {
        self.before_call("reserve", None)?;
        self.inner.reserve(file, from, length)
    }

    fn set_length(&self, file: BorrowedFd<'_>, length: u64) -> io::Result<()> {
        self.before_call("set_length", None)?;
        self.inner.set_length(file, length)
    }

    fn set_owner(&self, file: BorrowedFd<'_>, uid: u32, gid: u32) -> io::Result<()> {
        self.before_call("set_owner", None)?;
        self.inner.set_owner(file, uid, gid)
    }

    fn set_permissions(&self, file: BorrowedFd<'_>, mode: u32) -> io::Result<()> {
        self.before_call("set_permissions", None)?;
        self.inner.set_permissions(file, mode)
    }

    fn set_modified(&self, file: BorrowedFd<'_>, at: Moment) -> io::Result<()> {
        self.before_call("set_modified", None)?;
        self.inner.set_modified(file, at)
    }

    fn copy_attributes(
        &self,
        from: BorrowedFd<'_>,
        to: BorrowedFd<'_>,
    ) -> io::Result<AttributesCopied> {
        self.before_call("copy_attributes", None)?;
        self.inner.copy_attributes(from, to)
    }

    fn begin_sync(&self, file: BorrowedFd<'_>, offset: u64, length: u64) {
        // A hint cannot fail and is not visible to other programs.
        self.inner.begin_sync(file, offset, length);
    }

    fn sync(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        self.before_call("sync", None)?;
        match self.flush {
            FlushMode::Made => self.inner.sync(file),
            FlushMode::LeftOut => Ok(()),
        }
    }

    fn close_copy(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        self.before_call("close_copy", None)?;
        self.inner.close_copy(file)
    }

    fn try_lock(&self, file: BorrowedFd<'_>) -> io::Result<bool> {
        self.before_call("try_lock", None)?;
        self.inner.try_lock(file)
    }

    fn unlock(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        self.before_call("unlock", None)?;
        self.inner.unlock(file)
    }

    fn take_lease(&self, file: BorrowedFd<'_>, lease: Lease) -> io::Result<()> {
        self.before_call("take_lease", None)?;
        self.inner.take_lease(file, lease)
    }

    fn lease_is_unbroken(&self, file: BorrowedFd<'_>, lease: Lease) -> io::Result<bool> {
        self.before_call("lease_is_unbroken", None)?;
        self.inner.lease_is_unbroken(file, lease)
    }

    fn drop_lease(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        self.before_call("drop_lease", None)?;
        self.inner.drop_lease(file)
    }

    fn sleep(&self, time: Duration) {
        // The hook runs; a fault cannot be returned here.
        let _ = self.before_call("pause", None);
        self.inner.sleep(time);
    }
}
