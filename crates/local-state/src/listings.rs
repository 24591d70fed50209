//! The listings of roots: what the last full scan of each found. A listing says by itself whether it is complete and still
//! holds, so it may be removed at any time.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The name of the folder in the state folder.
pub const FOLDER: &str = "listings";

/// Returns the file for a root, by the root's id.
#[must_use]
pub fn listing_file(state: &Path, root: &[u8; 32]) -> PathBuf {
    let name: String = root[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    state.join(FOLDER).join(name)
}

/// Removes the listings of other roots than these. An error leaves them for the next time.
pub fn remove_other_listings(state: &Path, roots: &[[u8; 32]]) {
    let files: Vec<PathBuf> = roots.iter().map(|root| listing_file(state, root)).collect();
    let Ok(found) = fs::read_dir(state.join(FOLDER)) else {
        return;
    };
    for file in found.flatten().map(|entry| entry.path()) {
        // Another process may be writing one.
        let is_new = file.extension() == Some(OsStr::new("new"));
        let is_own = files.contains(&file) || is_new && files.contains(&file.with_extension(""));
        if !is_own {
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_of_other_roots_are_removed() {
        let state = tempfile::tempdir().expect("a folder");
        let (mine, other) = ([1; 32], [2; 32]);
        fs::create_dir(state.path().join(FOLDER)).expect("made");
        for root in [&mine, &other] {
            let file = listing_file(state.path(), root);
            fs::write(file.with_extension("new"), "unfinished").expect("written");
            fs::write(file, "listing").expect("written");
        }
        remove_other_listings(state.path(), &[mine]);
        let is_left = |root| {
            let file = listing_file(state.path(), root);
            (file.exists(), file.with_extension("new").exists())
        };
        assert_eq!(is_left(&mine), (true, true));
        assert_eq!(is_left(&other), (false, false));
    }
}
