//! Which files a glob of `lancet rm` and `lancet mv` means, and what permissions forbid.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::stage::{Run, Stage, finish};

#[test]
fn a_glob_with_a_leading_dot_is_for_the_working_folder_alone() {
    let stage = Stage::new();
    for name in ["a.orig", "below/b.orig"] {
        stage.file(name, "text\n");
    }
    let run = stage.run(&["rm", "./*.orig", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!stage.project().join("a.orig").exists());
    assert!(stage.project().join("below/b.orig").exists());
    let run = stage.run(&["rm", "*.orig", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!stage.project().join("below/b.orig").exists());
}

/// Sets the permission bits of a file or folder of the project.
fn set_mode(stage: &Stage, name: &str, mode: u32) {
    let bits = fs::Permissions::from_mode(mode);
    fs::set_permissions(stage.project().join(name), bits).expect("set");
}

/// Runs the program with the permissions that an ordinary user has.
fn run_unprivileged(stage: &Stage, arguments: &[&str]) -> Run {
    let mut command = stage.unprivileged();
    command.args(arguments);
    finish(command, b"")
}

#[test]
fn what_permissions_forbid_is_named_before_the_question() {
    let stage = Stage::new();
    stage.file("shut/a.txt", "one\n");
    stage.file("unread/b.txt", "two\n");
    set_mode(&stage, "shut", 0o555);
    set_mode(&stage, "unread", 0o000);
    for arguments in [
        &["rm", "shut/a.txt", "--dry-run"][..],
        &["rm", "shut", "--yes"],
        &["mv", "shut", "other", "--yes"],
    ] {
        let run = run_unprivileged(&stage, arguments);
        let named = "shut/a.txt cannot be";
        let why = "its folder has no write permission. Nothing was changed.";
        assert_eq!(run.code, 3, "{run:?}");
        assert!(run.err.contains(named) && run.err.contains(why), "{run:?}");
    }
    for arguments in [
        &["rm", "unread", "--yes"][..],
        &["mv", "unread", "x", "--yes"],
    ] {
        let run = run_unprivileged(&stage, arguments);
        let why = "unread cannot be read: Permission denied";
        assert!(run.code == 3 && run.err.contains(why), "{run:?}");
    }
    set_mode(&stage, "unread", 0o755);
    assert_eq!(stage.text("shut/a.txt"), "one\n");
    assert_eq!(stage.text("unread/b.txt"), "two\n");
    set_mode(&stage, "shut", 0o755);
}

#[test]
fn blame_of_a_file_without_permission_says_so() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    set_mode(&stage, "a.txt", 0o000);
    let run = run_unprivileged(&stage, &["blame", "a.txt"]);
    let why = "a.txt cannot be read: Permission denied";
    assert!(run.code == 3 && run.err.contains(why), "{run:?}");
    set_mode(&stage, "a.txt", 0o644);
    stage.file("lancet.toml", "[permissions]\ndeny = [\"Read(a.txt)\"]\n");
    let run = run_unprivileged(&stage, &["blame", "a.txt"]);
    let why = "the rules deny reading a.txt";
    assert!(run.code == 1 && run.err.contains(why), "{run:?}");
}
