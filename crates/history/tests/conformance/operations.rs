//! Operations and contents.

use std::fs;
use std::path::{Path, PathBuf};

use lancet_history::{
    AnnounceConflict, ConfirmOutcome, ContentDraft, DraftState, FileDraft, FilesBelow,
    HistoryError, IdMatch, LogQuery, OperationKind, OperationState, ReversalDirection,
};
use lancet_testing::TestFolder;

use super::Records;
use super::drafts::{begin, draft, file, hash, ids, log, record, reversing, whole};

pub(crate) fn an_operation_is_in_the_log_once_it_is_finished(store: &dyn Records) {
    let mut change = draft("one", vec![file("/p/deep/b", None, whole(b"new"))]);
    begin(store, &change);
    assert_eq!(log(store), [] as [&str; 0], "only announced");
    // These values are known only after the write.
    change.files[0].folders = vec![PathBuf::from("/p/deep")];
    change.files[0].after.as_mut().expect("there").mode = 0o100_600;
    let finished = store.finish(&change).expect("finished");
    assert_eq!(finished.unclaimed, [] as [&Path; 0]);
    let found = store.query_log(&LogQuery::default()).expect("read");
    assert_eq!(found.len(), 1);
    let operation = &found[0];
    assert_eq!(operation.state, OperationState::Done);
    assert_eq!(
        (operation.tool.as_str(), operation.session.as_str()),
        ("Edit", "talk")
    );
    assert_eq!(operation.approved.as_deref(), Some("mode accept-edits"));
    assert_eq!(operation.rungs, ["exact"]);
    assert_eq!(operation.files[0].folders, [PathBuf::from("/p/deep")]);
    assert_eq!(operation.files[0].before, None);
    let after = operation.files[0].after.clone().expect("there");
    assert_eq!((after.mode, after.size), (0o100_600, 3));

    begin(
        store,
        &draft("two", vec![file("/p/a", None, whole(b"other"))]),
    );
    let confirm = |id: &str| store.confirm(id, OperationKind::Change, &[Some(7)]);
    assert_eq!(confirm("two").expect("confirmed"), ConfirmOutcome::Done);
    assert!(
        matches!(confirm("two"), Ok(ConfirmOutcome::Missing(_))),
        "once is all"
    );
    assert!(matches!(confirm("none"), Ok(ConfirmOutcome::Missing(_))));
    let found = store.query_log(&LogQuery::default()).expect("read");
    assert_eq!(found[0].id, "two");
    assert_eq!(found[0].files[0].inode, Some(7));
    assert!(
        found[0].sequence > found[1].sequence,
        "the order of recording"
    );
}

pub(crate) fn a_content_is_found_by_its_hash_whole_or_as_an_edit(store: &dyn Records) {
    let (old, new) = (b"one two three".to_vec(), b"one 2 three".to_vec());
    let edited = DraftState {
        content: ContentDraft::Spans {
            base: hash(&old),
            changes: vec![(4..7, b"2")],
        },
        ..whole(&new).expect("some")
    };
    record(
        store,
        &draft("one", vec![file("/p/a", whole(&old), Some(edited))]),
    );
    assert_eq!(store.content(&hash(&old)).expect("read"), Some(old));
    assert_eq!(store.content(&hash(&new)).expect("read"), Some(new));
    assert_eq!(store.content(&hash(b"never")).expect("read"), None);
}

pub(crate) fn a_displaced_file_becomes_the_content_that_was_announced(store: &dyn Records) {
    let folder = TestFolder::new();
    let large = vec![b'x'; 200_000];
    let before = DraftState {
        content: ContentDraft::Displaced,
        ..whole(&large).expect("some")
    };
    record(
        store,
        &draft("one", vec![file("/p/a", Some(before), whole(b"new"))]),
    );
    assert_eq!(store.content(&hash(&large)).expect("read"), None);
    let adopt = |name: &str, bytes: &[u8]| {
        let displaced = folder.path().join(name);
        fs::write(&displaced, bytes).expect("written");
        store.adopt_file(&hash(bytes), &displaced).expect("adopted");
        displaced.exists()
    };
    assert!(!adopt("large", &large));
    assert_eq!(store.content(&hash(&large)).expect("read"), Some(large));
    assert!(!adopt("small", b"new"), "it is stored already");
    assert!(adopt("unknown", b"unknown"), "no operation names it");
}

pub(crate) fn an_id_that_is_taken_overwrites_nothing(store: &dyn Records) {
    record(store, &draft("one", vec![file("/p/a", None, whole(b"1"))]));
    let again = draft("one", vec![file("/p/b", None, whole(b"2"))]);
    assert!(matches!(
        store.begin(&again),
        Err(HistoryError::Conflict(AnnounceConflict::Taken(id))) if id == "one"
    ));
    let found = store.query_log(&LogQuery::default()).expect("read");
    assert_eq!(found[0].files[0].path, Path::new("/p/a"));
}

pub(crate) fn a_change_of_two_projects_is_listed_in_each_if_one_file_is_enough(
    store: &dyn Records,
) {
    let created = |path| file(path, None, whole(b"1"));
    record(store, &draft("one", vec![created("/p/a")]));
    record(store, &draft("two", vec![created("/p/b"), created("/q/b")]));
    let moved = FileDraft {
        moved_from: Some(Path::new("/q/c")),
        ..file("/p/c", whole(b"1"), whole(b"1"))
    };
    record(store, &draft("three", vec![moved]));
    let listed = |folder: &str, files_below| {
        let query = LogQuery {
            below: vec![PathBuf::from(folder)],
            files_below,
            ..LogQuery::default()
        };
        ids(store, &query)
    };
    assert_eq!(listed("/p", FilesBelow::All), ["three", "one"]);
    assert_eq!(listed("/p", FilesBelow::Any), ["three", "two", "one"]);
    assert_eq!(listed("/q", FilesBelow::All), [] as [&str; 0]);
    assert_eq!(listed("/q", FilesBelow::Any), ["three", "two"]);
    assert_eq!(listed("/r", FilesBelow::Any), [] as [&str; 0]);
}

pub(crate) fn an_abandoned_operation_leaves_nothing_behind(store: &dyn Records) {
    let mut change = draft("one", vec![file("/p/deep/a", None, whole(b"1"))]);
    change.files[0].folders = vec![PathBuf::from("/p/deep")];
    begin(store, &change);
    assert_eq!(
        store.content(&hash(b"1")).expect("read"),
        Some(b"1".to_vec())
    );
    let unclaimed = store.remove_not_carried_out("one").expect("abandoned");
    assert_eq!(unclaimed, [PathBuf::from("/p/deep")]);
    assert_eq!(store.content(&hash(b"1")).expect("read"), None);
    assert_eq!(log(store), [] as [&str; 0]);
    assert_eq!(store.events(0, 10).expect("read").events, []);
}

pub(crate) fn undo_redo_and_undo_again_change_what_can_be_reversed(store: &dyn Records) {
    let reversible = |reversible| {
        let query = LogQuery {
            reversible: Some(reversible),
            ..LogQuery::default()
        };
        ids(store, &query)
    };
    let undoable = || reversible(ReversalDirection::Undoable);
    let redoable = || reversible(ReversalDirection::Redoable);
    let change = |id, before: &'static [u8], after: &'static [u8]| {
        let files = vec![file("/p/a", whole(before), whole(after))];
        record(store, &draft(id, files));
    };
    let step = |kind, id, earlier, before: &'static [u8], after: &'static [u8]| {
        let files = vec![file("/p/a", whole(before), whole(after))];
        record(store, &reversing(kind, id, earlier, files));
    };
    change("change", b"0", b"1");
    assert_eq!(undoable(), ["change"]);
    step(OperationKind::Undo, "undo", "change", b"1", b"0");
    assert_eq!((undoable().len(), redoable()), (0, vec!["undo".to_owned()]));
    let taken = store.reversed_changes("undo").expect("read");
    assert_eq!((taken[0].operation.as_str(), taken[0].at), ("change", 0));
    step(OperationKind::Redo, "redo", "undo", b"0", b"1");
    assert_eq!(
        (undoable(), redoable().len()),
        (vec!["change".to_owned()], 0)
    );
    step(OperationKind::Undo, "again", "redo", b"1", b"0");
    assert_eq!((undoable().len(), redoable().len()), (0, 2));
    change("new", b"0", b"2");
    assert_eq!(redoable(), [] as [&str; 0], "the file was changed since");
}

pub(crate) fn a_folder_is_removed_with_the_last_change_that_has_a_file_in_it(store: &dyn Records) {
    let made = || vec![PathBuf::from("/p/deep")];
    let mut first = draft("first", vec![file("/p/deep/a", None, whole(b"a"))]);
    first.files[0].folders = made();
    record(store, &first);
    record(
        store,
        &draft("second", vec![file("/p/deep/b", None, whole(b"b"))]),
    );
    let undo = |id, earlier, path, bytes: &'static [u8]| {
        let files = vec![file(path, whole(bytes), None)];
        record(store, &reversing(OperationKind::Undo, id, earlier, files))
    };
    let none: [PathBuf; 0] = [];
    assert_eq!(undo("undo-1", "first", "/p/deep/a", b"a"), none);
    assert_eq!(undo("undo-2", "second", "/p/deep/b", b"b"), made());
}

pub(crate) fn the_log_is_filtered_and_an_id_is_found_by_either_end(store: &dyn Records) {
    for (id, path) in [
        ("aaaa00000001", "/p/a"),
        ("aaaa10000002", "/p/b"),
        ("bbbb00000003", "/q/a"),
    ] {
        record(
            store,
            &draft(id, vec![file(path, None, whole(path.as_bytes()))]),
        );
    }
    let below = |folder: &str| LogQuery {
        below: vec![PathBuf::from(folder)],
        ..LogQuery::default()
    };
    assert_eq!(ids(store, &below("/p")), ["aaaa10000002", "aaaa00000001"]);
    assert_eq!(ids(store, &below("/")).len(), 3);
    assert_eq!(ids(store, &below("/pp")), [] as [&str; 0]);
    let touching = |path: &str| LogQuery {
        path: Some(PathBuf::from(path)),
        ..LogQuery::default()
    };
    assert_eq!(ids(store, &touching("/q/a")), ["bbbb00000003"]);
    assert_eq!(
        ids(store, &touching("/p")).len(),
        2,
        "a folder means its files"
    );
    let limited = LogQuery {
        limit: Some(1),
        since: Some(1_000),
        ..LogQuery::default()
    };
    assert_eq!(ids(store, &limited), ["bbbb00000003"]);
    let find = |part: &str| store.find(part, &[]).expect("read");
    assert!(matches!(find("bbbb"), IdMatch::One(found) if found.id == "bbbb00000003"));
    assert!(matches!(find("aaaa"), IdMatch::Several(found) if found.len() == 2));
    assert!(matches!(find("03"), IdMatch::One(found) if found.id == "bbbb00000003"));
    assert_eq!(find("zzzz"), IdMatch::None);
    let shortest = store.shortest_unique_endings(&["aaaa00000001", "bbbb00000003"]);
    assert_eq!(shortest.expect("read"), [1, 1]);
}

pub(crate) fn an_operation_that_was_not_announced_is_inserted_when_it_is_finished(
    store: &dyn Records,
) {
    let change = draft("one", vec![file("/p/a", None, whole(b"1"))]);
    let _ = store.finish(&change).expect("finished");
    assert_eq!(log(store), ["one"]);
    assert_eq!(store.last_event_of_operation("one").expect("read"), Some(1));
    // A second report of the same end creates no second event.
    let _ = store.finish(&change).expect("finished");
    assert_eq!(store.events(0, 10).expect("read").events.len(), 1);
}
