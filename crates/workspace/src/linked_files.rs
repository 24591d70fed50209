//! Finds the files below a folder that have several hard links, by device and inode: for folders that are not roots,
//! such as the state folder.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// How many entries are examined.
const MAX_ENTRIES: usize = 50_000;

/// Lists device and inode of the files below a folder that have several hard links. No link is followed, and folders
/// that cannot be listed are left out. So is the folder `except`.
pub fn find_linked_files(folder: &Path, except: &Path) -> HashSet<(u64, u64)> {
    let mut found = HashSet::new();
    let mut waiting: Vec<PathBuf> = vec![folder.to_path_buf()];
    let mut looked = 0;
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            looked += 1;
            if looked > MAX_ENTRIES {
                return found;
            }
            let Ok(facts) = entry.metadata() else {
                continue;
            };
            if facts.is_dir() {
                if entry.path() != except {
                    waiting.push(entry.path());
                }
            } else if facts.nlink() > 1 {
                found.insert((facts.dev(), facts.ino()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_hard_linked_files_at_any_depth() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("state/deep");
        std::fs::create_dir_all(&folder).expect("made");
        for name in ["one", "two"] {
            std::fs::write(folder.join(name), name).expect("written");
        }
        std::fs::hard_link(folder.join("one"), place.path().join("other")).expect("linked");
        let facts = std::fs::metadata(place.path().join("other")).expect("there");
        let found = find_linked_files(&place.path().join("state"), &place.path().join("none"));
        assert_eq!(found, HashSet::from([(facts.dev(), facts.ino())]));
        assert!(find_linked_files(&place.path().join("state"), &folder).is_empty());
    }
}
