//! The names that a path as given gives its file: a link that it leads through has a say by its own name. Folders that it
//! only passes through, in and out again, have none.

use std::path::{Component, Path, PathBuf};

use lancet_workspace::resolved_folder;

/// The path itself where it goes straight on. Else both ways to read one that climbs: by its letters, and by the folders
/// that it climbs out of, which differ where one of them is a link.
pub(super) fn names(path: PathBuf) -> Vec<PathBuf> {
    let parts = path.components().enumerate();
    let climbing = parts.filter(|(_, part)| *part == Component::ParentDir);
    let Some((last, _)) = climbing.last() else {
        return vec![path];
    };
    let way: PathBuf = path.components().take(last + 1).collect();
    let rest: PathBuf = path.components().skip(last + 1).collect();
    let by_folders = resolved_folder(&way).join(rest);
    let by_letters = by_letters(&path);
    if by_letters == by_folders {
        vec![by_letters]
    } else {
        vec![by_letters, by_folders]
    }
}

fn by_letters(path: &Path) -> PathBuf {
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
    fn a_path_that_climbs_has_the_names_that_it_comes_to() {
        let place = tempfile::tempdir().expect("a folder");
        let place = std::fs::canonicalize(place.path()).expect("there");
        std::fs::create_dir_all(place.join("a/b")).expect("made");
        std::os::unix::fs::symlink("a/b", place.join("link")).expect("made");
        let of = |path: &str| names(place.join(path));
        assert_eq!(of("x/y"), [place.join("x/y")]);
        assert_eq!(of("a/../link/y"), [place.join("link/y")]);
        assert_eq!(of("link/../y"), [place.join("y"), place.join("a/y")]);
        assert_eq!(of("a/./b/..//../y"), [place.join("y")]);
        assert_eq!(names("/../..".into()), [PathBuf::from("/")]);
    }
}
