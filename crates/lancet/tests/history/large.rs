//! Files that are too large to be loaded into memory are undone and redone piece by piece.

use std::fs;

use lancet::undo::{Restore, Selection, Side};
use lancet::{Caller, RawCall};
use serde_json::json;

use crate::ground::{Ground, operation, refused};

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

fn edit(ground: &Ground, line: usize, old: &str, new: &str) -> String {
    let path = ground.path("large.txt");
    let read = json!({ "file_path": path, "offset": line, "limit": 3, "force": true });
    ground.session.call(RawCall::new("Read", read));
    let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
    operation(&ground.session.call(RawCall::new("Edit", edit)))
}

#[test]
fn a_large_file_goes_back_through_several_changes_and_forth_again() {
    let ground = Ground::swift();
    let old = large();
    ground.put("large.txt", &old);
    edit(&ground, 350_000, "number 0350000", "number -350000");
    let middle = ground.bytes("large.txt");
    edit(&ground, 10, "number 0000010", "ten\nand a line");
    let last = ground.bytes("large.txt");
    // The contents are packed, too.
    let history = ground.lancet.history().expect("kept");
    let _ = history
        .tidy(std::time::Duration::from_secs(600))
        .expect("tidied");
    let reply = ground.undo(Selection::Newest);
    operation(&reply);
    assert!(
        reply
            .text()
            .contains("+a line with some words and the number 0000010"),
        "{}",
        reply.text()
    );
    assert!(reply.text().contains("-and a line"), "{}", reply.text());
    assert!(ground.bytes("large.txt") == middle);
    operation(&ground.undo(Selection::Newest));
    assert!(ground.bytes("large.txt") == old);
    operation(&ground.redo());
    operation(&ground.redo());
    assert!(ground.bytes("large.txt") == last);
    operation(&ground.undo(Selection::Session("talk".into())));
    assert!(ground.bytes("large.txt") == old);
    // What other programs wrote stays.
    operation(&ground.redo());
    let mut theirs = last.clone();
    theirs.extend_from_slice(b"theirs\n");
    ground.put("large.txt", &theirs);
    assert_eq!(refused(&ground.undo(Selection::Newest)), "conflict");
    assert!(ground.bytes("large.txt") == theirs);
}

#[test]
fn a_large_file_that_was_overwritten_or_made_comes_back_and_goes() {
    let ground = Ground::swift();
    let text = String::from_utf8(large()).expect("text");
    operation(&ground.write("new/large.txt", &text));
    let written = operation(&ground.write("new/large.txt", "short\n"));
    operation(&ground.undo(Selection::Newest));
    assert!(ground.bytes("new/large.txt") == text.as_bytes());
    operation(&ground.undo(Selection::Newest));
    assert!(!ground.path("new").exists());
    operation(&ground.redo());
    assert!(ground.bytes("new/large.txt") == text.as_bytes());
    operation(&ground.redo());
    assert_eq!(ground.bytes("new/large.txt"), b"short\n");
    let asked = Restore::new(ground.path("new/large.txt"), written, Side::Before);
    operation(
        &ground
            .lancet
            .new_session()
            .restore(asked, Caller::default()),
    );
    assert!(ground.bytes("new/large.txt") == text.as_bytes());
}

#[test]
fn a_damaged_content_is_not_put_into_a_file() {
    let ground = Ground::swift();
    let old = large();
    ground.put("large.txt", &old);
    edit(&ground, 350_000, "number 0350000", "number -350000");
    let last = ground.bytes("large.txt");
    let mut damaged = 0;
    for folder in fs::read_dir(ground.state().join("contents"))
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
    assert_eq!(refused(&ground.undo(Selection::Newest)), "io");
    assert!(ground.bytes("large.txt") == last);
}
