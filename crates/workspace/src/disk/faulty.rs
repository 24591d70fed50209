//! A test double for [`Disk`]: fails the n-th call with a chosen error, and runs a hook before each call in which a
//! test can act as another program. No production code creates one.

mod call;
mod disk;

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{FileSystemHost, FileSystemKind, RealDisk};
pub use call::{DiskCall, FaultDuration};

type Hook = Arc<dyn Fn(&DiskCall<'_>) + Send + Sync>;

/// Whether `sync` flushes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FlushMode {
    #[default]
    Made,
    LeftOut,
}

/// A disk that makes the real calls and fails on demand, for tests.
#[derive(Default)]
pub struct FaultyDisk {
    inner: RealDisk,
    flush: FlushMode,
    calls: AtomicU64,
    fault: Mutex<Option<(u64, i32, FaultDuration)>>,
    refused: Mutex<Vec<(&'static str, i32)>>,
    hook: Mutex<Option<Hook>>,
    file_system_kind: Mutex<Option<FileSystemKind>>,
    file_system_host: Mutex<Option<FileSystemHost>>,
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

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FaultyDisk {
    /// Returns a disk that works until a fault is set.
    pub fn new() -> FaultyDisk {
        FaultyDisk::default()
    }

    /// Returns a disk that works and skips every flush, for property tests with thousands of small files.
    pub fn without_flushes() -> FaultyDisk {
        FaultyDisk {
            flush: FlushMode::LeftOut,
            ..FaultyDisk::default()
        }
    }

    /// Resets the call counter and lets the `number`-th call fail with `errno`.
    pub fn fail_call(&self, number: u64, errno: i32, lasting: FaultDuration) {
        self.calls.store(0, Ordering::SeqCst);
        *lock_mutex(&self.fault) = Some((number, errno, lasting));
    }

    /// Lets every call of this method fail with `errno`, like a file system that does not support it.
    pub fn fail_method(&self, method: &'static str, errno: i32) {
        lock_mutex(&self.refused).push((method, errno));
    }

    /// Lets every call that needs disk space fail, like a disk that is full. Existing files can be read, renamed and
    /// removed.
    pub fn fill_disk(&self) {
        let full = rustix::io::Errno::NOSPC.raw_os_error();
        for method in ["write_at", "reserve", "make_folder_at", "make_link_at"] {
            self.fail_method(method, full);
        }
    }

    /// Removes all faults and resets the call counter.
    pub fn clear_faults(&self) {
        self.calls.store(0, Ordering::SeqCst);
        *lock_mutex(&self.fault) = None;
        lock_mutex(&self.refused).clear();
    }

    /// Sets the boot id, as after a restart of the system.
    pub fn set_boot_id(&self, boot: &str) {
        *lock_mutex(&self.boot) = Some(boot.to_owned());
    }

    /// Sets the clock ahead by this many seconds.
    pub fn set_clock_ahead(&self, seconds: i64) {
        self.ahead.store(seconds, Ordering::SeqCst);
    }

    /// Reports this kind for every file system.
    pub fn pretend_kind(&self, file_system_kind: FileSystemKind) {
        *lock_mutex(&self.file_system_kind) = Some(file_system_kind);
    }

    /// Reports this host for every file system.
    pub fn pretend_host(&self, host: FileSystemHost) {
        *lock_mutex(&self.file_system_host) = Some(host);
    }

    /// Returns the number of calls since the last [`FaultyDisk::fail_call`] or [`FaultyDisk::clear_faults`].
    pub fn call_count(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    /// Runs `hook` before each call, the failing one too.
    pub fn set_hook(&self, hook: impl Fn(&DiskCall<'_>) + Send + Sync + 'static) {
        *lock_mutex(&self.hook) = Some(Arc::new(hook));
    }

    /// Removes the hook.
    pub fn clear_hook(&self) {
        *lock_mutex(&self.hook) = None;
    }

    fn before_call(&self, method: &'static str, name: Option<&OsStr>) -> io::Result<()> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        // Clone the hook, so that it may set another one.
        let hook = lock_mutex(&self.hook).clone();
        if let Some(hook) = hook {
            hook(&DiskCall {
                number,
                method,
                name,
            });
        }
        if let Some((_, errno)) = lock_mutex(&self.refused)
            .iter()
            .find(|(other, _)| *other == method)
        {
            return Err(io::Error::from_raw_os_error(*errno));
        }
        match *lock_mutex(&self.fault) {
            Some((at, errno, FaultDuration::Once)) if number == at => {
                Err(io::Error::from_raw_os_error(errno))
            }
            Some((at, errno, FaultDuration::FromThereOn)) if number >= at => {
                Err(io::Error::from_raw_os_error(errno))
            }
            _ => Ok(()),
        }
    }
}
