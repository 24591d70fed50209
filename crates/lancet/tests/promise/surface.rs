//! The library's API for hosts: observers, checks, host tools, forks, injected text, named sessions that outlive the
//! process, and sessions that know nothing of each other.

use std::fs;
use std::process::Command;
use std::sync::{Arc, Mutex};

use lancet::approval::{Answer, Question};
use lancet::events::Event;
use lancet::tools::{Declaration, HostTool, Proposal};
use lancet::tools::{EditItem, WriteArguments};
use lancet::{Check, Lancet, Mode, RawCall, Refusal, RefusalKind, Session, SessionName};
use lancet_testing::TestFolder;
use serde_json::{Value, json};

use crate::ground::{Ground, done, is_refused, refused};

fn name(name: &str) -> SessionName {
    SessionName::new(name).unwrap()
}

fn check(session: &Session, tool: &str, arguments: Value) -> Check {
    session.check(RawCall::new(tool, arguments))
}

#[test]
fn observers_hear_of_reads_changes_refusals_and_decisions() {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = Arc::clone(&heard);
    let state = TestFolder::in_memory();
    let ground = Ground::with(|builder| {
        builder
            .state_dir(state.path())
            .mode(Mode::Ask)
            .approver(|question: &Question| {
                if question.diff().contains("+no") {
                    Answer::No(Some("not that".into()))
                } else {
                    Answer::Yes
                }
            })
            .observer(move |event: &Event| {
                let file = |path: &std::path::Path| {
                    path.file_name().unwrap().to_string_lossy().into_owned()
                };
                let name = |session: &Option<SessionName>| {
                    session
                        .as_ref()
                        .map(|name| name.as_str().to_owned())
                        .unwrap_or_default()
                };
                assert!(event.time() <= std::time::SystemTime::now());
                let words = match event {
                    Event::Read {
                        session,
                        path,
                        lines,
                        ..
                    } => format!("{} read {} {lines:?}", name(session), file(path)),
                    Event::Changed {
                        session,
                        tool,
                        path,
                        before,
                        after,
                        lines,
                        operation,
                        ..
                    } => {
                        assert_eq!(operation.len(), 12);
                        assert_ne!(before, after);
                        format!(
                            "{} {tool} {} {lines:?} from {}",
                            name(session),
                            file(path),
                            before.is_some()
                        )
                    }
                    Event::Refused {
                        session,
                        tool,
                        path,
                        kind,
                        ..
                    } => {
                        format!(
                            "{} {tool} {:?} {}",
                            name(session),
                            path.as_deref().map(file),
                            kind.name()
                        )
                    }
                    Event::Decided {
                        session,
                        path,
                        allowed,
                        ..
                    } => format!("{} decided {} {allowed}", name(session), file(path)),
                    _ => String::new(),
                };
                told.lock().unwrap().push(words);
            })
    });
    ground.put("a.txt", "one\ntwo\n");
    let session = ground.lancet.session(&name("talk"));
    done(&ground.read(&session, "a.txt"));
    done(&ground.edit(&session, "a.txt", "two", "2"));
    is_refused(&ground.edit(&session, "a.txt", "one", "no"), "declined");
    is_refused(&ground.edit(&session, "a.txt", "six", "6"), "not_found");
    done(&ground.write(&session, "new.txt", "x\ny\n"));
    is_refused(&ground.call(&session, "Edit", json!({})), "invalid");
    let heard = heard.lock().unwrap();
    assert_eq!(
        *heard,
        [
            "talk read a.txt 1..3",
            "talk decided a.txt true",
            "talk Edit a.txt [2..3] from true",
            "talk decided a.txt false",
            "talk Edit Some(\"a.txt\") declined",
            "talk Edit Some(\"a.txt\") not_found",
            "talk decided new.txt true",
            "talk Write new.txt [1..3] from false",
            "talk Edit None invalid",
        ]
    );
}

#[test]
fn a_check_has_no_effect() {
    let ground = Ground::new();
    ground.put("a.txt", "one\ntwo\n");
    let session = ground.session();
    let edit = json!({ "file_path": ground.path("a.txt"), "old_string": "one", "new_string": "1" });
    let before = ground.tree();
    assert!(matches!(
        check(
            &session,
            "Read",
            json!({ "file_path": ground.path("a.txt") })
        ),
        Check::Passes
    ));
    match check(&session, "Edit", edit.clone()) {
        Check::Refused(refusal) => assert_eq!(
            refusal.kind(),
            RefusalKind::NotRead,
            "a checked Read shows nothing"
        ),
        other => panic!("{other:?}"),
    }
    let read = ground.read(&session, "a.txt");
    assert_eq!(
        read.data()["type"],
        json!("text"),
        "nor does it make the next one a stub"
    );
    assert!(matches!(
        check(&session, "Edit", edit.clone()),
        Check::Passes
    ));
    assert!(matches!(
        check(
            &session,
            "Write",
            json!({ "file_path": ground.path("d/new.txt"), "content": "x" })
        ),
        Check::Passes
    ));
    assert!(ground.tree() == before, "nothing is written");
    ground.put("a.txt", "one\nTWO\n");
    for _ in 0..2 {
        match check(&session, "Edit", edit.clone()) {
            Check::Refused(refusal) => assert_eq!(
                refusal.kind(),
                RefusalKind::Stale,
                "a checked diff was shown to nobody"
            ),
            other => panic!("{other:?}"),
        }
    }
    is_refused(&ground.call(&session, "Edit", edit.clone()), "stale");
    done(&ground.call(&session, "Edit", edit.clone()));
    let asking = Ground::with(|builder| {
        builder
            .mode(Mode::Ask)
            .approver(|_: &Question| -> Answer { panic!("a check asks nobody") })
    });
    asking.put("a.txt", "one\n");
    let session = asking.session();
    done(&asking.read(&session, "a.txt"));
    let edit = json!({ "file_path": asking.path("a.txt"), "old_string": "one", "new_string": "1" });
    assert!(matches!(check(&session, "Edit", edit), Check::Asks { .. }));
}

/// A tool of a host that proposes what its arguments describe.
struct Proposer {
    read_only: bool,
}

impl HostTool for Proposer {
    fn declaration(&self) -> Declaration {
        let mut declaration = lancet::tools::declaration("Edit").unwrap().clone();
        declaration.name = "Propose".into();
        declaration.read_only = self.read_only;
        declaration.input_schema = json!({ "type": "object", "properties": {} });
        declaration
    }

    fn propose(&self, _: &Session, arguments: &Value) -> Result<Proposal, Refusal> {
        let text = |key: &str| arguments[key].as_str().unwrap_or_default().to_owned();
        Ok(match arguments["kind"].as_str() {
            Some("answer") => Proposal::Answer {
                text: text("text"),
                data: json!({ "n": 1 }),
            },
            Some("edits") => Proposal::Edits(vec![EditItem::new(
                text("file_path"),
                text("old"),
                text("new"),
            )]),
            Some("write") => Proposal::Write(WriteArguments::new(text("file_path"), text("new"))),
            _ => {
                return Err(Refusal::new(
                    RefusalKind::Invalid,
                    "kind is answer, edits or write.",
                ));
            }
        })
    }
}

#[test]
fn a_tool_of_the_host_passes_the_same_rooms() {
    let events = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&events);
    let ground = Ground::with(|builder| {
        builder
            .tool(Proposer { read_only: false })
            .observer(move |event: &Event| {
                if matches!(event, Event::Changed { tool, .. } if tool == "Propose") {
                    *counted.lock().unwrap() += 1;
                }
            })
    });
    assert!(
        ground
            .lancet
            .tools()
            .iter()
            .any(|tool| tool.name == "Propose")
    );
    ground.put("a.txt", "one\ntwo\n");
    let session = ground.session();
    let call = |arguments: Value| ground.call(&session, "Propose", arguments);
    let reply = call(json!({ "kind": "answer", "text": "words" }));
    assert_eq!((reply.text(), &reply.data()["n"]), ("words", &json!(1)));
    is_refused(&call(json!({})), "invalid");
    let edits =
        json!({ "kind": "edits", "file_path": ground.path("a.txt"), "old": "one", "new": "1" });
    is_refused(&call(edits.clone()), "not_read");
    is_refused(
        &call(json!({ "kind": "edits", "file_path": "/etc/passwd", "old": "root", "new": "1" })),
        "outside",
    );
    is_refused(
        &call(json!({ "kind": "write", "file_path": ground.path("a.txt"), "new": "x\n" })),
        "not_read",
    );
    done(&ground.read(&session, "a.txt"));
    done(&call(edits.clone()));
    assert_eq!(ground.text("a.txt"), "1\ntwo\n");
    is_refused(&call(edits), "not_found");
    ground.put("a.txt", "1\nTWO\n");
    is_refused(
        &call(json!({ "kind": "write", "file_path": ground.path("a.txt"), "new": "x\n" })),
        "stale",
    );
    done(&call(
        json!({ "kind": "write", "file_path": ground.path("d/new.txt"), "new": "x\n" }),
    ));
    is_refused(
        &call(json!({ "kind": "write", "file_path": ground.path(".git/config"), "new": "x\n" })),
        "declined",
    );
    assert_eq!(*events.lock().unwrap(), 2);

    for (mode, read_only) in [(Mode::AcceptEdits, true), (Mode::Plan, false)] {
        let ground = Ground::with(|builder| builder.mode(mode).tool(Proposer { read_only }));
        let reply = ground.call(
            &ground.session(),
            "Propose",
            json!({ "kind": "write", "file_path": ground.path("a.txt"), "new": "x" }),
        );
        assert!(
            reply.is_error(),
            "a tool that says it only reads, or plan mode, writes nothing"
        );
    }
}

#[test]
fn a_fork_begins_with_a_copy() {
    let ground = Ground::new();
    ground.put("a.txt", "one\ntwo\n");
    ground.put("b.txt", "one\ntwo\n");
    let parent = ground.session();
    done(&ground.read(&parent, "a.txt"));
    let child = parent.fork(None);
    done(&ground.edit(&child, "a.txt", "one", "1"));
    // What one of them does was not seen by the other.
    is_refused(&ground.edit(&parent, "a.txt", "two", "2"), "stale");
    done(&ground.read(&child, "b.txt"));
    is_refused(&ground.edit(&parent, "b.txt", "one", "1"), "not_read");
    // The child may not have the parent's text in its conversation.
    let other = parent.fork(None);
    done(&ground.edit(&parent, "a.txt", "two", "2"));
    assert_eq!(ground.read(&other, "a.txt").data()["type"], json!("text"));
}

#[test]
fn a_shortened_conversation_reads_text_again_and_still_edits() {
    let ground = Ground::new();
    ground.put("a.txt", "one\ntwo\n");
    let session = ground.session();
    let kind = || ground.read(&session, "a.txt").data()["type"].clone();
    assert_eq!(kind(), json!("text"));
    assert_eq!(kind(), json!("unchanged"));
    assert_eq!(kind(), json!("text"), "the stub is given once");
    session.note_compaction();
    done(&ground.edit(&session, "a.txt", "one", "1"));
    session.note_compaction();
    assert_eq!(kind(), json!("text"));
}

#[test]
fn text_that_a_host_shows_counts_where_it_is_the_files() {
    let ground = Ground::new();
    let text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n";
    let begin = || {
        ground.put("a.txt", text.replace('\n', "\r\n"));
        ground.session()
    };
    let path = ground.path("a.txt");
    // The whole text of the file, whatever its line ends.
    let session = begin();
    session.note_seen(&path, text).unwrap();
    done(&ground.write(&session, "a.txt", "all\n"));
    // Whole lines of the file.
    let session = begin();
    session.note_seen(&path, "ten\neleven\n").unwrap();
    is_refused(&ground.edit(&session, "a.txt", "one", "1"), "not_read");
    is_refused(&ground.write(&session, "a.txt", "all\n"), "not_read");
    done(&ground.edit(&session, "a.txt", "eleven", "11"));
    // Anything else is a partial view, until it is read.
    for other in [
        "one\n…\ntwelve\n",
        "en\neleven",
        "one\n\ntwo\n",
        "eight\nten\n",
    ] {
        let session = begin();
        session.note_seen(&path, other).unwrap();
        is_refused(&ground.edit(&session, "a.txt", "eleven", "11"), "not_read");
        is_refused(&ground.write(&session, "a.txt", "all\n"), "not_read");
        done(&ground.read(&session, "a.txt"));
        done(&ground.edit(&session, "a.txt", "eleven", "11"));
    }
    // A cut text does not revoke what a read has shown.
    let session = begin();
    done(&ground.read(&session, "a.txt"));
    session.note_seen(&path, "one\n…\n").unwrap();
    done(&ground.edit(&session, "a.txt", "eleven", "11"));
    // A file that has changed since the host read it is another version.
    let session = begin();
    session.note_seen(&path, text).unwrap();
    ground.put("a.txt", "other\n");
    is_refused(&ground.edit(&session, "a.txt", "eleven", "11"), "stale");
    assert!(session.note_seen(ground.path("missing"), "x").is_err());
    assert!(
        session
            .note_seen(std::path::Path::new("/etc/passwd"), "x")
            .is_err()
    );
}

#[test]
fn sessions_know_nothing_of_each_other() {
    let state = TestFolder::in_memory();
    let ground = Ground::with(|builder| builder.state_dir(state.path()));
    ground.put("a.txt", "one\n");
    let sessions = [
        ground.lancet.session(&name("a")),
        ground.lancet.session(&name("b")),
        ground.session(),
        ground.session(),
    ];
    for (at, reader) in sessions.iter().enumerate() {
        for other in &sessions[at + 1..] {
            is_refused(&ground.edit(other, "a.txt", "one", "1"), "not_read");
        }
        done(&ground.read(reader, "a.txt"));
    }
    done(&ground.edit(&ground.lancet.session(&name("a")), "a.txt", "one", "1"));
    assert_eq!(
        refused(&ground.edit(&sessions[1], "a.txt", "1", "2")),
        "stale"
    );
    assert_eq!(ground.text("a.txt"), "1\n");
}

#[test]
fn a_named_session_outlives_the_engine() {
    let state = TestFolder::in_memory();
    let ground = Ground::with(|builder| builder.state_dir(state.path()));
    let lines: Vec<String> = (1..=40).map(|number| format!("line {number}.\n")).collect();
    ground.put("a.txt", lines.concat());
    ground.put("b.txt", "one\n");
    let session = ground.lancet.session(&name("talk"));
    done(&ground.call(
        &session,
        "Read",
        json!({ "file_path": ground.path("a.txt"), "offset": 10, "limit": 5 }),
    ));
    done(&ground.read(&session, "b.txt"));
    done(&ground.edit(&session, "b.txt", "one", "two"));
    let again = || {
        Lancet::builder()
            .root(&ground.root)
            .state_dir(state.path())
            .mode(Mode::AcceptEdits)
            .open()
            .unwrap()
    };
    let engine = again();
    let session = engine.session(&name("talk"));
    let edit = |file: &str, old: &str, new: &str| {
        let arguments =
            json!({ "file_path": ground.path(file), "old_string": old, "new_string": new });
        session.call(RawCall::new("Edit", arguments))
    };
    done(&edit("b.txt", "two", "three"));
    done(&edit("a.txt", "line 12.", "line twelve."));
    is_refused(&edit("a.txt", "line 30.", "line thirty."), "not_read");
    // The hash decides: a file changed meanwhile is stale, and without the old content there is no diff.
    let engine = again();
    let session = engine.session(&name("talk"));
    fs::write(ground.path("b.txt"), "four\n").unwrap();
    let reply = session.call(RawCall::new(
        "Edit",
        json!({ "file_path": ground.path("b.txt"), "old_string": "four", "new_string": "five" }),
    ));
    is_refused(&reply, "stale");
    assert!(reply.data()["error"].get("diff").is_none());
    let other = engine.session(&name("other"));
    is_refused(&other.call(RawCall::new("Edit", json!({ "file_path": ground.path("a.txt"), "old_string": "line 12", "new_string": "x" }))), "not_read");
}

const FOLDER: &str = "LANCET_TEST_OTHER_PROCESS";

/// The other process's part: reads in the shared session, and edits what the first process read.
#[test]
fn as_another_process() {
    let Some(folder) = std::env::var_os(FOLDER).map(std::path::PathBuf::from) else {
        return;
    };
    let lancet = Lancet::builder()
        .root(folder.join("root"))
        .state_dir(folder.join("state"))
        .mode(Mode::AcceptEdits)
        .open()
        .unwrap();
    let session = lancet.session(&name("shared"));
    let path = |file: &str| folder.join("root").join(file);
    let call = |tool: &str, arguments: Value| session.call(RawCall::new(tool, arguments));
    done(&call(
        "Edit",
        json!({ "file_path": path("first.txt"), "old_string": "one", "new_string": "two" }),
    ));
    done(&call("Read", json!({ "file_path": path("second.txt") })));
    done(&call(
        "Write",
        json!({ "file_path": path("third.txt"), "content": "three\n" }),
    ));
}

#[test]
fn two_processes_share_a_named_session() {
    let around = TestFolder::in_memory();
    for part in ["root", "state"] {
        fs::create_dir(around.path().join(part)).unwrap();
    }
    let path = |file: &str| around.path().join("root").join(file);
    fs::write(path("first.txt"), "one\n").unwrap();
    fs::write(path("second.txt"), "one\n").unwrap();
    let lancet = Lancet::builder()
        .root(around.path().join("root"))
        .state_dir(around.path().join("state"))
        .mode(Mode::AcceptEdits)
        .open()
        .unwrap();
    let session = lancet.session(&name("shared"));
    let call = |tool: &str, arguments: Value| session.call(RawCall::new(tool, arguments));
    done(&call("Read", json!({ "file_path": path("first.txt") })));
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "surface::as_another_process", "--nocapture"])
        .env(FOLDER, around.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    // What the other process read or wrote in this session is known here, and its edit is not a foreign one.
    done(&call(
        "Edit",
        json!({ "file_path": path("first.txt"), "old_string": "two", "new_string": "three" }),
    ));
    done(&call(
        "Edit",
        json!({ "file_path": path("second.txt"), "old_string": "one", "new_string": "two" }),
    ));
    done(&call(
        "Edit",
        json!({ "file_path": path("third.txt"), "old_string": "three", "new_string": "3" }),
    ));
    assert_eq!(fs::read_to_string(path("first.txt")).unwrap(), "three\n");
}

#[test]
fn edits_at_the_same_time_are_put_in_order() {
    let ground = Ground::new();
    const WRITERS: usize = 4;
    const LINES: usize = 20;
    let text: String = (0..WRITERS * LINES)
        .map(|line| format!("line {line}.\n"))
        .collect();
    ground.put("a.txt", &text);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let ground = &ground;
            scope.spawn(move || {
                let session = ground.session();
                let path = ground.path("a.txt");
                done(&session.call(RawCall::new("Read", json!({ "file_path": path }))));
                for line in 0..LINES {
                    let line = line * WRITERS + writer;
                    let edit = json!({ "file_path": path, "old_string": format!("line {line}."), "new_string": format!("row {line}, by {writer}.") });
                    // A refusal shows what the other processes did. The same call is sent again, as a model would.
                    let sent = (0..1_000).find(|_| {
                        let reply = session.call(RawCall::new("Edit", edit.clone()));
                        assert!(matches!(refused(&reply), "" | "stale" | "busy"), "{}", reply.text());
                        !reply.is_error()
                    });
                    assert!(sent.is_some(), "line {line} never went through");
                }
            });
        }
    });
    let expected: String = (0..WRITERS * LINES)
        .map(|line| format!("row {line}, by {}.\n", line % WRITERS))
        .collect();
    assert_eq!(ground.text("a.txt"), expected);
    assert_eq!(ground.tree().len(), 1);
}

#[test]
fn beyond_the_budget_contents_are_let_go_of_and_hashes_stay() {
    let ground = Ground::new();
    let session = ground.session();
    let file = |number: usize| format!("{number}.txt");
    for number in 0..130 {
        ground.put(&file(number), "one\ntwo\n");
        done(&session.call(RawCall::new(
            "Read",
            json!({ "file_path": ground.path(&file(number)) }),
        )));
    }
    let edit = |number: usize| {
        let arguments = json!({ "file_path": ground.path(&file(number)), "old_string": "one", "new_string": "1" });
        session.call(RawCall::new("Edit", arguments))
    };
    done(&edit(0));
    for (number, shown) in [(1, false), (129, true)] {
        ground.put(&file(number), "one\nTWO\n");
        let reply = edit(number);
        is_refused(&reply, "stale");
        assert_eq!(
            reply.data()["error"].get("diff").is_some(),
            shown,
            "{}",
            reply.text()
        );
        assert_eq!(refused(&edit(number)), if shown { "" } else { "stale" });
    }
}
