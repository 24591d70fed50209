//! The part of the roots that a client lets its tools write: the sandbox of an agent, sent with each call. It only
//! tightens what the roots and the policy allow.

use std::path::{Path, PathBuf};

use lancet_workspace::resolve_folder;

/// The files that a client lets its tools write. The innermost of the folders around a file decides. A file that is in
/// none of the folders is not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteScope {
    writable: Vec<PathBuf>,
    closed: Vec<PathBuf>,
    by: String,
}

impl WriteScope {
    /// Allows writing in the `writable` folders except in the `closed` ones. `by` is who sets the scope, as refusals
    /// name it: `Codex's sandbox`.
    pub fn new(writable: Vec<PathBuf>, closed: Vec<PathBuf>, by: impl Into<String>) -> Self {
        let resolved = |folders: Vec<PathBuf>| {
            folders
                .iter()
                .map(|folder| resolve_folder(folder))
                .collect()
        };
        Self {
            writable: resolved(writable),
            closed: resolved(closed),
            by: by.into(),
        }
    }

    /// Returns whether a file, as opened, may be written. Of two folders that are equally near, the closed one counts.
    pub(crate) fn allows(&self, path: &Path) -> bool {
        let nearest = |folders: &[PathBuf]| {
            let around = folders.iter().filter(|folder| path.starts_with(folder));
            around.map(|folder| folder.components().count()).max()
        };
        nearest(&self.writable) > nearest(&self.closed)
    }

    /// Returns a description of what the scope allows, for a refusal.
    pub(crate) fn describe(&self) -> String {
        let by = &self.by;
        match self.writable.as_slice() {
            [] => format!("{by} allows no writing"),
            [only] => format!("{by} allows writing below {} only", only.display()),
            [first, others @ ..] => format!(
                "{by} allows writing below {} and {} more only",
                first.display(),
                match others.len() {
                    1 => "1 folder".to_owned(),
                    number => format!("{number} folders"),
                }
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn innermost_folder_decides() {
        let folders = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let scope = WriteScope::new(folders(&["/w", "/w/a/b"]), folders(&["/w/a", "/x"]), "It");
        for (path, allowed) in [
            ("/w/file", true),
            ("/w/a/file", false),
            ("/w/a/b/file", true),
            ("/wide", false),
            ("/x/file", false),
        ] {
            assert_eq!(scope.allows(Path::new(path)), allowed, "{path}");
        }
        let both = WriteScope::new(folders(&["/w"]), folders(&["/w"]), "It");
        assert!(!both.allows(Path::new("/w/file")));
        assert_eq!(
            WriteScope::new(Vec::new(), Vec::new(), "It").describe(),
            "It allows no writing"
        );
    }
}
