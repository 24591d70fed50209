//! Publishes the state of each process's search indexes. Each process publishes it in a file that is named like the
//! process (`process.rs`), so that it counts only while the process lives. The caller defines the text.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::process::{self, StateFolderUse};

/// The folder inside the state folder; the budget of all processes is stored there, too.
const NOTES_FOLDER: &str = "search";
/// The endings of the name of a note, and of one that is being written.
const NOTE_SUFFIXES: [&str; 2] = [".json", ".new"];
/// The longest note that is read, in bytes.
const MAX_NOTE_BYTES: u64 = 1 << 20;

/// The published note of one engine of this process. It is withdrawn when this value is dropped, and no longer counts
/// when the process ends.
#[derive(Debug)]
#[must_use]
pub struct ResidentNote {
    state: PathBuf,
    /// Distinguishes the engines of one process.
    number: u64,
    told: AtomicBool,
    /// Keeps the name of this process.
    _process: StateFolderUse,
}

impl ResidentNote {
    /// Prepares a note; touches no file.
    pub fn new(state: &Path) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            state: state.to_path_buf(),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            told: AtomicBool::new(false),
            _process: StateFolderUse::new(state),
        }
    }

    /// Replaces the published text in one step. Notes that ended processes left are removed.
    ///
    /// # Errors
    /// The state folder cannot be written; the previous text stays published.
    pub fn publish_note(&self, text: &str) -> io::Result<()> {
        let folder = self.state.join(NOTES_FOLDER);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)?;
        for (process, path) in list_notes(&self.state) {
            if !process::is_alive(&self.state, &process) {
                let _ = fs::remove_file(path);
            }
        }
        self.told.store(true, Ordering::Relaxed);
        let [note, unfinished] = self.note_paths();
        let mut open = OpenOptions::new();
        open.write(true).create(true).truncate(true).mode(0o600);
        open.open(&unfinished)?.write_all(text.as_bytes())?;
        fs::rename(unfinished, note)
    }

    /// Returns the texts of all running processes, in the order of their names. Changes nothing.
    pub fn read_all_processes(state: &Path) -> Vec<String> {
        let mut notes = list_notes(state);
        notes.retain(|(process, path)| {
            path.extension().is_some_and(|ending| ending == "json")
                && process::is_alive(state, process)
        });
        notes.sort();
        let texts = notes.iter().filter_map(|(_, path)| {
            let mut text = String::new();
            let file = File::open(path).ok()?;
            file.take(MAX_NOTE_BYTES).read_to_string(&mut text).ok()?;
            Some(text)
        });
        texts.collect()
    }

    fn note_paths(&self) -> [PathBuf; 2] {
        let name = format!("{}.{}", process::own_name(&self.state), self.number);
        let folder = self.state.join(NOTES_FOLDER);
        NOTE_SUFFIXES.map(|ending| folder.join(format!("{name}{ending}")))
    }
}

impl Drop for ResidentNote {
    fn drop(&mut self) {
        // A process that published nothing has no name yet, and gets none here.
        if self.told.load(Ordering::Relaxed) {
            for file in self.note_paths() {
                let _ = fs::remove_file(file);
            }
        }
    }
}

/// Returns the notes in a state folder, finished or not, each with the name of its process.
fn list_notes(state: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(state.join(NOTES_FOLDER));
    let mut found = Vec::new();
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let stem = NOTE_SUFFIXES
            .iter()
            .find_map(|ending| name.strip_suffix(ending));
        if let Some((process, _)) = stem.and_then(|stem| stem.rsplit_once('.')) {
            found.push((process.to_owned(), entry.path()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted_notes(state: &Path) -> Vec<String> {
        let mut told = ResidentNote::read_all_processes(state);
        told.sort();
        told
    }

    #[test]
    fn note_replaces_previous_and_is_removed_with_engine() {
        let state = tempfile::tempdir().expect("folder");
        let (first, second) = (
            ResidentNote::new(state.path()),
            ResidentNote::new(state.path()),
        );
        assert!(sorted_notes(state.path()).is_empty());
        first.publish_note("a").expect("published");
        second.publish_note("b").expect("published");
        first.publish_note("c").expect("published");
        assert_eq!(sorted_notes(state.path()), ["b", "c"]);
        drop(first);
        assert_eq!(sorted_notes(state.path()), ["b"]);
        drop(second);
        let left = fs::read_dir(state.path().join(NOTES_FOLDER)).expect("there");
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn notes_of_ended_processes_are_ignored_and_removed_on_publish() {
        let state = tempfile::tempdir().expect("folder");
        let folder = state.path().join(NOTES_FOLDER);
        fs::create_dir(&folder).expect("made");
        let names = [
            "00000000000000aa.0.json",
            "00000000000000bb.1.new",
            "1:1.0.json",
            "slots",
        ];
        for name in names {
            fs::write(folder.join(name), "{}").expect("written");
        }
        assert!(sorted_notes(state.path()).is_empty());
        assert_eq!(
            fs::read_dir(&folder).expect("there").count(),
            4,
            "a look changes nothing"
        );
        let note = ResidentNote::new(state.path());
        note.publish_note("mine").expect("published");
        assert_eq!(sorted_notes(state.path()), ["mine"]);
        assert_eq!(fs::read_dir(&folder).expect("there").count(), 2);
        assert!(folder.join("slots").exists(), "the budget stays");
    }

    #[test]
    fn engine_without_note_creates_no_file() {
        let state = tempfile::tempdir().expect("folder");
        fs::create_dir(state.path().join(NOTES_FOLDER)).expect("made");
        fs::write(state.path().join("search/1:1.0.json"), "{}").expect("of another");
        drop(ResidentNote::new(state.path()));
        assert_eq!(fs::read_dir(state.path()).expect("there").count(), 1);
    }
}
