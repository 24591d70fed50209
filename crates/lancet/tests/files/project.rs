//! The project of these tests, what they do to its files by name, and the state of its tree.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use lancet::undo::{Selection, UndoRequest};
use lancet::{Builder, Caller, Reply};
use lancet_testing::proposing::ProposingTool;
use lancet_testing::{TestFolder, TestProject};
use serde_json::json;

/// A file, link or folder of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    File { bytes: Vec<u8>, mode: u32 },
    Link(PathBuf),
    Folder,
}

pub(crate) fn project() -> TestProject {
    project_with(|builder| builder)
}

pub(crate) fn project_with(change: impl FnOnce(Builder) -> Builder) -> TestProject {
    open(ProposingTool::default(), change)
}

/// Opens a project with a tool that proposes requests of any kind.
pub(crate) fn proposing() -> (TestProject, ProposingTool) {
    let tool = ProposingTool::default();
    (open(tool.clone(), |builder| builder), tool)
}

fn open(tool: ProposingTool, change: impl FnOnce(Builder) -> Builder) -> TestProject {
    TestProject::inside(TestFolder::in_memory(), |builder, around| {
        let builder = builder.state_dir(around.join("state")).tool(tool).tools([
            "Read",
            "Edit",
            "MultiEdit",
            "Write",
            "Undo",
            "MoveFile",
            "DeleteFile",
            "Propose",
        ]);
        change(builder)
    })
}

/// Returns the path of a file as a request spells it.
pub(crate) fn path_text(project: &TestProject, name: &str) -> String {
    project.path(name).display().to_string()
}

pub(crate) fn chmod(project: &TestProject, name: &str, mode: u32) {
    fs::set_permissions(project.path(name), fs::Permissions::from_mode(mode)).expect("set");
}

pub(crate) fn read_file(project: &TestProject, name: &str) {
    let reply = project.call(
        "Read",
        json!({ "file_path": project.path(name), "force": true }),
    );
    assert!(!reply.is_error(), "{}", reply.text());
}

pub(crate) fn rename_file(project: &TestProject, from: &str, to: &str) -> Reply {
    let arguments = json!({ "from_path": project.path(from), "to_path": project.path(to) });
    project.call("MoveFile", arguments)
}

pub(crate) fn delete_file(project: &TestProject, name: &str) -> Reply {
    project.call("DeleteFile", json!({ "file_path": project.path(name) }))
}

/// Redoes what the last undo undid.
pub(crate) fn redo_newest(project: &TestProject) -> Reply {
    let asked = UndoRequest::redo(Selection::Newest);
    project.session.undo_or_redo(asked, Caller::default())
}

/// Returns everything below the root.
pub(crate) fn snapshot(project: &TestProject) -> BTreeMap<PathBuf, Node> {
    let mut tree = BTreeMap::new();
    collect(&project.root, &project.root, &mut tree);
    tree
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
