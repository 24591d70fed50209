//! The names of tools and fields: a prefix before the tools' names, long names for Grep's fields, null for an absent
//! field.

use lancet::tools::ToolPrefix;
use lancet_mcp::{AnswerFormat, Options};
use serde_json::{Value, json};

use crate::connection::{Connection, connect, connect_with, data, refusal, text};

fn prefixed(options: Options) -> Connection {
    let prefix = ToolPrefix::new("lancet_").expect("a prefix");
    connect_with(|builder| builder.tool_prefix(prefix), options)
}

async fn listed(connection: &mut Connection) -> Vec<Value> {
    let answer = connection.request("tools/list", json!({})).await;
    let tools = &answer["result"]["tools"];
    tools.as_array().expect("a list").clone()
}

#[tokio::test]
async fn instructions_and_descriptions_name_the_tools_as_listed() {
    let mut connection = prefixed(Options::default());
    let hello = connection.shake_hands().await;
    let words = hello["instructions"].as_str().expect("instructions");
    for named in [
        "lancet_Read instead of cat",
        "lancet_Edit instead of apply_patch and sed -i",
        "lancet_Read a file",
    ] {
        assert!(words.contains(named), "{words}");
    }
    assert!(words.len() <= 1_024, "{} bytes", words.len());
    let tools = listed(&mut connection).await;
    assert_eq!(tools.len(), 7);
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        assert!(name.starts_with("lancet_"), "{name}");
    }
    let write = tools[3]["description"].as_str().expect("a description");
    assert!(write.contains("use lancet_Edit"), "{write}");
}

#[tokio::test]
async fn calls_are_taken_by_both_names_and_answers_name_the_listed_ones() {
    let mut connection = prefixed(Options::default());
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\ntwo\n");
    let edit = json!({"file_path": path, "old_string": "one", "new_string": "1"});
    let unread = connection.call("lancet_Edit", edit.clone()).await;
    assert_eq!(refusal(&unread), "not_read");
    assert!(text(&unread).contains("Call lancet_Read {"), "{unread}");
    let read = json!({"file_path": path});
    connection.call("lancet_Read", read).await;
    for (name, old, new) in [("lancet_Edit", "one", "1"), ("Edit", "two", "2")] {
        let edit = json!({"file_path": path, "old_string": old, "new_string": new});
        let done = connection.call(name, edit).await;
        assert_ne!(done["isError"], true, "{done}");
    }
    let absent = json!({"file_path": connection.path("none.txt")});
    let missing = connection.call("lancet_Read", absent).await;
    assert!(text(&missing).contains("with lancet_Write"), "{missing}");
    let unknown = connection.call("lancet_Paint", json!({})).await;
    assert_eq!(refusal(&unknown), "invalid");
    assert!(text(&unknown).contains("lancet_Glob"), "{unknown}");
    let off = connection.call("lancet_Undo", json!({})).await;
    assert!(
        text(&off).contains("The tool lancet_Undo is switched off"),
        "{off}"
    );
}

#[tokio::test]
async fn structured_answers_come_under_both_names() {
    let mut connection = prefixed(Options {
        answers: AnswerFormat::Structured,
        ..Options::default()
    });
    connection.shake_hands().await;
    for name in ["lancet_Glob", "Glob"] {
        let found = connection.call(name, json!({"pattern": "*"})).await;
        assert!(found["structuredContent"].is_object(), "{name}: {found}");
    }
}

#[tokio::test]
async fn greps_fields_are_taken_in_words() {
    let mut connection = connect();
    connection.shake_hands().await;
    connection.write("a.txt", "one\nTWO\nthree\n");
    let search = |more: Value| {
        let mut call = json!({"pattern": "two", "output_mode": "content"});
        let fields = call.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        call
    };
    for (words, letters) in [
        (json!({"ignore_case": true}), json!({"-i": true})),
        (
            json!({"ignore_case": true, "after": 1}),
            json!({"-i": true, "-A": 1}),
        ),
        (
            json!({"ignore_case": true, "before": 1}),
            json!({"-i": true, "-B": 1}),
        ),
        (
            json!({"ignore_case": "true", "context": "1", "line_numbers": false}),
            json!({"-i": true, "-C": 1, "-n": false}),
        ),
        // The same value twice is one field, and null is an absent field.
        (
            json!({"ignore_case": true, "-i": true, "after": null, "-A": 2}),
            json!({"-i": true, "-A": 2}),
        ),
    ] {
        let one = connection.call("Grep", search(words.clone())).await;
        let other = connection.call("Grep", search(letters)).await;
        assert_eq!(data(&one)["numMatches"], 1, "{words}: {one}");
        assert_eq!(text(&one), text(&other), "{words}");
    }
    let twice = search(json!({"after": 1, "-A": 2}));
    let refused = connection.call("Grep", twice).await;
    assert_eq!(refusal(&refused), "invalid");
    assert!(text(&refused).contains("-A and after"), "{refused}");
}

/// A client that enforces its schemas strictly sends null for every unused field.
#[tokio::test]
async fn null_is_an_absent_field() {
    let mut connection = connect();
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\ntwo\n");
    let read = json!({"file_path": path, "offset": null, "limit": null, "column": null, "pages": null, "force": null});
    let shown = connection.call("Read", read).await;
    assert!(text(&shown).contains("2→two"), "{shown}");
    let nested = json!({"file_path": null, "edits": [
        {"file_path": path, "old_string": "one", "new_string": "1", "replace_all": null, "revision": null},
        {"file_path": path, "old_string": "two", "new_string": "", "replace_all": false, "revision": null},
    ], "insist": null, "dry_run": null});
    let done = connection.call("MultiEdit", nested).await;
    assert_ne!(done["isError"], true, "{done}");
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "1\n");
    let cut = json!({"file_path": path, "old_string": null, "new_string": "x"});
    let refused = connection.call("Edit", cut).await;
    assert_eq!(refusal(&refused), "invalid");
}
