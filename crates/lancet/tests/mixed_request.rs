//! One request may edit files and write others whole: all of it happens, as one operation, or nothing does.

use lancet::request::{EditRequest, FileRequest, WriteRequest};
use lancet::{Lancet, Mode, Reply};
use lancet_testing::TestFolder;
use lancet_testing::project::read;
use lancet_testing::proposing::ProposingTool;
use lancet_testing::replies::done;

/// Makes a root with one file.
fn root() -> TestFolder {
    let root = TestFolder::new();
    root.put("read.txt", "one\ntwo\n");
    root
}

/// Reads the file and proposes changes.
fn propose(root: &TestFolder, files: Vec<FileRequest>) -> Reply {
    let tool = ProposingTool::default();
    let lancet = Lancet::builder()
        .root(root.path())
        .mode(Mode::AcceptEdits)
        .tool(tool.clone())
        .open()
        .expect("opened");
    let session = lancet.new_session();
    done(&read(&session, &root.join("read.txt")));
    tool.propose(&session, files)
}

fn edit(root: &TestFolder, old: &str, new: &str) -> FileRequest {
    let path = root.join("read.txt").display().to_string();
    FileRequest::edit(path, vec![EditRequest::new(old, new)])
}

fn write(root: &TestFolder, name: &str) -> FileRequest {
    let path = root.join(name).display().to_string();
    FileRequest::write(path, WriteRequest::new("new\n"))
}

#[test]
fn edits_and_whole_files_are_one_operation() {
    let root = root();
    let reply = propose(
        &root,
        vec![
            edit(&root, "one", "1"),
            write(&root, "new.txt"),
            edit(&root, "two", "2"),
        ],
    );
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(root.text("read.txt"), "1\n2\n");
    assert_eq!(root.text("new.txt"), "new\n");
    assert!(reply.data()["operation"].is_string());
    assert_eq!(reply.data()["files"].as_array().map(Vec::len), Some(2));
}

#[test]
fn one_refused_change_leaves_every_file_as_it_was() {
    let root = root();
    let reply = propose(
        &root,
        vec![write(&root, "new.txt"), edit(&root, "three", "3")],
    );
    assert!(reply.is_error(), "{}", reply.text());
    assert!(
        reply.text().starts_with("Change 2 of 2 was refused"),
        "{}",
        reply.text()
    );
    assert!(!root.join("new.txt").exists());
    assert_eq!(root.text("read.txt"), "one\ntwo\n");
}

#[test]
fn a_file_is_not_both_edited_and_written_whole() {
    let root = root();
    for files in [
        vec![edit(&root, "one", "1"), write(&root, "read.txt")],
        vec![write(&root, "read.txt"), edit(&root, "one", "1")],
        vec![write(&root, "read.txt"), write(&root, "read.txt")],
    ] {
        let reply = propose(&root, files);
        assert_eq!(
            reply.data()["error"]["name"],
            "conflict",
            "{}",
            reply.text()
        );
        assert_eq!(root.text("read.txt"), "one\ntwo\n");
    }
}
