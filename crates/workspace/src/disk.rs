//! The calls to the system that this crate makes, as one trait: a folder's handle and a name, never a path.
//! [`RealDisk`] makes them, [`FaultyDisk`] makes them until it is told to fail one.

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

pub use faulty::{Call, FaultyDisk, Lasting};
pub use real::RealDisk;

use crate::stamp::{Moment, Stamp};

/// How a name is opened. None of these follows a link, waits for the other end of a pipe or is handed on to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// A folder, so that it can be listed and flushed.
    Folder,
    /// A folder, only to go on from: works without permission to list it.
    Passage,
    /// A file for reading.
    Read,
    /// A file for reading and writing; not truncated.
    Rewrite,
    /// A file that must not be there yet, for reading and writing.
    Create {
        /// Permission bits before the umask.
        mode: u32,
    },
    /// A file without a name in this folder (the name given is the folder's own, `.`), for reading and writing. May be
    /// unsupported.
    Unnamed {
        /// Permission bits before the umask.
        mode: u32,
    },
    /// A lock file, made if missing.
    Lock,
}

/// What a lease keeps away from an open file. Whoever wants in meanwhile waits until it is given back, and
/// [`Disk::lease_is_quiet`] tells that somebody does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Writers; had only where nobody has the file open for writing, or mapped so.
    Read,
    /// Everybody; had only where nobody else has the file open at all.
    Write,
}

/// What a rename does with a name that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// It is replaced.
    Over,
    /// The rename fails.
    Never,
    /// The two names change places.
    Exchange,
}

/// The kind of a folder's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, to whatever.
    Link,
    /// Pipe, socket, device.
    Special,
}

/// Whether all attributes of a file could be given to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributesCopied {
    /// All of them.
    All,
    /// All but some of the security system's.
    NotAll,
}

/// What is special about a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileSystemKind {
    /// Nothing.
    Plain,
    /// Its files are not files: the kernel makes them up when they are read (procfs, sysfs and kin).
    Kernel,
    /// It is, or may be, a drive of Windows, which reads some names in its own way.
    Windows,
}

/// Everything that is asked of the system. Errors are the system's own.
pub trait Disk: Send + Sync + fmt::Debug {
    /// The clock.
    fn now(&self) -> Moment;
    /// What tells this start of the system from others; empty where there is no such thing.
    fn boot(&self) -> String;
    /// What is special about the file system that a folder is on.
    fn file_system_kind(&self, folder: BorrowedFd<'_>) -> io::Result<FileSystemKind>;
    /// The absolute path of a folder with every link in it resolved. Only for roots, once.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;
    /// `stat` of an absolute path, of the link itself where its last name is one. Only to see whether a root is still
    /// where it was.
    fn stat_path(&self, path: &Path) -> io::Result<Stamp>;
    /// `stat` of the folder at an absolute path; fails where any part of the path is a link. Only to see whether a folder
    /// is still where it was.
    fn stat_folder(&self, path: &Path) -> io::Result<Stamp>;
    /// Opens a folder by its absolute path: roots, and `/` to start a walk from.
    fn open_folder(&self, path: &Path) -> io::Result<OwnedFd>;
    /// Makes (mode 0700, with parents) and opens a folder of the state folder.
    fn open_state_folder(&self, path: &Path) -> io::Result<OwnedFd>;
    /// Opens a folder some levels below another; fails wherever a link or `..` is met on the way. May be unsupported.
    fn open_beneath(&self, folder: BorrowedFd<'_>, relative: &Path) -> io::Result<OwnedFd>;
    /// Opens a name.
    fn open_at(&self, folder: BorrowedFd<'_>, name: &OsStr, how: OpenMode) -> io::Result<OwnedFd>;
    /// `stat` of a name, of the link itself where it is one.
    fn stat_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<Stamp>;
    /// `stat` of an open file.
    fn stat(&self, file: BorrowedFd<'_>) -> io::Result<Stamp>;
    /// May this process write to that file? An error that says why not, else nothing.
    fn check_writable_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()>;
    /// Does the file system itself keep everybody, the superuser too, from changing that open file (`chattr +i`)? No
    /// where that cannot be told.
    fn is_immutable(&self, file: BorrowedFd<'_>) -> bool;
    /// Where a link points to.
    fn read_link_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<OsString>;
    /// Calls `each` for every entry but `.` and `..`, in the system's order, until it breaks.
    fn list(
        &self,
        folder: BorrowedFd<'_>,
        each: &mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>,
    ) -> io::Result<()>;
    /// The same by a handle that was opened for this and that nobody else lists: two calls less for a folder.
    fn list_once(
        &self,
        folder: BorrowedFd<'_>,
        each: &mut dyn FnMut(&OsStr, EntryKind) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.list(folder, each)
    }
    /// Makes a folder, mode 0777 less the umask.
    fn make_folder_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()>;
    /// Removes a name that is no folder.
    fn remove_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder_at(&self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()>;
    /// Renames inside one folder.
    fn rename_at(
        &self,
        folder: BorrowedFd<'_>,
        from: &OsStr,
        to: &OsStr,
        replace: Replace,
    ) -> io::Result<()>;
    /// Renames from one folder to another of the same file system; fails where the new name is taken.
    fn move_at(
        &self,
        from_folder: BorrowedFd<'_>,
        from: &OsStr,
        to_folder: BorrowedFd<'_>,
        to: &OsStr,
    ) -> io::Result<()>;
    /// Gives a file that was opened without a name its first one; fails where it is taken.
    fn link_unnamed(
        &self,
        file: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
    ) -> io::Result<()>;
    /// Gives a file a second name in the same folder; fails where it is taken.
    fn link_at(&self, folder: BorrowedFd<'_>, from: &OsStr, to: &OsStr) -> io::Result<()>;
    /// Reads at an offset; 0 is the end.
    fn read_at(&self, file: BorrowedFd<'_>, into: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Reads at an offset into the spare room of `into`, which must have some; 0 is the end.
    fn read_more(&self, file: BorrowedFd<'_>, into: &mut Vec<u8>, offset: u64)
    -> io::Result<usize>;
    /// Writes pieces at an offset; may write less than all.
    fn write_at(
        &self,
        file: BorrowedFd<'_>,
        pieces: &[IoSlice<'_>],
        offset: u64,
    ) -> io::Result<usize>;
    /// Makes sure that the file can grow to this length. Quietly nothing where that cannot be asked.
    fn reserve(&self, file: BorrowedFd<'_>, from: u64, length: u64) -> io::Result<()>;
    /// Cuts or extends the file.
    fn set_length(&self, file: BorrowedFd<'_>, length: u64) -> io::Result<()>;
    /// Sets owner and group.
    fn set_owner(&self, file: BorrowedFd<'_>, uid: u32, gid: u32) -> io::Result<()>;
    /// Sets the permission bits, special ones too.
    fn set_permissions(&self, file: BorrowedFd<'_>, mode: u32) -> io::Result<()>;
    /// Sets the time of the last change.
    fn set_modified(&self, file: BorrowedFd<'_>, at: Moment) -> io::Result<()>;
    /// Copies extended attributes, access control lists among them; those of the security system as far as it lets us.
    fn copy_attributes(
        &self,
        from: BorrowedFd<'_>,
        to: BorrowedFd<'_>,
    ) -> io::Result<AttributesCopied>;
    /// Lets the disk begin with a stretch of a file that is going to be flushed. A hint: nothing is waited for, and where
    /// it is not known nothing happens.
    fn begin_sync(&self, file: BorrowedFd<'_>, offset: u64, length: u64);
    /// Flushes a file or a folder to the disk.
    fn sync(&self, file: BorrowedFd<'_>) -> io::Result<()>;
    /// Takes the exclusive lock of a file or folder if nobody has it; it goes with the last copy of the handle.
    fn try_lock(&self, file: BorrowedFd<'_>) -> io::Result<bool>;
    /// Gives it back before that.
    fn unlock(&self, file: BorrowedFd<'_>) -> io::Result<()>;
    /// Takes a lease of an open file; "would block" where somebody is in the way. It goes with the handle.
    fn take_lease(&self, file: BorrowedFd<'_>, lease: Lease) -> io::Result<()>;
    /// Is that lease whole, or does somebody wait for it (or did the system take it away)?
    fn lease_is_quiet(&self, file: BorrowedFd<'_>, lease: Lease) -> io::Result<bool>;
    /// Does a lease of this file notice everybody who could write to it? On a file system that lends out the files of
    /// another it misses mappings whose handle is closed.
    fn lease_sees_all(&self, file: BorrowedFd<'_>) -> io::Result<bool>;
    /// Gives the lease of an open file back.
    fn drop_lease(&self, file: BorrowedFd<'_>) -> io::Result<()>;
    /// Waits a moment, where something has to be tried again.
    fn pause(&self, time: Duration);
}
