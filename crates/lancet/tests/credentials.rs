//! No tool writes a credential into the files that models share; in other files the text is not scanned.

use lancet::{RawCall, RefusalKind, Session};
use lancet_testing::{TestProject, settings};
use serde_json::{Value, json};

const KEY: &str = "AKIAQ3EGRXKJ5FZL7PWT";

fn project(text: &str) -> TestProject {
    TestProject::with(|builder| builder.settings(settings(text)))
}

fn call(session: &Session, tool: &str, arguments: Value) -> (Option<RefusalKind>, String) {
    let reply = session.call(RawCall::new(tool, arguments));
    assert!(!reply.text().contains(KEY), "quoted: {}", reply.text());
    (reply.refusal(), reply.text().to_owned())
}

#[test]
fn guarded_files_take_no_credential_by_any_tool() {
    let project = project("");
    let session = &project.session;
    let path = project.path("AGENTS.md");
    std::fs::write(&path, "# Rules\nuse the key\n").expect("written");
    session.call(RawCall::new("Read", json!({ "file_path": path })));
    let new = format!("use\nthe key {KEY}");
    let edit = json!({ "file_path": path, "old_string": "use the key", "new_string": new });
    let (kind, text) = call(session, "Edit", edit.clone());
    assert_eq!(kind, Some(RefusalKind::Secret));
    assert!(
        text.contains("AWS access key") && text.contains("Line 2"),
        "{text}"
    );
    let several = json!({ "edits": [{ "file_path": path, "old_string": "# Rules", "new_string": "# Rule" }, edit] });
    assert_eq!(
        call(session, "MultiEdit", several).0,
        Some(RefusalKind::Secret)
    );
    let write = json!({ "file_path": path, "content": KEY });
    assert_eq!(call(session, "Write", write).0, Some(RefusalKind::Secret));
    for name in [
        "sub/CLAUDE.md",
        "claude.md",
        ".claude/notes/a.md",
        "MEMORY.md",
    ] {
        let write = json!({ "file_path": project.path(name), "content": KEY });
        let (kind, _) = call(session, "Write", write);
        assert_eq!(kind, Some(RefusalKind::Secret), "{name}");
    }
    assert_eq!(
        std::fs::read_to_string(&path).expect("there"),
        "# Rules\nuse the key\n"
    );
}

#[test]
fn other_files_and_other_texts_are_not_looked_at() {
    let project = project("");
    let session = &project.session;
    let write = json!({ "file_path": project.path("notes.md"), "content": KEY });
    assert!(!session.call(RawCall::new("Write", write)).is_error());
    // Text that is already in the file is not new text.
    let path = project.path("AGENTS.md");
    std::fs::write(&path, format!("{KEY}\nword\n")).expect("written");
    session.call(RawCall::new("Read", json!({ "file_path": path })));
    let edit = json!({ "file_path": path, "old_string": "word", "new_string": "words" });
    assert!(!session.call(RawCall::new("Edit", edit)).is_error());
}

#[test]
fn the_settings_guard_further_files() {
    let project = project("secrets.guard = [\"docs/**/*.md\"]");
    let session = &project.session;
    let write = |name: &str| json!({ "file_path": project.path(name), "content": KEY });
    assert_eq!(
        call(session, "Write", write("docs/a/b.md")).0,
        Some(RefusalKind::Secret)
    );
    assert_eq!(
        call(session, "Write", write("AGENTS.md")).0,
        Some(RefusalKind::Secret)
    );
    assert!(
        !session
            .call(RawCall::new("Write", write("b.md")))
            .is_error()
    );
}
