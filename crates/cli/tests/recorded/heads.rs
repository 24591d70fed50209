//! Calls that move HEAD: they are recorded with both ends, and undo changes files alone.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::hooks::{Claude, tools};
use crate::stage::{Stage, finish};
use crate::{git, log, tree};

/// Makes a repository with one commit on `main` and another one on `topic`.
fn repository(stage: &Stage) {
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    git(stage, &["init", "-q", "-b", "main"]);
    git(stage, &["add", "-A"]);
    git(stage, &["commit", "-qm", "first"]);
    git(stage, &["switch", "-qc", "topic"]);
    stage.file("a.txt", "two, and longer\n");
    git(stage, &["commit", "-qam", "second"]);
    git(stage, &["switch", "-q", "main"]);
}

fn read_git(stage: &Stage, arguments: &[&str]) -> String {
    let mut command = stage.command("git");
    command.args(arguments);
    finish(command, b"").out.trim().to_owned()
}

fn files(operation: &Value) -> usize {
    operation["files"].as_array().map_or(0, Vec::len)
}

#[test]
fn a_commit_is_one_row_with_both_ends_and_is_not_undone() {
    let stage = Stage::new();
    repository(&stage);
    let first = read_git(&stage, &["rev-parse", "HEAD"]);
    let run = stage.run(&["run", "sh", "-c", "echo three > a.txt"]);
    assert_eq!(run.code, 0, "{run:?}");
    let commit = "git -c user.name=a -c user.email=a@b commit -qam third";
    let run = stage.run(&["run", "sh", "-c", commit]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let third = read_git(&stage, &["rev-parse", "HEAD"]);
    let log = log(&stage);
    assert_eq!(log.len(), 2, "{log:#?}");
    assert_eq!(files(&log[0]), 0);
    let ends = json!({ "from": { "branch": "main", "commit": first }, "to": { "branch": "main", "commit": third } });
    assert_eq!(log[0]["head"], ends);
    assert_eq!(log[1].get("head"), None);
    let back = format!("git reset --soft {first}");
    let listed = stage.run(&["log"]);
    let line = format!("HEAD main {} → main {}", &first[..10], &third[..10]);
    assert!(listed.out.contains(&line), "{listed:?}");
    let id = log[0]["operation"].as_str().expect("an id");
    let shown = stage.run(&["show", id]);
    assert!(shown.out.contains(&back), "{shown:?}");

    let refused = stage.run(&["undo", id, "--yes"]);
    assert_ne!(refused.code, 0, "{refused:?}");
    assert!(refused.err.contains(&back), "{refused:?}");
    // Plain undo passes over it.
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
    assert_eq!(read_git(&stage, &["rev-parse", "HEAD"]), third);
}

#[test]
fn undo_of_a_call_that_switched_branches_names_the_command_back_and_changes_files_alone() {
    let stage = Stage::new();
    repository(&stage);
    let before = tree(&stage.project());
    let script = "git switch -q topic; echo three > b.txt";
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    let log = log(&stage);
    assert_eq!(files(&log[0]), 2, "{log:#?}");
    assert_eq!(log[0]["head"]["to"]["branch"], "topic");
    let previewed = stage.run(&["undo", "--dry-run"]);
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    for run in [previewed, undo] {
        let said = run.out + &run.err;
        assert!(said.contains("`git switch main` moves it back"), "{said}");
    }
    assert_eq!(tree(&stage.project()), before);
    let head = fs::read_to_string(stage.project().join(".git/HEAD")).expect("read");
    assert_eq!(head, "ref: refs/heads/topic\n");
}

#[test]
fn a_persons_checkout_between_two_prompts_is_one_row_without_files() {
    let stage = Stage::new();
    repository(&stage);
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Go.");
    git(&stage, &["switch", "-q", "topic"]);
    sleep(Duration::from_millis(1_100));
    git(&stage, &["update-index", "--refresh"]);
    claude.prompt("Go on.");
    let log = log(&stage);
    assert_eq!(tools(&log), ["unattributed"]);
    assert_eq!((files(&log[0]), &log[0]["asInGit"]), (0, &json!(1)));
    assert_eq!(log[0]["head"]["from"]["branch"], "main");
    assert_eq!(log[0]["head"]["to"]["branch"], "topic");
}

#[test]
fn undo_to_a_prompt_names_the_command_that_takes_a_commit_back() {
    let stage = Stage::new();
    repository(&stage);
    let first = read_git(&stage, &["rev-parse", "HEAD"]);
    let before = tree(&stage.project());
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Change and commit.");
    claude.bash("toolu_1", "echo three > a.txt");
    claude.bash(
        "toolu_2",
        "git -c user.name=a -c user.email=a@b commit -qam third",
    );
    let undo = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    let back = format!("`git reset --soft {first}` moves it back");
    assert!((undo.out + &undo.err).contains(&back));
    assert_eq!(tree(&stage.project()), before);
}

#[test]
fn after_git_is_gone_an_undo_advises_no_reset() {
    let stage = Stage::new();
    repository(&stage);
    let before = tree(&stage.project());
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Go.");
    let commit = "git -c user.name=a -c user.email=a@b commit -qam";
    claude.bash("toolu_1", &format!("echo three > a.txt; {commit} third"));
    let advised = stage.run(&["undo", "--to-prompt", "--dry-run"]);
    assert!(
        (advised.out + &advised.err).contains("git reset --soft"),
        "while git has the commit"
    );
    claude.bash("toolu_2", "echo four > a.txt; rm -rf .git");
    let undo = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    let answer = undo.out + &undo.err;
    assert!(answer.contains("HEAD was moved, too"), "{answer}");
    assert!(!answer.contains("git reset"), "{answer}");
    assert_eq!(tree(&stage.project()), before);
}

#[test]
fn a_move_of_head_is_listed_in_its_project_alone() {
    let stage = Stage::new();
    repository(&stage);
    let run = stage.run(&["run", "git", "switch", "-q", "--detach", "main"]);
    assert_eq!(run.code, 0, "{run:?}");
    let listed = |folder: &std::path::Path, arguments: &[&str]| {
        let mut command = stage.command(crate::LANCET);
        command.current_dir(folder).args(arguments);
        finish(command, b"").out
    };
    let top = std::path::Path::new("/");
    assert!(listed(&stage.project(), &["log"]).contains("HEAD main"));
    assert!(listed(top, &["log", "--all"]).contains("HEAD main"));
    assert_eq!(listed(top, &["log"]), "");
}
