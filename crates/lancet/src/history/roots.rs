//! Which changes and paths belong to the roots of the engine.

use std::path::Path;

use lancet_history::{FilesBelow, Operation};

use super::History;

impl History {
    /// Also lists changes that touched files outside the roots, if one of their files is below a root. Whoever shows
    /// them checks the rules of the other files' projects.
    #[must_use]
    pub fn with_changes_across_projects(self) -> Self {
        Self {
            files_below: FilesBelow::Any,
            ..self
        }
    }

    /// Returns whether all files of an operation are below the roots.
    pub fn are_files_below_roots(&self, operation: &Operation) -> bool {
        let mut files = operation.files.iter();
        files.all(|file| self.is_below_roots(&file.path))
    }

    /// Returns whether a path is below a root.
    pub fn is_below_roots(&self, path: &Path) -> bool {
        let mut roots = self.engine.roots().iter();
        roots.any(|root| path.starts_with(root))
    }

    /// Returns a path relative to its root.
    pub fn relative_to_root<'p>(&self, path: &'p Path) -> &'p Path {
        let roots = self.engine.roots().iter();
        roots
            .filter_map(|root| path.strip_prefix(root).ok())
            .min_by_key(|path| path.as_os_str().len())
            .unwrap_or(path)
    }
}
