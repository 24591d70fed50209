//! A file system in user space that does not do what it says, for tests of the write. It is kept in memory, speaks the
//! kernel's FUSE protocol itself, and can be mounted several times, like a volume that several machines mount.

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

/// The content of a lying file system. It lives as long as a mount or this value does.
#[derive(Clone)]
pub struct LyingDisk {
    store: Arc<Mutex<Store>>,
    /// The name of the kind of file system, as the mount table shows it after `fuse.`.
    subtype: &'static str,
}

/// A mount of a lying file system, unmounted on drop.
pub struct LyingMount {
    at: PathBuf,
    server: Option<JoinHandle<()>>,
}

impl LyingDisk {
    /// An empty file system that lies in these ways.
    pub fn new(lies: &[Lie]) -> LyingDisk {
        LyingDisk {
            store: Arc::new(Mutex::new(Store::new(lies))),
            subtype: "lying",
        }
    }

    /// Mounts it as a kind of file system that is known to be on this machine.
    pub fn on_this_machine(mut self) -> LyingDisk {
        self.subtype = "bindfs";
        self
    }

    /// Stops or begins to lie in one way.
    pub fn set(&self, lie: Lie, lies: bool) {
        self.locked().set(lie, lies);
    }

    /// Mounts the file system at an empty folder, which is created; fails where this process may not mount.
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

    /// The names in the top folder, as the file system itself has them.
    pub fn names(&self) -> Vec<String> {
        self.locked().names()
    }

    /// The content of a file in the top folder, as the file system itself has it.
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
    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.at
    }
}

impl Drop for LyingMount {
    fn drop(&mut self) {
        // Detached, so that a handle which a failed test left open does not keep it.
        let gone = unmount(&self.at, UnmountFlags::empty())
            .or_else(|_| unmount(&self.at, UnmountFlags::DETACH));
        if let (Ok(()), Some(server)) = (gone, self.server.take()) {
            drop(server);
        }
    }
}
