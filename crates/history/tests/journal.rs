//! Intents are stored until they are closed, for one process at a time, even when processes end.

use std::process::Command;

use lancet_history::Store;
use lancet_local_state::LocalState as _;
use lancet_testing::TestFolder;

const FOLDER: &str = "LANCET_TEST_INTENT_FOLDER";

#[test]
fn what_an_ended_process_left_is_taken_by_one_other() {
    let folder = TestFolder::new();
    assert!(
        Store::new(folder.path())
            .take_over_intents()
            .expect("read")
            .is_empty()
    );
    assert!(
        !folder.path().join("lancet.db").exists(),
        "asking makes no database"
    );
    let ended = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "a_process_that_leaves_two", "--nocapture"])
        .env(FOLDER, folder.path())
        .status()
        .expect("started");
    assert!(ended.success());
    let (one, other) = (Store::new(folder.path()), Store::new(folder.path()));
    let left = one.take_over_intents().expect("read");
    let words: Vec<(&[u8], bool)> = left
        .iter()
        .map(|left| (left.intent.as_slice(), left.decided))
        .collect();
    assert_eq!(words, [(&b"first"[..], true), (b"second", false)]);
    assert!(
        other.take_over_intents().expect("read").is_empty(),
        "they are taken"
    );
    one.close_intent(left[0].id).expect("closed");
    one.release_intent(left[1].id).expect("let go");
    let again = other.take_over_intents().expect("read");
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].intent, b"second");
    other.close_intent(again[0].id).expect("closed");
    assert!(one.take_over_intents().expect("read").is_empty());
}

#[test]
fn a_process_that_leaves_two() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let store = Store::new(std::path::PathBuf::from(folder));
    let first = store.open_intent(b"first").expect("open");
    store.open_intent(b"second").expect("open");
    let third = store.open_intent(b"third").expect("open");
    store.decide_intent(first).expect("decided");
    store.close_intent(third).expect("closed");
}

#[test]
fn a_process_at_work_keeps_its_own() {
    let folder = TestFolder::new();
    let store = Store::new(folder.path());
    let id = store.open_intent(b"mine").expect("open");
    assert!(store.take_over_intents().expect("read").is_empty());
    store.close_intent(id).expect("closed");
}
