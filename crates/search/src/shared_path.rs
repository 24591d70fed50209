//! Paths of a list that share a block of memory. A page of a Glob has a hundred, and allocating and freeing each of
//! them separately was a twentieth of its time.

use std::ffi::OsStr;
use std::fmt;
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

/// The size at which a block is full. It is limited because a path keeps its whole block alive.
const BLOCK_BYTES: usize = 16 << 10;

/// A path in a block of memory that other paths may share.
#[derive(Clone)]
pub struct SharedPath {
    bytes: Arc<[u8]>,
    start: u32,
    end: u32,
}

impl Deref for SharedPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        let bytes = &self.bytes[self.start as usize..self.end as usize];
        Path::new(OsStr::from_bytes(bytes))
    }
}

impl AsRef<Path> for SharedPath {
    fn as_ref(&self) -> &Path {
        self
    }
}

impl From<&Path> for SharedPath {
    fn from(path: &Path) -> Self {
        let bytes = path.as_os_str().as_bytes();
        SharedPath {
            bytes: bytes.into(),
            start: 0,
            // The system allows no path of that length.
            end: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        }
    }
}

impl PartialEq for SharedPath {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedPath {}

impl fmt::Debug for SharedPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

/// Collects paths into blocks of memory.
#[derive(Default)]
pub(crate) struct SharedPaths {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    paths: Vec<SharedPath>,
}

impl SharedPaths {
    pub(crate) fn add(&mut self, path: &Path) {
        self.bytes.extend_from_slice(path.as_os_str().as_bytes());
        self.ends
            .push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        if self.bytes.len() >= BLOCK_BYTES {
            self.finish_block();
        }
    }

    /// Returns all paths in order.
    pub(crate) fn finish(mut self) -> Vec<SharedPath> {
        self.finish_block();
        self.paths
    }

    fn finish_block(&mut self) {
        let bytes: Arc<[u8]> = self.bytes.as_slice().into();
        self.bytes.clear();
        let mut start = 0;
        for end in self.ends.drain(..) {
            self.paths.push(SharedPath {
                bytes: Arc::clone(&bytes),
                start,
                end,
            });
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_paths_as_added_across_blocks() {
        let names: Vec<String> = (0..5_000).map(|number| format!("a/{number}")).collect();
        let mut paths = SharedPaths::default();
        for name in &names {
            paths.add(Path::new(name));
        }
        let paths = paths.finish();
        assert_eq!(paths.len(), names.len());
        for (path, name) in paths.iter().zip(&names) {
            assert_eq!(**path, *Path::new(name));
            assert_eq!(*path, SharedPath::from(Path::new(name)));
        }
    }
}
