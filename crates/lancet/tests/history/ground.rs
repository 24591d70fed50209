//! The fixture: a root, a state folder and an engine on them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use lancet::history::{LogQuery, Operation};
use lancet::undo::{Direction, Overlap, Selection, TakeBack};
use lancet::{Caller, Lancet, Mode, RawCall, Reply, Session, SessionName, Settings};
use lancet_testing::{TestFolder, folder};
use serde_json::json;

pub(crate) struct Ground {
    folder: TestFolder,
    pub(crate) lancet: Lancet,
    pub(crate) session: Session,
}

/// All that can be seen of a tree: bytes and modes of files, targets of links, folders.
pub(crate) type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

impl Ground {
    pub(crate) fn new() -> Self {
        Self::with(|settings| settings)
    }

    /// Opens the fixture in memory where the system supports that. Flushing takes nine tenths of a change's time on a
    /// disk.
    pub(crate) fn swift() -> Self {
        Self::within(TestFolder::in_memory(), |settings| settings)
    }

    pub(crate) fn with(settings: impl Fn(Settings) -> Settings) -> Self {
        Self::within(TestFolder::new(), settings)
    }

    fn within(folder: TestFolder, settings: impl Fn(Settings) -> Settings) -> Self {
        folder.make("root");
        let lancet = open(folder.path(), settings(Settings::default()));
        let session = lancet.session(&SessionName::new("talk").expect("a name"));
        Self {
            folder,
            lancet,
            session,
        }
    }

    /// Opens the same in what lancet takes for a new process.
    pub(crate) fn reopened(&self) -> Lancet {
        open(self.folder.path(), Settings::default())
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        folder::put(&self.path(name), bytes);
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("a file")
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> Reply {
        let path = self.path(name);
        if path.exists() {
            self.session.call(RawCall::new(
                "Read",
                json!({ "file_path": path, "force": true }),
            ));
        }
        let write = json!({ "file_path": path, "content": content, "insist": true });
        patiently(|| self.session.call(RawCall::new("Write", write.clone())))
    }

    pub(crate) fn edit(&self, name: &str, old: &str, new: &str) -> Reply {
        let path = self.path(name);
        self.session.call(RawCall::new(
            "Read",
            json!({ "file_path": path, "force": true }),
        ));
        let edit =
            json!({ "file_path": path, "old_string": old, "new_string": new, "insist": true });
        patiently(|| self.session.call(RawCall::new("Edit", edit.clone())))
    }

    pub(crate) fn undo(&self, selection: Selection) -> Reply {
        self.take_back(selection, Direction::Undo, Overlap::Refuse)
    }

    pub(crate) fn redo(&self) -> Reply {
        self.take_back(Selection::Newest, Direction::Redo, Overlap::Refuse)
    }

    pub(crate) fn take_back(
        &self,
        selection: Selection,
        direction: Direction,
        overlap: Overlap,
    ) -> Reply {
        let asked = TakeBack::new(direction, selection).overlap(overlap);
        let session = self.lancet.new_session();
        patiently(|| session.take_back(asked.clone(), Caller::default()))
    }

    pub(crate) fn log(&self) -> Vec<Operation> {
        let history = self.lancet.history().expect("a state folder");
        history.log(&LogQuery::default()).expect("read")
    }

    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        gather(&self.root(), &mut tree);
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

fn open(folder: &Path, settings: Settings) -> Lancet {
    Lancet::builder()
        .root(folder.join("root"))
        .state_dir(folder.join("state"))
        .settings(settings)
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opens")
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
