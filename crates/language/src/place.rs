//! Which servers serve a file, and in which folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::ServerEntry;

/// The maximum number of folders that are remembered.
const MAX_CACHED_FOLDERS: usize = 1000;

/// The entries with their patterns, and the folders that were found for them.
pub(crate) struct ServerPlaces {
    pub(crate) entries: Vec<(Arc<ServerEntry>, GlobSet)>,
    roots: Vec<PathBuf>,
    found: HashMap<(usize, PathBuf), PathBuf>,
}

impl ServerPlaces {
    /// Compiles the patterns of the entries. Invalid ones are skipped: the reader of the settings has already reported
    /// them.
    pub(crate) fn new(entries: Vec<ServerEntry>, roots: Vec<PathBuf>) -> ServerPlaces {
        let entries = entries.into_iter().map(|entry| {
            let mut patterns = GlobSetBuilder::new();
            for pattern in entry.files.iter().filter_map(|text| Glob::new(text).ok()) {
                patterns.add(pattern);
            }
            (Arc::new(entry), patterns.build().unwrap_or_default())
        });
        ServerPlaces {
            entries: entries.collect(),
            roots,
            found: HashMap::new(),
        }
    }

    pub(crate) fn set_roots(&mut self, roots: Vec<PathBuf>) {
        self.roots = roots;
        self.found.clear();
    }

    /// Returns the root that contains a path; of several, the innermost.
    pub(crate) fn innermost_root(&self, path: &Path) -> Option<&Path> {
        let around = self.roots.iter().filter(|root| path.starts_with(root));
        around
            .max_by_key(|root| root.as_os_str().len())
            .map(PathBuf::as_path)
    }

    /// Returns the indexes of the entries that serve a file.
    pub(crate) fn servers_for_file(&self, path: &Path) -> Vec<usize> {
        let (Some(name), Some(_)) = (path.file_name(), self.innermost_root(path)) else {
            return Vec::new();
        };
        let all = self.entries.iter().enumerate();
        all.filter(|(_, (_, patterns))| patterns.is_match(Path::new(name)))
            .map(|(number, _)| number)
            .collect()
    }

    /// Returns the folder of the server of an entry for a file.
    pub(crate) fn server_folder(&mut self, entry: usize, path: &Path) -> Option<PathBuf> {
        let folder = path.parent()?;
        let key = (entry, folder.to_path_buf());
        if let Some(found) = self.found.get(&key) {
            return Some(found.clone());
        }
        let root = self.innermost_root(path)?;
        let names = &self.entries.get(entry)?.0.root;
        let marked = |folder: &&Path| {
            let there = |name: &String| folder.join(name).symlink_metadata().is_ok();
            names.iter().any(there)
        };
        let below = folder.ancestors().take_while(|one| one.starts_with(root));
        let found = below.into_iter().find(marked).unwrap_or(root).to_path_buf();
        if self.found.len() >= MAX_CACHED_FOLDERS {
            self.found.clear();
        }
        self.found.insert(key, found.clone());
        Some(found)
    }

    /// Called when a file was created or removed: if it marks a folder, the folders are looked up again.
    pub(crate) fn invalidate_if_root_file(&mut self, path: &Path) {
        let name = path.file_name();
        let marks = |entry: &ServerEntry| entry.root.iter().any(|root| name == Some(root.as_ref()));
        if self.entries.iter().any(|(entry, _)| marks(entry)) {
            self.found.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_folder_is_nearest_folder_with_root_file() {
        let top = tempfile::tempdir().expect("a folder");
        let root = top.path().join("root");
        std::fs::create_dir_all(root.join("a/b")).expect("folders");
        let entry = ServerEntry {
            root: vec!["mark".to_owned()],
            ..ServerEntry::new("s", &["*.py"], &["s"])
        };
        let mut places = ServerPlaces::new(vec![entry], vec![root.clone()]);
        let file = root.join("a/b/x.py");
        assert_eq!(places.servers_for_file(&file), [0]);
        assert!(places.servers_for_file(&root.join("x.rs")).is_empty());
        assert!(places.servers_for_file(&top.path().join("x.py")).is_empty());
        std::fs::write(top.path().join("mark"), "").expect("a file");
        assert_eq!(
            places.server_folder(0, &file),
            Some(root.clone()),
            "none below the root"
        );
        std::fs::write(root.join("a/mark"), "").expect("a file");
        places.invalidate_if_root_file(&root.join("a/mark"));
        assert_eq!(places.server_folder(0, &file), Some(root.join("a")));
    }
}
