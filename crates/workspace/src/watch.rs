//! Reports changes in folders, through the kernel (inotify). A watch is of one folder, not of those below it, and only
//! for the changes that its reader is interested in. Other systems have no watches, and readers check at intervals.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

/// The changes that a reader wants reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Every write into a file of the folder and every change of its times.
    Writes,
    /// Files that were written and closed, created, removed or renamed.
    Files,
    /// Both of these: everything that can change what a search finds in the folder.
    Everything,
}

/// A watched folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WatchedFolder(i32);

/// A change that the kernel reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderChange {
    /// Something happened to the file of this name.
    File(WatchedFolder, OsString),
    /// The folder itself was removed, renamed or unmounted; it is no longer watched.
    Gone(WatchedFolder),
    /// There were more changes than the kernel stores: anything may have happened.
    Overflow,
}

/// Watches folders. It can be waited for with `poll`: it is readable when there are changes to report.
#[derive(Debug)]
pub struct FolderWatch {
    told: OwnedFd,
}

impl AsFd for FolderWatch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.told.as_fd()
    }
}

#[cfg(target_os = "linux")]
impl FolderWatch {
    /// Creates a watch with no folders.
    ///
    /// # Errors
    /// The system has no watches left for this user, or none at all.
    pub fn new() -> io::Result<FolderWatch> {
        use rustix::fs::inotify::{CreateFlags, init};
        let told = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Ok(FolderWatch { told })
    }

    /// Watches a folder. A folder that is already watched keeps its number.
    ///
    /// # Errors
    /// There is no such folder, or the system has no watches left for this user.
    pub fn add(&self, folder: &Path, interest: Interest) -> io::Result<WatchedFolder> {
        use rustix::fs::inotify::{WatchFlags, add_watch};
        let folder_itself = WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::EXCL_UNLINK;
        let files = match interest {
            Interest::Writes => {
                WatchFlags::MODIFY | WatchFlags::ATTRIB | WatchFlags::CREATE | WatchFlags::MOVED_TO
            }
            Interest::Files => {
                WatchFlags::CLOSE_WRITE
                    | WatchFlags::CREATE
                    | WatchFlags::DELETE
                    | WatchFlags::MOVED_FROM
                    | WatchFlags::MOVED_TO
            }
            // A store through a mapping is reported by the last flag only: when the mapping ends.
            Interest::Everything => {
                WatchFlags::MODIFY
                    | WatchFlags::ATTRIB
                    | WatchFlags::CREATE
                    | WatchFlags::DELETE
                    | WatchFlags::MOVED_FROM
                    | WatchFlags::MOVED_TO
                    | WatchFlags::CLOSE_WRITE
            }
        };
        let number = add_watch(&self.told, folder, folder_itself | files)?;
        Ok(WatchedFolder(number))
    }

    /// Watches an open folder, wherever it is now: a path could lead to another one meanwhile.
    ///
    /// # Errors
    /// The system has no watches left for this user, or does not expose open handles (`/proc`).
    pub fn add_open(
        &self,
        folder: BorrowedFd<'_>,
        interest: Interest,
    ) -> io::Result<WatchedFolder> {
        use std::os::fd::AsRawFd as _;
        let link = format!("/proc/self/fd/{}", folder.as_raw_fd());
        self.add(Path::new(&link), interest)
    }

    /// Stops watching a folder.
    pub fn remove(&self, folder: WatchedFolder) {
        // The kernel may have removed the watch by itself, with the folder.
        let _ = rustix::fs::inotify::remove_watch(&self.told, folder.0);
    }

    /// Returns the changes that were reported since the last call; never waits.
    ///
    /// # Errors
    /// The system's own error.
    pub fn changes(&self) -> io::Result<Vec<FolderChange>> {
        use std::mem::MaybeUninit;
        use std::os::unix::ffi::OsStrExt as _;

        use rustix::fs::inotify::{ReadFlags, Reader};
        use rustix::io::Errno;
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&self.told, &mut buffer);
        let mut changes = Vec::new();
        loop {
            let told = match reader.next() {
                Ok(told) => told,
                Err(Errno::AGAIN) => return Ok(changes),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let folder = WatchedFolder(told.wd());
            let flags = told.events();
            let gone = ReadFlags::IGNORED | ReadFlags::MOVE_SELF | ReadFlags::DELETE_SELF;
            let change = match told.file_name() {
                _ if flags.contains(ReadFlags::QUEUE_OVERFLOW) => FolderChange::Overflow,
                _ if flags.intersects(gone) => FolderChange::Gone(folder),
                Some(name) => {
                    let name = std::ffi::OsStr::from_bytes(name.to_bytes());
                    FolderChange::File(folder, name.to_owned())
                }
                None => continue,
            };
            // A program that writes in small pieces is reported once.
            if changes.last() != Some(&change) {
                changes.push(change);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl FolderWatch {
    /// There are no watches on this system.
    ///
    /// # Errors
    /// Always.
    pub fn new() -> io::Result<FolderWatch> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// There are no watches on this system.
    ///
    /// # Errors
    /// Always.
    pub fn add(&self, _: &Path, _: Interest) -> io::Result<WatchedFolder> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// There are no watches on this system.
    ///
    /// # Errors
    /// Always.
    pub fn add_open(&self, _: BorrowedFd<'_>, _: Interest) -> io::Result<WatchedFolder> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// There are no watches on this system.
    pub fn remove(&self, _: WatchedFolder) {}

    /// There are no watches on this system.
    ///
    /// # Errors
    /// Never.
    pub fn changes(&self) -> io::Result<Vec<FolderChange>> {
        Ok(Vec::new())
    }
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitResult {
    /// The watch has changes to report.
    Told,
    /// The other end of the handle is closed.
    Ended,
    /// The time has elapsed, or a signal arrived.
    TimedOut,
}

/// Waits until a watch has changes to report, until the other end of one of `ends` is closed (a pipe that no process
/// reads any more, or one whose last writer is gone), or until the time has elapsed.
///
/// # Errors
/// The system's own error.
pub fn wait_for_changes(
    watch: Option<&FolderWatch>,
    ends: &[BorrowedFd<'_>],
    limit: Option<Duration>,
) -> io::Result<WaitResult> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let limit = limit.map(|limit| Timespec {
        tv_sec: limit.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: limit.subsec_nanos().into(),
    });
    // The closing of the other end is reported without being requested.
    let ends = ends.iter();
    let mut waited: Vec<PollFd<'_>> = ends
        .map(|end| PollFd::from_borrowed_fd(*end, PollFlags::empty()))
        .collect();
    let number = waited.len();
    waited.extend(watch.map(|watch| PollFd::from_borrowed_fd(watch.as_fd(), PollFlags::IN)));
    match poll(&mut waited, limit.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let closed = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    let is_told = |watch: &PollFd<'_>| !watch.revents().is_empty();
    let is_closed = |end: &PollFd<'_>| end.revents().intersects(closed);
    let (ends, watches) = waited.split_at(number);
    Ok(match () {
        () if ends.iter().any(is_closed) => WaitResult::Ended,
        () if watches.iter().any(is_told) => WaitResult::Told,
        () => WaitResult::TimedOut,
    })
}

/// Waits until something can be read from one of these handles, or until the time has elapsed. Returns which of them
/// can be read; none of them after the time, or if a signal arrived.
///
/// # Errors
/// The system's own error.
pub fn wait_for_input(
    handles: &[BorrowedFd<'_>],
    limit: Option<Duration>,
) -> io::Result<Vec<bool>> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let limit = limit.map(|limit| Timespec {
        tv_sec: limit.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: limit.subsec_nanos().into(),
    });
    let handles = handles.iter();
    let mut waited: Vec<PollFd<'_>> = handles
        .map(|handle| PollFd::from_borrowed_fd(*handle, PollFlags::IN))
        .collect();
    match poll(&mut waited, limit.as_ref()) {
        Ok(_) => {}
        Err(rustix::io::Errno::INTR) => return Ok(vec![false; waited.len()]),
        Err(error) => return Err(error.into()),
    }
    let waited = waited.iter();
    Ok(waited.map(|found| !found.revents().is_empty()).collect())
}

/// Returns whether all writers of a folder write through this kernel, which then reports their changes: not on a
/// network file system or one that another program or machine provides.
#[cfg(target_os = "linux")]
pub fn is_told_of(folder: &Path) -> bool {
    const REMOTE_FILE_SYSTEMS: [u64; 7] = [
        0x6573_5546, // FUSE
        0x0102_1997, // 9p
        0x6969,      // nfs
        0xff53_4d42, // cifs
        0xfe53_4d42, // smb 2
        0x00c3_6400, // ceph
        0x786f_4256, // vboxsf
    ];
    let found = rustix::fs::statfs(folder);
    found.is_ok_and(|found| !REMOTE_FILE_SYSTEMS.contains(&(found.f_type as u64 & 0xffff_ffff)))
}

/// There are no watches on this system.
#[cfg(not(target_os = "linux"))]
pub fn is_told_of(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn reports_file_changes_by_name_and_folder_removal() {
        let folder = tempfile::TempDir::new().expect("folder");
        let path = folder.path().join("watched");
        fs::create_dir(&path).expect("made");
        let watch = FolderWatch::new().expect("inotify");
        let watched = watch.add(&path, Interest::Files).expect("added");
        assert_eq!(watch.changes().expect("read"), []);
        fs::write(path.join("a"), "one").expect("written");
        fs::write(folder.path().join("new"), "two").expect("written");
        fs::rename(folder.path().join("new"), path.join("b")).expect("renamed");
        fs::remove_file(path.join("a")).expect("removed");
        let file = |name: &str| FolderChange::File(watched, name.into());
        assert_eq!(
            watch.changes().expect("read"),
            [file("a"), file("b"), file("a")]
        );
        fs::remove_file(path.join("b")).expect("removed");
        fs::remove_dir(&path).expect("removed");
        let told = watch.changes().expect("read");
        assert_eq!(told, [file("b"), FolderChange::Gone(watched)]);
    }

    #[test]
    fn refuses_to_watch_missing_folder() {
        let folder = tempfile::TempDir::new().expect("folder");
        let watch = FolderWatch::new().expect("inotify");
        assert!(
            watch
                .add(&folder.path().join("none"), Interest::Writes)
                .is_err()
        );
    }
}
