//! The path as the caller gave it. Rules apply to the resolved file and also to the given path, which may go through a
//! symbolic link, but not to folders that the path only enters and leaves again (`a/../b`).

use std::path::{Component, PathBuf};

use lancet_workspace::{normalize_lexically, resolve_folder};

/// Returns the path itself where it has no `..`. Otherwise returns both readings of the path: the lexical one, and the
/// one through the folders that `..` leaves. They differ where one of these is a symbolic link.
pub(super) fn possible_paths(path: PathBuf) -> Vec<PathBuf> {
    let parts = path.components().enumerate();
    let climbing = parts.filter(|(_, part)| *part == Component::ParentDir);
    let Some((last, _)) = climbing.last() else {
        return vec![path];
    };
    let climbing_part: PathBuf = path.components().take(last + 1).collect();
    let rest: PathBuf = path.components().skip(last + 1).collect();
    let resolved = resolve_folder(&climbing_part).join(rest);
    let lexical = normalize_lexically(&path);
    if lexical == resolved {
        vec![lexical]
    } else {
        vec![lexical, resolved]
    }
}

/// A kind of path that does not belong to this system; taken as a relative path it would name a file that the caller
/// does not mean.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ForeignPath {
    /// A Windows path such as `C:\Users\me`.
    Drive,
    /// A URL such as `file:///a/b`, with its path where that is unambiguous.
    Address(Option<PathBuf>),
}

/// Recognises a path of another system. If a file of that name exists, it is used; only creating one is refused.
pub(super) fn foreign_path(given: &str) -> Option<ForeignPath> {
    let (scheme, rest) = given.split_once(':')?;
    let mut letters = scheme.bytes();
    if !letters.next()?.is_ascii_alphabetic()
        || !letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    {
        return None;
    }
    if scheme.len() == 1 {
        return rest.starts_with(['\\', '/']).then_some(ForeignPath::Drive);
    }
    if scheme.eq_ignore_ascii_case("file") && rest.starts_with('/') {
        let path = rest.strip_prefix("//localhost").unwrap_or(rest);
        let path = path.strip_prefix("//").unwrap_or(path);
        // Percent escapes and host names are not decoded: the caller has to send a plain path.
        let plain = path.starts_with('/') && !path.starts_with("//") && !path.contains('%');
        return Some(ForeignPath::Address(plain.then(|| PathBuf::from(path))));
    }
    rest.starts_with("//").then_some(ForeignPath::Address(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_paths_of_other_systems() {
        let path = |path: &str| Some(ForeignPath::Address(Some(path.into())));
        for (given, meant) in [
            ("C:\\Users\\me\\a.txt", Some(ForeignPath::Drive)),
            ("c:/a.txt", Some(ForeignPath::Drive)),
            ("file:///w/q.txt", path("/w/q.txt")),
            ("FILE:/w/q.txt", path("/w/q.txt")),
            ("file://localhost/w/q", path("/w/q")),
            ("file:///w/a%20b", Some(ForeignPath::Address(None))),
            ("file://server/w", Some(ForeignPath::Address(None))),
            ("https://x/y", Some(ForeignPath::Address(None))),
            ("a:b", None),
            ("C:notes", None),
            ("a.txt:12", None),
            ("src/C:\\x", None),
            ("/w/C:\\x", None),
            ("std::io", None),
            (":", None),
            ("é:/x", None),
        ] {
            assert_eq!(foreign_path(given), meant, "{given}");
        }
    }

    #[test]
    fn resolves_parent_components_lexically_and_through_links() {
        let place = tempfile::tempdir().expect("a folder");
        let place = std::fs::canonicalize(place.path()).expect("there");
        std::fs::create_dir_all(place.join("a/b")).expect("made");
        std::os::unix::fs::symlink("a/b", place.join("link")).expect("made");
        let of = |path: &str| possible_paths(place.join(path));
        assert_eq!(of("x/y"), [place.join("x/y")]);
        assert_eq!(of("a/../link/y"), [place.join("link/y")]);
        assert_eq!(of("link/../y"), [place.join("y"), place.join("a/y")]);
        assert_eq!(of("a/./b/..//../y"), [place.join("y")]);
        assert_eq!(possible_paths("/../..".into()), [PathBuf::from("/")]);
    }
}
