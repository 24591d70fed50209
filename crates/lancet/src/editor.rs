//! A person's editor: as long as it is open, its user can be prompted, and the files in which the user has unsaved
//! changes are known to every process that uses the state folder. An edit of such a file prompts first, in every mode
//! but `bypass`.

use std::io;
use std::path::{Path, PathBuf};

use lancet_local_state::UnsavedFiles;

use crate::engine::Lancet;
use crate::questions::QuestionWatch;

/// The most files that count as unsaved.
pub const MAX_UNSAVED_FILES: usize = 1_000;

/// An editor that is open on the roots of an engine, until this value is dropped or its process ends.
#[derive(Debug)]
#[must_use]
pub struct Editor {
    unsaved: UnsavedFiles,
    _watch: QuestionWatch,
}

impl Lancet {
    /// Announces an editor by its name. None without a state folder.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn announce_editor(&self, name: &str) -> io::Result<Option<Editor>> {
        let (Some(questions), Some(state)) = (self.questions(), self.state_dir()) else {
            return Ok(None);
        };
        Ok(Some(Editor {
            unsaved: UnsavedFiles::new(state, name),
            _watch: questions.watch()?,
        }))
    }
}

impl Editor {
    /// Sets the files in which there are unsaved changes, at most [`MAX_UNSAVED_FILES`] of them, by their absolute paths
    /// without symbolic links. This replaces the previous list.
    ///
    /// # Errors
    /// There are too many files, or the state folder cannot be written. The previous list then stays valid.
    pub fn set_unsaved(&self, files: &[PathBuf]) -> io::Result<()> {
        let is_whole = |file: &PathBuf| file.is_absolute() && Path::new(file).file_name().is_some();
        if files.len() > MAX_UNSAVED_FILES || !files.iter().all(is_whole) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.unsaved.publish_list(files)
    }
}
