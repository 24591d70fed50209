//! Calls of other programs whose beginning and end are reported separately.

use std::fs;
use std::time::Instant;

use lancet::recording::{BegunCall, EndedCall};
use lancet::{Caller, Lancet};
use lancet_testing::TestFolder;

fn begun(key: &str) -> BegunCall {
    BegunCall {
        key: key.to_owned(),
        tool: "Bash".to_owned(),
        ..BegunCall::default()
    }
}

fn ended(key: &str) -> EndedCall {
    EndedCall {
        key: key.to_owned(),
        ..EndedCall::default()
    }
}

#[test]
fn a_file_that_the_look_before_a_call_reaches_too_late_is_named_and_read_at_the_next_one() {
    let folder = TestFolder::new();
    let root = folder.make("root");
    for name in ["a.txt", "b.txt"] {
        fs::write(root.join(name), "one\n").expect("written");
    }
    let lancet = Lancet::builder()
        .root(&root)
        .state_dir(folder.join("state"))
        .open()
        .expect("opens");
    let recording = lancet.recording().expect("a state folder");
    let (session, caller) = (lancet.new_session(), Caller::default());
    let change = |name: &str| fs::write(root.join(name), "two\n").expect("written");

    let look = recording.begin_call(&begun("1"), &caller, &session, Some(Instant::now()));
    assert_eq!(look.expect("a look").files, 2);
    change("a.txt");
    let look = recording.end_call(&ended("1"), &caller, &session);
    let look = look.expect("a look");
    assert_eq!(look.operation.map(|(_, files)| files), Some(0));
    let named: Vec<_> = look
        .not_kept
        .iter()
        .filter_map(|path| path.file_name())
        .collect();
    assert_eq!(named, ["a.txt"]);

    let _look = recording
        .begin_call(&begun("2"), &caller, &session, None)
        .expect("a look");
    change("b.txt");
    let look = recording.end_call(&ended("2"), &caller, &session);
    let look = look.expect("a look");
    assert_eq!(look.operation.map(|(_, files)| files), Some(1));
    assert!(look.not_kept.is_empty());
}
