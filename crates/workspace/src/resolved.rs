//! Canonical and lexically normalized paths of folders that need not be below a root, such as the state folder. Only
//! for comparing and displaying, never for opening.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Returns the folder with its links resolved as far as it exists; components that do not exist keep their spelling.
pub fn resolve_folder(folder: &Path) -> PathBuf {
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

/// How many links are followed from one path, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// Lists the names that these paths lead through (see `path_names_through_links`). Folders that several of them share are
/// followed once.
pub fn all_names_through_links(paths: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut folders: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
    let mut names = BTreeSet::new();
    for path in paths {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            continue;
        };
        let known = folders.entry(folder);
        let known = known.or_insert_with(|| path_names_through_links(folder));
        names.extend(known.iter().map(|folder| folder.join(name)));
        if path.is_symlink() {
            names.extend(path_names_through_links(path));
        }
    }
    names
}

/// Lists the names that a path leads through: itself, the path after each symbolic link in it is replaced by its
/// target, and at last the name without links. A program that changes the file at one of them, or creates a missing
/// one, changes what the path leads to.
fn path_names_through_links(path: &Path) -> Vec<PathBuf> {
    let mut names = vec![normalize_lexically(path)];
    let mut current = names[0].clone();
    for _ in 0..MAX_LINKS {
        let Some(next) = without_first_link(&current) else {
            break;
        };
        if names.contains(&next) {
            break;
        }
        names.push(next.clone());
        current = next;
    }
    names
}

/// Returns the path with its first link replaced by the link's target; none if it has no link.
fn without_first_link(path: &Path) -> Option<PathBuf> {
    let mut begun = PathBuf::new();
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        begun.push(part);
        if let Ok(target) = std::fs::read_link(&begun) {
            begun.pop();
            // The folder before the link has no links left, so `..` in the target means what it says.
            return Some(normalize_lexically(&begun.join(target).join(parts)));
        }
    }
    None
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
    fn follows_links_in_existing_part_of_path() {
        let place = tempfile::tempdir().expect("a folder");
        let place = std::fs::canonicalize(place.path()).expect("there");
        std::fs::create_dir(place.join("real")).expect("made");
        std::os::unix::fs::symlink("real", place.join("link")).expect("made");
        assert_eq!(resolve_folder(&place.join("link")), place.join("real"));
        assert_eq!(
            resolve_folder(&place.join("link/a/b")),
            place.join("real/a/b")
        );
    }

    #[test]
    fn lists_every_name_on_way_to_file() {
        let place = tempfile::tempdir().expect("a folder");
        let place = std::fs::canonicalize(place.path()).expect("there");
        std::fs::create_dir(place.join("real")).expect("made");
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, place.join(name)).expect("made");
        };
        link("real", "second");
        link("./second", "first");
        link("../first/tool", "real/alias");
        let names = path_names_through_links(&place.join("first/alias"));
        let expected = [
            "first/alias",
            "second/alias",
            "real/alias",
            "first/tool",
            "second/tool",
            "real/tool",
        ];
        assert_eq!(names, expected.map(|name| place.join(name)));
        let asked = BTreeSet::from([place.join("first/alias"), place.join("second/none")]);
        let all = all_names_through_links(&asked);
        for name in [&expected[..], &["second/none", "real/none"]].concat() {
            assert!(all.contains(&place.join(name)), "{name}");
        }
        link("loop", "loop");
        assert_eq!(path_names_through_links(&place.join("loop")).len(), 1);
    }
}
