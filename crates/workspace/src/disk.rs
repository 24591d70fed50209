//! The system calls of this crate as one trait, [`Disk`]: a folder handle and a name, never a path. [`RealDisk`]
//! makes them; [`FaultyDisk`] makes them and fails on demand.

mod closing;
#[cfg(feature = "testing")]
mod faulty;
mod raw;
mod real;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, IoSlice};
use std::ops::ControlFlow;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(feature = "testing")]
pub use faulty::{DiskCall, FaultDuration, FaultyDisk};
pub use real::RealDisk;

use crate::stamp::{Moment, Stamp};
use crate::workspace_id::FolderOrigin;

/// How a name is opened. No mode follows a link, blocks on a pipe or is inherited by a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// A folder that can be listed and flushed.
    Folder,
    /// A folder as a starting point for further lookups (`O_PATH`); works without permission to list it.
    Passage,
    /// An existing file for reading.
    Read,
    /// An existing file for reading past the kernel's cache (`O_DIRECT`). May be unsupported.
    Uncached,
    /// A symbolic link itself. The handle only identifies it: while it is open, no other file gets its inode number.
    Link,
    /// An existing file for reading and writing; not truncated.
    Rewrite,
    /// A new file for reading and writing; fails if the name exists.
    Create {
        /// Permission bits before the umask.
        mode: u32,
    },
    /// An unnamed file in this folder (`O_TMPFILE`; the name given is `.`) for reading and writing. May be
    /// unsupported.
    Unnamed {
        /// Permission bits before the umask.
        mode: u32,
    },
    /// A lock file, created if missing.
    Lock,
}

/// A lease on an open file (`F_SETLEASE`). A program that wants to open the file meanwhile waits until the lease is
/// released; [`Disk::lease_is_unbroken`] reports that one is waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Keeps writers out; granted only if no process has the file open or mapped for writing.
    Read,
    /// Keeps every other process out; granted only if no other process has the file open.
    Write,
}

/// What a rename does if the new name exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceMode {
    /// The rename replaces the existing file.
    Over,
    /// The rename fails (`RENAME_NOREPLACE`).
    Never,
    /// The two names are exchanged (`RENAME_EXCHANGE`).
    Exchange,
}

/// The kind of an entry, as a folder listing reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A named pipe, socket or device.
    Special,
}

/// Whether all extended attributes of a file were copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributesCopied {
    /// Every attribute was copied.
    All,
    /// Attributes that need privileges (labels, capabilities) were not copied.
    NotAll,
}

/// The kinds of file system that are treated differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileSystemKind {
    /// An ordinary file system.
    Plain,
    /// A virtual file system whose content the kernel generates on reading (procfs, sysfs and similar).
    Kernel,
    /// A Windows file system, or one that may be, which gives some names a special meaning.
    Windows,
}

/// The implementation of a file system, which decides how far its answers can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileSystemHost {
    /// The kernel of this machine: renames do what their flags say, and leases see every writer.
    Kernel,
    /// The kernel of this machine, in layers (overlayfs): a lease misses a mapping whose handle is closed.
    Layers,
    /// A program on this machine (FUSE).
    Program,
    /// Another machine, or a program that may pass the files on to one: other machines write to them unnoticed.
    Network,
}

impl FileSystemHost {
    /// Returns whether the kernel carries out renames itself, so that their flags are respected or the call is refused.
    pub fn respects_rename_flags(self) -> bool {
        matches!(self, FileSystemHost::Kernel | FileSystemHost::Layers)
    }
}

/// Identifies a mount, so that what was learned about it is not applied to the next one at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MountId {
    /// The device number of its files.
    pub device: u64,
    /// The kernel's number of the mount.
    pub number: u64,
    /// Whether the kernel never gives the number to another mount (Linux 6.8).
    pub is_unique: bool,
}

/// The system calls that a workspace makes. Errors are the system's own.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Returns the current time.
    fn now(&self) -> Moment;
    /// Returns the boot id (`/proc/sys/kernel/random/boot_id`); empty if unavailable.
    fn boot(&self) -> String;
    /// Returns the kind of the file system that a folder is on.
    fn file_system_kind(&self, folder: BorrowedFd<'_>) -> io::Result<FileSystemKind>;
    /// Returns who implements the file system that a folder is on.
    fn file_system_host(&self, folder: BorrowedFd<'_>) -> io::Result<FileSystemHost>;
    /// Returns the mount that a folder is on.
    fn mount_id(&self, folder: BorrowedFd<'_>) -> io::Result<MountId>;
    /// Returns what distinguishes a folder from others that have or had the same path.
    fn folder_origin(&self, folder: BorrowedFd<'_>, path: &Path) -> FolderOrigin;
    /// Returns the absolute path of a folder with every link resolved. Only for roots, once.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;
    /// `lstat` of an absolute path. Only to check whether a root is still where it was.
    fn stat_path(&self, path: &Path) -> io::Result<Stamp>;
    /// `stat` of the folder at an absolute path; fails if any component is a link. Only to check whether a folder
    /// is still where it was.
    fn stat_folder(&self, path: &Path) -> io::Result<Stamp>;
    /// Opens a folder by its absolute path: a root, or `/`.
    fn open_folder(&self, path: &Path) -> io::Result<OwnedFd>;
    /// Opens a folder below the state folder; creates it (mode 0700, with parents) if missing.
    fn open_state_folder(&self, path: &Path) -> io::Result<OwnedFd>;
    /// Opens a folder below another; fails if a component is a link or `..`. May be unsupported.
    fn open_beneath(&self, folder: BorrowedFd<'_>, relative: &Path) -> io::Result<OwnedFd>;
    /// Opens a name in a folder.
    fn open_at(&self, folder: BorrowedFd<'_>, name: &OsStr, how: OpenMode) -> io::Result<OwnedFd>;
    /// `lstat` of a name in a folder.
    fn stat_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<Stamp>;
    /// `stat` of an open file.
    fn stat(&self, file: BorrowedFd<'_>) -> io::Result<Stamp>;
    /// `stat` of an open file that queries the program or machine that stores the file, instead of the kernel's cache.
    fn stat_uncached(&self, file: BorrowedFd<'_>) -> io::Result<Stamp>;
    /// Fails with the system's reason if this process may not write to a file.
    fn check_writable_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()>;
    /// Returns whether a file is immutable for every user, the superuser included (`chattr +i`); false if that is not
    /// known.
    fn is_immutable(&self, file: BorrowedFd<'_>) -> bool;
    /// Returns whether an open file has extended attributes or an access control list; false if that is not known. The
    /// label of the security system, which all files have where there are labels, does not count.
    fn has_attributes(&self, file: BorrowedFd<'_>) -> bool;
    /// Reads the target of a symbolic link.
    fn read_link_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<OsString>;
    /// Calls `each` for every entry except `.` and `..`, in the system's order, until it breaks.
    fn list(
        &self,
        folder: BorrowedFd<'_>,
        each: &mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>,
    ) -> io::Result<()>;
    /// Lists a folder through a handle that was opened for this alone, which saves two calls.
    fn list_with_dedicated_handle(
        &self,
        folder: BorrowedFd<'_>,
        each: &mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.list(folder, each)
    }
    /// Lists the entries except `.` and `..` with the inode numbers from the listing itself, which do not come from a
    /// lookup of a name.
    fn list_inodes(&self, folder: BorrowedFd<'_>) -> io::Result<Vec<(OsString, u64)>>;
    /// Creates a folder, mode 0777 less the umask.
    fn make_folder_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()>;
    /// Creates a symbolic link; fails if the name exists.
    fn make_link_at(&self, folder: BorrowedFd<'_>, target: &OsStr, name: &OsStr) -> io::Result<()>;
    /// Removes a name that is not a folder.
    fn remove_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()>;
    /// Renames within one folder.
    fn rename_at(
        &self,
        folder: BorrowedFd<'_>,
        from: &OsStr,
        to: &OsStr,
        replace: ReplaceMode,
    ) -> io::Result<()>;
    /// Renames from one folder to another of the same file system; fails if the new name exists.
    fn move_at(
        &self,
        from_folder: BorrowedFd<'_>,
        from: &OsStr,
        to_folder: BorrowedFd<'_>,
        to: &OsStr,
    ) -> io::Result<()>;
    /// Links an unnamed file to its first name; fails if the name exists.
    fn link_unnamed(
        &self,
        file: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
    ) -> io::Result<()>;
    /// Creates a hard link; fails if the name exists. Also unsupported where links cannot be relied on.
    fn link_at(
        &self,
        from_folder: BorrowedFd<'_>,
        from: &OsStr,
        to_folder: BorrowedFd<'_>,
        to: &OsStr,
    ) -> io::Result<()>;
    /// Reads at an offset; 0 means the end of the file.
    fn read_at(&self, file: BorrowedFd<'_>, into: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Reads at an offset into the spare capacity of `into`, which must have some; 0 means the end of the file.
    fn read_more(&self, file: BorrowedFd<'_>, into: &mut Vec<u8>, offset: u64)
    -> io::Result<usize>;
    /// Writes pieces at an offset; may write fewer bytes than given.
    fn write_at(
        &self,
        file: BorrowedFd<'_>,
        pieces: &[IoSlice<'_>],
        offset: u64,
    ) -> io::Result<usize>;
    /// Reserves space so that the file can grow to this length. Does nothing if the system cannot reserve.
    fn reserve(&self, file: BorrowedFd<'_>, from: u64, length: u64) -> io::Result<()>;
    /// Truncates or extends the file.
    fn set_length(&self, file: BorrowedFd<'_>, length: u64) -> io::Result<()>;
    /// Sets owner and group.
    fn set_owner(&self, file: BorrowedFd<'_>, uid: u32, gid: u32) -> io::Result<()>;
    /// Sets the permission bits, set-user-id and similar included.
    fn set_permissions(&self, file: BorrowedFd<'_>, mode: u32) -> io::Result<()>;
    /// Sets the modification time.
    fn set_modified(&self, file: BorrowedFd<'_>, at: Moment) -> io::Result<()>;
    /// Copies extended attributes, access control lists included, and those of the security system as far as
    /// permitted.
    fn copy_attributes(
        &self,
        from: BorrowedFd<'_>,
        to: BorrowedFd<'_>,
    ) -> io::Result<AttributesCopied>;
    /// Starts write-back of a range that is going to be flushed. A hint: it does not wait and may do nothing.
    fn begin_sync(&self, file: BorrowedFd<'_>, offset: u64, length: u64);
    /// Flushes a file or a folder (`fsync`).
    fn sync(&self, file: BorrowedFd<'_>) -> io::Result<()>;
    /// Closes a copy of a handle: some file systems report only then that they could not store what was written.
    fn close_copy(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        closing::close_copy(file)
    }
    /// Tries to take the exclusive `flock` of a file or folder; it is released with the last copy of the handle.
    fn try_lock(&self, file: BorrowedFd<'_>) -> io::Result<bool>;
    /// Releases the lock before the handle is closed.
    fn unlock(&self, file: BorrowedFd<'_>) -> io::Result<()>;
    /// Takes a lease on an open file; fails with `WouldBlock` if another program has the file open. It is released with
    /// the handle.
    fn take_lease(&self, file: BorrowedFd<'_>, lease: Lease) -> io::Result<()>;
    /// Returns whether the lease is still held and no program is waiting for it.
    fn lease_is_unbroken(&self, file: BorrowedFd<'_>, lease: Lease) -> io::Result<bool>;
    /// Releases the lease on an open file.
    fn drop_lease(&self, file: BorrowedFd<'_>) -> io::Result<()>;
    /// Sleeps before a retry.
    fn sleep(&self, time: Duration);
}
