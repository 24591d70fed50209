//! A command that removes the project itself: everything in it is one change, which is reached from the folder above
//! and from a new folder of the same name.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::stage::{LANCET, Run, Stage, finish};
use crate::{git, project, tree};

/// Runs a command in another folder than the project.
fn run_in(stage: &Stage, folder: &Path, program: &str, arguments: &[&str]) -> Run {
    let mut command = stage.command(program);
    command.current_dir(folder).args(arguments);
    finish(command, b"")
}

/// Removes the project by a recorded command. Returns the command that the last line names.
fn remove(stage: &Stage, script: &str) -> String {
    let removed = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(removed.code, 3, "{removed:?}");
    let root = stage.project().display().to_string();
    assert!(
        removed
            .err
            .contains(&format!("lancet: {root} was removed with")),
        "{removed:?}"
    );
    let named = removed.err.split('`').nth(1);
    let named = named.expect("a command").strip_prefix("lancet ");
    named.expect("one of lancet").to_owned()
}

fn above(stage: &Stage) -> std::path::PathBuf {
    let project = stage.project();
    project.parent().expect("a folder").to_path_buf()
}

#[test]
fn the_command_of_the_last_line_restores_a_removed_project() {
    for with_git in [false, true] {
        for is_made_again in [false, true] {
            let stage = Stage::new();
            project(&stage);
            if with_git {
                git(&stage, &["init", "-q"]);
                git(&stage, &["add", "-A"]);
                git(&stage, &["commit", "-qm", "first"]);
            }
            stage.file("draft.txt", "in no commit\n");
            let before = tree(&stage.project());
            let command = remove(&stage, "rm -rf ../project; exit 3");
            assert!(!stage.project().exists());
            if is_made_again {
                fs::create_dir(stage.project()).expect("made");
            }
            let words: Vec<&str> = command.split(' ').chain(["--yes"]).collect();
            let undone = run_in(&stage, Path::new("/"), LANCET, &words);
            assert_eq!(undone.code, 0, "{command}: {undone:?}");
            let mut after = tree(&stage.project());
            // An ignored folder is not covered.
            let mut wanted = before;
            wanted.retain(|name, _| !name.starts_with(b"build/"));
            after.retain(|name, _| !name.starts_with(b"build/"));
            assert_eq!(
                after, wanted,
                "git: {with_git}, made again: {is_made_again}"
            );
        }
    }
}

#[test]
fn a_removed_project_is_listed_and_undone_from_above_and_from_a_new_folder() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("deep/b.txt", "two\n");
    let before = tree(&stage.project());
    remove(&stage, "rm -rf ../project; exit 3");

    let listed = run_in(&stage, &above(&stage), LANCET, &["projects", "--json"]);
    let lines = listed.out.lines();
    let mut lines = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let root = stage.project().display().to_string();
    assert!(
        lines.any(|line| line.to_string().contains(&root)),
        "{listed:?}"
    );
    for arguments in [&["log", "--json"][..], &["log", "--all", "--json"]] {
        let listed = run_in(&stage, &above(&stage), LANCET, arguments);
        assert!(
            listed.out.contains("rm -rf ../project"),
            "{arguments:?}: {listed:?}"
        );
    }

    fs::create_dir(stage.project()).expect("made");
    let listed = stage.run(&["log", "--json"]);
    assert!(listed.out.contains("rm -rf ../project"), "{listed:?}");
    stage.file("a.txt", "a new file of this name\n");
    let refused = stage.run(&["undo", "--yes"]);
    assert_ne!(refused.code, 0, "{refused:?}");
    assert_eq!(stage.text("a.txt"), "a new file of this name\n");
    fs::remove_file(stage.project().join("a.txt")).expect("removed");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
    let redo = stage.run(&["redo", "--yes"]);
    assert_eq!(redo.code, 0, "{redo:?}");
    assert!(tree(&stage.project()).is_empty());
}

#[test]
fn a_project_that_a_command_replaced_by_another_one_is_not_mixed_with_it() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    let script = "cd /; rm -r \"$OLDPWD\"; mkdir \"$OLDPWD\"; echo new > \"$OLDPWD/a.txt\"; exit 3";
    let command = remove(&stage, script);
    let words: Vec<&str> = command
        .split(' ')
        .chain(["--yes", "--keep-going"])
        .collect();
    let undone = run_in(&stage, Path::new("/"), LANCET, &words);
    assert_eq!(stage.text("a.txt"), "new\n", "{undone:?}");
    assert_eq!(stage.text("b.txt"), "one\n", "{undone:?}");
}

#[test]
fn a_project_that_a_command_moved_is_not_taken_for_a_removed_one() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let moved = stage.run(&["run", "sh", "-c", "mv ../project ../elsewhere; exit 3"]);
    assert_eq!(moved.code, 3, "{moved:?}");
    assert!(moved.err.contains("was removed or moved"), "{moved:?}");
    let elsewhere = above(&stage).join("elsewhere");
    fs::rename(&elsewhere, stage.project()).expect("moved back");
    let listed = stage.run(&["log", "--json"]);
    assert!(!listed.out.contains("delete"), "{listed:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
}
