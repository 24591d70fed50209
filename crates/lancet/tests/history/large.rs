//! Files that are too large to be loaded into memory are undone and redone piece by piece.

use std::fs;

use lancet::undo::{OperationSide, Restore, Selection};
use lancet::{Caller, RawCall};
use lancet_testing::TestProject;
use serde_json::json;

use crate::project::{Changes as _, operation, project_in_memory, refused};

/// Returns content over the size up to which files are loaded into memory.
fn large() -> Vec<u8> {
    let mut text = Vec::new();
    for number in 0..800_000 {
        text.extend_from_slice(
            format!("a line with some words and the number {number:07}\n").as_bytes(),
        );
    }
    assert!(text.len() > 32 << 20);
    text
}

fn edit(project: &TestProject, line: usize, old: &str, new: &str) -> String {
    let path = project.path("large.txt");
    let read = json!({ "file_path": path, "offset": line, "limit": 3, "force": true });
    project.session.call(RawCall::new("Read", read));
    let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
    operation(&project.session.call(RawCall::new("Edit", edit)))
}

#[test]
fn a_large_file_goes_back_through_several_changes_and_forth_again() {
    let project = project_in_memory();
    let old = large();
    project.put("large.txt", &old);
    edit(&project, 350_000, "number 0350000", "number -350000");
    let middle = project.bytes("large.txt");
    edit(&project, 10, "number 0000010", "ten\nand a line");
    let last = project.bytes("large.txt");
    // The contents are packed, too.
    let history = project.lancet.history().expect("kept");
    let _ = history
        .tidy(std::time::Duration::from_secs(600))
        .expect("tidied");
    let reply = project.undo(Selection::Newest);
    operation(&reply);
    assert!(
        reply
            .text()
            .contains("+a line with some words and the number 0000010"),
        "{}",
        reply.text()
    );
    assert!(reply.text().contains("-and a line"), "{}", reply.text());
    assert!(project.bytes("large.txt") == middle);
    operation(&project.undo(Selection::Newest));
    assert!(project.bytes("large.txt") == old);
    operation(&project.redo());
    operation(&project.redo());
    assert!(project.bytes("large.txt") == last);
    operation(&project.undo(Selection::Session("talk".into())));
    assert!(project.bytes("large.txt") == old);
    // What other programs wrote stays.
    operation(&project.redo());
    let mut theirs = last.clone();
    theirs.extend_from_slice(b"theirs\n");
    project.put("large.txt", &theirs);
    assert_eq!(refused(&project.undo(Selection::Newest)), "conflict");
    assert!(project.bytes("large.txt") == theirs);
}

#[test]
fn a_large_file_that_was_overwritten_or_made_comes_back_and_goes() {
    let project = project_in_memory();
    let text = String::from_utf8(large()).expect("text");
    operation(&project.write_file("new/large.txt", &text));
    let written = operation(&project.write_file("new/large.txt", "short\n"));
    operation(&project.undo(Selection::Newest));
    assert!(project.bytes("new/large.txt") == text.as_bytes());
    operation(&project.undo(Selection::Newest));
    assert!(!project.path("new").exists());
    operation(&project.redo());
    assert!(project.bytes("new/large.txt") == text.as_bytes());
    operation(&project.redo());
    assert_eq!(project.bytes("new/large.txt"), b"short\n");
    let asked = Restore::new(
        project.path("new/large.txt"),
        written,
        OperationSide::Before,
    );
    operation(
        &project
            .lancet
            .new_session()
            .restore(asked, Caller::default()),
    );
    assert!(project.bytes("new/large.txt") == text.as_bytes());
}

#[test]
fn a_damaged_content_is_not_put_into_a_file() {
    let project = project_in_memory();
    let old = large();
    project.put("large.txt", &old);
    edit(&project, 350_000, "number 0350000", "number -350000");
    let last = project.bytes("large.txt");
    let mut damaged = 0;
    for folder in fs::read_dir(project.state().join("contents"))
        .expect("there")
        .flatten()
    {
        for file in fs::read_dir(folder.path()).expect("there").flatten() {
            let mut bytes = fs::read(file.path()).expect("read");
            bytes[1_000_000] ^= 1;
            fs::write(file.path(), bytes).expect("written");
            damaged += 1;
        }
    }
    assert_eq!(damaged, 1);
    assert_eq!(refused(&project.undo(Selection::Newest)), "io");
    assert!(project.bytes("large.txt") == last);
}
