//! Opens a person's editor on the text of a change before it is written.

use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use lancet::approval::Question;

use crate::launcher::Launch;

/// Lets the person edit the text; none where they left it unchanged.
pub(super) fn edit(
    editor: &str,
    folder: Option<PathBuf>,
    question: &Question,
) -> io::Result<Option<String>> {
    let text = question
        .text
        .as_ref()
        .ok_or_else(|| io::Error::other("it is no text, or too long"))?;
    let folder =
        folder.ok_or_else(|| io::Error::other("there is no state folder for the draft"))?;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)?;
    let draft = TemporaryText::new(&folder, question, text)?;
    // The variable may contain arguments, so the shell splits it, as is usual.
    let script = format!("{editor} \"$@\"");
    let arguments = [
        "-c".into(),
        script.into(),
        "editor".into(),
        draft.0.clone().into(),
    ];
    let ended = Launch::at_terminal("sh", arguments.to_vec())?
        .start()?
        .wait()?;
    if !ended.success() {
        return Err(io::Error::other("the editor ended with an error"));
    }
    let edited = std::fs::read_to_string(&draft.0)?;
    Ok((edited != *text).then_some(edited))
}

/// A temporary file with the text that a person edits; removed when it is dropped.
struct TemporaryText(PathBuf);

impl TemporaryText {
    fn new(folder: &Path, question: &Question, text: &str) -> io::Result<TemporaryText> {
        // The extension of the name tells the editor the language.
        let name = question.path.file_name().unwrap_or_default();
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
