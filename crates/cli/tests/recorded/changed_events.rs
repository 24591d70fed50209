//! The events of recorded changes: links, permission bits, moves, folders, and names that are not UTF-8.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::stage::Stage;

/// Records a script. Returns the events of its files.
fn events(stage: &Stage, script: &str) -> Vec<Value> {
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    let printed = stage.run(&["events", "--since", "0"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let lines = printed.out.lines();
    let events = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    events.filter(|event| event["event"] == "changed").collect()
}

/// Returns the event of a file, by the end of its path.
fn event_of<'e>(events: &'e [Value], name: &str) -> &'e Value {
    let path = |event: &&Value| {
        event["path"]
            .as_str()
            .is_some_and(|path| path.ends_with(name))
    };
    events.iter().find(path).expect(name)
}

#[test]
fn events_have_links_modes_moves_and_folders() {
    let stage = Stage::new();
    for name in ["tool.sh", "from.txt", "gone.txt", "becomes-link.txt"] {
        let path = stage.file(name, &format!("text of {name}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).expect("set");
    }
    let script = "umask 022; chmod 755 tool.sh; mv from.txt to.txt; rm gone.txt; ln -s to.txt link; mkdir empty; \
                  ln -sf to.txt becomes-link.txt";
    let events = events(&stage, script);
    assert_eq!(events.len(), 6, "{events:#?}");
    let ends = |before: Value, after: Value| json!({ "before": before, "after": after });
    let tool = event_of(&events, "/tool.sh");
    assert_eq!(tool["kind"], "mode");
    assert_eq!(tool["mode"], ends(json!("644"), json!("755")));
    assert!(tool.get("link").is_none() && tool.get("folder").is_none());
    let moved = event_of(&events, "/to.txt");
    assert_eq!(moved["kind"], "move");
    let from = stage.project().join("from.txt").display().to_string();
    assert_eq!(
        (&moved["movedFrom"], &moved["from_path"]),
        (&json!(from), &json!(from))
    );
    let gone = event_of(&events, "/gone.txt");
    assert_eq!(gone["mode"], ends(json!("644"), Value::Null));
    let link = event_of(&events, "/link");
    assert_eq!(link["kind"], "create");
    assert_eq!(link["link"], ends(Value::Null, json!("to.txt")));
    let replaced = event_of(&events, "/becomes-link.txt");
    assert_eq!(replaced["link"], ends(Value::Null, json!("to.txt")));
    let folder = event_of(&events, "/empty");
    assert_eq!(folder["folder"], ends(Value::Null, json!(true)));
}

#[test]
fn events_have_all_bytes_of_a_name() {
    let stage = Stage::new();
    let events = events(
        &stage,
        "printf one > \"$(printf 'caf\\351.txt')\"; ln -s \"$(printf 'to\\377')\" link",
    );
    let file = event_of(&events, "/caf\\xe9.txt");
    let bytes = file["pathBytes"].as_str().expect("bytes");
    let bytes = STANDARD.decode(bytes).expect("base64");
    assert!(bytes.ends_with(b"/caf\xe9.txt"), "{bytes:?}");
    let link = event_of(&events, "/link");
    assert!(link.get("pathBytes").is_none());
    assert_eq!(link["link"]["after"], "to\\xff");
}
