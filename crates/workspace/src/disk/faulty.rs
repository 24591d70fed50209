//! A test double for [`Disk`]: fails the n-th call with a chosen error, and runs a hook before each call where a test
//! can act as another program. No production path creates one.

mod call;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, IoSlice};
use std::ops::ControlFlow;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{
    AttributesCopied, Disk, EntryKind, FileSystemKind, Lease, OpenMode, RealDisk, Replace,
};
use crate::stamp::{Moment, Stamp};
pub use call::{Call, Lasting};

type Hook = Arc<dyn Fn(&Call<'_>) + Send + Sync>;

/// Whether `sync` flushes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Flush {
    #[default]
    Made,
    LeftOut,
}

/// A disk that makes the real calls and fails on demand, for tests.
#[derive(Default)]
pub struct FaultyDisk {
    inner: RealDisk,
    flush: Flush,
    calls: AtomicU64,
    fault: Mutex<Option<(u64, i32, Lasting)>>,
    refused: Mutex<Vec<(&'static str, i32)>>,
    hook: Mutex<Option<Hook>>,
    file_system_kind: Mutex<Option<FileSystemKind>>,
    ahead: AtomicI64,
    boot: Mutex<Option<String>>,
}

impl fmt::Debug for FaultyDisk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("FaultyDisk")
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FaultyDisk {
    /// A disk that works until a fault is set.
    pub fn new() -> FaultyDisk {
        FaultyDisk::default()
    }

    /// A disk that works and skips every flush, for property tests with thousands of small files.
    pub fn unflushed() -> FaultyDisk {
        FaultyDisk {
            flush: Flush::LeftOut,
            ..FaultyDisk::default()
        }
    }

    /// Resets the call counter and lets the `number`-th call fail with `errno`.
    pub fn fail(&self, number: u64, errno: i32, lasting: Lasting) {
        self.calls.store(0, Ordering::SeqCst);
        *locked(&self.fault) = Some((number, errno, lasting));
    }

    /// Lets every call of this method fail with `errno`, like a file system that does not support it.
    pub fn refuse(&self, method: &'static str, errno: i32) {
        locked(&self.refused).push((method, errno));
    }

    /// Removes all faults and resets the call counter.
    pub fn mend(&self) {
        self.calls.store(0, Ordering::SeqCst);
        *locked(&self.fault) = None;
        locked(&self.refused).clear();
    }

    /// Sets the boot id, as after a restart of the system.
    pub fn restart(&self, boot: &str) {
        *locked(&self.boot) = Some(boot.to_owned());
    }

    /// Sets the clock ahead by this many seconds.
    pub fn set_ahead(&self, seconds: i64) {
        self.ahead.store(seconds, Ordering::SeqCst);
    }

    /// Reports this kind for every file system.
    pub fn pretend(&self, file_system_kind: FileSystemKind) {
        *locked(&self.file_system_kind) = Some(file_system_kind);
    }

    /// Returns the number of calls since the last [`FaultyDisk::fail`] or [`FaultyDisk::mend`].
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    /// Runs `hook` before each call, the failing one too.
    pub fn before_each(&self, hook: impl Fn(&Call<'_>) + Send + Sync + 'static) {
        *locked(&self.hook) = Some(Arc::new(hook));
    }

    /// Removes the hook.
    pub fn clear_hook(&self) {
        *locked(&self.hook) = None;
    }

    fn before(&self, method: &'static str, name: Option<&OsStr>) -> io::Result<()> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        // Clone the hook, so that it may set another one.
        let hook = locked(&self.hook).clone();
        if let Some(hook) = hook {
            hook(&Call {
                number,
                method,
                name,
            });
        }
        if let Some((_, errno)) = locked(&self.refused)
            .iter()
            .find(|(other, _)| *other == method)
        {
            return Err(io::Error::from_raw_os_error(*errno));
        }
        match *locked(&self.fault) {
            Some((at, errno, Lasting::Once)) if number == at => {
                Err(io::Error::from_raw_os_error(errno))
            }
            Some((at, errno, Lasting::FromThereOn)) if number >= at => {
                Err(io::Error::from_raw_os_error(errno))
            }
            _ => Ok(()),
        }
    }
}

impl Disk for FaultyDisk {
    fn now(&self) -> Moment {
        let (seconds, nanoseconds) = self.inner.now();
        (seconds + self.ahead.load(Ordering::SeqCst), nanoseconds)
    }

    fn boot(&self) -> String {
        let other = locked(&self.boot).clone();
        other.unwrap_or_else(|| self.inner.boot())
    }

    fn file_system_kind(&self, folder: BorrowedFd<'_>) -> io::Result<FileSystemKind> {
        match *locked(&self.file_system_kind) {
            Some(file_system_kind) => Ok(file_system_kind),
            None => self.inner.file_system_kind(folder),
        }
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.before("resolve", None)?;
        self.inner.resolve(path)
    }

    fn stat_path(&self, path: &Path) -> io::Result<Stamp> {
        self.before("stat_path", Some(path.as_os_str()))?;
        self.inner.stat_path(path)
    }

    fn stat_folder(&self, path: &Path) -> io::Result<Stamp> {
        self.before("stat_folder", Some(path.as_os_str()))?;
        self.inner.stat_folder(path)
    }

    fn open_folder(&self, path: &Path) -> io::Result<OwnedFd> {
        self.before("open_folder", None)?;
        self.inner.open_folder(path)
    }

    fn open_state_folder(&self, path: &Path) -> io::Result<OwnedFd> {
        self.before("open_state_folder", None)?;
        self.inner.open_state_folder(path)
    }

    fn open_beneath(&self, folder: BorrowedFd<'_>, relative: &Path) -> io::Result<OwnedFd> {
        self.before("open_beneath", Some(relative.as_os_str()))?;
        self.inner.open_beneath(folder, relative)
    }

    fn open_at(&self, folder: BorrowedFd<'_>, name: &OsStr, how: OpenMode) -> io::Result<OwnedFd> {
        self.before("open_at", Some(name))?;
        self.inner.open_at(folder, name, how)
    }

    fn stat_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<Stamp> {
        self.before("stat_at", Some(name))?;
        self.inner.stat_at(folder, name)
    }

    fn stat(&self, file: BorrowedFd<'_>) -> io::Result<Stamp> {
        self.before("stat", None)?;
        self.inner.stat(file)
    }

    fn check_writable_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        self.before("check_writable_at", Some(name))?;
        self.inner.check_writable_at(folder, name)
    }

    fn is_immutable(&self, file: BorrowedFd<'_>) -> bool {
        self.inner.is_immutable(file)
    }

    fn read_link_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<OsString> {
        self.before("read_link_at", Some(name))?;
        self.inner.read_link_at(folder, name)
    }

    fn list(
        &self,
        folder: BorrowedFd<'_>,
        each: &mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.before("list", None)?;
        self.inner.list(folder, each)
    }

    fn make_folder_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        self.before("make_folder_at", Some(name))?;
        self.inner.make_folder_at(folder, name)
    }

    fn remove_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        self.before("remove_at", Some(name))?;
        self.inner.remove_at(folder, name)
    }

    fn remove_folder_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        self.before("remove_folder_at", Some(name))?;
        self.inner.remove_folder_at(folder, name)
    }

    fn rename_at(
        &self,
        folder: BorrowedFd<'_>,
        from: &OsStr,
        to: &OsStr,
        replace: Replace,
    ) -> io::Result<()> {
        let method = match replace {
            Replace::Over => "rename_at",
            Replace::Never => "rename_at_if_free",
            Replace::Exchange => "exchange_at",
        };
        self.before(method, Some(to))?;
        self.inner.rename_at(folder, from, to, replace)
    }

    fn move_at(
        &self,
        from_folder: BorrowedFd<'_>,
        from: &OsStr,
        to_folder: BorrowedFd<'_>,
        to: &OsStr,
    ) -> io::Result<()> {
        self.before("move_at", Some(to))?;
        self.inner.move_at(from_folder, from, to_folder, to)
    }

    fn link_unnamed(
        &self,
        file: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
    ) -> io::Result<()> {
        self.before("link_unnamed", Some(name))?;
        self.inner.link_unnamed(file, folder, name)
    }

    fn link_at(&self, folder: BorrowedFd<'_>, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.before("link_at", Some(to))?;
        self.inner.link_at(folder, from, to)
    }

    fn read_at(&self, file: BorrowedFd<'_>, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.before("read_at", None)?;
        self.inner.read_at(file, into, offset)
    }

    fn read_more(
        &self,
        file: BorrowedFd<'_>,
        into: &mut Vec<u8>,
        offset: u64,
    ) -> io::Result<usize> {
        self.before("read_more", None)?;
        self.inner.read_more(file, into, offset)
    }

    fn write_at(
        &self,
        file: BorrowedFd<'_>,
        pieces: &[IoSlice<'_>],
        offset: u64,
    ) -> io::Result<usize> {
        self.before("write_at", None)?;
        self.inner.write_at(file, pieces, offset)
    }

    fn reserve(&self, file: BorrowedFd<'_>, from: u64, length: u64) -> io::Result<()> {
        self.before("reserve", None)?;
        self.inner.reserve(file, from, length)
    }

    fn set_length(&self, file: BorrowedFd<'_>, length: u64) -> io::Result<()> {
        self.before("set_length", None)?;
        self.inner.set_length(file, length)
    }

    fn set_owner(&self, file: BorrowedFd<'_>, uid: u32, gid: u32) -> io::Result<()> {
        self.before("set_owner", None)?;
        self.inner.set_owner(file, uid, gid)
    }

    fn set_permissions(&self, file: BorrowedFd<'_>, mode: u32) -> io::Result<()> {
        self.before("set_permissions", None)?;
        self.inner.set_permissions(file, mode)
    }

    fn set_modified(&self, file: BorrowedFd<'_>, at: Moment) -> io::Result<()> {
        self.before("set_modified", None)?;
        self.inner.set_modified(file, at)
    }

    fn copy_attributes(
        &self,
        from: BorrowedFd<'_>,
        to: BorrowedFd<'_>,
    ) -> io::Result<AttributesCopied> {
        self.before("copy_attributes", None)?;
        self.inner.copy_attributes(from, to)
    }

    fn begin_sync(&self, file: BorrowedFd<'_>, offset: u64, length: u64) {
        // A hint cannot fail and is not visible to other programs.
        self.inner.begin_sync(file, offset, length);
    }

    fn sync(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        self.before("sync", None)?;
        match self.flush {
            Flush::Made => self.inner.sync(file),
            Flush::LeftOut => Ok(()),
        }
    }

    fn try_lock(&self, file: BorrowedFd<'_>) -> io::Result<bool> {
        self.before("try_lock", None)?;
        self.inner.try_lock(file)
    }

    fn unlock(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        self.before("unlock", None)?;
        self.inner.unlock(file)
    }

    fn take_lease(&self, file: BorrowedFd<'_>, lease: Lease) -> io::Result<()> {
        self.before("take_lease", None)?;
        self.inner.take_lease(file, lease)
    }

    fn lease_is_quiet(&self, file: BorrowedFd<'_>, lease: Lease) -> io::Result<bool> {
        self.before("lease_is_quiet", None)?;
        self.inner.lease_is_quiet(file, lease)
    }

    fn lease_sees_all(&self, file: BorrowedFd<'_>) -> io::Result<bool> {
        self.before("lease_sees_all", None)?;
        self.inner.lease_sees_all(file)
    }

    fn drop_lease(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        self.before("drop_lease", None)?;
        self.inner.drop_lease(file)
    }

    fn pause(&self, time: Duration) {
        // The hook runs; a fault cannot be returned here.
        let _ = self.before("pause", None);
        self.inner.pause(time);
    }
}
