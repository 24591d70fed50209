//! Opens a person's editor on the text of a change before it is written.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::launcher::Launch;

/// Lets the person edit the text, from the line with this number on; none where they left it unchanged.
pub(super) fn edit(
    editor: &str,
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
    // The variable may hold arguments, so a shell takes it apart, as everybody does with it.
    let script = format!("{editor} \"$@\"");
    let mut arguments: Vec<OsString> = vec!["-c".into(), script.into(), "editor".into()];
    arguments.extend(at_line(editor, &draft.0, line));
    let ended = Launch::at_terminal("sh", arguments)?.start()?.wait()?;
    if !ended.success() {
        return Err(io::Error::other("the editor ended with an error"));
    }
    let edited = std::fs::read_to_string(&draft.0)?;
    Ok((edited != text).then_some(edited))
}

/// The arguments that open a file at a line, in the way of the editor; of an editor that is not known the file alone.
fn at_line(editor: &str, file: &Path, line: usize) -> Vec<OsString> {
    let program = editor.split_whitespace().next().unwrap_or_default();
    let program = Path::new(program).file_name().unwrap_or_default();
    let joined = || {
        let mut place = file.as_os_str().to_owned();
        place.push(format!(":{line}"));
        place
    };
    match program.to_str().unwrap_or_default() {
        "vi" | "vim" | "nvim" | "vim.basic" | "vim.tiny" | "gvim" | "nano" | "pico" | "emacs"
        | "emacsclient" | "micro" | "kak" | "joe" | "jed" | "mg" | "ne" => {
            vec![format!("+{line}").into(), file.into()]
        }
        "hx" | "helix" | "subl" | "zed" => vec![joined()],
        "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => {
            vec!["--goto".into(), joined()]
        }
        _ => vec![file.into()],
    }
}

/// A temporary file with the text that a person edits; removed when it is dropped.
struct TemporaryText(PathBuf);

impl TemporaryText {
    fn new(folder: &Path, edited: &Path, text: &str) -> io::Result<TemporaryText> {
        // The name's end tells an editor the language.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_opens_at_the_line_in_its_own_way() {
        let shown = |editor| at_line(editor, Path::new("/d/a.rs"), 7);
        assert_eq!(shown("/usr/bin/vim -n"), ["+7", "/d/a.rs"]);
        assert_eq!(shown("code --wait"), ["--goto", "/d/a.rs:7"]);
        assert_eq!(shown("hx"), ["/d/a.rs:7"]);
        assert_eq!(shown("my-editor"), ["/d/a.rs"]);
    }
}
