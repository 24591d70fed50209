//! Edits through lancet's own commit, of a file that holds a numbered text.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::numbered_text;
use crate::commit::{CommitError, ExpectedState, FileWrite, NewBytes, WriteOptions, WriteOutcome};
use crate::disk::RealDisk;
use crate::roots::Workspace;
use crate::snapshot::ReadError;

/// The name of the file that is edited.
const EDITED_FILE: &str = "edited.txt";
/// How long an edit that another program interfered with is retried.
const RETRY_PATIENCE: Duration = Duration::from_secs(5);

/// A workspace with a file that is edited.
#[derive(Debug)]
pub(super) struct Editor {
    workspace: Workspace,
    path: PathBuf,
}

impl Editor {
    /// Writes the first text, without lancet, and opens the folder.
    pub(super) fn create(root: &Path, state: &Path) -> io::Result<Editor> {
        fs::write(root.join(EDITED_FILE), numbered_text::numbered_text(0))?;
        Editor::open(root, state)
    }

    pub(super) fn open(root: &Path, state: &Path) -> io::Result<Editor> {
        let state = Some(state.to_owned());
        let workspace = Workspace::open(&[root.to_owned()], Arc::new(RealDisk), state)
            .map_err(io::Error::other)?;
        let path = workspace.roots()[0].join(EDITED_FILE);
        Ok(Editor { workspace, path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Completes or undoes what a killed process left.
    pub(super) fn recover(&self) -> io::Result<()> {
        self.workspace.recover_commits().map(|_| ())
    }

    /// Changes the file to the text of the next number; returns that number.
    pub(super) fn edit_once(&self) -> io::Result<(u64, WriteOutcome)> {
        let begun = Instant::now();
        loop {
            match self.try_edit() {
                Ok(done) => return Ok(done),
                // A reader of this proof may have the file open, and the name may be missing for a moment.
                Err(error)
                    if begun.elapsed() < RETRY_PATIENCE
                        && matches!(
                            error.kind(),
                            io::ErrorKind::NotFound | io::ErrorKind::ResourceBusy
                        ) =>
                {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn try_edit(&self) -> io::Result<(u64, WriteOutcome)> {
        let located = self
            .workspace
            .locate(&self.path)
            .map_err(io::Error::other)?;
        let snapshot = located
            .read_snapshot(1 << 20)
            .map_err(|error| match error {
                ReadError::Missing => io::Error::new(io::ErrorKind::NotFound, error),
                error => io::Error::other(error),
            })?;
        let number = numbered_text::text_number(&snapshot.bytes)
            .ok_or_else(|| io::Error::other("the file does not hold a whole text"))?;
        let text = numbered_text::numbered_text(number + 1);
        let write = FileWrite {
            located: &located,
            expected: ExpectedState::Content {
                revision: snapshot.revision,
                stamp: snapshot.stamp,
                bytes: Some(Arc::clone(&snapshot.bytes)),
            },
            new: NewBytes::Whole(text.as_bytes()),
            revision: None,
            options: WriteOptions::default(),
        };
        let written = self
            .workspace
            .commit(vec![write])
            .map_err(|error| match error {
                CommitError::Changed { .. } | CommitError::Busy { .. } => {
                    io::Error::new(io::ErrorKind::ResourceBusy, error)
                }
                error => io::Error::other(error),
            })?;
        let written = written.into_iter().next();
        let written = written.ok_or_else(|| io::Error::other("nothing was written"))?;
        if let Some(displaced) = &written.displaced {
            // The old texts would accumulate. One that remains is removed with the folder of the proof.
            let _ = fs::remove_file(&displaced.path);
        }
        Ok((number + 1, written))
    }

    /// Returns the number of the text; none if the file is missing or not whole.
    pub(super) fn current_number(&self) -> Option<u64> {
        numbered_text::text_number(&fs::read(&self.path).ok()?)
    }

    /// Returns the names in the folder other than the file's.
    pub(super) fn leftover_names(&self) -> io::Result<Vec<String>> {
        let root = &self.workspace.roots()[0];
        let names: io::Result<Vec<String>> = fs::read_dir(root)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect();
        Ok(names?
            .into_iter()
            .filter(|name| name != EDITED_FILE)
            .collect())
    }
}
