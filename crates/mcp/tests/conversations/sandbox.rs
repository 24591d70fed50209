//! The sandbox policy that Codex sends with its calls: it only restricts.

use serde_json::{Value, json};

use crate::connection::{Connection, connect, refusal, text};

async fn write(connection: &mut Connection, name: &str, meta: Value) -> Value {
    let path = connection.path(name);
    let arguments = json!({"file_path": path, "content": "new\n"});
    connection.call_with("Write", arguments, meta).await
}

#[tokio::test]
async fn the_policy_is_asked_for() {
    let mut connection = connect();
    let hello = connection
        .shake_hands_as("codex-mcp-client", json!({}))
        .await;
    let asked = &hello["capabilities"]["experimental"]["codex/sandbox-state-meta"];
    assert!(asked.is_object(), "{hello}");
}

#[tokio::test]
async fn read_only_is_read_only() {
    let mut connection = connect();
    connection
        .shake_hands_as("codex-mcp-client", json!({}))
        .await;
    let path = connection.write("a.txt", "one\n");
    let files = json!({"type": "restricted", "entries": [
        {"path": {"type": "special", "value": {"kind": "root"}}, "access": "read"}]});
    let profile = json!({"type": "managed", "file_system": files, "network": "restricted"});
    for meta in [
        json!({"x-codex-turn-metadata": {"sandbox_mode": "read-only"}}),
        json!({"codex/sandbox-state-meta": {"sandboxPolicy": {"type": "read-only"}, "sandboxCwd": "/"}}),
        json!({"codex/sandbox-state-meta": {"permissionProfile": profile, "sandboxCwd": "file:///"}}),
    ] {
        let read = json!({"file_path": path, "force": true});
        let shown = connection.call_with("Read", read, meta.clone()).await;
        assert!(text(&shown).contains("1→one"), "{meta}: {shown}");
        let edit = json!({"file_path": path, "old_string": "one", "new_string": "1"});
        let refused = connection.call_with("Edit", edit, meta.clone()).await;
        assert_eq!(refusal(&refused), "denied", "{meta}");
        assert!(
            text(&refused).contains("Codex's sandbox allows no writing"),
            "{refused}"
        );
        assert_eq!(
            refusal(&write(&mut connection, "new.txt", meta).await),
            "denied"
        );
    }
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "one\n");
    assert!(!connection.path("new.txt").exists());
    // The next turn may be allowed more.
    let meta = json!({"x-codex-turn-metadata": {"sandbox_mode": "workspace-write"}});
    let done = write(&mut connection, "new.txt", meta).await;
    assert_ne!(done["isError"], true, "{done}");
}

#[tokio::test]
async fn writable_roots_are_intersected_with_lancets() {
    let mut connection = connect();
    connection
        .shake_hands_as("codex-mcp-client", json!({}))
        .await;
    for folder in ["app/.git", "lib"] {
        std::fs::create_dir_all(connection.path(folder)).expect("made");
    }
    let app = connection.path("app");
    let special = |subpath: Option<&str>, access: &str| {
        let mut value = json!({"kind": "project_roots"});
        if let Some(subpath) = subpath {
            value["subpath"] = json!(subpath);
        }
        json!({"path": {"type": "special", "value": value}, "access": access})
    };
    let entries = json!([
        {"path": {"type": "special", "value": {"kind": "root"}}, "access": "read"},
        special(None, "write"),
        special(Some("closed"), "read"),
    ]);
    let profile =
        json!({"type": "managed", "file_system": {"type": "restricted", "entries": entries}});
    let meta =
        json!({"codex/sandbox-state-meta": {"permissionProfile": profile, "sandboxCwd": app}});
    for (name, wanted) in [
        ("app/a.txt", None),
        ("lib/a.txt", Some("denied")),
        ("app/closed/a.txt", Some("denied")),
        ("../outside.txt", Some("outside")),
    ] {
        let result = write(&mut connection, name, meta.clone()).await;
        match wanted {
            None => assert_ne!(result["isError"], true, "{name}: {result}"),
            Some(wanted) => assert_eq!(refusal(&result), wanted, "{name}"),
        }
    }
}

#[tokio::test]
async fn a_policy_that_is_not_understood_is_told_once() {
    let mut connection = connect();
    connection
        .shake_hands_as("codex-mcp-client", json!({}))
        .await;
    let meta = json!({"codex/sandbox-state-meta": {"permissionProfile": {"type": "of 2030"}}});
    let first = write(&mut connection, "a.txt", meta.clone()).await;
    assert_ne!(first["isError"], true, "{first}");
    let told = first["content"][1]["text"].as_str().unwrap_or_default();
    assert!(told.contains("sandbox policy is not understood"), "{first}");
    let second = write(&mut connection, "b.txt", meta).await;
    assert!(second["content"].get(1).is_none(), "{second}");
}
