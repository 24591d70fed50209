//! Canonical and lexically normalized paths of folders that need not be below a root, such as the state folder. Only
//! for comparing and displaying, never for opening.

use std::path::{Component, Path, PathBuf};

/// Returns the folder with its links resolved as far as it exists; components that do not exist keep their spelling.
pub fn resolved_folder(folder: &Path) -> PathBuf {
    for known in folder.ancestors() {
        if let Ok(real) = std::fs::canonicalize(known) {
            let rest = folder.strip_prefix(known).unwrap_or(Path::new(""));
            return if rest.as_os_str().is_empty() {
                real
            } else {
                real.join(rest)
            };
        }
    }
    folder.to_path_buf()
}

/// Removes `.` and `..` from a path lexically, as if no component were a link.
pub fn normalize_lexically(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_as_far_as_the_folder_exists() {
        let place = tempfile::tempdir().expect("a folder");
        let place = std::fs::canonicalize(place.path()).expect("there");
        std::fs::create_dir(place.join("real")).expect("made");
        std::os::unix::fs::symlink("real", place.join("link")).expect("made");
        assert_eq!(resolved_folder(&place.join("link")), place.join("real"));
        assert_eq!(
            resolved_folder(&place.join("link/a/b")),
            place.join("real/a/b")
        );
    }
}
