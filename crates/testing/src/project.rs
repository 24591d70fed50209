//! An engine on a temporary root.

use std::path::{Path, PathBuf};

use lancet::settings::{Layer, Origin};
use lancet::{Builder, Lancet, Mode, RawCall, Reply, Session, Settings};
use serde_json::{Value, json};

use crate::{TestFolder, folder};

/// A temporary folder with a root in it (`root`), an engine opened on that root, and one session.
#[derive(Debug)]
pub struct TestProject {
    /// The temporary folder that contains the root.
    pub around: TestFolder,
    /// The root.
    pub root: PathBuf,
    /// The engine.
    pub lancet: Lancet,
    /// A session without a name.
    pub session: Session,
}

impl TestProject {
    /// Opens an engine in mode `accept-edits`, without a state folder.
    #[must_use]
    pub fn new() -> TestProject {
        TestProject::with(|builder| builder)
    }

    /// Opens an engine in mode `accept-edits`, without a state folder; `change` may change the builder last.
    #[must_use]
    pub fn with(change: impl FnOnce(Builder) -> Builder) -> TestProject {
        TestProject::inside(TestFolder::new(), |builder, _| change(builder))
    }

    /// Opens an engine in mode `accept-edits`, with a state folder (`state`, next to the root).
    #[must_use]
    pub fn with_history(change: impl FnOnce(Builder) -> Builder) -> TestProject {
        TestProject::inside(TestFolder::new(), |builder, around| {
            change(builder.state_dir(around.join("state")))
        })
    }

    /// Opens an engine in a given folder, which is also passed to `change`.
    #[must_use]
    pub fn inside(
        around: TestFolder,
        change: impl FnOnce(Builder, &Path) -> Builder,
    ) -> TestProject {
        let root = around.make("root");
        let builder = Lancet::builder().root(&root).mode(Mode::AcceptEdits);
        let opened = change(builder, around.path()).open();
        let lancet = opened.expect("the engine opens");
        TestProject {
            session: lancet.new_session(),
            around,
            root,
            lancet,
        }
    }

    /// Returns a path below the root.
    #[must_use]
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file below the root, with the folders that it needs, without lancet; returns its path.
    pub fn put(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        folder::put(&self.path(name), bytes)
    }

    /// Returns the text of a file below the root.
    #[must_use]
    pub fn text(&self, name: impl AsRef<Path>) -> String {
        let text = std::fs::read_to_string(self.path(name));
        text.expect("a text that can be read")
    }

    /// Returns the bytes of a file below the root.
    #[must_use]
    pub fn bytes(&self, name: impl AsRef<Path>) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("a file that can be read")
    }

    /// Returns the text of a file below the root; empty if there is none.
    #[must_use]
    pub fn text_or_empty(&self, name: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Calls a tool in the project's session.
    pub fn call(&self, tool: &str, arguments: Value) -> Reply {
        call(&self.session, tool, arguments)
    }

    /// Reads a file in the project's session.
    pub fn read(&self, path: &Path) -> Reply {
        self.call("Read", json!({ "file_path": path }))
    }

    /// Edits a file in the project's session.
    pub fn edit(&self, path: &Path, old: &str, new: &str) -> Reply {
        edit(&self.session, path, old, new)
    }
}

impl Default for TestProject {
    fn default() -> TestProject {
        TestProject::new()
    }
}

/// A root (`root`) and a state folder (`state`), on which several engines are opened: each represents a process.
#[derive(Debug)]
pub struct SharedProject {
    /// The temporary folder that contains both.
    pub around: TestFolder,
    /// The root.
    pub root: PathBuf,
    /// The state folder.
    pub state: PathBuf,
}

impl SharedProject {
    /// Creates a root with these files. The first engine that needs the state folder creates it.
    #[must_use]
    pub fn new(files: &[(&str, &str)]) -> SharedProject {
        SharedProject::inside(TestFolder::new(), files)
    }

    /// Creates a root with these files in a given folder.
    #[must_use]
    pub fn inside(around: TestFolder, files: &[(&str, &str)]) -> SharedProject {
        let project = SharedProject {
            root: around.make("root"),
            state: around.join("state"),
            around,
        };
        for (name, text) in files {
            project.put(name, text);
        }
        project
    }

    /// Opens another engine.
    #[must_use]
    pub fn engine(&self, mode: Mode) -> Lancet {
        self.engine_with(|builder| builder.mode(mode))
    }

    /// Opens another engine in mode `accept-edits`; `change` may change the builder last.
    #[must_use]
    pub fn engine_with(&self, change: impl FnOnce(Builder) -> Builder) -> Lancet {
        let builder = Lancet::builder().root(&self.root).state_dir(&self.state);
        let opened = change(builder.mode(Mode::AcceptEdits)).open();
        opened.expect("the engine opens")
    }

    /// Returns a path below the root.
    #[must_use]
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file below the root, with the folders that it needs, without lancet; returns its path.
    pub fn put(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        folder::put(&self.path(name), bytes)
    }

    /// Returns the bytes of a file below the root.
    #[must_use]
    pub fn bytes(&self, name: impl AsRef<Path>) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("a file that can be read")
    }

    /// Returns the text of a file below the root.
    #[must_use]
    pub fn text(&self, name: impl AsRef<Path>) -> String {
        let text = std::fs::read_to_string(self.path(name));
        text.expect("a text that can be read")
    }
}

/// Calls a tool by its name.
pub fn call(session: &Session, tool: &str, arguments: Value) -> Reply {
    session.call(RawCall::new(tool, arguments))
}

/// Reads a file.
pub fn read(session: &Session, path: &Path) -> Reply {
    call(session, "Read", json!({ "file_path": path }))
}

/// Replaces one text in a file.
pub fn edit(session: &Session, path: &Path, old: &str, new: &str) -> Reply {
    let arguments = json!({ "file_path": path, "old_string": old, "new_string": new });
    call(session, "Edit", arguments)
}

/// Parses settings from the text of a user's file.
#[must_use]
pub fn settings(text: &str) -> Settings {
    let layer = Layer {
        origin: Origin::User,
        path: PathBuf::from("lancet.toml"),
        text: text.to_owned(),
    };
    Settings::load(&[layer]).expect("settings that load")
}
