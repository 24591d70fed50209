//! The paths of a folder's entries, one after the other, in one buffer: `PathBuf` parses the whole path for each name that
//! it takes off.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The path of a folder with changing names behind it.
pub(crate) struct NamedPath {
    bytes: Vec<u8>,
    /// The length of the folder's path, with the slash behind it.
    folder: usize,
}

impl NamedPath {
    /// Returns the path of a folder.
    pub(crate) fn below(folder: &Path) -> NamedPath {
        let mut bytes = folder.as_os_str().as_bytes().to_vec();
        if !bytes.is_empty() && !bytes.ends_with(b"/") {
            bytes.push(b'/');
        }
        let folder = bytes.len();
        NamedPath { bytes, folder }
    }

    /// Returns the path of an entry of the folder.
    pub(crate) fn with_name(&mut self, name: &OsStr) -> &Path {
        self.bytes.truncate(self.folder);
        self.bytes.extend_from_slice(name.as_bytes());
        Path::new(OsStr::from_bytes(&self.bytes))
    }
}
