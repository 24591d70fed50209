//! One request may edit files and write others whole: all of it happens, as one operation, or nothing does.

use std::fs;
use std::path::{Path, PathBuf};

use lancet::request::{EditRequest, FileRequest, Request, WriteRequest};
use lancet::tools::{Declaration, HostTool, Proposal};
use lancet::{Lancet, Mode, RawCall, Refusal, Reply, Session};
use lancet_testing::TestFolder;
use serde_json::{Value, json};

/// Proposes the request that it was made with.
struct Proposes(Request);

impl HostTool for Proposes {
    fn declaration(&self) -> Declaration {
        let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        Declaration::new("Propose", "Changes files.", schema)
    }

    fn propose(&self, _: &Session, _: &Value) -> Result<Proposal, Refusal> {
        Ok(Proposal::Change(self.0.clone()))
    }
}

struct Project {
    _folder: TestFolder,
    read: PathBuf,
    new: PathBuf,
}

impl Project {
    fn new() -> Self {
        let folder = TestFolder::new();
        let read = folder.put("read.txt", "one\ntwo\n");
        Self {
            new: folder.join("new.txt"),
            read,
            _folder: folder,
        }
    }

    fn call(&self, files: Vec<FileRequest>) -> Reply {
        let lancet = Lancet::builder()
            .root(self.read.parent().expect("a root"))
            .mode(Mode::AcceptEdits)
            .tool(Proposes(Request::new(files)))
            .open()
            .expect("opened");
        let session = lancet.new_session();
        let seen = session.call(RawCall::new("Read", json!({ "file_path": self.read })));
        assert!(!seen.is_error(), "{}", seen.text());
        session.call(RawCall::new("Propose", json!({})))
    }

    fn edit(&self, old: &str, new: &str) -> FileRequest {
        FileRequest::edit(
            self.read.display().to_string(),
            vec![EditRequest::new(old, new)],
        )
    }

    fn write(&self, path: &Path) -> FileRequest {
        FileRequest::write(path.display().to_string(), WriteRequest::new("new\n"))
    }
}

#[test]
fn edits_and_whole_files_are_one_operation() {
    let project = Project::new();
    let reply = project.call(vec![
        project.edit("one", "1"),
        project.write(&project.new),
        project.edit("two", "2"),
    ]);
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(fs::read_to_string(&project.read).expect("text"), "1\n2\n");
    assert_eq!(fs::read_to_string(&project.new).expect("text"), "new\n");
    assert!(reply.data()["operation"].is_string());
    assert_eq!(reply.data()["files"].as_array().map(Vec::len), Some(2));
}

#[test]
fn one_refused_change_leaves_every_file_as_it_was() {
    let project = Project::new();
    let reply = project.call(vec![
        project.write(&project.new),
        project.edit("three", "3"),
    ]);
    assert!(reply.is_error(), "{}", reply.text());
    assert!(
        reply.text().starts_with("Change 2 of 2 was refused"),
        "{}",
        reply.text()
    );
    assert!(!project.new.exists());
    assert_eq!(
        fs::read_to_string(&project.read).expect("text"),
        "one\ntwo\n"
    );
}

#[test]
fn a_file_is_not_both_edited_and_written_whole() {
    let project = Project::new();
    for files in [
        vec![project.edit("one", "1"), project.write(&project.read)],
        vec![project.write(&project.read), project.edit("one", "1")],
        vec![project.write(&project.read), project.write(&project.read)],
    ] {
        let reply = project.call(files);
        assert_eq!(
            reply.data()["error"]["name"],
            "conflict",
            "{}",
            reply.text()
        );
        assert_eq!(
            fs::read_to_string(&project.read).expect("text"),
            "one\ntwo\n"
        );
    }
}
