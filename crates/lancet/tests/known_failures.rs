//! Figure 14: faults in the file tools of other agents, one test for each entry of the list of advisories. The fault is
//! described at each test.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use lancet::undo::{Selection, TakeBack};
use lancet::{Caller, RawCall, RefusalKind, Reply, Session};
use lancet_testing::{TestFolder, TestProject, judges, settings};
use serde_json::{Value, json};

/// A root with files next to it that no call may reach.
struct Place {
    folder: TestFolder,
    around: PathBuf,
    root: PathBuf,
    session: Session,
}

const SECRET: &str = "SECRET\n";

impl Place {
    fn new() -> Place {
        Place::with("")
    }

    fn with(text: &str) -> Place {
        let folder = TestFolder::new();
        let state = folder.join("state");
        Place::keeping(folder, &state, text)
    }

    fn keeping(folder: TestFolder, state: &Path, text: &str) -> Place {
        let project = TestProject::inside(folder, |builder, _| {
            builder.state_dir(state).settings(settings(text))
        });
        Place {
            around: project.around.path().to_owned(),
            folder: project.around,
            root: project.root,
            session: project.session,
        }
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        self.folder.put(name, text)
    }

    fn call(&self, tool: &str, path: &Path, mut arguments: Value) -> Reply {
        arguments["file_path"] = json!(path);
        self.session.call(RawCall::new(tool, arguments))
    }

    /// Calls every tool that takes a file and returns the refusal of each.
    fn all_tools(&self, path: &Path) -> Vec<Option<RefusalKind>> {
        let edit = json!({ "old_string": "SECRET", "new_string": "mine" });
        let several = json!({ "edits": [{ "old_string": "SECRET", "new_string": "mine" }] });
        [
            self.call("Read", path, json!({})),
            self.call("Edit", path, edit),
            self.call("MultiEdit", path, several),
            self.call("Write", path, json!({ "content": "mine\n" })),
        ]
        .into_iter()
        .map(|reply| {
            assert!(!reply.text().contains("SECRET\n"), "{}", reply.text());
            reply.refusal()
        })
        .collect()
    }

    #[track_caller]
    fn is_refused(&self, path: &Path, kinds: &[RefusalKind]) {
        for refusal in self.all_tools(path) {
            let kind = refusal.unwrap_or_else(|| panic!("{} went through", path.display()));
            assert!(kinds.contains(&kind), "{}: {kind:?}", path.display());
        }
    }
}

fn figure(row: &str) {
    judges::figure(14, &format!("{row}: refused"));
}

/// CVE-2025-53110, CVE-2025-54794: a sibling whose name begins like the root's.
#[test]
fn a_folder_with_the_same_beginning_is_outside() {
    let place = Place::new();
    let twin = place.put("root-twin/f", SECRET);
    place.is_refused(&twin, &[RefusalKind::Outside]);
    place.is_refused(&place.root.join("../root-twin/f"), &[RefusalKind::Outside]);
    let new = place.around.join("root-twin/new");
    let reply = place.call("Write", &new, json!({ "content": "x\n" }));
    assert_eq!(reply.refusal(), Some(RefusalKind::Outside));
    assert_eq!(fs::read_to_string(twin).expect("there"), SECRET);
    assert!(!new.exists());
    figure("CVE-2025-53110, CVE-2025-54794, prefix of a root");
}

/// CVE-2025-53109: links out of the root, of every kind.
#[test]
fn links_lead_nowhere_outside() {
    let place = Place::new();
    let secret = place.put("out/f", SECRET);
    place.put("root/sub/x", "x\n");
    let links: [(&str, PathBuf, &str); 6] = [
        ("absolute", secret.clone(), ""),
        ("relative", PathBuf::from("../out/f"), ""),
        ("chained", PathBuf::from("relative"), ""),
        ("folder", place.around.join("out"), "f"),
        ("sub/up", PathBuf::from("../../out/f"), ""),
        ("dangling", place.around.join("out/new"), ""),
    ];
    for (name, target, rest) in links {
        let link = place.root.join(name);
        symlink(target, &link).expect("linked");
        let path = if rest.is_empty() {
            link
        } else {
            link.join(rest)
        };
        place.is_refused(&path, &[RefusalKind::Outside, RefusalKind::Missing]);
    }
    assert_eq!(fs::read_to_string(secret).expect("there"), SECRET);
    assert!(!place.around.join("out/new").exists());
    figure("CVE-2025-53109, links out of a root");
}

/// CVE-2025-59829, CVE-2026-25724: a deny rule on a file, and a link to it.
#[test]
fn a_denied_file_has_no_other_name() {
    let place = Place::with("[permissions]\ndeny = [\"Read(/vault/**)\", \"Edit(/vault/**)\"]\n");
    let file = place.put("root/vault/f", SECRET);
    symlink("vault/f", place.root.join("l")).expect("linked");
    symlink("vault", place.root.join("v")).expect("linked");
    for path in [file.clone(), place.root.join("l"), place.root.join("v/f")] {
        place.is_refused(&path, &[RefusalKind::Denied]);
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
    let place = Place::new();
    for name in GUARDED {
        let path = place.root.join(name);
        let reply = place.call("Write", &path, json!({ "content": "{}\n" }));
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::Declined),
            "{name}: {}",
            reply.text()
        );
        assert!(!path.exists(), "{name}");
        // Nor is one changed that is there, whatever was allowed before.
        place.put(&format!("root/{name}"), "{}\n");
        place.call("Read", &path, json!({}));
        let edit = json!({ "old_string": "{}", "new_string": "[]" });
        let reply = place.call("Edit", &path, edit);
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
    let place = Place::new();
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
        let path = place.root.join(name);
        let reply = place.call("Write", &path, json!({ "content": "x\n" }));
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
    let place = Place::new();
    let secret = place.put("out/f", SECRET);
    let file = place.put("root/f", SECRET);
    let nested = place.put("root/d/f", SECRET);
    for path in [&file, &nested] {
        assert!(!place.call("Read", path, json!({})).is_error());
    }
    fs::remove_file(&file).expect("removed");
    symlink(&secret, &file).expect("linked");
    fs::remove_dir_all(place.root.join("d")).expect("removed");
    symlink(place.around.join("out"), place.root.join("d")).expect("linked");
    for path in [&file, &nested] {
        let edit = json!({ "old_string": "SECRET", "new_string": "mine" });
        for (tool, arguments) in [("Edit", edit), ("Write", json!({ "content": "mine\n" }))] {
            let reply = place.call(tool, path, arguments);
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
    let place = Place::new();
    let secret = place.put("out/f", SECRET);
    let file = place.put("root/f", "one\n");
    for name in [
        ".lancet.tmp",
        ".f.tmp",
        "f.tmp",
        "f~",
        ".f.swp",
        "f.new",
        ".lancet-0000000000000000.tmp",
    ] {
        symlink(&secret, place.root.join(name)).expect("linked");
    }
    let before = fs::read_dir(&place.root).expect("listed").count();
    place.call("Read", &file, json!({}));
    let edit = json!({ "old_string": "one", "new_string": "two" });
    let reply = place.call("Edit", &file, edit);
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(fs::read_to_string(&file).expect("there"), "two\n");
    assert_eq!(fs::read_to_string(secret).expect("there"), SECRET);
    assert_eq!(fs::read_dir(&place.root).expect("listed").count(), before);
    figure("CVE-2026-46406, planted temporary names");
}

/// CVE-2025-59532: the input of a model becomes a root.
#[test]
fn no_argument_adds_a_root() {
    let place = Place::new();
    let secret = place.put("out/f", SECRET);
    for more in [
        json!({ "cwd": place.around.join("out") }),
        json!({ "root": place.around.join("out") }),
        json!({ "roots": [place.around.join("out")] }),
        json!({ "working_directory": place.around.join("out") }),
        json!({ "workdir": "/" }),
    ] {
        let reply = place.call("Read", &secret, more.clone());
        let kind = reply.refusal();
        assert!(
            matches!(kind, Some(RefusalKind::Outside | RefusalKind::Invalid)),
            "{more}: {}",
            reply.text()
        );
        let mut write = more;
        write["content"] = json!("mine\n");
        assert!(place.call("Write", &secret, write).is_error());
    }
    assert_eq!(fs::read_to_string(secret).expect("there"), SECRET);
    figure("CVE-2025-59532, roots by argument");
}

/// strands file_editor: an undo that identifies a file by its path alone, in whichever workspace.
#[test]
fn undo_stays_in_its_workspace() {
    // One history for all, as every user has.
    let state = TestFolder::new();
    let place = || Place::keeping(TestFolder::new(), state.path(), "");
    let (one, other) = (place(), place());
    for place in [&one, &other] {
        let file = place.put("root/f", "begin\n");
        place.call("Read", &file, json!({}));
    }
    let edit = json!({ "old_string": "begin", "new_string": "of the first" });
    assert!(!one.call("Edit", &one.root.join("f"), edit).is_error());
    let asked = TakeBack::undo(Selection::Newest);
    let reply = other.session.take_back(asked, Caller::default());
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
