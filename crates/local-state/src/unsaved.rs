//! Publishes which files have unsaved changes in an editor. Each editor publishes its list in a file that is named like
//! its process (`process.rs`), so that it counts only while the process lives. If no editor has unsaved changes there
//! is no folder, and a check costs one failing system call.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::process::{self, StateFolderUse};

/// The folder of the lists inside the state folder.
const UNSAVED_FOLDER: &str = "unsaved";
/// The ending of the name of a list that is being written.
const UNFINISHED_SUFFIX: &str = ".new";
/// The longest list that is read, in bytes.
const MAX_LIST_BYTES: u64 = 8 << 20;
/// How often writing a list is tried if another process has just removed the empty folder.
const MAX_WRITE_TRIES: usize = 8;

/// The files that one editor has unsaved changes in. The list is withdrawn when this value is dropped, and no longer
/// counts when its process ends.
#[derive(Debug)]
#[must_use]
pub struct UnsavedFiles {
    state: PathBuf,
    editor: String,
    /// Keeps the name of this process.
    _process: StateFolderUse,
}

impl UnsavedFiles {
    /// Prepares the list of an editor; touches no file.
    pub fn new(state: &Path, editor: &str) -> Self {
        Self {
            state: state.to_path_buf(),
            editor: editor.to_owned(),
            _process: StateFolderUse::new(state),
        }
    }

    /// Replaces the list.
    ///
    /// # Errors
    /// The state folder cannot be written; the previous list stays published.
    pub fn publish_list(&self, files: &[PathBuf]) -> io::Result<()> {
        if files.is_empty() {
            return self.remove_list();
        }
        // A path may contain any byte but this one.
        let mut list = self.editor.clone().into_bytes();
        for file in files {
            list.push(0);
            list.extend_from_slice(file.as_os_str().as_encoded_bytes());
        }
        let folder = self.state.join(UNSAVED_FOLDER);
        let name = process::own_name(&self.state);
        let (unfinished, list_file) = (
            folder.join(format!("{name}{UNFINISHED_SUFFIX}")),
            folder.join(&name),
        );
        for attempt in 1.. {
            let written = write_list(&folder, &unfinished, &list)
                .and_then(|()| fs::rename(&unfinished, &list_file));
            match written {
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound && attempt < MAX_WRITE_TRIES => {}
                written => return written,
            }
        }
        Ok(())
    }

    /// Removes the list.
    fn remove_list(&self) -> io::Result<()> {
        let folder = self.state.join(UNSAVED_FOLDER);
        let removed = fs::remove_file(folder.join(process::own_name(&self.state)));
        // This fails if other editors have lists.
        let _ = fs::remove_dir(folder);
        removed.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })
    }

    /// Returns the lists of all editors that are running.
    pub fn read_all_editors(state: &Path) -> Vec<UnsavedList> {
        let Ok(entries) = fs::read_dir(state.join(UNSAVED_FOLDER)) else {
            return Vec::new();
        };
        let mut lists = Vec::new();
        let mut ended = false;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let process = name.strip_suffix(UNFINISHED_SUFFIX).unwrap_or(name);
            if !process::is_alive(state, process) {
                ended = true;
                let _ = fs::remove_file(entry.path());
            } else if process == name {
                lists.extend(read_list(&entry.path()));
            }
        }
        if ended && lists.is_empty() {
            let _ = fs::remove_dir(state.join(UNSAVED_FOLDER));
        }
        lists
    }
}

impl Drop for UnsavedFiles {
    fn drop(&mut self) {
        let _ = self.remove_list();
    }
}

/// The list that one editor has published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsavedList {
    /// The editor's name.
    pub editor: String,
    /// The absolute paths of the files.
    pub files: Vec<PathBuf>,
}

fn write_list(folder: &Path, file: &Path, list: &[u8]) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let mut open = OpenOptions::new();
    open.write(true).create(true).truncate(true).mode(0o600);
    open.open(file)?.write_all(list)
}

/// Reads a list; none if the file is gone or is not a list.
fn read_list(file: &Path) -> Option<UnsavedList> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let mut bytes = Vec::new();
    File::open(file)
        .ok()?
        .take(MAX_LIST_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    let mut parts = bytes.split(|byte| *byte == 0);
    let editor = String::from_utf8_lossy(parts.next()?).into_owned();
    let files = parts.map(|path| PathBuf::from(OsStr::from_bytes(path)));
    Some(UnsavedList {
        editor,
        files: files.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_replaces_previous_and_is_removed_with_editor() {
        let state = tempfile::tempdir().expect("folder");
        let lists = || UnsavedFiles::read_all_editors(state.path());
        let editor = UnsavedFiles::new(state.path(), "nvim");
        assert!(lists().is_empty());
        editor
            .publish_list(&["/p/a b\n".into(), "/p/c".into()])
            .expect("published");
        editor.publish_list(&["/p/d".into()]).expect("published");
        let expected = UnsavedList {
            editor: "nvim".to_owned(),
            files: vec!["/p/d".into()],
        };
        assert_eq!(lists(), [expected]);
        drop(editor);
        assert!(lists().is_empty());
        assert!(
            !state.path().join(UNSAVED_FOLDER).exists(),
            "the folder goes with the last list"
        );
    }

    #[test]
    fn list_of_ended_process_is_removed_on_next_read() {
        let state = tempfile::tempdir().expect("folder");
        let folder = state.path().join(UNSAVED_FOLDER);
        fs::create_dir(&folder).expect("made");
        for name in ["00000000000000aa", "00000000000000bb.new", "nonsense"] {
            fs::write(folder.join(name), "nvim\0/p/a").expect("written");
        }
        assert!(UnsavedFiles::read_all_editors(state.path()).is_empty());
        assert!(!folder.exists());
    }
}
