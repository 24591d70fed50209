//! The project of these tests, and how they change its files by name and undo that.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use lancet::history::{LogQuery, Operation};
use lancet::undo::{Direction, Overlap, Selection, UndoRequest};
use lancet::{Caller, Lancet, Mode, RawCall, Reply, SessionName, Settings};
use lancet_testing::{TestFolder, TestProject};
use serde_json::json;

/// All that can be seen of a tree: bytes and modes of files, targets of links, folders.
pub(crate) type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

/// Opens a project with a state folder, whose session is called `talk`.
pub(crate) fn project() -> TestProject {
    project_with(|settings| settings)
}

/// Opens the project in memory where the system supports that. Flushing takes nine tenths of a change's time on a disk.
pub(crate) fn project_in_memory() -> TestProject {
    project_in(TestFolder::in_memory(), |settings| settings)
}

pub(crate) fn project_with(settings: impl FnOnce(Settings) -> Settings) -> TestProject {
    project_in(TestFolder::new(), settings)
}

fn project_in(around: TestFolder, settings: impl FnOnce(Settings) -> Settings) -> TestProject {
    let mut project = TestProject::inside(around, |builder, around| {
        builder
            .state_dir(around.join("state"))
            .settings(settings(Settings::default()))
    });
    let name = SessionName::new("talk").expect("a name");
    project.session = project.lancet.session(&name);
    project
}

/// What these tests do to a project.
pub(crate) trait Changes {
    /// Opens the same in what lancet takes for a new process.
    fn reopened(&self) -> Lancet;
    fn state(&self) -> PathBuf;
    /// Writes a file whole, after a look at what it replaces.
    fn write_file(&self, name: &str, content: &str) -> Reply;
    /// Reads a file and replaces a text in it.
    fn edit_file(&self, name: &str, old: &str, new: &str) -> Reply;
    fn undo(&self, selection: Selection) -> Reply {
        self.take_back(selection, Direction::Undo, Overlap::Refuse)
    }
    fn redo(&self) -> Reply {
        self.take_back(Selection::Newest, Direction::Redo, Overlap::Refuse)
    }
    fn take_back(&self, selection: Selection, direction: Direction, overlap: Overlap) -> Reply;
    fn log(&self) -> Vec<Operation>;
    fn tree(&self) -> Tree;
}

impl Changes for TestProject {
    fn reopened(&self) -> Lancet {
        let builder = Lancet::builder().root(&self.root).state_dir(self.state());
        builder.mode(Mode::AcceptEdits).open().expect("opens")
    }

    fn state(&self) -> PathBuf {
        self.around.join("state")
    }

    fn write_file(&self, name: &str, content: &str) -> Reply {
        let path = self.path(name);
        if path.exists() {
            self.call("Read", json!({ "file_path": path, "force": true }));
        }
        let write = json!({ "file_path": path, "content": content, "insist": true });
        patiently(|| self.session.call(RawCall::new("Write", write.clone())))
    }

    fn edit_file(&self, name: &str, old: &str, new: &str) -> Reply {
        let path = self.path(name);
        self.call("Read", json!({ "file_path": path, "force": true }));
        let edit =
            json!({ "file_path": path, "old_string": old, "new_string": new, "insist": true });
        patiently(|| self.session.call(RawCall::new("Edit", edit.clone())))
    }

    fn take_back(&self, selection: Selection, direction: Direction, overlap: Overlap) -> Reply {
        let asked = UndoRequest::new(direction, selection).overlap(overlap);
        let session = self.lancet.new_session();
        patiently(|| session.undo_or_redo(asked.clone(), Caller::default()))
    }

    fn log(&self) -> Vec<Operation> {
        let history = self.lancet.history().expect("a state folder");
        history.log(&LogQuery::default()).expect("read")
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        gather(&self.root, &mut tree);
        tree
    }
}

/// Calls again where another process has the file open for writing, as the answer suggests. Other tests start
/// processes, and each of those has, until it has become another program, every file open that is just being written
/// here.
pub(crate) fn patiently(call: impl Fn() -> Reply) -> Reply {
    for _ in 0..100 {
        let reply = call();
        if reply.refusal() != Some(lancet::RefusalKind::Busy) {
            return reply;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    call()
}

pub(crate) fn gather(folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let metadata = fs::symlink_metadata(&path).expect("there");
        let mode = metadata.permissions().mode();
        if metadata.is_dir() {
            tree.insert(path.clone(), (mode, Vec::new()));
            gather(&path, tree);
        } else if metadata.is_symlink() {
            let target = fs::read_link(&path).expect("a link");
            tree.insert(
                path,
                (mode, target.to_string_lossy().into_owned().into_bytes()),
            );
        } else {
            tree.insert(path.clone(), (mode, fs::read(&path).expect("a file")));
        }
    }
}

/// Returns the id of the operation that an answer is about.
pub(crate) fn operation(reply: &Reply) -> String {
    assert!(!reply.is_error(), "{}", reply.text());
    reply.data()["operation"]
        .as_str()
        .expect("an id")
        .to_owned()
}

/// Returns the name of a refusal.
pub(crate) fn refused(reply: &Reply) -> &'static str {
    reply
        .refusal()
        .unwrap_or_else(|| panic!("went through: {}", reply.text()))
        .name()
}
