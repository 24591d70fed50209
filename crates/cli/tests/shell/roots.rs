//! Where lancet may work.

use std::fs;
use std::os::unix::fs::symlink;

use crate::stage::{Stage, word};

#[test]
fn a_root_that_is_no_folder_is_a_usage_error() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    for root in ["nowhere", "a.txt"] {
        let run = stage.run(&["mcp", "--root", root]);
        assert_eq!(run.code, 2, "{root} {run:?}");
        assert!(
            run.err.contains("--root") && run.err.contains(root),
            "{run:?}"
        );
    }
}

#[test]
fn the_home_folder_and_the_top_are_no_roots_by_default() {
    let stage = Stage::new();
    for folder in [stage.home(), "/".into()] {
        let mut command = stage.command(crate::stage::LANCET);
        command.args(["mcp"]).current_dir(&folder);
        let run = crate::stage::finish(command, b"");
        assert_eq!(run.code, 2, "{folder:?} {run:?}");
        assert!(run.err.contains("--root"), "{run:?}");
        let mut command = stage.command(crate::stage::LANCET);
        command.args(["mcp", "--root", "."]).current_dir(&folder);
        assert_eq!(
            crate::stage::finish(command, b"").code,
            0,
            "{folder:?} when asked for"
        );
    }
}

#[test]
fn a_tilde_that_no_shell_expanded_is_home() {
    let stage = Stage::new();
    fs::create_dir(stage.home().join("work")).expect("a folder");
    fs::write(stage.home().join("work/a.txt"), "one\n").expect("a file");
    let run = stage.run(&[
        "call",
        "Read",
        "{\"file_path\": \"~/work/a.txt\"}",
        "--root=~/work",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn a_command_on_one_file_takes_the_work_tree_around_it() {
    let stage = Stage::new();
    stage.file("repository/.git/HEAD", "ref: refs/heads/main\n");
    let target = stage.file("repository/shared/a.txt", "one\n");
    let link = stage.project().join("repository/deep/link.txt");
    fs::create_dir(link.parent().expect("it has one")).expect("a folder");
    symlink(&target, &link).expect("a link");
    let run = stage.run(&["read", word(&link)]);
    assert_eq!(run.code, 0, "the link leads through the work tree: {run:?}");
}

#[test]
fn without_a_work_tree_it_takes_the_files_folder() {
    let stage = Stage::new();
    let outside = stage.file("outside.txt", "one\n");
    let link = stage.project().join("deep/link.txt");
    fs::create_dir(link.parent().expect("it has one")).expect("a folder");
    symlink(&outside, &link).expect("a link");
    let run = stage.run(&["read", word(&link)]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("outside"), "{run:?}");
    let run = stage.run(&["read", word(&link), "--root", "."]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn a_file_directly_in_the_home_folder_can_be_edited() {
    let stage = Stage::new();
    let path = stage.home().join("notes.txt");
    fs::write(&path, "one\n").expect("a file");
    let run = stage.run(&["edit", word(&path), "--old", "one", "--new", "two", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(fs::read_to_string(&path).expect("a text"), "two\n");
}

#[test]
fn a_file_is_named_from_the_working_folder_whatever_the_roots_are() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("inner/b.txt", "two\n");
    let from_inner = |arguments: &[&str]| {
        let mut command = stage.command(crate::stage::LANCET);
        command
            .args(arguments)
            .current_dir(stage.project().join("inner"));
        crate::stage::finish(command, b"")
    };
    for arguments in [
        &["read", "../a.txt"][..],
        &["read", "../a.txt", "--root", ".."],
    ] {
        let run = from_inner(arguments);
        assert!(run.out.starts_with("1→one\n"), "{run:?}");
    }
    let run = from_inner(&["read", "b.txt", "--root", "..", "--root", "."]);
    assert!(run.out.starts_with("1→two\n"), "{run:?}");
}

#[test]
fn what_is_outside_the_given_roots_is_refused() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\n");
    fs::create_dir(stage.project().join("inner")).expect("a folder");
    let run = stage.run(&["read", word(&path), "--root", "inner"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("outside"), "{run:?}");
    let run = stage.run(&["read", word(&path), "--root", "inner", "--root", "."]);
    assert_eq!(run.code, 0, "{run:?}");
}
