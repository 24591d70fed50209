//! The fixture of these tests: a project, a state folder, and engines on them that represent processes.

use std::fs;
use std::path::{Path, PathBuf};

use lancet::review::{ReviewText, ReviewedFile, Reviews, TakeHunk};
use lancet::{Lancet, Mode, RawCall, Reply, Session, SessionName};
use serde_json::json;
use tempfile::TempDir;

pub(crate) struct Ground {
    root: TempDir,
    pub(crate) state: TempDir,
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self {
            root: TempDir::new().expect("folder"),
            state: TempDir::new().expect("folder"),
        }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.root.path().canonicalize().expect("there")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file as another program does.
    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).expect("written");
        path
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("read")
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("text")
    }

    /// Opens an engine, which represents a process.
    pub(crate) fn engine(&self) -> Lancet {
        self.engine_in(Mode::AcceptEdits)
    }

    pub(crate) fn engine_in(&self, mode: Mode) -> Lancet {
        Lancet::builder()
            .root(self.root())
            .state_dir(self.state.path())
            .mode(mode)
            .open()
            .expect("opened")
    }

    /// Opens the database of the state folder.
    pub(crate) fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.state.path().join("lancet.db")).expect("opened")
    }

    pub(crate) fn review(&self) -> Reviews {
        self.engine().review().expect("a state folder")
    }

    /// Returns the one file that is to be reviewed.
    pub(crate) fn only(&self) -> ReviewedFile {
        let mut list = self.review().list(10).expect("read");
        assert_eq!(list.files.len(), 1, "{list:?}");
        list.files.remove(0)
    }

    pub(crate) fn is_all_seen(&self) -> bool {
        let list = self.review().list(10).expect("read");
        list.files.is_empty() && list.others.is_empty()
    }
}

pub(crate) fn named(lancet: &Lancet, name: &str) -> Session {
    lancet.session(&SessionName::new(name).expect("a name"))
}

pub(crate) fn call(session: &Session, tool: &str, arguments: serde_json::Value) -> Reply {
    session.call(RawCall::new(tool, arguments))
}

pub(crate) fn read(session: &Session, path: &Path) -> Reply {
    let reply = call(session, "Read", json!({ "file_path": path }));
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

/// Reads a file and replaces a text in it.
pub(crate) fn edit(session: &Session, path: &Path, old: &str, new: &str) -> Reply {
    read(session, path);
    let reply = call(
        session,
        "Edit",
        json!({ "file_path": path, "old_string": old, "new_string": new }),
    );
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

pub(crate) fn write(session: &Session, path: &Path, text: &str) -> Reply {
    let reply = call(
        session,
        "Write",
        json!({ "file_path": path, "content": text }),
    );
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

/// Returns the request to undo one hunk of a file, as it is shown.
pub(crate) fn hunk(file: &ReviewedFile, number: usize) -> TakeHunk {
    let ReviewText::Lines { hunks, .. } = &file.text else {
        panic!("{:?}", file.text);
    };
    TakeHunk::new(
        &file.path,
        &file.operation,
        file.before,
        hunks[number].lines,
    )
}

pub(crate) fn hunks(file: &ReviewedFile) -> usize {
    match &file.text {
        ReviewText::Lines { hunks, .. } => hunks.len(),
        other => panic!("{other:?}"),
    }
}

/// Forty lines.
pub(crate) fn lines() -> String {
    (1..=40).map(|line| format!("line {line}.\n")).collect()
}
