//! Additions of a host through the library: its own reads do not count as the model's, its tools have their own names
//! and are called with arguments that fit, and its typed calls are answered with the same news as any call.

use std::fs;
use std::path::{Path, PathBuf};

use lancet::settings::{SettingsChange, SettingsSource};
use lancet::tools::ReadArguments;
use lancet::tools::{Declaration, HostTool, Proposal};
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Lancet, Mode, OpenError, RawCall, Refusal, RefusalKind, Reply, Session};
use lancet_testing::TestFolder;
use serde_json::{Value, json};

/// A tool that reads a file for itself and answers whether it is there.
struct Looks {
    name: &'static str,
}

impl HostTool for Looks {
    fn declaration(&self) -> Declaration {
        let mut declaration = lancet::tools::declaration("Read").expect("there").clone();
        declaration.name = self.name.into();
        declaration.input_schema = json!({
            "type": "object",
            "properties": {
                "file_path": { "type": "string", "description": "The file." },
                "tool": { "type": "string", "description": "How it is looked at." },
                "depth": { "type": "integer", "description": "How far." },
            },
            "required": ["file_path"],
            "additionalProperties": false,
        });
        declaration
    }

    fn propose(&self, session: &Session, arguments: &Value) -> Result<Proposal, Refusal> {
        let path = arguments["file_path"].as_str().unwrap_or_default();
        let reply = match arguments["tool"].as_str() {
            Some("Grep") => session.call(RawCall::new(
                "Grep",
                json!({ "pattern": ".", "path": path, "output_mode": "content" }),
            )),
            Some("seen") => {
                session.note_seen(Path::new(path), "one\ntwo\n")?;
                return Ok(answer("one\ntwo\n"));
            }
            _ => session.call(RawCall::new("Read", json!({ "file_path": path }))),
        };
        Ok(answer(reply.text()))
    }
}

fn answer(text: &str) -> Proposal {
    Proposal::Answer {
        text: text.to_owned(),
        data: json!({}),
    }
}

fn open(tool: &'static str) -> (TestFolder, PathBuf, Session) {
    let folder = TestFolder::new();
    let path = folder.put("a.txt", "one\ntwo\n");
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits)
        .tool(Looks { name: tool })
        .open()
        .expect("opened");
    let session = lancet.new_session();
    (folder, path, session)
}

fn edit(session: &Session, path: &Path) -> Reply {
    let edit = json!({ "file_path": path, "old_string": "two", "new_string": "2" });
    session.call(RawCall::new("Edit", edit))
}

fn look(session: &Session, arguments: Value) -> Reply {
    session.call(RawCall::new("Look", arguments))
}

#[test]
fn what_a_host_tool_reads_for_itself_the_model_has_not_seen() {
    for tool in ["Read", "Grep"] {
        let (_folder, path, session) = open("Look");
        let reply = look(&session, json!({ "file_path": path, "tool": tool }));
        assert!(reply.text().contains("two"), "{}", reply.text());
        let reply = edit(&session, &path);
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::NotRead),
            "{}",
            reply.text()
        );
    }
}

#[test]
fn what_a_host_tool_says_it_has_shown_counts() {
    let (_folder, path, session) = open("Look");
    look(&session, json!({ "file_path": path, "tool": "seen" }));
    let reply = edit(&session, &path);
    assert!(!reply.is_error(), "{}", reply.text());
}

#[test]
fn a_peek_leaves_the_ledger_alone_and_always_has_text() {
    let (_folder, path, session) = open("Look");
    let peek = || session.peek(ReadArguments::new(path.display().to_string()));
    assert!(peek().text().contains("two"));
    assert_eq!(edit(&session, &path).refusal(), Some(RefusalKind::NotRead));
    session.call(RawCall::new("Read", json!({ "file_path": path })));
    // To the model a second Read reports only that nothing has changed. The host has not read the file.
    assert!(peek().text().contains("two"));
    assert!(peek().text().contains("two"));
    // A version that the host alone has seen is still news to the model.
    fs::write(&path, "one\nother\ntwo\n").expect("written");
    assert!(peek().text().contains("other"));
    assert_eq!(edit(&session, &path).refusal(), Some(RefusalKind::Stale));
}

#[test]
fn what_a_host_changes_apart_is_news_to_the_model() {
    let (_folder, path, session) = open("Look");
    session.call(RawCall::new("Read", json!({ "file_path": path })));
    let apart = session.for_host();
    let change = json!({ "file_path": path, "old_string": "one", "new_string": "1" });
    let reply = apart.call(RawCall::new("Edit", change));
    assert!(!reply.is_error(), "{}", reply.text());
    let reply = edit(&session, &path);
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Stale),
        "{}",
        reply.text()
    );
    assert!(reply.text().contains("+1"), "{}", reply.text());
}

#[test]
fn two_tools_of_one_name_are_refused_at_the_start() {
    let folder = TestFolder::new();
    let builder = || Lancet::builder().root(folder.path());
    let named = |error: Result<Lancet, OpenError>| match error {
        Err(OpenError::ToolTwice { name }) => name,
        other => panic!("{:?}", other.err()),
    };
    let tool = |name| Looks { name };
    assert_eq!(named(builder().tool(tool("Read")).open()), "Read");
    // Undo is not listed by default, but its name is taken all the same.
    assert_eq!(named(builder().tool(tool("Undo")).open()), "Undo");
    let twice = builder().tool(tool("Look")).tool(tool("Look")).open();
    assert_eq!(named(twice), "Look");
    assert!(
        builder()
            .tool(tool("Look"))
            .tool(tool("Peer"))
            .open()
            .is_ok()
    );
}

#[test]
fn a_host_tools_arguments_are_held_against_its_schema() {
    let (_folder, path, session) = open("Look");
    for (arguments, field) in [
        (json!({ "file_path": path, "dept": 1 }), json!("dept")),
        (
            json!({ "file_path": path, "depth": "deep" }),
            json!("depth"),
        ),
        (json!({ "file_path": ["a"] }), json!("file_path")),
        (json!({ "depth": 1 }), json!("file_path")),
        (json!("nothing"), Value::Null),
    ] {
        let reply = look(&session, arguments.clone());
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::Invalid),
            "{}",
            reply.text()
        );
        assert_eq!(reply.data()["error"]["field"], field, "{arguments}");
    }
    let reply = look(&session, json!({ "file_path": path, "depth": "3" }));
    assert!(!reply.is_error(), "{}", reply.text());
}

/// A source of settings that do not load.
struct Broken;

impl SettingsSource for Broken {
    fn poll(&self) -> SettingsChange {
        SettingsChange::Broken("lancet.toml:1: a riddle".to_owned())
    }
}

#[test]
fn undo_for_a_host_tells_the_news_that_every_call_tells() {
    let folder = TestFolder::new();
    let root = folder.join("root");
    fs::create_dir(&root).expect("made");
    let lancet = Lancet::builder()
        .root(&root)
        .state_dir(folder.join("state"))
        .settings_source(Broken)
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let session = lancet.new_session();
    for name in ["a.txt", "b.txt"] {
        let write = json!({ "file_path": root.join(name), "content": "x\n" });
        assert!(!session.call(RawCall::new("Write", write)).is_error());
    }
    fs::write(root.join("a.txt"), "somebody else's\n").expect("written");
    let reply = session.undo_or_redo(UndoRequest::undo(Selection::Newest), Caller::default());
    assert!(!reply.is_error(), "{}", reply.text());
    for news in ["someone else has since changed", "a riddle"] {
        assert!(reply.text().contains(news), "{news}: {}", reply.text());
    }
}

#[test]
fn a_full_answer_still_says_that_the_settings_do_not_load() {
    const LIMIT: usize = 2_000;
    let folder = TestFolder::new();
    let root = folder.join("root");
    fs::create_dir(&root).expect("made");
    let lancet = Lancet::builder()
        .root(&root)
        .state_dir(folder.join("state"))
        .settings_source(Broken)
        .answer_limit(LIMIT)
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let new = |number: usize| json!({ "file_path": root.join(format!("{number}.txt")), "old_string": "", "new_string": "x\n" });
    let edits: Vec<_> = (0..60).map(new).collect();
    let call = RawCall::new("MultiEdit", json!({ "edits": edits }));
    let reply = lancet.new_session().call(call);
    assert!(!reply.is_error(), "{}", reply.text());
    for words in ["the answer ends here at its limit", "a riddle"] {
        assert!(reply.text().contains(words), "{words}: {}", reply.text());
    }
    assert!(reply.text().chars().count() <= LIMIT, "{}", reply.text());
}
