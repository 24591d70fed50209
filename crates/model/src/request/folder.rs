//! The change of an empty folder. A folder with files has none of its own: it is made and removed with its files.

use std::path::PathBuf;

/// What happens to an empty folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderChange {
    /// A folder without entries is made where nothing is.
    Make {
        /// The permission bits of the folder.
        mode: u32,
    },
    /// The folder is removed; it must be empty.
    Remove {
        /// Folders around it, outermost first, that are removed, too, if they are empty then.
        folders: Vec<PathBuf>,
    },
}
