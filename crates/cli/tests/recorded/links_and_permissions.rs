//! Hard links that a command made or wrote through, and files without the permission to write them.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use crate::stage::Stage;
use crate::tree;

fn run(stage: &Stage, script: &str) {
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
}

fn read(stage: &Stage, name: &str) -> String {
    fs::read_to_string(stage.project().join(name)).expect("read")
}

#[test]
fn a_name_that_became_a_link_of_another_file_gets_a_file_of_its_own_again() {
    for script in [
        "ln -f other.txt own.txt",
        "rm own.txt; ln other.txt own.txt",
    ] {
        let stage = Stage::new();
        stage.file("other.txt", "other\n");
        stage.file("own.txt", "own\n");
        assert_eq!(stage.run(&["checkpoint", "Before"]).code, 0);
        for back in [
            &["undo", "--yes"][..],
            &["restore", "own.txt@Before", "--yes"],
        ] {
            run(&stage, script);
            assert_eq!(read(&stage, "own.txt"), "other\n");
            let run = stage.run(back);
            assert_eq!(run.code, 0, "{run:?}");
            assert_eq!(read(&stage, "own.txt"), "own\n");
            assert_eq!(read(&stage, "other.txt"), "other\n");
        }
    }
}

#[test]
fn one_file_under_two_changed_names_is_restored_name_by_name() {
    let stage = Stage::new();
    stage.file("one.txt", "before\n");
    fs::hard_link(
        stage.project().join("one.txt"),
        stage.project().join("two.txt"),
    )
    .expect("linked");
    run(&stage, "echo after > one.txt; chmod 600 one.txt");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 1, "{undo:?}");
    assert!(undo.err.contains("hard links"), "{undo:?}");
    assert_eq!(read(&stage, "one.txt"), "after\n");
    for name in ["one.txt", "two.txt"] {
        let undo = stage.run(&["undo", "--file", name, "--yes"]);
        assert_eq!(undo.code, 0, "{undo:?}");
        assert_eq!(read(&stage, name), "before\n");
        let found = fs::metadata(stage.project().join(name)).expect("there");
        assert_eq!((found.nlink(), found.mode() & 0o777), (1, 0o644));
    }
}

#[test]
fn a_file_stays_when_a_link_of_it_that_the_command_made_is_removed() {
    let stage = Stage::new();
    stage.file("a.txt", "a\n");
    run(&stage, "chmod 600 a.txt; ln a.txt link.txt");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 1, "{undo:?}");
    assert_eq!(read(&stage, "a.txt"), "a\n");
    for name in ["link.txt", "a.txt"] {
        let undo = stage.run(&["undo", "--file", name, "--yes"]);
        assert_eq!(undo.code, 0, "{undo:?}");
    }
    assert!(!stage.project().join("link.txt").exists());
    let found = fs::metadata(stage.project().join("a.txt")).expect("there");
    assert_eq!(found.mode() & 0o777, 0o644);
}

#[test]
fn files_without_permission_to_write_go_back_and_forth() {
    for script in [
        "chmod a-w a.txt",
        "echo made > new.txt; chmod 444 new.txt",
        "chmod 444 a.txt; sed -i s/a/b/ a.txt; mv read-only.txt moved.txt",
        "rm -f read-only.txt",
        "sed -i s/r/R/ read-only.txt",
    ] {
        let stage = Stage::new();
        stage.file("a.txt", "a\n");
        stage.file("read-only.txt", "r\n");
        let read_only = stage.project().join("read-only.txt");
        fs::set_permissions(&read_only, fs::Permissions::from_mode(0o444)).expect("set");
        let before = tree(&stage.project());
        run(&stage, script);
        let after = tree(&stage.project());
        for _ in 0..2 {
            let undo = stage.run(&["undo", "--yes"]);
            assert_eq!(undo.code, 0, "{script}: {undo:?}");
            assert_eq!(tree(&stage.project()), before, "{script}");
            let redo = stage.run(&["redo", "--yes"]);
            assert_eq!(redo.code, 0, "{script}: {redo:?}");
            assert_eq!(tree(&stage.project()), after, "{script}");
        }
    }
}
