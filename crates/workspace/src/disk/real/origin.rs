//! Distinguishes a folder from others that have or had the same path: by inode number and birth time, as far as these
//! stay the same on the file system.

use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs;

use crate::workspace_id::FolderOrigin;

/// FUSE, where most file systems renumber their files at each mount.
#[cfg(target_os = "linux")]
const FUSE_MAGIC: u64 = 0x6573_5546;
/// overlayfs, the root file system of most containers.
#[cfg(target_os = "linux")]
const OVERLAY_MAGIC: u64 = 0x794c_7630;

#[cfg(target_os = "linux")]
pub(super) fn folder_origin(folder: BorrowedFd<'_>, path: &Path) -> FolderOrigin {
    let number = fs::fstatfs(folder).map(|found| found.f_type as u64 & 0xffff_ffff);
    let own = statx(folder, Path::new(""), fs::AtFlags::EMPTY_PATH);
    match number {
        Ok(FUSE_MAGIC) => FolderOrigin {
            inode: None,
            born: own.and_then(|found| birth_time(&found)),
        },
        // The first change in a folder of a lower layer copies it to the upper one, and from then on it has the birth
        // time of the copy. The topmost folder of the mount is in the upper layer from the start, and each container
        // has its own upper layer.
        Ok(OVERLAY_MAGIC) => FolderOrigin {
            inode: own.map(|found| found.stx_ino),
            born: own
                .and_then(|found| top_folder_of_mount(path, &found))
                .and_then(|found| birth_time(&found)),
        },
        _ => FolderOrigin {
            inode: own.map(|found| found.stx_ino),
            born: own.and_then(|found| birth_time(&found)),
        },
    }
}

#[cfg(target_os = "linux")]
fn statx(folder: BorrowedFd<'_>, path: &Path, flags: fs::AtFlags) -> Option<fs::Statx> {
    let wanted = fs::StatxFlags::INO | fs::StatxFlags::BTIME;
    fs::statx(folder, path, flags, wanted).ok()
}

/// Returns the topmost folder of the mount that a folder is in.
#[cfg(target_os = "linux")]
fn top_folder_of_mount(path: &Path, own: &fs::Statx) -> Option<fs::Statx> {
    let device = |found: &fs::Statx| (found.stx_dev_major, found.stx_dev_minor);
    let above = path.ancestors().skip(1);
    let above = above.map_while(|path| statx(fs::CWD, path, fs::AtFlags::empty()));
    let above = above.take_while(|found| device(found) == device(own));
    above.last().or(Some(*own))
}

#[cfg(target_os = "linux")]
fn birth_time(found: &fs::Statx) -> Option<crate::stamp::Moment> {
    let is_known = found.stx_mask & fs::StatxFlags::BTIME.bits() != 0;
    is_known.then_some((found.stx_btime.tv_sec, found.stx_btime.tv_nsec))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn folder_origin(folder: BorrowedFd<'_>, _: &Path) -> FolderOrigin {
    let found = fs::fstat(folder).ok();
    #[cfg(target_os = "macos")]
    let born = found.map(|found| (found.st_birthtime as i64, found.st_birthtime_nsec as u32));
    #[cfg(not(target_os = "macos"))]
    let born = None;
    FolderOrigin {
        inode: found.map(|found| found.st_ino as u64),
        birth_time,
    }
}
