//! A person's editor: as long as it is there, its person can be asked, and the files in which they have unsaved changes are known to
//! every process that uses the state folder. An edit of such a file asks first, in every mode but `bypass`.

use std::io;
use std::path::{Path, PathBuf};

use lancet_local_state::UnsavedFiles;

use crate::engine::Lancet;
use crate::questions::Watch;

/// The most files that count as unsaved.
pub const MOST_UNSAVED: usize = 1_000;

/// An editor that is open on the roots of an engine, until this value goes or its process ends.
#[derive(Debug)]
#[must_use]
pub struct Editor {
    unsaved: UnsavedFiles,
    _watch: Watch,
}

impl Lancet {
    /// Announces an editor by its name; none without a state folder.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn editor(&self, name: &str) -> io::Result<Option<Editor>> {
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
    /// Says in which files there are unsaved changes, at most [`MOST_UNSAVED`] of them, by their absolute paths without
    /// symbolic links. This replaces what was said before.
    ///
    /// # Errors
    /// There are too many files, or the state folder cannot be written; what was said before holds.
    pub fn set_unsaved(&self, files: &[PathBuf]) -> io::Result<()> {
        let is_whole = |file: &PathBuf| file.is_absolute() && Path::new(file).file_name().is_some();
        if files.len() > MOST_UNSAVED || !files.iter().all(is_whole) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.unsaved.publish(files)
    }
}
