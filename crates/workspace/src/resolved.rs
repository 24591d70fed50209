//! The real spelling of a folder that is not below a root, such as the state folder, and the plain one of any path: only
//! for comparing and telling, never for opening anything.

use std::path::{Component, Path, PathBuf};

/// The folder with its links followed, as far as it exists; what does not exist yet keeps its spelling.
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

/// The path with `.` and `..` taken out by the letters alone, as if no part of it were a link.
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
