//! A secret file is written only with a person's yes, and only that person sees its text.

use std::sync::{Arc, Mutex};

use lancet::approval::{Answer, Question};
use lancet::{Builder, Lancet, Mode, RawCall, RefusalKind, Reply};
use lancet_testing::{TestFolder, settings};
use serde_json::json;

fn write_over_secret(open: impl FnOnce(Builder) -> Builder) -> (Reply, String) {
    let folder = TestFolder::new();
    let path = folder.join(".env");
    std::fs::write(&path, "TOKEN=old-secret\n").expect("written");
    let builder = Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits);
    let lancet = open(builder).open().expect("opened");
    let call = RawCall::new(
        "Write",
        json!({ "file_path": path, "content": "TOKEN=new\n" }),
    );
    let reply = lancet.new_session().call(call);
    (reply, std::fs::read_to_string(&path).expect("there"))
}

#[test]
fn nobody_to_ask_is_a_no() {
    let (reply, content) = write_over_secret(|builder| builder);
    assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
    assert_eq!(content, "TOKEN=old-secret\n");
    assert!(!reply.text().contains("old-secret"));
}

#[test]
fn a_person_sees_the_diff_and_the_model_does_not() {
    let asked = Arc::new(Mutex::new(String::new()));
    let diff = Arc::clone(&asked);
    let (reply, content) = write_over_secret(move |builder| {
        builder.approver(move |question: &Question| {
            assert!(question.is_protected());
            // The whole text is not offered to be edited and not stored with the question.
            let file = &question.files[0];
            assert_eq!((&file.text, &file.old_text), (&None, &None));
            diff.lock().expect("free").push_str(&question.diff());
            Answer::Yes
        })
    });
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(content, "TOKEN=new\n");
    assert!(asked.lock().expect("free").contains("-TOKEN=old-secret"));
    let all = format!(
        "{}{}{}",
        reply.text(),
        reply.data(),
        reply.text_for_person()
    );
    assert!(!all.contains("old-secret"), "{all}");
}

#[test]
fn the_history_shows_it_under_no_other_name() {
    let (folder, state) = (TestFolder::new(), TestFolder::new());
    let lancet = Lancet::builder()
        .root(folder.path())
        .state_dir(state.path())
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let history = lancet.history().expect("a state folder");
    let [secret, plain, linked] = [".env", "plain.txt", "notes.txt"].map(|name| folder.join(name));
    std::fs::write(&secret, "TOKEN=secret\n").expect("written");
    std::fs::write(&plain, "plain\n").expect("written");
    std::fs::hard_link(&secret, &linked).expect("linked");
    assert!(history.attribution(&plain).expect("read").is_some());
    assert!(history.attribution(&linked).expect("read").is_none());
}

#[test]
fn neither_read_nor_edit_shows_it() {
    let folder = TestFolder::new();
    let path = folder.join("id_rsa");
    std::fs::write(&path, "PRIVATE\n").expect("written");
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let session = lancet.new_session();
    for (tool, arguments) in [
        ("Read", json!({ "file_path": path })),
        (
            "Edit",
            json!({ "file_path": path, "old_string": "PRIVATE", "new_string": "x" }),
        ),
        ("Read", json!({ "file_path": folder.join("id_rs") })),
        ("Read", json!({ "file_path": folder.path() })),
    ] {
        let reply = session.call(RawCall::new(tool, arguments.clone()));
        assert!(reply.is_error(), "{tool} {arguments}");
        assert!(!reply.text().contains("PRIVATE"));
        if !arguments.to_string().contains("id_rsa") {
            assert!(!reply.text().contains("id_rsa"), "{}", reply.text());
        }
    }
}

/// The possible contents of a withheld file.
const STATES: [&str; 6] = ["missing", "short", "long", "empty", "binary", "link"];

/// Makes a folder in which `name` is in one of the states, with a link `pub.txt` to it.
fn ground(name: &str, state: &str) -> (TestFolder, std::path::PathBuf) {
    let folder = TestFolder::new();
    let root = folder.path().to_owned();
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let write = |bytes: &[u8]| std::fs::write(&path, bytes).expect("written");
    match state {
        "short" => write(b"A=1\n"),
        "long" => write(b"A=1\nB=2\n"),
        "empty" => write(b""),
        "binary" => write(b"\0\x01\x02\0"),
        "link" => {
            std::fs::write(root.join("elsewhere.txt"), "A=1\n").expect("written");
            std::os::unix::fs::symlink(root.join("elsewhere.txt"), &path).expect("linked");
        }
        _ => {}
    }
    std::os::unix::fs::symlink(&path, root.join("pub.txt")).expect("linked");
    (folder, root)
}

/// Returns the calls that could distinguish the contents.
fn guesses() -> Vec<serde_json::Value> {
    // The revision of "A=1\n", as a model that guesses the content would name it.
    let revision = {
        let folder = TestFolder::new();
        let path = folder.join("a.txt");
        std::fs::write(&path, "A=1\n").expect("written");
        let lancet = Lancet::builder()
            .root(folder.path())
            .open()
            .expect("opened");
        let read = RawCall::new("Read", json!({ "file_path": path }));
        let reply = lancet.new_session().call(read);
        reply.data()["revision"].as_str().expect("one").to_owned()
    };
    vec![
        json!({ "content": "A=1\n" }),
        json!({ "content": "A=2\n", "revision": revision }),
        json!({ "content": "A=2\n", "revision": "0123456789abcdef" }),
        json!({ "content": "A=2\n", "mode": "create" }),
        json!({ "content": "A=2\n", "mode": "append" }),
        json!({ "content": "A=2\n", "dry_run": true }),
    ]
}

/// Returns everything that is answered to a guess, except for the path of the test's folder and the duration.
fn normalized_answer(reply: &Reply, root: &std::path::Path) -> String {
    let mut data = reply.data().clone();
    data.as_object_mut().map(|data| data.remove("durationMs"));
    format!("{} {data}", reply.text()).replace(root.to_str().expect("UTF-8"), "R")
}

#[test]
fn nothing_is_told_of_a_file_that_is_not_shown_before_a_yes() {
    for (name, rules) in [
        (".env", ""),
        ("priv/x.txt", "[permissions]\ndeny = [\"Read(priv/**)\"]"),
    ] {
        for given in [name, "pub.txt"] {
            for guess in guesses() {
                let mut answers = Vec::new();
                // A link to a link to another file names that other file, which may be read.
                let states = match given == name {
                    true => &STATES[..],
                    false => &STATES[..5],
                };
                for &state in states {
                    let (_folder, root) = ground(name, state);
                    for asks in [false, true] {
                        let mut builder = Lancet::builder()
                            .root(&root)
                            .settings(settings(rules))
                            .mode(Mode::AcceptEdits);
                        if asks {
                            builder = builder.approver(|_: &Question| Answer::No(None));
                        }
                        let session = builder.open().expect("opened").new_session();
                        let mut call = guess.clone();
                        call["file_path"] = json!(root.join(given));
                        let checked =
                            format!("{:?}", session.check(RawCall::new("Write", call.clone())));
                        let reply = session.call(RawCall::new("Write", call));
                        assert_eq!(
                            reply.refusal(),
                            Some(RefusalKind::Declined),
                            "{}",
                            reply.text()
                        );
                        let told = normalized_answer(&reply, &root);
                        let checked = checked.replace(root.to_str().expect("UTF-8"), "R");
                        if given != name {
                            assert!(
                                !told.contains(name) && !checked.contains(name),
                                "{told} {checked}"
                            );
                        }
                        answers.push((asks, state, told, checked));
                    }
                }
                for (asks, state, told, checked) in &answers {
                    let first = answers.iter().find(|first| first.0 == *asks).expect("one");
                    assert_eq!(
                        (told, checked),
                        (&first.2, &first.3),
                        "{given} {guess} {state}"
                    );
                }
            }
        }
    }
}

#[test]
fn after_a_yes_the_model_is_told_what_is_the_case() {
    for (state, guess, kind) in [
        (
            "missing",
            json!({ "revision": "0123456789abcdef" }),
            RefusalKind::Missing,
        ),
        (
            "short",
            json!({ "revision": "0123456789abcdef" }),
            RefusalKind::Stale,
        ),
        ("short", json!({ "mode": "create" }), RefusalKind::Exists),
        ("binary", json!({}), RefusalKind::Binary),
    ] {
        let (_folder, root) = ground(".env", state);
        let asked = Arc::new(Mutex::new(0));
        let count = Arc::clone(&asked);
        let lancet = Lancet::builder()
            .root(&root)
            .mode(Mode::AcceptEdits)
            .approver(move |question: &Question| {
                assert!(question.is_protected() && question.files[0].path.ends_with(".env"));
                *count.lock().expect("free") += 1;
                Answer::Yes
            });
        let session = lancet.open().expect("opened").new_session();
        let mut call = guess.clone();
        call["file_path"] = json!(root.join(".env"));
        call["content"] = json!("A=2\n");
        let reply = session.call(RawCall::new("Write", call));
        assert_eq!(
            reply.refusal(),
            Some(kind),
            "{state} {guess}: {}",
            reply.text()
        );
        assert_eq!(*asked.lock().expect("free"), 1);
    }
}
