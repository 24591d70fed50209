//! Single cases where the promise was, or could be, broken. Each names the corner case that it tests.

use std::fs;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use lancet::approval::{Answer, Question};
use lancet::{Check, Lancet, Mode, RawCall, SessionName};
use lancet_testing::TestFolder;
use serde_json::{Value, json};

use crate::ground::{Ground, done, is_refused, refused, settings};

fn merging() -> Ground {
    Ground::with(|builder| builder.settings(settings("stale = \"merge\"\n")))
}

#[test]
fn an_answer_stays_within_its_limit_however_long_the_changed_lines_are() {
    let ground = Ground::new();
    let line = format!("x{}\n", "y".repeat(1_900));
    ground.put("long.txt", line.repeat(190));
    let session = ground.session();
    for page in 0..10 {
        done(&ground.call(
            &session,
            "Read",
            json!({ "file_path": ground.path("long.txt"), "offset": page * 40 + 1, "limit": 40 }),
        ));
    }
    let all = json!({ "file_path": ground.path("long.txt"), "old_string": "xy", "new_string": "zy", "replace_all": true });
    let mut dry = all.clone();
    dry["dry_run"] = json!(true);
    done(&ground.call(&session, "Edit", dry));
    done(&ground.call(&session, "Edit", all));
}

#[test]
fn an_answer_to_many_files_stays_within_its_limit() {
    let ground = Ground::new();
    let session = ground.session();
    let mut edits = Vec::new();
    for number in 0..60 {
        let name = format!("{number}.txt");
        ground.put(&name, format!("first\n{}\nlast\n", "w".repeat(1_990)));
        done(&ground.read(&session, &name));
        edits.push(
            json!({ "file_path": ground.path(&name), "old_string": "last", "new_string": "end" }),
        );
    }
    let call = json!({ "edits": edits, "dry_run": true });
    done(&ground.call(&session, "MultiEdit", call));
    done(&ground.call(&session, "MultiEdit", json!({ "edits": edits })));
    assert!(ground.text("59.txt").ends_with("end\n"));
}

#[test]
fn merge_refuses_an_append_to_a_last_line_that_changed_as_stale() {
    let ground = merging();
    ground.put("a.txt", "one\ntwo");
    let session = ground.session();
    done(&ground.read(&session, "a.txt"));
    ground.put("a.txt", "one\ntwo and more");
    let append =
        json!({ "file_path": ground.path("a.txt"), "content": "\nthree\n", "mode": "append" });
    is_refused(&ground.call(&session, "Write", append.clone()), "stale");
    done(&ground.call(&session, "Write", append));
    assert_eq!(ground.text("a.txt"), "one\ntwo and more\nthree\n");
}

#[test]
fn merge_refuses_an_edit_whose_places_all_stand_in_foreign_lines_as_stale() {
    let ground = merging();
    ground.put("a.txt", "one\ntwo\nthree\n");
    let session = ground.session();
    done(&ground.read(&session, "a.txt"));
    ground.put("a.txt", "new\none\nnew\ntwo\nthree\n");
    is_refused(&ground.edit(&session, "a.txt", "new", "old"), "stale");
    is_refused(&ground.edit(&session, "a.txt", "new", "old"), "ambiguous");
}

#[test]
fn merge_keeps_the_foreign_change_and_tells_it() {
    let ground = merging();
    ground.put("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n");
    let session = ground.session();
    done(&ground.read(&session, "a.txt"));
    ground.put("a.txt", "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n");
    let reply = ground.edit(&session, "a.txt", "seven", "SEVEN");
    done(&reply);
    assert!(
        reply.text().contains("-one") && reply.text().contains("+ONE"),
        "{}",
        reply.text()
    );
    assert_eq!(
        ground.text("a.txt"),
        "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\neight\n"
    );
    // The foreign line was shown in that diff and nowhere else; what the session has seen is its own line.
    done(&ground.edit(&session, "a.txt", "SEVEN", "7"));
}

#[test]
fn edits_that_undo_each_other_are_no_change() {
    let ground = Ground::new();
    ground.put("a.txt", "xyx\n");
    let session = ground.session();
    done(&ground.read(&session, "a.txt"));
    let call = |edits: Value| json!({ "file_path": ground.path("a.txt"), "edits": edits });
    let reply = ground.call(
        &session,
        "MultiEdit",
        call(json!([
            { "old_string": "xyx", "new_string": "abc" },
            { "old_string": "abc", "new_string": "xyx" },
        ])),
    );
    is_refused(&reply, "no_change");
    ground.put("b.txt", "a\na\n");
    done(&ground.read(&session, "b.txt"));
    let reply = ground.call(
        &session,
        "MultiEdit",
        json!({ "file_path": ground.path("b.txt"), "edits": [
        { "old_string": "a\na\n", "new_string": "a\nb\n" },
        { "old_string": "a\nb\n", "new_string": "b\n" },
        { "old_string": "b\n", "new_string": "a\na\n" },
    ] }),
    );
    assert!(
        matches!(refused(&reply), "no_change" | "conflict"),
        "{}",
        reply.text()
    );
}

#[test]
fn the_bytes_of_a_secret_file_are_in_no_answer() {
    let folder = TestFolder::in_memory();
    let root = folder.path().canonicalize().unwrap();
    for stale in ["refuse", "merge"] {
        let lancet = Lancet::builder()
            .root(&root)
            .mode(Mode::AcceptEdits)
            .settings(settings(&format!("stale = \"{stale}\"\n")))
            .approver(|_: &Question| Answer::Yes)
            .open()
            .unwrap();
        let session = lancet.new_session();
        let path = root.join(".env");
        let _ = fs::remove_file(&path);
        let write = |content: &str, mode: &str| {
            session.call(RawCall::new(
                "Write",
                json!({ "file_path": path, "content": content, "mode": mode }),
            ))
        };
        done(&write("A=1\n", "overwrite"));
        fs::write(&path, "KEY=hunter2\nA=1\n").unwrap();
        for mode in ["overwrite", "append", "overwrite", "append"] {
            let reply = write("B=2\n", mode);
            let data = reply.data().to_string();
            assert!(
                !reply.text().contains("hunter2")
                    && !data.contains("hunter2")
                    && !reply.text_for_person().contains("hunter2"),
                "{stale} {mode}: {}",
                reply.text()
            );
            fs::write(&path, "KEY=hunter2\nA=1\n").unwrap();
        }
    }
}

#[test]
fn a_check_knows_what_a_named_session_has_seen_before_a_restart() {
    let state = TestFolder::in_memory();
    let ground = Ground::with(|builder| builder.state_dir(state.path()));
    ground.put("a.txt", "one\n");
    let name = SessionName::new("talk").unwrap();
    done(&ground.read(&ground.lancet.session(&name), "a.txt"));
    let again = Lancet::builder()
        .root(&ground.root)
        .state_dir(state.path())
        .mode(Mode::AcceptEdits)
        .open()
        .unwrap();
    let call = RawCall::new(
        "Edit",
        json!({ "file_path": ground.path("a.txt"), "old_string": "one", "new_string": "two" }),
    );
    let check = again.session(&name).check(call);
    assert!(matches!(check, Check::Passes), "{check:?}");
}

#[test]
fn two_names_of_one_file_in_one_call_are_a_conflict() {
    let ground = Ground::new();
    ground.put("a.txt", "one\ntwo\n");
    fs::hard_link(ground.path("a.txt"), ground.path("b.txt")).unwrap();
    let session = ground.session();
    done(&ground.read(&session, "a.txt"));
    done(&ground.read(&session, "b.txt"));
    let mut call = json!({ "edits": [
        { "file_path": ground.path("a.txt"), "old_string": "one", "new_string": "1" },
        { "file_path": ground.path("b.txt"), "old_string": "two", "new_string": "2" },
    ] });
    is_refused(
        &ground.call(&session, "MultiEdit", call.clone()),
        "conflict",
    );
    call["dry_run"] = json!(true);
    is_refused(&ground.call(&session, "MultiEdit", call), "conflict");
    done(&ground.edit(&session, "a.txt", "one", "1"));
    assert_eq!(ground.text("b.txt"), "1\ntwo\n");
    assert_eq!(
        refused(&ground.edit(&session, "b.txt", "two", "2")),
        "stale"
    );
}

#[test]
fn several_new_files_in_one_new_folder() {
    let ground = Ground::new();
    let session = ground.session();
    let create = |names: [&str; 2]| json!({ "edits": names.map(|name| json!({ "file_path": ground.path(name), "old_string": "", "new_string": format!("{name}\n") })) });
    done(&ground.call(&session, "MultiEdit", create(["d/e/a", "d/e/b"])));
    assert_eq!(ground.text("d/e/b"), "d/e/b\n");
    // A name that is to be a file and a folder at once cannot be both, and then nothing is made.
    let reply = ground.call(&session, "MultiEdit", create(["f", "f/x"]));
    assert!(reply.is_error());
    let reply = ground.call(&session, "MultiEdit", create(["g/x", "g"]));
    assert!(reply.is_error());
}

#[test]
fn an_observer_may_call_back() {
    let answered = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&answered);
    let (session_to, session_from) = mpsc::channel::<lancet::Session>();
    let session_from = Mutex::new(session_from);
    let ground = Ground::with(|builder| {
        builder.observer(move |event: &lancet::events::Event| {
            let session = session_from.lock().unwrap().try_recv();
            if let lancet::events::Event::Changed { path, .. } = event
                && let Ok(session) = session
            {
                let call = json!({ "file_path": path, "old_string": "two", "new_string": "three" });
                heard
                    .lock()
                    .unwrap()
                    .push(session.call(RawCall::new("Edit", call)));
            }
        })
    });
    ground.put("a.txt", "one\n");
    let session = ground.session();
    done(&ground.read(&session, "a.txt"));
    session_to.send(session.clone()).unwrap();
    let (ended, end) = mpsc::channel();
    let path = ground.path("a.txt");
    std::thread::spawn(move || {
        let call = json!({ "file_path": path, "old_string": "one", "new_string": "two" });
        let _ = ended.send(session.call(RawCall::new("Edit", call)));
    });
    done(
        &end.recv_timeout(Duration::from_secs(20))
            .expect("the call ends"),
    );
    done(&answered.lock().unwrap()[0]);
    assert_eq!(ground.text("a.txt"), "three\n");
}

#[test]
fn a_file_that_the_session_wrote_and_another_changed_is_told_once() {
    let ground = Ground::new();
    let session = ground.session();
    done(&ground.write(&session, "mine.txt", "one\n"));
    ground.put("other.txt", "x\n");
    ground.put("mine.txt", "two\n");
    let reply = ground.read(&session, "other.txt");
    done(&reply);
    assert!(reply.text().contains("mine.txt"), "{}", reply.text());
    let reply = ground.call(
        &session,
        "Read",
        json!({ "file_path": ground.path("other.txt"), "force": true }),
    );
    assert!(!reply.text().contains("mine.txt"), "{}", reply.text());
}

#[test]
fn in_a_large_file_a_line_end_is_not_cut_apart() {
    let ground = Ground::new();
    let mut text = "filler filler filler filler filler\r\n".repeat(1_000_000);
    text.push_str("needle\r\nlast\r\n");
    assert!(text.len() > 33 << 20);
    ground.put("large.txt", &text);
    let session = ground.session();
    let read = json!({ "file_path": ground.path("large.txt"), "offset": 1_000_001 });
    done(&session.call(RawCall::new("Read", read)));
    let edit = |old: &str, new: &str| {
        session.call(RawCall::new(
            "Edit",
            json!({ "file_path": ground.path("large.txt"), "old_string": old, "new_string": new }),
        ))
    };
    is_refused(&edit("needle\r", "pin"), "not_found");
    is_refused(&edit("needle", "a\0b"), "binary");
    is_refused(&edit("needle\r\nlast", "needle\nlast"), "no_change");
    done(&edit("needle", ""));
    let after = ground.bytes("large.txt");
    assert!(after.ends_with(b"filler\r\nlast\r\n"));
}

#[test]
fn in_a_large_file_the_newline_of_a_deleted_line_must_be_seen_too() {
    let ground = Ground::new();
    let mut text = "filler filler filler filler filler\n".repeat(1_000_000);
    text.push_str(&format!("{}\nlast\n", "n".repeat(3_000)));
    ground.put("large.txt", &text);
    let session = ground.session();
    let path = ground.path("large.txt");
    let read = |column: usize| json!({ "file_path": path, "offset": 1_000_001, "column": column });
    done(&session.call(RawCall::new(
        "Read",
        json!({ "file_path": path, "offset": 1_000_001, "limit": 1 }),
    )));
    let edit = || {
        session.call(RawCall::new(
            "Edit",
            json!({ "file_path": path, "old_string": "n".repeat(3_000), "new_string": "" }),
        ))
    };
    is_refused(&edit(), "not_read");
    done(&session.call(RawCall::new("Read", read(2_001))));
    done(&edit());
    assert!(ground.bytes("large.txt").ends_with(b"filler\nlast\n"));
}
