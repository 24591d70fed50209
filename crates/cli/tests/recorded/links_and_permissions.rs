//! Hard links that a command made, removed or wrote through, owners, and files without the permission to write them.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use crate::stage::{Stage, finish};
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
fn one_file_under_two_changed_names_is_restored_in_one_undo() {
    let stage = Stage::new();
    stage.file("one.txt", "before\n");
    fs::hard_link(
        stage.project().join("one.txt"),
        stage.project().join("two.txt"),
    )
    .expect("linked");
    let before = tree(&stage.project());
    run(&stage, "echo after > one.txt; chmod 600 one.txt");
    let after = tree(&stage.project());
    for _ in 0..2 {
        let undo = stage.run(&["undo", "--yes"]);
        assert_eq!(undo.code, 0, "{undo:?}");
        assert_eq!(tree(&stage.project()), before);
        let redo = stage.run(&["redo", "--yes"]);
        assert_eq!(redo.code, 0, "{redo:?}");
        assert_eq!(tree(&stage.project()), after);
    }
}

#[test]
fn a_file_stays_when_a_link_of_it_that_the_command_made_is_removed() {
    let stage = Stage::new();
    stage.file("a.txt", "a\n");
    run(&stage, "chmod 600 a.txt; ln a.txt link.txt");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(read(&stage, "a.txt"), "a\n");
    assert!(!stage.project().join("link.txt").exists());
    let found = fs::metadata(stage.project().join("a.txt")).expect("there");
    assert_eq!(found.mode() & 0o777, 0o644);
}

/// Makes a file with two names.
fn linked(stage: &Stage) {
    stage.file("one.txt", "shared\n");
    fs::create_dir(stage.project().join("sub")).expect("made");
    let other = stage.project().join("sub/other.txt");
    fs::hard_link(stage.project().join("one.txt"), other).expect("linked");
}

fn inode(stage: &Stage, name: &str) -> (u64, u64) {
    let found = fs::metadata(stage.project().join(name)).expect("there");
    (found.ino(), found.nlink())
}

#[test]
fn names_that_were_all_removed_come_back_as_files_and_that_is_said() {
    let stage = Stage::new();
    linked(&stage);
    stage.file("single.txt", "single\n");
    let before = tree(&stage.project());
    run(&stage, "rm one.txt single.txt; rm -r sub");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
    let said = undo.out + &undo.err;
    for name in ["one.txt", "sub/other.txt"] {
        let notice = format!(
            "note: {name} had 1 other name (hard links); it comes back as a file of its own\n"
        );
        assert_eq!(said.matches(&notice).count(), 1, "{said}");
    }
}

#[test]
fn a_removed_name_goes_back_and_forth_as_a_hard_link() {
    let stage = Stage::new();
    linked(&stage);
    let (linked_file, _) = inode(&stage, "one.txt");
    run(&stage, "rm one.txt");
    let after = tree(&stage.project());
    for _ in 0..2 {
        let undo = stage.run(&["undo", "--yes"]);
        assert_eq!(undo.code, 0, "{undo:?}");
        let said = undo.out + &undo.err;
        assert!(said.contains(" is a hard link to "), "{said}");
        assert_eq!(inode(&stage, "one.txt"), (linked_file, 2));
        assert_eq!(read(&stage, "one.txt"), "shared\n");
        let redo = stage.run(&["redo", "--yes"]);
        assert_eq!(redo.code, 0, "{redo:?}");
        assert_eq!(tree(&stage.project()), after);
        assert_eq!(inode(&stage, "sub/other.txt"), (linked_file, 1));
    }
    let verified = stage.run(&["verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

#[test]
fn a_removed_name_is_never_linked_to_what_was_written_since() {
    for since in [
        "echo theirs > sub/other.txt",
        "cp -p sub/other.txt t; mv t sub/other.txt",
        "touch sub/other.txt",
        "chmod 600 sub/other.txt",
    ] {
        let stage = Stage::new();
        linked(&stage);
        run(&stage, "rm one.txt");
        let mut other = stage.command("sh");
        other.args(["-c", since]);
        assert_eq!(finish(other, b"").code, 0);
        let theirs = (
            inode(&stage, "sub/other.txt"),
            read(&stage, "sub/other.txt"),
        );
        let undo = stage.run(&["undo", "--yes"]);
        assert_eq!(undo.code, 0, "{since}: {undo:?}");
        assert!(undo.err.contains("as a file of its own"), "{undo:?}");
        assert_eq!(read(&stage, "one.txt"), "shared\n", "{since}");
        assert_eq!(inode(&stage, "one.txt").1, 1, "{since}");
        let now = (
            inode(&stage, "sub/other.txt"),
            read(&stage, "sub/other.txt"),
        );
        assert_eq!(now, theirs, "{since}");
    }
}

#[test]
fn a_removed_file_belongs_to_its_owner_again_and_else_that_is_said() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let stage = Stage::new();
    let path = stage.file("theirs.txt", "theirs\n");
    std::os::unix::fs::chown(&path, Some(1234), Some(2345)).expect("given");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).expect("set");
    let state = || {
        let found = fs::metadata(&path).expect("there");
        (found.uid(), found.gid(), found.mode() & 0o7777)
    };
    run(&stage, "rm -f theirs.txt");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(state(), (1234, 2345, 0o4755));
    assert!(!undo.err.contains("OWNER_LOST"), "{undo:?}");

    run(&stage, "rm -f theirs.txt");
    let mut command = stage.unprivileged();
    command.args(["undo", "--yes"]);
    let undo = finish(command, b"");
    assert_eq!(undo.code, 0, "{undo:?}");
    assert!((undo.out + &undo.err).contains("OWNER_LOST"));
    // A file that belongs to another user does not run in the name of this one.
    assert_eq!(state(), (0, 0, 0o755));
}

/// Gives a file an attribute; `None` where the file system has none.
fn with_attribute(stage: &Stage, name: &str) -> Option<()> {
    let path = stage.file(name, "one\n");
    let flags = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(&path, "user.note", b"kept", flags).ok()
}

#[test]
fn attributes_of_a_changed_file_stay_and_of_a_removed_one_are_named() {
    let stage = Stage::new();
    stage.file("plain.txt", "one\n");
    let names = ["changed.txt", "removed.txt", "linked.txt"];
    if names
        .map(|name| with_attribute(&stage, name))
        .contains(&None)
    {
        return;
    }
    let linked = stage.project().join("linked.txt");
    fs::hard_link(&linked, stage.project().join("other.txt")).expect("linked");
    run(
        &stage,
        "echo two > changed.txt; rm removed.txt linked.txt plain.txt",
    );
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    let said = undo.out + &undo.err;
    assert_eq!(
        said.matches("it had extended attributes").count(),
        1,
        "{said}"
    );
    let attribute = |name: &str| {
        let mut value = [0; 16];
        let path = stage.project().join(name);
        let length = rustix::fs::getxattr(path, "user.note", &mut value);
        length.map(|length| value[..length].to_vec()).ok()
    };
    let kept = Some(b"kept".to_vec());
    assert_eq!(
        ["changed.txt", "linked.txt", "removed.txt"].map(attribute),
        [kept.clone(), kept, None]
    );
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
