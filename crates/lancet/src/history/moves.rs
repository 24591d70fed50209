//! Files and roots that other programs moved.

use std::path::{Path, PathBuf};

use lancet_history::{FormerRoot, HistoryError};

use super::{History, LostFile};
use crate::engine::moved_files::Thoroughness;

impl History {
    /// Renames the records of files that other programs moved to the present paths, as far as the files are found in
    /// little time. A list made afterwards shows the present names, and [`former_path`](super::FileChange::former_path)
    /// has the old ones.
    ///
    /// # Errors
    /// The state folder cannot be read or written.
    pub fn follow_moved_files(&self) -> Result<(), HistoryError> {
        self.engine.follow_files(Thoroughness::Brief).map(drop)
    }

    /// Returns the recorded files that are neither under their names nor found by their inode numbers, with the files
    /// that have exactly their bytes.
    ///
    /// # Errors
    /// The state folder cannot be read or written.
    pub fn lost_files(&self) -> Result<Vec<LostFile>, HistoryError> {
        self.engine.follow_files(Thoroughness::Whole)
    }

    /// Renames the records of a file to another path, because a person says that it is that file. False where no
    /// recorded file has the old name.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn follow_file(&self, from: &Path, to: &Path) -> Result<bool, HistoryError> {
        self.engine.follow_file(from, to)
    }

    /// Returns the paths that the roots had earlier, latest first.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn former_roots(&self) -> Result<Vec<FormerRoot>, HistoryError> {
        let mut all = Vec::new();
        for root in self.engine.roots() {
            all.extend(self.engine.former_roots(root)?);
        }
        Ok(all)
    }

    /// Returns the folders that roots are copies of, such as the originals of snapshots. Their changes are not listed
    /// here.
    pub fn originals(&self) -> Vec<PathBuf> {
        self.engine.originals().to_vec()
    }
}
