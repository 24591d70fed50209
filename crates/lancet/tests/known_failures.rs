//! Figure 14: faults in the file tools of other agents, one test for each entry of the list of advisories. The fault is
//! described at each test.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, RawCall, RefusalKind, Reply};
use lancet_testing::{TestFolder, TestProject, judges, settings};
use serde_json::{Value, json};

const SECRET: &str = "SECRET\n";

/// Makes a root with files next to it that no call may reach.
fn project() -> TestProject {
    TestProject::with_history(|builder| builder)
}

fn call(project: &TestProject, tool: &str, path: &Path, mut arguments: Value) -> Reply {
    arguments["file_path"] = json!(path);
    project.session.call(RawCall::new(tool, arguments))
}

/// Calls every tool that takes a file and returns the refusal of each.
fn all_tools(project: &TestProject, path: &Path) -> Vec<Option<RefusalKind>> {
    let edit = json!({ "old_string": "SECRET", "new_string": "mine" });
    let several = json!({ "edits": [{ "old_string": "SECRET", "new_string": "mine" }] });
    [
        call(project, "Read", path, json!({})),
        call(project, "Edit", path, edit),
        call(project, "MultiEdit", path, several),
        call(project, "Write", path, json!({ "content": "mine\n" })),
    ]
    .into_iter()
    .map(|reply| {
        assert!(!reply.text().contains("SECRET\n"), "{}", reply.text());
        reply.refusal()
    })
    .collect()
}

#[track_caller]
fn assert_refused(project: &TestProject, path: &Path, kinds: &[RefusalKind]) {
    for refusal in all_tools(project, path) {
        let kind = refusal.unwrap_or_else(|| panic!("{} went through", path.display()));
        assert!(kinds.contains(&kind), "{}: {kind:?}", path.display());
    }
}
fn figure(row: &str) {
    judges::figure(14, &format!("{row}: refused"));
}

/// CVE-2025-53110, CVE-2025-54794: a sibling whose name begins like the root's.
#[test]
fn a_folder_with_the_same_beginning_is_outside() {
    let project = project();
    let twin = project.around.put("root-twin/f", SECRET);
    assert_refused(&project, &twin, &[RefusalKind::Outside]);
    assert_refused(
        &project,
        &project.root.join("../root-twin/f"),
        &[RefusalKind::Outside],
    );
    let new = project.around.join("root-twin/new");
    let reply = call(&project, "Write", &new, json!({ "content": "x\n" }));
    assert_eq!(reply.refusal(), Some(RefusalKind::Outside));
    assert_eq!(fs::read_to_string(twin).expect("there"), SECRET);
    assert!(!new.exists());
    figure("CVE-2025-53110, CVE-2025-54794, prefix of a root");
}

/// CVE-2025-53109: links out of the root, of every kind.
#[test]
fn links_lead_nowhere_outside() {
    let project = project();
    let secret = project.around.put("out/f", SECRET);
    project.around.put("root/sub/x", "x\n");
    let links: [(&str, PathBuf, &str); 6] = [
        ("absolute", secret.clone(), ""),
        ("relative", PathBuf::from("../out/f"), ""),
        ("chained", PathBuf::from("relative"), ""),
        ("folder", project.around.join("out"), "f"),
        ("sub/up", PathBuf::from("../../out/f"), ""),
        ("dangling", project.around.join("out/new"), ""),
    ];
    for (name, target, rest) in links {
        let link = project.root.join(name);
        symlink(target, &link).expect("linked");
        let path = if rest.is_empty() {
            link
        } else {
            link.join(rest)
        };
        assert_refused(
            &project,
            &path,
            &[RefusalKind::Outside, RefusalKind::Missing],
        );
    }
    assert_eq!(fs::read_to_string(secret).expect("there"), SECRET);
    assert!(!project.around.join("out/new").exists());
    figure("CVE-2025-53109, links out of a root");
}

/// CVE-2025-59829, CVE-2026-25724: a deny rule on a file, and a link to it.
#[test]
fn a_denied_file_has_no_other_name() {
    let project = TestProject::with_history(|builder| {
        let rules = "[permissions]\ndeny = [\"Read(/vault/**)\", \"Edit(/vault/**)\"]\n";
        builder.settings(settings(rules))
    });
    let file = project.around.put("root/vault/f", SECRET);
    symlink("vault/f", project.root.join("l")).expect("linked");
    symlink("vault", project.root.join("v")).expect("linked");
    for path in [
        file.clone(),
        project.root.join("l"),
        project.root.join("v/f"),
    ] {
        assert_refused(&project, &path, &[RefusalKind::Denied]);
    }
    assert_eq!(fs::read_to_string(file).expect("there"), SECRET);
    figure("CVE-2025-59829, CVE-2026-25724, a link to a denied file");
}

const GUARDED: [&str; 8] = [
    ".git/config",
    ".git/hooks/pre-commit",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".vscode/settings.json",
    ".idea/workspace.xml",
    ".mcp.json",
    ".cursor/mcp.json",
];

/// CVE-2026-25725, CVE-2025-54135, CVE-2025-54136: protected names are made or changed without a prompt.
#[test]
fn protected_names_are_asked_about_though_they_do_not_exist() {
    let project = project();
    for name in GUARDED {
        let path = project.root.join(name);
        let reply = call(&project, "Write", &path, json!({ "content": "{}\n" }));
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::Declined),
            "{name}: {}",
            reply.text()
        );
        assert!(!path.exists(), "{name}");
        // Nor is one changed that is there, whatever was allowed before.
        project.around.put(format!("root/{name}"), "{}\n");
        call(&project, "Read", &path, json!({}));
        let edit = json!({ "old_string": "{}", "new_string": "[]" });
        let reply = call(&project, "Edit", &path, edit);
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::Declined),
            "{name}: {}",
            reply.text()
        );
        assert_eq!(fs::read_to_string(&path).expect("there"), "{}\n");
    }
    figure("CVE-2026-25725, CVE-2025-54135, CVE-2025-54136, protected names new and old");
}

/// CVE-2025-59944, git CVE-2014-9390, CVE-2019-1352, CVE-2019-1353: other spellings of protected names.
#[test]
fn protected_names_have_no_other_spelling() {
    let project = project();
    for name in [
        ".GIT/config",
        ".Git/config",
        ".gIt/hooks/x",
        ".CLAUDE/settings.json",
        ".Claude/Settings.json",
        ".MCP.json",
        ".Cursor/mcp.json",
        ".VSCODE/settings.json",
        // Ignored by some file systems.
        ".g\u{200c}it/config",
        ".git\u{200d}/config",
        ".\u{feff}git/config",
        // What NTFS makes of them. Short names (`git~1`) are refused where such a drive is mounted, and are names like
        // others elsewhere: locate/windows.rs.
        ".git /config",
        ".git./config",
        ".git::$INDEX_ALLOCATION/config",
        ".git:stream",
    ] {
        let path = project.root.join(name);
        let reply = call(&project, "Write", &path, json!({ "content": "x\n" }));
        let kind = reply.refusal();
        assert!(
            matches!(
                kind,
                Some(RefusalKind::Declined | RefusalKind::Invalid | RefusalKind::Denied)
            ),
            "{name:?}: {}",
            reply.text()
        );
        assert!(!path.exists(), "{name:?}");
    }
    figure(
        "CVE-2025-59944, git CVE-2014-9390, CVE-2019-1352, CVE-2019-1353, spellings of protected names",
    );
}

/// CVE-2026-39861: a link that a process made is followed by a later write. The race between check and write is
/// figure 13.
#[test]
fn a_link_made_after_the_reading_is_not_written_through() {
    let project = project();
    let secret = project.around.put("out/f", SECRET);
    let file = project.around.put("root/f", SECRET);
    let nested = project.around.put("root/d/f", SECRET);
    for path in [&file, &nested] {
        assert!(!call(&project, "Read", path, json!({})).is_error());
    }
    fs::remove_file(&file).expect("removed");
    symlink(&secret, &file).expect("linked");
    fs::remove_dir_all(project.root.join("d")).expect("removed");
    symlink(project.around.join("out"), project.root.join("d")).expect("linked");
    for path in [&file, &nested] {
        let edit = json!({ "old_string": "SECRET", "new_string": "mine" });
        for (tool, arguments) in [("Edit", edit), ("Write", json!({ "content": "mine\n" }))] {
            let reply = call(&project, tool, path, arguments);
            assert_eq!(
                reply.refusal(),
                Some(RefusalKind::Outside),
                "{}",
                reply.text()
            );
        }
    }
    assert_eq!(fs::read_to_string(secret).expect("there"), SECRET);
    figure("CVE-2026-39861, a link made between reading and writing");
}

/// CVE-2026-46406: a fixed location for temporary files. Links are at every guessable place; none is followed.
#[test]
fn planted_temporary_names_are_untouched() {
    let project = project();
    let secret = project.around.put("out/f", SECRET);
    let file = project.around.put("root/f", "one\n");
    for name in [
        ".lancet.tmp",
        ".f.tmp",
        "f.tmp",
        "f~",
        ".f.swp",
        "f.new",
        ".lancet-0000000000000000.tmp",
    ] {
        symlink(&secret, project.root.join(name)).expect("linked");
    }
    let before = fs::read_dir(&project.root).expect("listed").count();
    call(&project, "Read", &file, json!({}));
    let edit = json!({ "old_string": "one", "new_string": "two" });
    let reply = call(&project, "Edit", &file, edit);
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(fs::read_to_string(&file).expect("there"), "two\n");
    assert_eq!(fs::read_to_string(secret).expect("there"), SECRET);
    assert_eq!(fs::read_dir(&project.root).expect("listed").count(), before);
    figure("CVE-2026-46406, planted temporary names");
}

/// CVE-2025-59532: the input of a model becomes a root.
#[test]
fn no_argument_adds_a_root() {
    let project = project();
    let secret = project.around.put("out/f", SECRET);
    for more in [
        json!({ "cwd": project.around.join("out") }),
        json!({ "root": project.around.join("out") }),
        json!({ "roots": [project.around.join("out")] }),
        json!({ "working_directory": project.around.join("out") }),
        json!({ "workdir": "/" }),
    ] {
        let reply = call(&project, "Read", &secret, more.clone());
        let kind = reply.refusal();
        assert!(
            matches!(kind, Some(RefusalKind::Outside | RefusalKind::Invalid)),
            "{more}: {}",
            reply.text()
        );
        let mut write = more;
        write["content"] = json!("mine\n");
        assert!(call(&project, "Write", &secret, write).is_error());
    }
    assert_eq!(fs::read_to_string(secret).expect("there"), SECRET);
    figure("CVE-2025-59532, roots by argument");
}

/// strands file_editor: an undo that identifies a file by its path alone, in whichever workspace.
#[test]
fn undo_stays_in_its_workspace() {
    // One history for all, as every user has.
    let state = TestFolder::new();
    let open = || TestProject::with(|builder| builder.state_dir(state.path()));
    let (one, other) = (open(), open());
    for project in [&one, &other] {
        let file = project.around.put("root/f", "begin\n");
        call(project, "Read", &file, json!({}));
    }
    let edit = json!({ "old_string": "begin", "new_string": "of the first" });
    assert!(!call(&one, "Edit", &one.root.join("f"), edit).is_error());
    let asked = UndoRequest::undo(Selection::Newest);
    let reply = other.session.undo_or_redo(asked, Caller::default());
    assert!(reply.is_error(), "{}", reply.text());
    assert_eq!(
        fs::read_to_string(other.root.join("f")).expect("there"),
        "begin\n"
    );
    assert_eq!(
        fs::read_to_string(one.root.join("f")).expect("there"),
        "of the first\n"
    );
    figure("strands file_editor #3394, undo across workspaces");
}
