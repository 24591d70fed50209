//! Paths as bytes, which is how the database stores them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

pub(super) fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

pub(super) fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Returns the exclusive bounds of the paths below a folder, in byte order: `folder/` and `folder0`, since `0`
/// follows `/`.
pub(super) fn bounds_below(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let mut from = path_bytes(folder).to_vec();
    while from.last() == Some(&b'/') {
        from.pop();
    }
    let mut to = from.clone();
    from.push(b'/');
    to.push(b'0');
    (from, to)
}
