//! `stat` of a folder by an absolute path without links: in one `openat2` call, or component by component on older
//! kernels.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{self, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::open_flags::PASSAGE;

const PATH_FLAGS: OFlags = PASSAGE
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// `stat` of the folder at a path that contains no link.
pub(super) fn stat(path: &Path) -> io::Result<fs::Stat> {
    let folder = match open(path) {
        // An old kernel, or a sandbox that does not allow the call.
        Err(Errno::NOSYS | Errno::PERM) => open_by_components(path),
        other => other,
    }?;
    Ok(fs::fstat(&folder)?)
}

#[cfg(target_os = "linux")]
fn open(path: &Path) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    retry_on_intr(|| fs::openat2(fs::CWD, path, PATH_FLAGS, Mode::empty(), resolve))
}

#[cfg(not(target_os = "linux"))]
fn open(_: &Path) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

fn open_by_components(path: &Path) -> Result<OwnedFd, Errno> {
    let mut here = retry_on_intr(|| fs::open("/", PATH_FLAGS, Mode::empty()))?;
    for part in path.components() {
        match part {
            Component::RootDir | Component::CurDir => {}
            Component::Normal(name) => {
                here = retry_on_intr(|| fs::openat(&here, name, PATH_FLAGS, Mode::empty()))?;
            }
            _ => return Err(Errno::INVAL),
        }
    }
    Ok(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_open_methods_find_same_folder_and_follow_no_link() {
        let top = tempfile::tempdir().expect("a folder");
        let top = top.path().canonicalize().expect("there");
        std::fs::create_dir_all(top.join("a/b")).expect("made");
        std::fs::write(top.join("file"), "").expect("written");
        std::os::unix::fs::symlink("a", top.join("link")).expect("made");
        std::os::unix::fs::symlink("a/b", top.join("last")).expect("made");
        let inode = |found: Result<OwnedFd, Errno>| fs::fstat(found?).map(|stat| stat.st_ino);
        for way in [open, open_by_components] {
            assert_eq!(
                inode(way(&top.join("a/b"))).expect("found"),
                fs::stat(top.join("a/b")).expect("there").st_ino
            );
            for other in ["link/b", "last", "file", "missing"] {
                let found = way(&top.join(other));
                assert!(found.is_err(), "{other}: {found:?}");
            }
        }
    }
}
