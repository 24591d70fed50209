//! The real path of a folder that a walk came to by links, and the folders that it came through.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// How a walk came to a folder by links; the default is not by one.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkedPath {
    /// The real path of the folder.
    real: Option<PathBuf>,
    /// The real paths of the folders whose links were followed.
    passed: Vec<PathBuf>,
}

impl LinkedPath {
    /// Returns the way to a folder inside this one.
    pub(super) fn enter(&self, name: &OsStr) -> Self {
        LinkedPath {
            real: self.real_path(name),
            passed: self.passed.clone(),
        }
    }

    /// Returns the real path of an entry of this folder, where it differs from the path of the walk.
    pub(super) fn real_path(&self, name: &OsStr) -> Option<PathBuf> {
        self.real.as_ref().map(|real| real.join(name))
    }

    /// Returns the way by a link in this folder, which has this path in the walk, to another folder. `None` where the
    /// walk came through that folder.
    pub(super) fn follow(&self, path: &Path, target: &Path) -> Option<Self> {
        let here = self.real.as_deref().unwrap_or(path);
        let mut passed = self.passed.clone();
        passed.push(here.to_path_buf());
        if passed.iter().any(|passed| passed.starts_with(target)) {
            return None;
        }
        Some(LinkedPath {
            real: Some(target.to_path_buf()),
            passed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_folder_that_the_walk_came_through_is_not_followed() {
        let start = LinkedPath::default();
        assert!(start.follow(Path::new("/a/b"), Path::new("/a")).is_none());
        let in_b = start
            .follow(Path::new("/a"), Path::new("/b"))
            .expect("followed");
        let in_c = in_b.enter(OsStr::new("c"));
        assert_eq!(in_c.real_path(OsStr::new("x")), Some("/b/c/x".into()));
        assert!(in_c.follow(Path::new("/a/l/c"), Path::new("/a")).is_none());
        assert!(in_c.follow(Path::new("/a/l/c"), Path::new("/b")).is_none());
        assert!(in_c.follow(Path::new("/a/l/c"), Path::new("/d")).is_some());
    }
}
