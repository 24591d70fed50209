//! `lancet call`.

use serde_json::json;

use crate::stage::{Stage, path_argument};

#[test]
fn a_tool_answers_as_a_model_would_hear_it() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\n");
    let arguments = json!({ "file_path": path }).to_string();
    let run = stage.run(&["call", "Read", &arguments]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.starts_with("1→one\n"), "{run:?}");
    let run = stage.run_with(&["call", "Read", "-"], &arguments);
    assert!(run.out.starts_with("1→one\n"), "{run:?}");
    stage.file("call.json", &arguments);
    let run = stage.run(&["call", "Read", "@call.json"]);
    assert!(run.out.starts_with("1→one\n"), "{run:?}");
}

#[test]
fn a_kept_session_may_change_what_it_has_read() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\n");
    let edit = json!({ "file_path": path, "old_string": "one", "new_string": "two" }).to_string();
    let run = stage.run(&["call", "Edit", &edit]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("not_read"), "{run:?}");
    let read = json!({ "file_path": path }).to_string();
    assert_eq!(
        stage.run(&["call", "Read", &read, "--session", "s"]).code,
        0
    );
    let (code, data) = stage.json(&["call", "Edit", &edit, "--session", "s", "--json"]);
    assert_eq!((code, &data["type"]), (0, &"update".into()), "{data}");
    assert_eq!(stage.text("a.txt"), "two\n");
}

#[test]
fn protected_names_are_not_written_without_a_person() {
    let stage = Stage::new();
    let path = stage.project().join(".bashrc");
    let write = json!({ "file_path": path, "content": "x\n" }).to_string();
    let run = stage.run(&["call", "Write", &write]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(!path.exists());
}

#[test]
fn wrong_json_is_a_usage_error_and_wrong_arguments_a_refusal() {
    let stage = Stage::new();
    let run = stage.run(&["call", "Read", "{file_path: 1}"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("not JSON"), "{run:?}");
    let (code, data) = stage.json(&["call", "Read", "{\"file_pth\": \"/a\"}", "--json"]);
    assert_eq!((code, &data["error"]["name"]), (1, &"invalid".into()));
    let (code, data) = stage.json(&["call", "Raed", "--json"]);
    assert_eq!((code, &data["error"]["name"]), (1, &"invalid".into()));
    assert!(
        data["text"]
            .as_str()
            .is_some_and(|text| text.contains("Read")),
        "{data}"
    );
    let run = stage.run(&["call", "Read", "@none.json"]);
    assert_eq!(run.code, 2, "{run:?}");
}

#[test]
fn a_tool_that_is_switched_off_is_refused() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\n");
    let read = json!({ "file_path": path_argument(&path) }).to_string();
    let run = stage.run(&["call", "Read", &read, "--tools", "default,-Read"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("switched off"), "{run:?}");
}
