//! A decision about one name of a file applies to its other hard links, even where not all of them can be found.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use lancet::{Lancet, Mode, RefusalKind, Reply, Session};
use lancet_testing::project::call;
use lancet_testing::user::{assert_one_passed, give_to_nobody, this_program_as_nobody};
use lancet_testing::{TestFolder, project};
use serde_json::json;

const FOLDER: &str = "LANCET_TEST_LINKED_NAMES";
/// More entries than lancet checks.
const MANY: usize = 2_100;

/// Makes a link to a file, under another name.
fn link(folder: &TestFolder, name: &str, other: &str) {
    fs::hard_link(folder.join(name), folder.join(other)).expect("linked");
}

/// Makes files whose names come before any other, in a folder that is given with its slash.
fn crowd(folder: &TestFolder, below: &str) {
    for number in 0..MANY {
        folder.put(format!("{below}+{number}"), "");
    }
}

fn session(root: &Path) -> Session {
    let builder = Lancet::builder().root(root).mode(Mode::Bypass);
    builder.open().expect("opens").new_session()
}

fn edit(session: &Session, path: &Path) -> Reply {
    project::edit(session, path, "one", "two")
}

/// Neither Read nor Grep nor Glob shows anything of a file.
fn assert_not_shown(session: &Session, path: &Path, text: &str) {
    let read = call(session, "Read", json!({ "file_path": path }));
    assert_eq!(read.refusal(), Some(RefusalKind::Denied), "{}", read.text());
    let name = path.file_name().expect("a name").to_string_lossy();
    let grep = json!({ "pattern": text, "output_mode": "content" });
    let glob = json!({ "pattern": format!("**/{name}") });
    for (tool, arguments) in [("Grep", grep), ("Glob", glob)] {
        let reply = call(session, tool, arguments);
        assert_eq!(reply.data()["numFiles"], 0, "{tool}: {}", reply.text());
    }
}

#[test]
fn a_secret_name_beside_the_file_counts_among_any_number_of_entries() {
    let folder = TestFolder::new();
    folder.put(".env", "KEY=hush\n");
    crowd(&folder, "");
    link(&folder, ".env", "pub.txt");
    assert_not_shown(&session(folder.path()), &folder.join("pub.txt"), "hush");
}

#[test]
fn a_secret_name_above_the_file_counts_among_any_number_of_entries() {
    let folder = TestFolder::new();
    crowd(&folder, "");
    folder.put("app/.env", "KEY=hush\n");
    folder.put("app/src/deep/mod.rs", "");
    link(&folder, "app/.env", "app/src/deep/pub.txt");
    let path = folder.join("app/src/deep/pub.txt");
    assert_not_shown(&session(folder.path()), &path, "hush");
}

#[test]
fn among_too_many_entries_a_write_asks_and_a_read_goes_through() {
    let folder = TestFolder::new();
    crowd(&folder, "");
    folder.put("src/a.txt", "one\n");
    link(&folder, "src/a.txt", "src/b.txt");
    let (session, path) = (session(folder.path()), folder.join("src/b.txt"));
    let read = call(&session, "Read", json!({ "file_path": path }));
    assert!(!read.is_error(), "{}", read.text());
    let reply = edit(&session, &path);
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Declined),
        "{}",
        reply.text()
    );
    assert!(
        reply.text().contains("several hard links"),
        "{}",
        reply.text()
    );
}

#[test]
fn entries_of_package_stores_and_ignored_folders_do_not_count() {
    let folder = TestFolder::new();
    folder.put(".gitignore", "/target/\n");
    crowd(&folder, "node_modules/pack/");
    crowd(&folder, "target/debug/");
    folder.put("src/a.txt", "one\n");
    link(&folder, "src/a.txt", "src/b.txt");
    let session = session(folder.path());
    for (at, name) in ["src/b.txt", "node_modules/pack/a.js", "target/debug/a"]
        .iter()
        .enumerate()
    {
        if at > 0 {
            folder.put(format!("src/store-{at}"), "one\n");
            link(&folder, &format!("src/store-{at}"), name);
        }
        let path = folder.join(name);
        let read = call(&session, "Read", json!({ "file_path": path }));
        assert!(!read.is_error(), "{name}: {}", read.text());
        let reply = edit(&session, &path);
        assert!(!reply.is_error(), "{name}: {}", reply.text());
    }
}

/// Makes a root with folders that may be entered and not listed.
fn prepare(root: &Path) {
    for folder in ["vault", ".git", "src"] {
        fs::create_dir_all(root.join(folder)).expect("made");
    }
    fs::write(root.join("vault/.env"), "KEY=hush\n").expect("written");
    fs::write(root.join(".git/config"), "one\n").expect("written");
    fs::write(root.join("src/a.txt"), "one\n").expect("written");
    for (name, other) in [
        ("vault/.env", "pub.txt"),
        (".git/config", "cfg.txt"),
        ("src/a.txt", "src/b.txt"),
    ] {
        fs::hard_link(root.join(name), root.join(other)).expect("linked");
    }
}

fn look_as_an_ordinary_user(root: &Path) {
    let session = session(root);
    assert_not_shown(&session, &root.join("pub.txt"), "hush");
    for name in ["cfg.txt", "src/b.txt"] {
        let path = root.join(name);
        let read = call(&session, "Read", json!({ "file_path": path }));
        assert!(!read.is_error(), "{name}: {}", read.text());
        let reply = edit(&session, &path);
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::Declined),
            "{name}: {}",
            reply.text()
        );
        assert_eq!(fs::read(&path).expect("there"), b"one\n");
    }
}

#[test]
fn where_a_folder_cannot_be_listed_a_write_asks_and_secret_names_are_tried() {
    let around = TestFolder::new();
    let at = around.path().to_owned();
    let root = at.join("root");
    prepare(&root);
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
    };
    let shut = [root.join("vault"), root.join(".git")];
    mode(&at, 0o755);
    if fs::metadata(&at).expect("there").uid() == 0 {
        let mut all = vec![root.clone(), root.join("src")];
        all.extend(shut.clone());
        for name in ["pub.txt", "cfg.txt", "src/a.txt"] {
            all.push(root.join(name));
        }
        for path in &all {
            give_to_nobody(path);
        }
        shut.iter().for_each(|folder| mode(folder, 0o311));
        let mut command = this_program_as_nobody(&at);
        command.args(["--exact", "as_an_ordinary_user", "--nocapture"]);
        assert_one_passed(&command.env(FOLDER, &root).output().expect("started"));
    } else {
        shut.iter().for_each(|folder| mode(folder, 0o311));
        look_as_an_ordinary_user(&root);
    }
    shut.iter().for_each(|folder| mode(folder, 0o755));
}

/// The child's part. Without its folder there is nothing to do.
#[test]
fn as_an_ordinary_user() {
    if let Some(root) = std::env::var_os(FOLDER) {
        look_as_an_ordinary_user(&PathBuf::from(root));
    }
}
