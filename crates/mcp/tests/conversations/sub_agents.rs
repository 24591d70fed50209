//! Conversations of one client that share a connection. Each has a separate record if hooks announce the calls. If they
//! cannot be distinguished, a whole file is replaced only by its revision.

use std::collections::HashMap;

use lancet::history::{CallOwner, History};
use lancet_mcp::Options;
use lancet_serving::sub_agents::{key_of_id, key_of_request};
use serde_json::{Value, json};

use crate::connection::{Connection, connect_with, refusal, text};

const PROCESS: &str = "7:1";

/// Connects a client, and opens the history as its hooks do.
async fn connected(client: &str) -> (Connection, History) {
    let options = Options {
        agent_process: Some(PROCESS.to_owned()),
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder, options);
    connection.shake_hands_as(client, json!({})).await;
    let hook = lancet::Lancet::builder()
        .root(connection.root())
        .state_dir(connection.folder.path().join("state"));
    let hook = hook.open().expect("opens").history().expect("a history");
    (connection, hook)
}

fn owner(session: &str) -> CallOwner {
    CallOwner {
        session: session.to_owned(),
        is_shared: false,
    }
}

/// A small generator of numbers, so that a failure can be repeated.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

/// Whatever the order of the conversations' calls, an edit lands only if its own conversation has seen the file as it
/// is.
#[tokio::test]
async fn what_one_conversation_has_read_no_other_may_change() {
    for (client, by_id) in [("claude-code", true), ("copilot-cli", false)] {
        let (mut connection, hook) = connected(client).await;
        let files: Vec<_> = (0..3)
            .map(|number| connection.write(&format!("f{number}.txt"), "version 0\n"))
            .collect();
        let sessions = ["top", "sub-1", "sub-2"].map(|name| format!("{client}.{name}"));
        let mut versions = vec![0; files.len()];
        let mut seen: HashMap<(usize, usize), u32> = HashMap::new();
        let mut numbers = Numbers(11);
        for step in 0..150 {
            let (who, file) = (numbers.below(sessions.len()), numbers.below(files.len()));
            let (now, next) = (versions[file], versions[file] + 1);
            let (tool, arguments) = match numbers.below(3) {
                0 => ("Read", json!({"file_path": files[file], "force": true})),
                1 => (
                    "Edit",
                    json!({"file_path": files[file], "old_string": format!("version {now}"), "new_string": format!("version {next}")}),
                ),
                _ => (
                    "Write",
                    json!({"file_path": files[file], "content": format!("version {next}\n")}),
                ),
            };
            let id = format!("call-{step}");
            let (key, meta) = match by_id {
                true => (key_of_id(client, &id), json!({"claudecode/toolUseId": id})),
                false => (key_of_request(PROCESS, tool, &arguments), json!({})),
            };
            hook.announce_call(&key, &owner(&sessions[who]))
                .expect("kept");
            let answer = connection.call_with(tool, arguments, meta).await;
            let told = format!("{client} {step} {who} {file} {tool}: {answer}");
            match (tool, seen.get(&(who, file))) {
                ("Read", _) => assert_ne!(answer["isError"], true, "{told}"),
                (_, Some(known)) if *known == now => {
                    assert_ne!(answer["isError"], true, "{told}");
                    versions[file] = next;
                }
                // The refusal shows the change, which then counts as seen.
                (_, Some(_)) => assert_eq!(refusal(&answer), "stale", "{told}"),
                (_, None) => {
                    assert_eq!(refusal(&answer), "not_read", "{told}");
                    continue;
                }
            }
            seen.insert((who, file), versions[file]);
            let bytes = std::fs::read_to_string(&files[file]).expect("there");
            assert_eq!(bytes, format!("version {}\n", versions[file]), "{told}");
        }
        assert!(versions.iter().sum::<u32>() > 10, "{versions:?}");
    }
}

async fn write(
    connection: &mut Connection,
    path: &std::path::Path,
    revision: Option<&str>,
) -> Value {
    let mut arguments = json!({"file_path": path, "content": "other\n"});
    if let Some(revision) = revision {
        arguments["revision"] = json!(revision);
    }
    connection.call("Write", arguments).await
}

#[tokio::test]
async fn where_nothing_tells_sub_agents_apart_a_write_over_a_file_needs_its_revision() {
    for client in ["claude-code", "qwen-cli-mcp-client-lancet", "opencode"] {
        let (mut connection, _hook) = connected(client).await;
        let path = connection.write("a.txt", "one\n");
        let read = connection.call("Read", json!({"file_path": path})).await;
        let notice = read["content"][1]["text"].as_str().unwrap_or_default();
        assert!(notice.contains("sub-agents share"), "{client}: {read}");
        let refused = write(&mut connection, &path, None).await;
        assert_eq!(refusal(&refused), "not_read", "{client}: {refused}");
        assert!(text(&refused).contains("`revision`"), "{refused}");
        assert!(
            refused["content"][1].is_null(),
            "only the first answer says so: {refused}"
        );
        let shown = text(&read);
        let revision = shown.split("revision ").nth(1).map(|rest| &rest[..16]);
        let written = write(&mut connection, &path, revision).await;
        assert_ne!(written["isError"], true, "{client}: {written}");
        // A new file has no content that could be lost, and an edit names the text that it replaces.
        let made = connection.root().join("new.txt");
        let made = write(&mut connection, &made, None).await;
        assert_ne!(made["isError"], true, "{client}: {made}");
        let edit = json!({"file_path": path, "old_string": "other", "new_string": "third"});
        let edited = connection.call("Edit", edit).await;
        assert_ne!(edited["isError"], true, "{client}: {edited}");
    }
}

#[tokio::test]
async fn clients_that_run_no_sub_agents_or_name_them_write_as_before() {
    for (client, meta) in [
        ("somebody", json!({})),
        ("codex-mcp-client", json!({"threadId": "1"})),
        ("opencode", json!({"sessionID": "1"})),
        ("claude-code", json!({"lancet/session": "mine"})),
    ] {
        let (mut connection, _hook) = connected(client).await;
        let path = connection.write("a.txt", "one\n");
        let read = json!({"file_path": path});
        let read = connection.call_with("Read", read, meta.clone()).await;
        assert!(read["content"][1].is_null(), "{client}: {read}");
        let write = json!({"file_path": path, "content": "other\n"});
        let written = connection.call_with("Write", write, meta).await;
        assert_ne!(written["isError"], true, "{client}: {written}");
    }
}

#[tokio::test]
async fn calls_that_may_be_of_several_sub_agents_share_a_record_and_need_the_revision() {
    let (mut connection, hook) = connected("qwen-cli-mcp-client-lancet").await;
    let path = connection.write("a.txt", "one\n");
    let shared = CallOwner {
        session: "qwen-code.several".to_owned(),
        is_shared: true,
    };
    for (tool, arguments, wanted) in [
        ("Read", json!({"file_path": path}), None),
        (
            "Write",
            json!({"file_path": path, "content": "x\n"}),
            Some("not_read"),
        ),
        (
            "Edit",
            json!({"file_path": path, "old_string": "one", "new_string": "two"}),
            None,
        ),
    ] {
        let key = key_of_request(PROCESS, tool, &arguments);
        hook.announce_call(&key, &shared).expect("kept");
        let answer = connection.call(tool, arguments).await;
        match wanted {
            Some(name) => assert_eq!(refusal(&answer), name, "{answer}"),
            None => assert_ne!(answer["isError"], true, "{answer}"),
        }
    }
}
