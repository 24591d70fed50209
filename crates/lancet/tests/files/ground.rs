//! The fixture: a project whose session sends requests of any kind, and the state of its tree.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lancet::request::{FileRequest, Request};
use lancet::tools::{Declaration, HostTool, Proposal};
use lancet::undo::{Selection, TakeBack};
use lancet::{Builder, Caller, Lancet, Mode, RawCall, Refusal, Reply, Session};
use lancet_testing::TestFolder;
use serde_json::{Value, json};

/// Proposes the request that was put into it last.
#[derive(Clone, Default)]
struct Proposes(Arc<Mutex<Request>>);

impl HostTool for Proposes {
    fn declaration(&self) -> Declaration {
        let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        Declaration::new("Propose", "Changes files.", schema)
    }

    fn propose(&self, _: &Session, _: &Value) -> Result<Proposal, Refusal> {
        Ok(Proposal::Change(self.0.lock().expect("unpoisoned").clone()))
    }
}

/// A root with a state folder next to it, and one session.
pub(crate) struct Ground {
    _folder: TestFolder,
    pub(crate) root: PathBuf,
    pub(crate) session: Session,
    next: Proposes,
}

/// A file, link or folder of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    File { bytes: Vec<u8>, mode: u32 },
    Link(PathBuf),
    Folder,
}

impl Ground {
    pub(crate) fn new() -> Ground {
        Ground::with(|builder| builder)
    }

    pub(crate) fn with(change: impl FnOnce(Builder) -> Builder) -> Ground {
        let folder = TestFolder::in_memory();
        let root = fs::canonicalize(folder.path()).expect("there").join("root");
        fs::create_dir_all(&root).expect("made");
        let next = Proposes::default();
        let builder = Lancet::builder()
            .root(&root)
            .state_dir(folder.path().join("state"))
            .mode(Mode::AcceptEdits)
            .tool(next.clone())
            .tools([
                "Read",
                "Edit",
                "MultiEdit",
                "Write",
                "Undo",
                "MoveFile",
                "DeleteFile",
                "Propose",
            ]);
        let lancet = change(builder).open().expect("opened");
        Ground {
            session: lancet.new_session(),
            _folder: folder,
            root,
            next,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, bytes).expect("written");
        path
    }

    pub(crate) fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).expect("set");
    }

    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.session.call(RawCall::new(tool, arguments))
    }

    pub(crate) fn read(&self, name: &str) {
        let reply = self.call(
            "Read",
            json!({ "file_path": self.path(name), "force": true }),
        );
        assert!(!reply.is_error(), "{}", reply.text());
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Reply {
        let arguments = json!({ "from_path": self.path(from), "to_path": self.path(to) });
        self.call("MoveFile", arguments)
    }

    pub(crate) fn delete(&self, name: &str) -> Reply {
        self.call("DeleteFile", json!({ "file_path": self.path(name) }))
    }

    pub(crate) fn request(&self, files: Vec<FileRequest>) -> Reply {
        *self.next.0.lock().expect("unpoisoned") = Request::new(files);
        self.call("Propose", json!({}))
    }

    /// Redoes what the last undo undid.
    pub(crate) fn redo(&self) -> Reply {
        let asked = TakeBack::redo(Selection::Newest);
        self.session.take_back(asked, Caller::default())
    }

    /// Returns everything below the root.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, Node> {
        let mut tree = BTreeMap::new();
        collect(&self.root, &self.root, &mut tree);
        tree
    }
}

fn collect(root: &Path, folder: &Path, tree: &mut BTreeMap<PathBuf, Node>) {
    for entry in fs::read_dir(folder).expect("listed") {
        let path = entry.expect("an entry").path();
        let meta = fs::symlink_metadata(&path).expect("there");
        let name = path.strip_prefix(root).expect("below").to_path_buf();
        let node = if meta.is_symlink() {
            Node::Link(fs::read_link(&path).expect("a link"))
        } else if meta.is_dir() {
            collect(root, &path, tree);
            Node::Folder
        } else {
            Node::File {
                bytes: fs::read(&path).expect("read"),
                mode: meta.permissions().mode() & 0o7777,
            }
        };
        tree.insert(name, node);
    }
}

pub(crate) fn ok(reply: &Reply) -> &Reply {
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

/// Asserts that a call was refused, by the name of the refusal. Returns the refusal's text.
pub(crate) fn refused(reply: &Reply, name: &str) -> String {
    assert!(reply.is_error(), "{}", reply.text());
    assert_eq!(reply.data()["error"]["name"], name, "{}", reply.text());
    reply.text().to_owned()
}
