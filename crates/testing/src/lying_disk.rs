//! A file system in user space that misbehaves, for tests of the write. It is stored in memory, implements the kernel's
//! FUSE protocol itself, and can be mounted several times, like a volume that several machines mount.

mod lie;
mod serve;
mod store;
mod wire;

use std::fs;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use store::Store;

pub use lie::Lie;

/// The content of a misbehaving file system. It lives as long as a mount or this value does.
#[derive(Clone)]
pub struct LyingDisk {
    store: Arc<Mutex<Store>>,
    /// The name of the kind of file system, as the mount table shows it after `fuse.`.
    subtype: &'static str,
}

/// A mount of a misbehaving file system, unmounted on drop.
pub struct LyingMount {
    at: PathBuf,
    server: Option<JoinHandle<()>>,
}

impl LyingDisk {
    /// Creates an empty file system that misbehaves in these ways.
    pub fn new(lies: &[Lie]) -> LyingDisk {
        LyingDisk {
            store: Arc::new(Mutex::new(Store::new(lies))),
            subtype: "lying",
        }
    }

    /// Sets a file system type that is known to be local to this machine.
    pub fn on_this_machine(mut self) -> LyingDisk {
        self.subtype = "bindfs";
        self
    }

    /// Switches one kind of misbehaviour on or off.
    pub fn set(&self, lie: Lie, lies: bool) {
        self.locked().set(lie, lies);
    }

    /// Mounts the file system at an empty folder, which is created; fails if this process may not mount.
    pub fn mount(&self, at: &Path) -> Result<LyingMount, String> {
        fs::create_dir_all(at).map_err(|error| error.to_string())?;
        let flags = OFlags::RDWR | OFlags::CLOEXEC;
        let device = rustix::fs::open("/dev/fuse", flags, Mode::empty())
            .map_err(|error| format!("/dev/fuse: {error}"))?;
        let options = format!(
            "fd={},rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions",
            device.as_raw_fd()
        );
        let options = std::ffi::CString::new(options).map_err(|error| error.to_string())?;
        let kind = format!("fuse.{}", self.subtype);
        let flags = MountFlags::NODEV | MountFlags::NOSUID;
        mount("lying", at, kind.as_str(), flags, Some(options.as_c_str()))
            .map_err(|error| format!("mount: {error}"))?;
        let store = Arc::clone(&self.store);
        let server = std::thread::spawn(move || serve(&store, &device));
        Ok(LyingMount {
            at: at.to_owned(),
            server: Some(server),
        })
    }

    /// Returns the names in the top folder, as the file system itself has them.
    pub fn names(&self) -> Vec<String> {
        self.locked().names()
    }

    /// Returns the content of a file in the top folder, as the file system itself has it.
    pub fn content(&self, name: &str) -> Option<Vec<u8>> {
        self.locked().content(name)
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(store: &Mutex<Store>, device: &OwnedFd) {
    serve::until_unmounted(store, device);
}

impl LyingMount {
    /// Returns the mount point.
    pub fn path(&self) -> &Path {
        &self.at
    }
}

impl Drop for LyingMount {
    fn drop(&mut self) {
        // Detached, so that a handle left open by a failed test does not keep the mount alive.
        let gone = unmount(&self.at, UnmountFlags::empty())
            .or_else(|_| unmount(&self.at, UnmountFlags::DETACH));
        if let (Ok(()), Some(server)) = (gone, self.server.take()) {
            drop(server);
        }
    }
}
