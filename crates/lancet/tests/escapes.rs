//! The known escapes of this kind of tool, each by its name: a path around a root, a rule or a protected name that once
//! worked in some tool. None works here, for reading or for writing.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use lancet::{Lancet, Mode, RawCall, RefusalKind};
use lancet_testing::{TestFolder, TestProject, settings};
use serde_json::{Value, json};

fn open(text: &str) -> TestProject {
    TestProject::with(|builder| builder.settings(settings(text)))
}

/// Calls a tool and asserts that the answer never contains the secret.
fn call(project: &TestProject, tool: &str, arguments: Value) -> Option<RefusalKind> {
    let reply = project.call(tool, arguments);
    assert!(!reply.text().contains("SECRET"), "shown: {}", reply.text());
    reply.refusal()
}

/// Returns the results of reading, editing and overwriting a path.
fn all(project: &TestProject, path: &Path) -> [Option<RefusalKind>; 3] {
    [
        call(project, "Read", json!({ "file_path": path })),
        call(
            project,
            "Edit",
            json!({ "file_path": path, "old_string": "SECRET", "new_string": "x" }),
        ),
        call(
            project,
            "Write",
            json!({ "file_path": path, "content": "x\n" }),
        ),
    ]
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("there")
}

#[test]
fn cve_2025_53110_a_sibling_whose_name_begins_like_the_root() {
    let project = open("");
    let evil = project.put("../root-evil/x.txt", "SECRET\n");
    let spelled = PathBuf::from(format!("{}-evil/x.txt", project.root.display()));
    assert_eq!(all(&project, &spelled), [Some(RefusalKind::Outside); 3]);
    assert_eq!(text(&evil), "SECRET\n");
}

#[test]
fn cve_2025_53109_a_link_out_of_the_root() {
    let project = open("");
    let outside = project.put("../away/x.txt", "SECRET\n");
    symlink("../away", project.root.join("folder")).expect("a link");
    symlink("../away/x.txt", project.root.join("file")).expect("a link");
    for name in ["folder/x.txt", "file", "folder/../../away/x.txt"] {
        assert_eq!(
            all(&project, &project.root.join(name)),
            [Some(RefusalKind::Outside); 3],
            "{name}"
        );
    }
    assert_eq!(text(&outside), "SECRET\n");
}

#[test]
fn cve_2026_25724_a_denied_file_through_a_link() {
    let project = open("permissions.deny = [\"Read(shut.txt)\", \"Edit(shut.txt)\"]");
    let shut = project.put("d/shut.txt", "SECRET\n");
    symlink("d/shut.txt", project.root.join("alias")).expect("a link");
    symlink("d", project.root.join("e")).expect("a link");
    for name in [
        "d/shut.txt",
        "alias",
        "e/shut.txt",
        "e/../d/./shut.txt",
        "d//shut.txt",
    ] {
        assert_eq!(
            all(&project, &project.root.join(name)),
            [Some(RefusalKind::Denied); 3],
            "{name}"
        );
    }
    assert_eq!(text(&shut), "SECRET\n");
}

#[test]
fn cve_2026_25725_a_protected_file_that_does_not_exist_yet() {
    let project = open("permissions.allow = [\"Edit\"]");
    for name in [
        ".claude/settings.json",
        ".git/hooks/pre-commit",
        "sub/.vscode/tasks.json",
        ".mcp.json",
    ] {
        let path = project.root.join(name);
        let write = json!({ "file_path": path, "content": "{}\n" });
        assert_eq!(
            call(&project, "Write", write),
            Some(RefusalKind::Declined),
            "{name}"
        );
        let edit = json!({ "file_path": path, "old_string": "", "new_string": "{}\n" });
        assert_eq!(
            call(&project, "Edit", edit),
            Some(RefusalKind::Declined),
            "{name}"
        );
        assert!(
            !path.exists()
                && !path
                    .parent()
                    .is_some_and(|folder| folder != project.root && folder.exists())
        );
    }
}

#[test]
fn a_case_folded_name() {
    let project = open("permissions.deny = [\"Edit(Shut.txt)\"]");
    for name in [
        ".GIT/config",
        ".Claude/settings.json",
        "LANCET.toml",
        ".ſſh/config",
    ] {
        let write = json!({ "file_path": project.root.join(name), "content": "x\n" });
        assert_eq!(
            call(&project, "Write", write),
            Some(RefusalKind::Declined),
            "{name}"
        );
    }
    let write = json!({ "file_path": project.root.join("sHUT.TXT"), "content": "x\n" });
    assert_eq!(call(&project, "Write", write), Some(RefusalKind::Denied));
}

#[test]
fn a_link_swapped_between_check_and_use() {
    use std::sync::{Arc, Mutex};
    let outside = TestFolder::new();
    let twin = outside.path().join("twin.txt");
    std::fs::write(&twin, "one\n").expect("written");
    let folder = TestFolder::new();
    let path = folder.join("a.txt");
    std::fs::write(&path, "one\n").expect("written");
    let (swapped, target) = (path.clone(), twin.clone());
    let asked = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&asked);
    // The person says yes to what was shown. At that moment the name becomes a link to a file outside.
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::Ask)
        .approver(move |_: &lancet::approval::Question| {
            *counted.lock().expect("free") += 1;
            let _ = std::fs::remove_file(&swapped);
            let _ = symlink(&target, &swapped);
            lancet::approval::Answer::Yes
        })
        .open()
        .expect("opened");
    let session = lancet.new_session();
    session.call(RawCall::new("Read", json!({ "file_path": path })));
    let edit = json!({ "file_path": path, "old_string": "one", "new_string": "two" });
    assert!(session.call(RawCall::new("Edit", edit)).is_error());
    assert_eq!(*asked.lock().expect("free"), 1);
    assert_eq!(text(&twin), "one\n");
}

#[test]
fn a_dangling_link_as_a_way_to_create_outside() {
    let project = open("");
    symlink("../new.txt", project.root.join("link")).expect("a link");
    symlink(".git/config", project.root.join("inner")).expect("a link");
    for name in ["link", "inner"] {
        let path = project.root.join(name);
        let write = json!({ "file_path": path, "content": "x\n" });
        assert!(call(&project, "Write", write).is_some(), "{name}");
        let edit = json!({ "file_path": path, "old_string": "", "new_string": "x\n" });
        assert!(call(&project, "Edit", edit).is_some(), "{name}");
    }
    assert!(!project.root.join("../new.txt").exists() && !project.root.join(".git").exists());
}

#[test]
fn a_hard_link_to_a_protected_or_denied_file() {
    let project = open("permissions.deny = [\"Read(shut.txt)\"]");
    let bashrc = project.put(".bashrc", "a=1\n");
    std::fs::hard_link(&bashrc, project.root.join("twin.txt")).expect("a link");
    let twin = project.root.join("twin.txt");
    assert_eq!(call(&project, "Read", json!({ "file_path": twin })), None);
    let edit = json!({ "file_path": twin, "old_string": "1", "new_string": "2" });
    assert_eq!(call(&project, "Edit", edit), Some(RefusalKind::Declined));
    let shut = project.put("d/shut.txt", "SECRET\n");
    std::fs::hard_link(&shut, project.root.join("open.txt")).expect("a link");
    let open = project.root.join("open.txt");
    assert_eq!(
        call(&project, "Read", json!({ "file_path": open })),
        Some(RefusalKind::Denied)
    );
    let edit = json!({ "file_path": open, "old_string": "SECRET", "new_string": "x" });
    assert_eq!(call(&project, "Edit", edit), Some(RefusalKind::Denied));
    assert_eq!(
        (text(&bashrc).as_str(), text(&shut).as_str()),
        ("a=1\n", "SECRET\n")
    );
}

#[test]
fn a_settings_file_that_is_itself_a_link() {
    let project = open("");
    // The settings' name leads to a harmless name. Writing that name changes the settings' target, which is a file in
    // its own right.
    project.put("plain.txt", "# nothing\n");
    symlink("plain.txt", project.root.join("lancet.toml")).expect("a link");
    let settings = project.root.join("lancet.toml");
    assert_eq!(
        call(&project, "Read", json!({ "file_path": settings })),
        None
    );
    let write = json!({ "file_path": settings, "content": "mode = \"bypass\"\n" });
    assert_eq!(call(&project, "Write", write), Some(RefusalKind::Declined));
    // A harmless name that leads to the settings counts as the settings.
    project.put("sub/lancet.toml", "# nothing\n");
    symlink("sub/lancet.toml", project.root.join("notes.txt")).expect("a link");
    let notes = project.root.join("notes.txt");
    assert_eq!(call(&project, "Read", json!({ "file_path": notes })), None);
    let write = json!({ "file_path": notes, "content": "mode = \"bypass\"\n" });
    assert_eq!(call(&project, "Write", write), Some(RefusalKind::Declined));
    assert_eq!(text(&project.root.join("sub/lancet.toml")), "# nothing\n");
}

#[test]
fn a_settings_change_that_would_not_load_is_told_before_anybody_is_asked() {
    let folder = TestFolder::new();
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits)
        .approver(|_: &lancet::approval::Question| lancet::approval::Answer::Yes)
        .open()
        .expect("opened");
    let session = lancet.new_session();
    let path = folder.join("lancet.toml");
    let wrong =
        json!({ "file_path": path, "content": "# mine\n[permissions]\ndeny = [\"Raed(x)\"]\n" });
    let reply = session.call(RawCall::new("Write", wrong));
    assert_eq!(reply.refusal(), Some(RefusalKind::Invalid));
    assert!(
        reply.text().contains("line 3") && reply.text().contains("Read(x)"),
        "{}",
        reply.text()
    );
    assert!(!path.exists());
    let right = json!({ "file_path": path, "content": "[permissions]\ndeny = [\"Read(x)\"]\n" });
    assert!(!session.call(RawCall::new("Write", right)).is_error());
}
