//! Files, links and folders that take each other's names: one undo restores them, one redo repeats the change, and what
//! another program put there since is left alone.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use proptest::prelude::*;

use crate::stage::{LANCET, Stage, finish};
use crate::{log, tree};

fn run(stage: &Stage, script: &str) {
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
}

/// Undoes the newest change and redoes it, twice, with one command each.
fn go_back_and_forth(stage: &Stage, script: &str) {
    let before = tree(&stage.project());
    run(stage, script);
    let after = tree(&stage.project());
    assert_ne!(before, after, "{script}");
    for _ in 0..2 {
        let undo = stage.run(&["undo", "--yes"]);
        assert_eq!(undo.code, 0, "{script}: {undo:?}");
        assert_eq!(tree(&stage.project()), before, "{script}: {undo:?}");
        let redo = stage.run(&["redo", "--yes"]);
        assert_eq!(redo.code, 0, "{script}: {redo:?}");
        assert_eq!(tree(&stage.project()), after, "{script}: {redo:?}");
    }
    let verified = stage.run(&["verify"]);
    assert_eq!(verified.code, 0, "{script}: {verified:?}");
}

#[test]
fn a_file_and_a_folder_with_files_replace_each_other_in_one_undo() {
    let stage = Stage::new();
    stage.file("module", "a file\n");
    stage.file("package/a.txt", "one\n");
    stage.file("package/deep/b.txt", "one\n");
    stage.file("moved/c.txt", "a file that moves\n");
    go_back_and_forth(
        &stage,
        "rm module; mkdir module; echo in > module/in.txt; rm -r package; echo now > package; \
         mv moved away; ln -s away moved",
    );
}

#[test]
fn a_folder_swaps_its_name_with_a_link_or_a_file_in_one_undo() {
    for script in [
        "mv folder aside; mv link folder; mv aside link",
        "mv folder aside; mv file folder; mv aside file",
        "mv folder file2; mkdir folder; mv file2 folder/inner; mv file folder/file",
        "mv file aside; mkdir file; mv aside file/inner",
        "mv folder/one.txt aside; rm -r folder; mv aside folder",
        "mv folder aside; ln -s aside folder; rm link; mkdir link; mv file link/file",
    ] {
        let stage = Stage::new();
        stage.file("folder/one.txt", "one\n");
        stage.file("folder/deep/two.txt", "two\n");
        stage.file("file", "a file\n");
        symlink("folder", stage.project().join("link")).expect("made");
        go_back_and_forth(&stage, script);
    }
}

#[test]
fn a_folder_that_gave_its_name_to_another_one_is_recorded_under_its_new_name() {
    let stage = Stage::new();
    for name in ["a", "c"] {
        stage.file(&format!("{name}/x"), &format!("{name}\n"));
        symlink("y", stage.project().join(name).join("l")).expect("made");
    }
    // What is in a moved folder is older than the command, as what is only newly covered is.
    sleep(Duration::from_millis(100));
    go_back_and_forth(&stage, "mv c b; mv a c");
}

#[test]
fn a_link_that_was_moved_and_removed_comes_back_with_both_changes() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    symlink("a.txt", stage.project().join("link")).expect("made");
    let before = tree(&stage.project());
    let moved = stage.run(&["mv", "link", "other", "--yes"]);
    assert_eq!(moved.code, 0, "{moved:?}");
    run(&stage, "rm other");
    let undo = stage.run(&["undo", "-n", "2", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
}

#[test]
fn what_another_program_put_into_a_folder_in_the_way_stays() {
    let stage = Stage::new();
    stage.file("module", "a file\n");
    stage.file("other.txt", "one\n");
    run(
        &stage,
        "rm module; mkdir module; echo in > module/in.txt; echo two > other.txt",
    );
    stage.file("module/theirs.txt", "theirs\n");
    let before = tree(&stage.project());
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 1, "{undo:?}");
    let said = undo.out + &undo.err;
    assert!(said.contains("move the folder away first"), "{said}");
    assert_eq!(tree(&stage.project()), before);

    let undo = stage.run(&["undo", "--yes", "--keep-going"]);
    assert_eq!(undo.code, 1, "{undo:?}");
    assert_eq!(stage.text("other.txt"), "one\n");
    assert_eq!(stage.text("module/theirs.txt"), "theirs\n");
    fs::remove_dir_all(stage.project().join("module")).expect("removed");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("module"), "a file\n");
}

#[test]
fn a_link_that_another_program_changed_stays_in_the_way() {
    let stage = Stage::new();
    stage.file("moved/c.txt", "a file that moves\n");
    run(&stage, "mv moved away; ln -s away moved");
    fs::remove_file(stage.project().join("moved")).expect("removed");
    symlink("theirs", stage.project().join("moved")).expect("made");
    let before = tree(&stage.project());
    for words in [&["undo", "--yes"][..], &["undo", "--yes", "--keep-going"]] {
        let undo = stage.run(words);
        assert_eq!(undo.code, 1, "{undo:?}");
        assert_eq!(tree(&stage.project()), before);
    }
}

#[test]
fn what_was_in_the_way_is_put_back_if_the_rest_cannot_be_restored() {
    let stage = Stage::new();
    stage.file("module", "a file\n");
    stage.file("package/a.txt", "one\n");
    stage.file("moved/c.txt", "a file that moves\n");
    stage.file("closed/b.txt", "one\n");
    stage.file("closed/stays.txt", "one\n");
    let before = tree(&stage.project());
    run(
        &stage,
        "rm module; mkdir -p module/deep; echo in > module/in.txt; echo in > module/deep/in.txt; \
         rm -r package; printf 'now\\000' > package; chmod 751 package; \
         mv moved away; ln -s away moved; rm closed/b.txt",
    );
    let after = tree(&stage.project());
    let allow = |mode: u32| {
        let closed = stage.project().join("closed");
        fs::set_permissions(closed, fs::Permissions::from_mode(mode)).expect("set");
    };
    allow(0o555);
    let mut command = stage.unprivileged();
    command.args(["undo", "--yes"]);
    let undo = finish(command, b"");
    assert_ne!(undo.code, 0, "{undo:?}");
    assert!((undo.out + &undo.err).contains("closed/b.txt"));
    assert_eq!(tree(&stage.project()), after);
    allow(0o755);
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
    let verified = stage.run(&["verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

#[test]
fn an_undo_that_is_killed_can_be_completed() {
    for pause in [0, 3, 6, 10, 15, 22, 30, 50] {
        let stage = Stage::new();
        stage.file("module", "a file\n");
        stage.file("package/a.txt", "one\n");
        stage.file("package/deep/b.txt", "one\n");
        stage.file("moved/c.txt", "a file that moves\n");
        let before = tree(&stage.project());
        run(
            &stage,
            "rm module; mkdir module; echo in > module/in.txt; rm -r package; echo now > package; \
             mv moved away; ln -s away moved",
        );
        let mut undo = stage.command(LANCET);
        undo.args(["undo", "--yes"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut undo = undo.spawn().expect("started");
        sleep(Duration::from_millis(pause));
        undo.kill().expect("killed");
        undo.wait().expect("gone");
        let verified = stage.run(&["verify"]);
        assert_eq!(verified.code, 0, "{pause}: {verified:?}");
        if tree(&stage.project()) != before {
            let undo = stage.run(&["undo", "--yes"]);
            assert_eq!(undo.code, 0, "{pause}: {undo:?}");
        }
        assert_eq!(tree(&stage.project()), before, "{pause}");
    }
}

#[test]
fn a_failed_command_of_exec_leaves_nothing_of_a_folder_that_became_a_file() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("package/b.txt", "one\n");
    stage.file("module", "a file\n");
    let before = tree(&stage.project());
    let script =
        "rm -r package; echo now > package; rm module; mkdir module; echo in > module/in; false";
    let mut command = stage.command(LANCET);
    command.args([
        "write",
        "a.txt",
        "--content",
        "two\n",
        "--yes",
        "--exec",
        script,
    ]);
    let run = finish(command, b"");
    assert_ne!(run.code, 0, "{run:?}");
    assert_eq!(tree(&stage.project()), before, "{run:?}");
}

#[test]
fn a_call_of_which_nothing_was_recorded_is_named() {
    let stage = Stage::new();
    stage.user_settings("[checkpoint]\nmax_file = 1000\n");
    stage.file("large.txt", &"one\n".repeat(300));
    stage.file("small.txt", "one\n");
    run(&stage, "echo two > small.txt");
    run(&stage, "echo more >> large.txt");
    let recorded = log(&stage);
    assert_eq!(recorded.len(), 2, "{recorded:#?}");
    let listed = stage.run(&["log"]);
    assert!(listed.out.contains("not kept: large.txt"), "{listed:?}");
    let id = recorded[0]["operation"].as_str().expect("an id");
    let shown = stage.run(&["show", id]);
    assert!(shown.out.contains("large.txt"), "{shown:?}");
    let by_id = stage.run(&["undo", id, "--yes"]);
    assert_ne!(by_id.code, 0, "{by_id:?}");
    assert!(by_id.err.contains("was not recorded"), "{by_id:?}");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    let said = undo.out + &undo.err;
    assert!(said.contains("not recorded, so left as they are"), "{said}");
    assert!(said.contains("large.txt"), "{said}");
    assert_eq!(stage.text("small.txt"), "one\n");
}

#[test]
fn a_restored_link_is_not_called_executable() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    symlink("a.txt", stage.project().join("link")).expect("made");
    run(&stage, "rm link; echo a file > link");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    let said = undo.out + &undo.err;
    assert!(!said.contains("executable"), "{said}");
}

/// What has a name at first.
fn shape() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("true"),
        Just("printf 'file\\000' > $n"),
        Just("echo text > $n; chmod 600 $n"),
        Just("ln -s a $n"),
        Just("ln -s /nowhere $n"),
        Just("mkdir $n"),
        Just("mkdir $n; echo $n > $n/x; echo y > $n/y"),
        Just("mkdir -p $n/d $n/e; echo $n > $n/d/x; ln -s y $n/d/l"),
    ]
}

/// A step of a command, on the names `a`, `b` and `c` and what may be in them.
fn step() -> impl Strategy<Value = String> {
    let name = || prop_oneof![Just("a"), Just("b"), Just("c")];
    let inner = || prop_oneof![Just("x"), Just("y"), Just("d"), Just("d/x")];
    prop_oneof![
        4 => (name(), name()).prop_map(|(from, to)| format!("mv -T {from} {to}")),
        2 => (name(), name(), inner()).prop_map(|(from, to, inner)| format!("mv -T {from}/{inner} {to}")),
        2 => (name(), name(), inner()).prop_map(|(from, to, inner)| format!("mv -T {from} {to}/{inner}")),
        2 => (name(), name()).prop_map(|(one, two)| format!("mv -T {one} t; mv -T {two} {one}; mv -T t {two}")),
        3 => (name(), shape()).prop_map(|(name, shape)| format!("rm -rf {name}; n={name}; {shape}")),
        1 => (name(), inner()).prop_map(|(name, inner)| format!("rm -rf {name}/{inner}")),
        1 => name().prop_map(|name| format!("echo more >> {name}")),
        1 => name().prop_map(|name| format!("chmod 644 {name}/*")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_shapes_take_each_others_names_in_one_undo(
        shapes in proptest::collection::vec(shape(), 3),
        steps in proptest::collection::vec(step(), 1..6),
    ) {
        let stage = Stage::new();
        stage.file("keep.txt", "kept\n");
        let begin: Vec<String> = ["a", "b", "c"]
            .iter()
            .zip(&shapes)
            .map(|(name, shape)| format!("n={name}; {shape}"))
            .collect();
        let mut plain = stage.command("sh");
        plain.args(["-c", &begin.join("; ")]);
        finish(plain, b"");
        let before = tree(&stage.project());
        let script = format!("{{ {}; }} 2>/dev/null; true", steps.join("; "));
        let run = stage.run(&["run", "sh", "-c", &script]);
        prop_assert_eq!(run.code, 0, "{:?}", run);
        let after = tree(&stage.project());
        if before != after {
            for (words, expected) in [("undo", &before), ("redo", &after), ("undo", &before)] {
                let back = stage.run(&[words, "--yes"]);
                prop_assert_eq!(back.code, 0, "{:?} {}: {:?}", shapes, script, back);
                prop_assert_eq!(&tree(&stage.project()), expected, "{} {:?} {}: {:?}", words, shapes, script, back);
            }
        }
    }
}
