//! The paths of a page, one after the other in one allocation: a page has a hundred, and one allocation for each took a
//! twentieth of the time of a Glob in memory.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// A list of paths.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PathList {
    bytes: Vec<u8>,
    /// Where each path ends.
    ends: Vec<usize>,
}

impl PathList {
    #[doc(hidden)]
    pub fn with_capacity(paths: usize) -> Self {
        PathList {
            bytes: Vec::new(),
            ends: Vec::with_capacity(paths),
        }
    }

    /// Adds a path below a folder, or the folder itself if there is no path; returns the whole path.
    #[doc(hidden)]
    pub fn add(&mut self, folder: &Path, relative: &Path) -> &Path {
        let folder = folder.as_os_str().as_bytes();
        let relative = relative.as_os_str().as_bytes();
        let start = self.bytes.len();
        self.bytes.extend_from_slice(folder);
        if !relative.is_empty() {
            // The root of the file system ends in a slash itself.
            if !folder.ends_with(b"/") {
                self.bytes.push(b'/');
            }
            self.bytes.extend_from_slice(relative);
        }
        self.ends.push(self.bytes.len());
        Path::new(OsStr::from_bytes(&self.bytes[start..]))
    }

    /// Removes the last path.
    #[doc(hidden)]
    pub fn remove_last(&mut self) {
        self.ends.pop();
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Returns the number of paths.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the paths in order.
    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let path = &self.bytes[start..*end];
            start = *end;
            Path::new(OsStr::from_bytes(path))
        })
    }
}

impl<P: AsRef<Path>> FromIterator<P> for PathList {
    fn from_iter<I: IntoIterator<Item = P>>(paths: I) -> Self {
        let mut list = PathList::default();
        for path in paths {
            list.add(path.as_ref(), Path::new(""));
        }
        list
    }
}

impl fmt::Debug for PathList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_paths_as_added() {
        let mut list = PathList::default();
        let name = OsStr::from_bytes(b"\xffb");
        assert_eq!(
            list.add(Path::new("/a"), Path::new(name)),
            Path::new("/a").join(name)
        );
        list.add(Path::new("/a"), Path::new("c"));
        list.remove_last();
        assert_eq!(
            list.add(Path::new("/"), Path::new("d/e")),
            Path::new("/d/e")
        );
        list.add(Path::new("/f"), Path::new(""));
        let all: Vec<&Path> = list.iter().collect();
        assert_eq!(
            all,
            [
                &*Path::new("/a").join(name),
                Path::new("/d/e"),
                Path::new("/f")
            ]
        );
        assert_eq!(list, all.iter().collect());
        assert_eq!(list.len(), 3);
        list.remove_last();
        list.remove_last();
        list.remove_last();
        assert!(list.is_empty() && list.iter().next().is_none());
    }
}
