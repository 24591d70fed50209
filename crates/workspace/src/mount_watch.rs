//! Reports whether something was mounted or unmounted at or below a folder. Watches of folders do not report it: a
//! mount over a folder or a file leaves the one below it unchanged. The kernel marks `/proc/self/mountinfo` at each
//! change, so a check costs one system call while nothing is mounted.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The list of this process's mounts.
const MOUNT_LIST: &str = "/proc/self/mountinfo";

/// Watches the mounts at, below and above a folder.
#[derive(Debug)]
pub struct MountWatch {
    folder: PathBuf,
    /// The open list; none if the system has no such list.
    list: Option<File>,
    /// The lines of the list about the mounts that concern the folder.
    known: Vec<Vec<u8>>,
}

impl MountWatch {
    /// Starts to watch the mounts that concern a folder.
    pub fn new(folder: &Path) -> MountWatch {
        let list = File::open(MOUNT_LIST).ok();
        let watch = MountWatch {
            folder: folder.to_path_buf(),
            list,
            known: Vec::new(),
        };
        // The first poll always reports a change.
        watch.has_pending_event();
        let known = watch.mounts_below_folder();
        MountWatch { known, ..watch }
    }

    /// Returns whether a mount that concerns the folder has appeared or disappeared since the last call.
    pub fn has_changed(&mut self) -> bool {
        if !self.has_pending_event() {
            return false;
        }
        let now = self.mounts_below_folder();
        let has_changed = now != self.known;
        self.known = now;
        has_changed
    }

    fn has_pending_event(&self) -> bool {
        let Some(list) = &self.list else {
            return false;
        };
        let mut asked = [PollFd::new(list, PollFlags::PRI)];
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        match poll(&mut asked, Some(&at_once)) {
            Ok(0) => false,
            Ok(_) => true,
            // If this is unknown, the list itself is compared.
            Err(_) => true,
        }
    }

    fn mounts_below_folder(&self) -> Vec<Vec<u8>> {
        let list = std::fs::read(MOUNT_LIST).unwrap_or_default();
        let lines = list.split(|&byte| byte == b'\n');
        let concerns = |line: &&[u8]| {
            let point = line.split(|&byte| byte == b' ').nth(4);
            point.map(unescape_mount_path).is_some_and(|point| {
                point.starts_with(&self.folder) || self.folder.starts_with(&point)
            })
        };
        lines.filter(concerns).map(<[u8]>::to_vec).collect()
    }
}

/// Decodes a path of the list, in which blanks and backslashes are octal numbers.
fn unescape_mount_path(field: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        let number = after.get(..3).filter(|_| byte == b'\\');
        let number = number.and_then(|digits| std::str::from_utf8(digits).ok());
        match number.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(number) => {
                path.push(number);
                rest = &after[3..];
            }
            None => {
                path.push(byte);
                rest = after;
            }
        }
    }
    OsString::from_vec(path).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_blanks_in_mount_points() {
        assert_eq!(unescape_mount_path(br"/a\040b\134c"), Path::new(r"/a b\c"));
        assert_eq!(unescape_mount_path(br"/a\09"), Path::new(r"/a\09"));
    }

    #[test]
    fn reports_no_change_without_mount() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut watch = MountWatch::new(folder.path());
        assert!(!watch.has_changed() && !watch.has_changed());
    }
}
