//! The roots that files are recorded with. Two containers may each have a `/workspace`, so the path alone does not
//! identify the file that a record is about.

use std::path::{Path, PathBuf};

/// A root of the engine that makes a change, as it is recorded with each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkspaceRef<'a> {
    /// A hash that identifies the folder, so that it differs from any other folder that has or had the same path. The
    /// caller computes it.
    pub id: [u8; 32],
    /// The path of the root, symbolic links resolved.
    pub root: &'a Path,
}

/// A root that files were recorded with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownWorkspace {
    /// The hash that identifies the folder, so that it differs from any other folder that has or had the same path.
    pub id: [u8; 32],
    /// The path of the root.
    pub root: PathBuf,
}

impl KnownWorkspace {
    /// Returns the same root, borrowed.
    #[must_use]
    pub fn as_workspace_ref(&self) -> WorkspaceRef<'_> {
        WorkspaceRef {
            id: self.id,
            root: &self.root,
        }
    }

    /// Returns the first 16 hexadecimal digits of the id, the form that people and programs see.
    #[must_use]
    pub fn short_id(&self) -> String {
        self.id[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}
