//! Detects folders that are too wide for an index: home folders, the folders that contain them, and the whole file
//! system.

use std::path::Path;

/// The folders that contain home folders.
const USUAL_HOME_FOLDERS: [&str; 4] = ["/home", "/Users", "/root", "/var/root"];

/// Returns whether a root is the home folder, a folder that contains home folders, or `/`. `home` is the user's home
/// folder as the host knows it; both paths are absolute, with links in them resolved.
pub fn is_home_folder(root: &Path, home: Option<&Path>) -> bool {
    let holds_home = home.is_some_and(|home| home.starts_with(root));
    let is_above = |place: &str| Path::new(place).starts_with(root);
    holds_home || USUAL_HOME_FOLDERS.iter().any(|place| is_above(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_folder_and_its_ancestors_count_as_home() {
        let home = Some(Path::new("/srv/people/ada"));
        for root in [
            "/srv/people/ada",
            "/srv/people",
            "/srv",
            "/",
            "/home",
            "/Users",
            "/root",
        ] {
            assert!(is_home_folder(Path::new(root), home), "{root}");
        }
        for root in [
            "/srv/people/ada/project",
            "/srv/people/adam",
            "/usr/src",
            "/home/ada/project",
        ] {
            assert!(!is_home_folder(Path::new(root), home), "{root}");
        }
    }

    #[test]
    fn usual_home_folders_count_without_known_home() {
        assert!(is_home_folder(Path::new("/home"), None));
        assert!(is_home_folder(Path::new("/"), None));
        assert!(!is_home_folder(Path::new("/work/tree"), None));
    }
}
