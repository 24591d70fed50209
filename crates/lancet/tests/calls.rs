//! Calls as agents send them: at the same time, under other names, insisting, with several reasons for a refusal, and
//! larger than any file should become.

use std::fs;
use std::path::PathBuf;

use lancet::{Caller, Lancet, Mode, RawCall, RefusalKind, SessionName};
use lancet_testing::{TestFolder, TestProject};
use serde_json::{Value, json};

#[test]
fn a_read_beside_an_edit_never_makes_the_file_stale() {
    let place = TestProject::with_history(|builder| builder);
    let path = place.put("a.txt", "line\n".repeat(2_000).replacen("line", "first", 1));
    place.call("Read", json!({ "file_path": path, "force": true }));
    let (mut old, mut new) = ("first", "FIRST");
    for round in 0..40 {
        std::thread::scope(|scope| {
            let read = || place.call("Read", json!({ "file_path": path, "force": true }));
            scope.spawn(read);
            scope.spawn(read);
            let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
            let reply = place.call("Edit", edit);
            assert!(!reply.is_error(), "round {round}: {}", reply.text());
        });
        (old, new) = (new, old);
    }
}

#[test]
fn what_a_read_showed_beside_an_edit_counts() {
    let place = TestProject::with_history(|builder| builder);
    let lines: String = (1..=400).map(|n| format!("line {n}.\n")).collect();
    for round in 0..20 {
        let path = place.put(format!("{round}.txt"), &lines);
        place.call("Read", json!({ "file_path": path, "limit": 5 }));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                place.call(
                    "Read",
                    json!({ "file_path": path, "offset": 300, "limit": 5 }),
                )
            });
            let edit = json!({ "file_path": path, "old_string": "line 2.", "new_string": "two" });
            assert!(!place.call("Edit", edit).is_error());
        });
        let edit = json!({ "file_path": path, "old_string": "line 302.", "new_string": "x" });
        let reply = place.call("Edit", edit);
        // The Read may have come after the Edit's write and before its record: then it counts for a version that is
        // gone.
        assert!(
            !reply.is_error() || reply.refusal() == Some(RefusalKind::NotRead),
            "{}",
            reply.text()
        );
        assert_ne!(
            reply.refusal(),
            Some(RefusalKind::Stale),
            "{}",
            reply.text()
        );
    }
}

#[test]
fn other_names_of_the_tools_take_their_own_fields() {
    let place = TestProject::with_history(|builder| builder);
    let path = place.put("a.txt", "one\ntwo\n");
    for (tool, arguments) in [
        ("View", json!({ "path": path })),
        (
            "str_replace",
            json!({ "path": path, "old_str": "one", "new_str": "1" }),
        ),
        (
            "Replace",
            json!({ "file_path": path, "old_string": "two", "new_string": "2" }),
        ),
        ("read_file", json!({ "path": path })),
    ] {
        let reply = place.call(tool, arguments);
        assert!(!reply.is_error(), "{tool}: {}", reply.text());
    }
    assert_eq!(fs::read_to_string(&path).expect("there"), "1\n2\n");
    let reply = place.call("write_file", json!({ "path": path, "content": "1\n2\n" }));
    assert_eq!(reply.data()["error"]["code"], 11, "the numbers are Write's");
}

#[test]
fn insisting_writes_line_numbers_that_were_left_in() {
    let place = TestProject::with_history(|builder| builder);
    let path = place.put("a.txt", "alpha\nbeta\n");
    place.call("Read", json!({ "file_path": path }));
    let mut edit = json!({ "file_path": path, "old_string": "1→alpha\n2→beta", "new_string": "1→alpha\nBETA" });
    assert_eq!(
        place.call("Edit", edit.clone()).refusal(),
        Some(RefusalKind::Leaked)
    );
    edit["insist"] = json!(true);
    let reply = place.call("Edit", edit);
    assert!(!reply.is_error(), "{}", reply.text());
}

#[test]
fn unseen_lines_are_told_before_display_text() {
    let place = TestProject::with_history(|builder| builder);
    let lines: String = (1..=200).map(|n| format!("line {n}.\n")).collect();
    let path = place.put("a.txt", &lines);
    place.call("Read", json!({ "file_path": path, "limit": 3 }));
    let edit = json!({ "file_path": path, "old_string": "100→line 100.\n101→line 101.", "new_string": "100→x\ny" });
    assert_eq!(
        place.call("Edit", edit).refusal(),
        Some(RefusalKind::NotRead)
    );
}

#[test]
fn a_file_with_content_is_told_before_its_kind() {
    let place = TestProject::with_history(|builder| builder);
    for (name, text) in [("n.ipynb", "{\"cells\": []}"), ("b.bin", "a\0b")] {
        let path = place.put(name, text);
        let edit = json!({ "file_path": path, "old_string": "", "new_string": "x" });
        assert_eq!(
            place.call("Edit", edit).refusal(),
            Some(RefusalKind::Exists),
            "{name}"
        );
    }
}

#[test]
fn a_file_that_is_nothing_but_a_byte_order_mark_is_filled() {
    let place = TestProject::with_history(|builder| builder);
    let path = place.put("a.txt", "\u{feff}");
    place.call("Read", json!({ "file_path": path }));
    let edit = json!({ "file_path": path, "old_string": "", "new_string": "x" });
    assert_eq!(place.call("Edit", edit).refusal(), None);
    assert_eq!(std::fs::read_to_string(path).expect("there"), "\u{feff}x");
}

#[test]
fn a_replacement_that_would_fill_the_memory_is_refused() {
    let place = TestProject::with_history(|builder| builder);
    let path = place.put("a.txt", "a\n".repeat(100_000));
    place.call("Read", json!({ "file_path": path, "limit": 1 }));
    let revision = lancet_revision(&place, &path);
    let edit = json!({ "file_path": path, "old_string": "a", "new_string": "b".repeat(1 << 20), "replace_all": true, "revision": revision });
    assert_eq!(
        place.call("Edit", edit).refusal(),
        Some(RefusalKind::TooLarge)
    );
}

fn lancet_revision(place: &TestProject, path: &PathBuf) -> Value {
    let reply = place.call(
        "Read",
        json!({ "file_path": path, "limit": 1, "force": true }),
    );
    reply.data()["revision"].clone()
}

#[test]
fn many_unseen_places_on_one_line_are_told_at_once() {
    let place = TestProject::with_history(|builder| builder);
    let path = place.put("a.txt", format!("top\n{}\n", "a".repeat(200_000)));
    place.call("Read", json!({ "file_path": path, "limit": 1 }));
    let edit =
        json!({ "file_path": path, "old_string": "a", "new_string": "b", "replace_all": true });
    let reply = place.call("Edit", edit);
    assert_eq!(reply.refusal(), Some(RefusalKind::NotRead));
    assert_eq!(reply.data()["error"]["lines"], json!([2]));
}

#[test]
fn a_cut_text_from_a_host_does_not_undo_what_was_read_before_a_restart() {
    let place = TestProject::with_history(|builder| builder);
    let path = place.put("a.txt", "one\ntwo\n");
    let name = SessionName::new("evening").expect("a name");
    place
        .lancet
        .session(&name)
        .call(RawCall::new("Read", json!({ "file_path": path })));
    let again = Lancet::builder()
        .root(&place.root)
        .state_dir(place.around.join("state"))
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let session = again.session(&name);
    session.note_seen(&path, "one\n[…]\n").expect("taken in");
    let edit = json!({ "file_path": path, "old_string": "two", "new_string": "2" });
    let reply = session.call(RawCall::new("Edit", edit).with_caller(Caller::default()));
    assert!(!reply.is_error(), "{}", reply.text());
    // A child conversation begins with all of it, too.
    let child = again.session(&name).fork(None);
    let edit = json!({ "file_path": path, "old_string": "one", "new_string": "1" });
    assert!(!child.call(RawCall::new("Edit", edit)).is_error());
}

#[test]
fn a_dry_run_of_a_protected_file_is_declined_like_the_call_itself() {
    let place = TestProject::with_history(|builder| builder);
    let path = place.path(".mcp.json");
    let write = json!({ "file_path": path, "content": "{}\n", "dry_run": true });
    assert_eq!(
        place.call("Write", write).refusal(),
        Some(RefusalKind::Declined)
    );
}

#[test]
fn an_engine_ends_with_its_last_session_named_or_not() {
    let folder = TestFolder::new();
    let held = std::sync::Arc::new(());
    let by_engine = std::sync::Arc::clone(&held);
    let lancet = Lancet::builder()
        .root(folder.path())
        .state_dir(folder.join("state"))
        .observer(move |_: &lancet::events::Event| {
            let _ = &by_engine;
        })
        .open()
        .expect("opened");
    let named = lancet.session(&SessionName::new("talk").expect("a name"));
    let forked = named.fork(Some(SessionName::new("child").expect("a name")));
    named.call(RawCall::new("Read", json!({ "file_path": "nothing" })));
    drop((lancet, named));
    assert_eq!(std::sync::Arc::strong_count(&held), 2, "one is in use");
    drop(forked);
    assert_eq!(std::sync::Arc::strong_count(&held), 1);
}

/// Sets or clears the attribute that prevents any user from changing a file. Not every user may set it, and not every
/// file system has it.
#[cfg(target_os = "linux")]
fn chattr(change: &str, path: &std::path::Path) -> bool {
    let run = std::process::Command::new("chattr")
        .arg(change)
        .arg(path)
        .output();
    if run.is_err() {
        lancet_testing::judges::missing("chattr");
    }
    run.is_ok_and(|run| run.status.success())
}

#[test]
#[cfg(target_os = "linux")]
fn an_immutable_file_is_told_as_such() {
    // On the disk, because no file in memory can be made immutable.
    let folder = TestFolder::below(env!("CARGO_TARGET_TMPDIR"));
    let place = TestProject::inside(folder, |builder, around| {
        builder.state_dir(around.join("state"))
    });
    let path = place.put("fixed.txt", "one\n");
    place.call("Read", json!({ "file_path": path }));
    if !chattr("+i", &path) {
        // No file can be made immutable here.
        return;
    }
    let reply = place.call(
        "Edit",
        json!({ "file_path": path, "old_string": "one", "new_string": "two" }),
    );
    // This comes before any assertion, because otherwise the folder could not be removed.
    assert!(chattr("-i", &path));
    assert_eq!(reply.refusal(), Some(RefusalKind::Io), "{}", reply.text());
    assert!(reply.text().contains("immutable"), "{}", reply.text());
    assert_eq!(fs::read_to_string(&path).expect("there"), "one\n");
}

#[test]
fn one_of_a_thing_is_told_in_the_singular() {
    let place = TestProject::with_history(|builder| builder);
    let path = place.path("a.txt");
    let reply = place.call("Write", json!({ "file_path": path, "content": "x" }));
    assert!(
        reply.text().contains("1 line, 1 byte\n"),
        "{}",
        reply.text()
    );
    let edit = json!({
        "file_path": path, "old_string": "x", "new_string": "y", "replace_all": true, "expect_count": 2
    });
    let reply = place.call("Edit", edit);
    let words = "matches 1 place (line 1), and";
    assert!(reply.text().contains(words), "{}", reply.text());
}

#[test]
fn line_ends_that_the_file_does_not_have_are_told_by_every_tool() {
    let place = TestProject::with_history(|builder| builder);
    let told = "CRLF line ends that were sent were written as LF";
    let path = place.put("a.txt", "one\ntwo\n");
    place.call("Read", json!({ "file_path": path }));
    for (tool, mut arguments) in [
        ("Write", json!({ "content": "one\r\ntwo\r\nthree\r\n" })),
        ("Write", json!({ "content": "four\r\n", "mode": "append" })),
        (
            "Edit",
            json!({ "old_string": "two", "new_string": "2\r\n2" }),
        ),
    ] {
        arguments["file_path"] = json!(path);
        let reply = place.call(tool, arguments);
        assert_eq!(reply.refusal(), None, "{}", reply.text());
        assert_eq!(reply.text().matches(told).count(), 1, "{}", reply.text());
    }
    let text = fs::read_to_string(&path).expect("there");
    assert_eq!(text, "one\n2\n2\nthree\nfour\n");
    // Line ends that the file has anyway are not mentioned.
    let path = place.put("b.txt", "one\r\n");
    place.call("Read", json!({ "file_path": path }));
    let edit = json!({ "file_path": path, "old_string": "one", "new_string": "1\r\n1" });
    let reply = place.call("Edit", edit);
    assert!(!reply.text().contains("were sent"), "{}", reply.text());
}
