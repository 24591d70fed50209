//! The link to a user's editor (`lancet events --follow --editor NAME`). It reads on standard input which files have
//! unsaved changes, and publishes them until standard input ends.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, PipeReader, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lancet::Lancet;
use lancet::editor::{Editor, MAX_UNSAVED_FILES};
use serde_json::json;

use crate::failure::Failure;
use crate::surroundings::Surroundings;
use crate::terminal::{escape_line_for_terminal, print, print_error};

/// The longest line that is read, in bytes: a thousand paths of the greatest length, and the JSON syntax around them.
const LONGEST_LINE: u64 = 8 << 20;
/// How much of an invalid line is quoted, in characters.
const MAX_QUOTED_CHARACTERS: usize = 80;
/// The description of a valid line.
const EXPECTED_LINE: &str = "{\"unsaved\": [paths]} is expected";

/// The link to an editor. Its lists are removed when it is dropped.
pub(super) struct EditorLink {
    /// Its other end is closed when standard input has ended.
    end: PipeReader,
    editor: Arc<Mutex<Option<Editor>>>,
}

impl EditorLink {
    /// Announces the editor and begins to read its messages.
    pub(super) fn begin(
        lancet: &Lancet,
        name: &str,
        around: &Surroundings,
    ) -> Result<Self, Failure> {
        let unwritable = |error: io::Error| {
            Failure::system(format!("the state folder cannot be written: {error}"))
        };
        let editor = lancet.announce_editor(name).map_err(unwritable)?;
        let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
        let editor = Arc::new(Mutex::new(Some(editor.ok_or_else(without)?)));
        let (end, open) =
            io::pipe().map_err(|error| Failure::system(format!("no pipe can be made: {error}")))?;
        let roots = lancet.roots().into_iter();
        let roots = roots.map(|root| root.display().to_string());
        let link = StatusPrinter {
            name: name.to_owned(),
            roots: roots.collect(),
        };
        link.print_status(0)?;
        let (own, around) = (Arc::clone(&editor), around.clone());
        let reading = move || {
            // The other end of the pipe is closed with this thread, however it ends.
            let _open = open;
            read_messages(&own, &link, &around);
            own.lock().unwrap_or_else(PoisonError::into_inner).take();
        };
        std::thread::Builder::new()
            .name("editor".to_owned())
            .spawn(reading)
            .map_err(|error| Failure::system(format!("no thread can be started: {error}")))?;
        Ok(Self { end, editor })
    }

    /// Returns a handle whose other end is closed when the editor has disconnected.
    pub(super) fn hangup_handle(&self) -> BorrowedFd<'_> {
        self.end.as_fd()
    }
}

impl Drop for EditorLink {
    fn drop(&mut self) {
        let editor = self.editor.lock();
        editor.unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Reads lines until standard input ends.
fn read_messages(editor: &Mutex<Option<Editor>>, link: &StatusPrinter, around: &Surroundings) {
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
        {
            Ok(0) | Err(_) => return,
            Ok(_) if line.ends_with(b"\n") || line.len() < LONGEST_LINE as usize => {}
            // The end of such a line is not known, so everything after it is unusable as well.
            Ok(_) => {
                print_error(
                    "lancet: a line is longer than 8 MiB; the editor is no longer listened to\n",
                );
                return;
            }
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let held = editor.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(editor) = held.as_ref() else { return };
        let result = parse_unsaved_paths(&line, around).and_then(|files| {
            let set = editor.set_unsaved(&files);
            set.map_err(|error| format!("the state folder cannot be written: {error}"))?;
            Ok(files.len())
        });
        drop(held);
        match result {
            Ok(number) => {
                if link.print_status(number).is_err() {
                    return;
                }
            }
            Err(trouble) => print_error(&format!(
                "lancet: {} changes nothing: {trouble}\n",
                quote_line(&line)
            )),
        }
    }
}

/// Prints messages about the link itself to standard output.
struct StatusPrinter {
    name: String,
    roots: Vec<String>,
}

impl StatusPrinter {
    /// Reports that a list of so many files is now in effect.
    fn print_status(&self, number: usize) -> Result<(), Failure> {
        let line = json!({ "event": "editor", "editor": self.name, "roots": self.roots, "unsaved": number });
        print(&format!("{line}\n"))
    }
}

/// Parses the files that a line names.
fn parse_unsaved_paths(line: &[u8], around: &Surroundings) -> Result<Vec<PathBuf>, String> {
    let said: BTreeMap<String, Vec<PathBuf>> =
        serde_json::from_slice(line).map_err(|error| format!("{error}; {EXPECTED_LINE}"))?;
    let unsaved = match said.iter().next() {
        Some((key, unsaved)) if said.len() == 1 && key == "unsaved" => unsaved,
        _ => return Err(EXPECTED_LINE.to_owned()),
    };
    if unsaved.len() > MAX_UNSAVED_FILES {
        return Err(format!("there are more than {MAX_UNSAVED_FILES} paths"));
    }
    let files = unsaved.iter().map(|path| {
        let path = around
            .absolute(path)
            .map_err(|failure| failure.to_string())?;
        match path.file_name() {
            Some(_) => Ok(resolve_links(&path)),
            None => Err(format!("`{}` is no file", path.display())),
        }
    });
    files.collect()
}

/// Returns the path without symbolic links, as lancet opens it. For a file that does not exist yet, the links of its
/// folder are resolved.
fn resolve_links(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        let new = folder.and_then(|folder| Some(folder.join(path.file_name()?)));
        new.unwrap_or_else(|| path.to_path_buf())
    })
}

/// Returns the beginning of a line, for a message.
fn quote_line(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line.trim_ascii());
    let mut shown: String = text.chars().take(MAX_QUOTED_CHARACTERS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("`{}`", escape_line_for_terminal(&shown))
}
