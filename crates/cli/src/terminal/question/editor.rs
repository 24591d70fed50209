//! Opens the user's editor on the text of a change before it is written.

use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use lancet_serving::{LaunchRequest, Streams};

use crate::launcher;

/// Lets the person edit the text, from the line with this number on; none where they left it unchanged.
pub(super) fn edit_text(
    folder: Option<PathBuf>,
    file: &Path,
    text: &str,
    line: usize,
) -> io::Result<Option<String>> {
    let folder =
        folder.ok_or_else(|| io::Error::other("there is no state folder for the draft"))?;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)?;
    let draft = TemporaryText::new(&folder, file, text)?;
    let launch = LaunchRequest::Editor {
        file: draft.0.clone(),
        line,
    };
    let ended = launcher::start_program(&launch, Streams::inherit_terminal()?)?.wait()?;
    if !ended.success() {
        return Err(io::Error::other("the editor ended with an error"));
    }
    let edited = std::fs::read_to_string(&draft.0)?;
    Ok((edited != text).then_some(edited))
}

/// A temporary file with the text that a person edits; removed when it is dropped.
struct TemporaryText(PathBuf);

impl TemporaryText {
    fn new(folder: &Path, edited: &Path, text: &str) -> io::Result<TemporaryText> {
        // An editor detects the language by the end of the name.
        let name = edited.file_name().unwrap_or_default();
        let file = format!("{}-{}", std::process::id(), name.to_string_lossy());
        let path = folder.join(file);
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&path)?;
        file.write_all(text.as_bytes())?;
        Ok(TemporaryText(path))
    }
}

impl Drop for TemporaryText {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
