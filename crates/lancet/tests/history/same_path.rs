//! Folders that have one path, one after the other or in two containers. The history of one is not that of the other.

use std::fs;

use lancet::history::LogQuery;
use lancet::undo::{OperationSide, Restore, Selection, UndoRequest};
use lancet::{Caller, Lancet, RawCall};
use lancet_testing::TestFolder;
use serde_json::json;

use crate::child::open;
use crate::project::operation;

fn write(lancet: &Lancet, folder: &TestFolder, content: &str) -> String {
    let path = folder.path().join("root/a.txt");
    let write = json!({ "file_path": path, "content": content });
    operation(&lancet.new_session().call(RawCall::new("Write", write)))
}

/// Makes a folder with one change, which was then removed and recreated with the same file.
fn made_again() -> (TestFolder, String) {
    let folder = TestFolder::new();
    let root = folder.make("root");
    let id = write(&open(folder.path(), None), &folder, "first\n");
    fs::rename(&root, folder.path().join("moved away")).expect("moved");
    fs::create_dir(&root).expect("made");
    fs::write(root.join("a.txt"), "first\n").expect("written");
    (folder, id)
}

#[test]
fn what_was_changed_in_the_folder_before_is_not_taken_back_in_this_one() {
    let (folder, first) = made_again();
    let lancet = open(folder.path(), None);
    let history = lancet.history().expect("a state folder");
    assert!(history.log(&LogQuery::default()).expect("read").is_empty());
    assert_eq!(
        history.count_left_out(&LogQuery::default()).expect("read"),
        1
    );
    let all = history.log_all(&LogQuery::default()).expect("read");
    assert_eq!(all.len(), 1);
    assert!(all[0].files[0].workspace.is_some());

    let session = lancet.new_session();
    let undo = |selection| session.undo_or_redo(UndoRequest::undo(selection), Caller::default());
    let newest = undo(Selection::Newest);
    assert!(newest.text().contains("nothing to undo"), "{newest:?}");
    let named = undo(Selection::Operation(first.clone()));
    assert!(named.text().contains("another folder"), "{named:?}");
    let restore = Restore::new(
        folder.path().join("root/a.txt"),
        first,
        OperationSide::After,
    );
    let restored = session.restore(restore, Caller::default());
    assert!(restored.text().contains("another folder"), "{restored:?}");
    let content = fs::read_to_string(folder.path().join("root/a.txt"));
    assert_eq!(content.expect("there"), "first\n");
}

#[test]
fn the_history_of_the_new_folder_is_its_own() {
    let (folder, _) = made_again();
    let lancet = open(folder.path(), None);
    let path = folder.path().join("root/a.txt");
    let session = lancet.new_session();
    drop(session.call(RawCall::new("Read", json!({ "file_path": path }))));
    let write = json!({ "file_path": path, "content": "second\n" });
    let second = operation(&session.call(RawCall::new("Write", write)));
    let history = lancet.history().expect("a state folder");
    let log = history.log(&LogQuery::default()).expect("read");
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].id, second);
    let all = history.log_all(&LogQuery::default()).expect("read");
    assert_ne!(all[0].files[0].workspace, all[1].files[0].workspace);
    let undone = session.undo_or_redo(UndoRequest::undo(Selection::Newest), Caller::default());
    assert!(undone.refusal().is_none(), "{undone:?}");
    assert_eq!(fs::read_to_string(&path).expect("there"), "first\n");
}

#[test]
fn the_same_folder_has_one_history_under_every_root() {
    let folder = TestFolder::new();
    folder.make("root");
    let id = write(&open(folder.path(), None), &folder, "first\n");
    let around = Lancet::builder()
        .root(folder.path())
        .state_dir(folder.path().join("state"))
        .open()
        .expect("opened");
    let history = around.history().expect("a state folder");
    let log = history.log(&LogQuery::default()).expect("read");
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].id, id);
    assert_eq!(
        history.count_left_out(&LogQuery::default()).expect("read"),
        0
    );
}
