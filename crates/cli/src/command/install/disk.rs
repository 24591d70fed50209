//! Reads and writes agents' settings files. A write is a compare-and-swap: another program that writes the file
//! meanwhile loses no bytes, and the change is computed again from the new text. It is not a change of a project and
//! not in the history.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lancet_workspace::{
    CommitError, ExpectedState, FileType, FileWrite, NewBytes, RealDisk, Workspace, WriteOptions,
    resolve_folder,
};

use super::change::NewText;
use crate::failure::Failure;

/// The longest settings file that is edited, in bytes. Claude Code's grows with every project.
const MAX_SETTINGS_BYTES: u64 = 64 * 1024 * 1024;
/// How often the write is tried again after another writer was faster.
const MAX_TRIES: usize = 64;
/// The pause before the next try.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// Reads a file; none if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    let opened = Opened::new(path)?;
    let located = opened.locate()?;
    if located.kind() == FileType::Missing {
        return Ok(None);
    }
    let snapshot = located.read_snapshot(MAX_SETTINGS_BYTES);
    let snapshot = snapshot.map_err(|error| io_failure(path, "read", &error))?;
    decode_utf8(path, &snapshot.bytes).map(Some)
}

/// Changes a file, and retries until no other program has written it in between.
pub(super) fn update_file(
    path: &Path,
    work: &dyn Fn(Option<&str>) -> Result<NewText, Failure>,
) -> Result<(), Failure> {
    for _ in 0..MAX_TRIES {
        // The folder is opened again at each try, because folders may have been created or removed meanwhile.
        let opened = Opened::new(path)?;
        let located = opened.locate()?;
        let (text, expected) = if located.kind() == FileType::Missing {
            (None, ExpectedState::Missing)
        } else {
            let snapshot = located.read_snapshot(MAX_SETTINGS_BYTES);
            let snapshot = snapshot.map_err(|error| io_failure(path, "read", &error))?;
            let text = decode_utf8(path, &snapshot.bytes)?;
            let expected = ExpectedState::Content {
                revision: snapshot.revision,
                stamp: snapshot.stamp,
                bytes: Some(snapshot.bytes),
            };
            (Some(text), expected)
        };
        let new = work(text.as_deref())?;
        let new = match &new {
            NewText::Same => return Ok(()),
            NewText::Text(text) => NewBytes::Whole(text.as_bytes()),
            NewText::Removed => NewBytes::Nothing,
        };
        let write = FileWrite {
            located: &located,
            expected,
            new,
            revision: None,
            options: WriteOptions::default(),
        };
        match opened.workspace.commit(vec![write]) {
            Ok(_) => return Ok(()),
            Err(
                CommitError::Changed { .. }
                | CommitError::Exists { .. }
                | CommitError::FolderMoved { .. }
                | CommitError::Busy { .. },
            ) => std::thread::sleep(RETRY_PAUSE),
            Err(error) => return Err(io_failure(path, "written", &error)),
        }
    }
    Err(Failure::system(format!(
        "{}: others kept writing it; end the agent and run this again",
        path.display()
    )))
}

/// Returns the folders above a file that do not exist, outermost first.
pub(super) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let folders = path.ancestors().skip(1);
    let mut missing: Vec<_> = folders
        .take_while(|folder| !folder.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    missing
}

/// Removes folders that are empty now, innermost first.
pub(super) fn remove_empty_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // A folder that is not empty cannot be removed and stays.
        let _ = std::fs::remove_dir(folder);
    }
}

struct Opened {
    workspace: Workspace,
    /// The file that the path leads to: a settings file may be a symbolic link.
    file: PathBuf,
    path: PathBuf,
}

impl Opened {
    fn new(path: &Path) -> Result<Self, Failure> {
        let file = resolve_folder(path);
        let folder = file.ancestors().skip(1).find(|folder| folder.is_dir());
        let root = folder.unwrap_or(Path::new("/")).to_path_buf();
        let workspace = Workspace::open(&[root], Arc::new(RealDisk), None);
        Ok(Self {
            workspace: workspace.map_err(|error| io_failure(path, "opened", &error))?,
            file,
            path: path.to_path_buf(),
        })
    }

    fn locate(&self) -> Result<lancet_workspace::Located, Failure> {
        let located = self.workspace.locate_as_spelled(&self.file);
        located.map_err(|error| io_failure(&self.path, "opened", &error))
    }
}

fn decode_utf8(path: &Path, bytes: &[u8]) -> Result<String, Failure> {
    String::from_utf8(bytes.to_vec()).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::refused(format!(
            "{} is not UTF-8 text (byte {at}); it was left as it is",
            path.display()
        ))
    })
}

fn io_failure(path: &Path, what: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::system(format!("{} cannot be {what}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;

    use super::*;

    #[test]
    fn keeps_concurrent_writes_of_other_programs() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings.json");
        fs::write(&path, "one\n").expect("written");
        let tries = Cell::new(0);
        let done = update_file(&path, &|text| {
            let new = format!("{}lancet\n", text.unwrap_or_default());
            if tries.replace(tries.get() + 1) == 0 {
                fs::write(&path, "two\n").expect("written");
            }
            Ok(NewText::Text(new))
        });
        assert_eq!(done, Ok(()));
        assert_eq!(fs::read_to_string(&path).expect("text"), "two\nlancet\n");
        assert_eq!(tries.get(), 2);
    }

    #[test]
    fn creates_and_removes_file_with_its_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a/b/settings.json");
        let missing = missing_folders(&path);
        assert_eq!(
            missing,
            [folder.path().join("a"), folder.path().join("a/b")]
        );
        let write = |new: NewText| update_file(&path, &|_| Ok(new.clone()));
        assert_eq!(write(NewText::Text("{}".to_owned())), Ok(()));
        assert_eq!(read(&path), Ok(Some("{}".to_owned())));
        assert_eq!(write(NewText::Removed), Ok(()));
        assert_eq!(read(&path), Ok(None));
        remove_empty_folders(&missing);
        assert!(!folder.path().join("a").exists());
    }
}
