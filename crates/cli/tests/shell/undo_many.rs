//! An undo of more changes than one step holds: it can be interrupted, the same command continues it, and nothing is
//! left.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::agent::Agent;
use crate::stage::{LANCET, Stage};

/// Returns a number of changes: more than two steps of 500. `LANCET_TORTURE` selects the number of a long history.
fn changes() -> usize {
    match std::env::var_os("LANCET_TORTURE") {
        Some(_) => 25_000,
        None => 1_100,
    }
}

/// Returns how many files there are in a folder and below it.
fn count_files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let counts = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => count_files(&entry.path()),
        _ => 1,
    });
    counts.sum()
}

/// Starts the program as a terminal does: a signal reaches it, and not a program around it.
fn start(stage: &Stage, arguments: &[&str]) -> Child {
    let mut command = Command::new(LANCET);
    stage.set_surroundings(&mut command);
    command.args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// Waits until some of the changes are undone.
fn wait_for_a_step(child: &mut Child, project: &Path, all: usize) {
    while count_files(project) == all {
        assert!(
            child.try_wait().expect("a child").is_none(),
            "it ended early"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn an_undo_of_many_changes_can_be_interrupted_and_leaves_nothing() {
    let stage = Stage::new();
    let all = changes();
    let mut agent = Agent::named(&stage, "busy");
    for number in 0..all {
        let name = format!("a{}/b{}/{number}.txt", number % 9, number % 40);
        let write =
            json!({ "file_path": stage.project().join(name), "content": format!("{number}\n") });
        let (error, text) = agent.call("Write", write);
        assert_eq!(error, "", "{text}");
    }
    drop(agent);
    assert_eq!(count_files(&stage.project()), all);
    // All changes are less than an hour old.
    let before = stage.run(&["undo", "--client", "busy", "--until", "1h", "--yes"]);
    assert_eq!(before.code, 1, "{before:?}");
    assert_eq!(count_files(&stage.project()), all);
    // A command that fails brings all of them back.
    let proved = ["undo", "--client", "busy", "--yes", "--exec", "test -e a1"];
    let proved = stage.run(&proved);
    assert_eq!(proved.code, 1, "{proved:?}");
    assert_eq!(count_files(&stage.project()), all);

    let undo = ["undo", "--client", "busy", "--yes"];
    let mut child = start(&stage, &undo);
    wait_for_a_step(&mut child, &stage.project(), all);
    let process = Pid::from_child(&child);
    // A fast machine may be done by now.
    let _ = kill_process(process, Signal::INT);
    let interrupted = child.wait_with_output().expect("it ends");
    let left = count_files(&stage.project());
    assert!(
        left > 0 || interrupted.status.success(),
        "{left} left, {interrupted:?}"
    );

    if left > 0 {
        assert!(!interrupted.status.success(), "{interrupted:?}");
        let rest = stage.run(&undo);
        assert_eq!(rest.code, 0, "{rest:?}");
    }
    let entries = fs::read_dir(stage.project()).expect("a folder");
    assert_eq!(entries.count(), 0, "files or empty folders are left");
    let verified = stage.run(&["verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}
