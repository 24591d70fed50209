//! `lancet watch --record`: what any program changes while it runs, and the one recorder of a project.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::hooks::{Claude, tools};
use crate::stage::{LANCET, Run, Stage, finish};
use crate::{git, log, project, tree};

/// A running `lancet watch --record`, which is killed if a test fails.
pub(crate) struct Recording(pub(crate) Child);

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Recording {
    /// Starts it, and waits until it records.
    pub(crate) fn start(stage: &Stage, more: &[&str]) -> Recording {
        let mut command = stage.command(LANCET);
        command.args(["watch", "--record"]).args(more);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let line = lines.next().expect("a line").expect("text");
        assert_eq!(line, "lancet: recording changes");
        let recording = Recording(child);
        // Its first checkpoint is set.
        until(|| checkpoints(stage) > 0);
        recording
    }

    /// Ends it like Ctrl-C; what has changed is recorded.
    pub(crate) fn end(mut self, stage: &Stage) {
        let mut kill = stage.command("kill");
        kill.args(["-INT", &self.0.id().to_string()]);
        assert_eq!(finish(kill, b"").code, 0);
        let ended = self.0.wait().expect("it ends");
        assert_eq!(ended.code(), Some(0));
    }
}

/// Waits until something is so.
pub(crate) fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        sleep(Duration::from_millis(50));
    }
}

fn checkpoints(stage: &Stage) -> usize {
    let listed = stage.run(&["log", "--checkpoints", "--json"]);
    listed.out.lines().count().saturating_sub(1)
}

fn shell(stage: &Stage, script: &str) -> Run {
    let mut command = stage.command("sh");
    command.args(["-c", script]);
    let run = finish(command, b"");
    assert_eq!(run.code, 0, "{run:?}");
    run
}

/// Returns the names of the files of an operation, relative to the project, sorted.
pub(crate) fn names(stage: &Stage, operation: &Value) -> Vec<String> {
    let files = operation["files"].as_array().expect("files").iter();
    let top = format!("{}/", stage.project().display());
    let mut names: Vec<String> = files
        .map(|file| {
            file["file_path"]
                .as_str()
                .expect("a path")
                .replace(&top, "")
        })
        .collect();
    names.sort();
    names
}

#[test]
fn what_changes_is_recorded_and_goes_back_where_it_is_named() {
    let stage = Stage::new();
    project(&stage);
    let before = tree(&stage.project());
    let recording = Recording::start(&stage, &[]);
    shell(&stage, "sed -i s/alpha/gamma/ src/part1.txt; rm -r old");
    until(|| log(&stage).len() == 1);
    shell(
        &stage,
        "mv from.txt to.txt; mkdir -p new/deep; echo x > new/deep/a.txt; chmod +x tool.sh",
    );
    until(|| log(&stage).len() == 2);
    let after = tree(&stage.project());

    let recorded = log(&stage);
    for operation in &recorded {
        assert_eq!(
            (&operation["tool"], &operation["client"]),
            (&json!("watch"), &json!("watched"))
        );
    }
    assert_eq!(
        names(&stage, &recorded[1]),
        ["old/deep/two.txt", "old/one.txt", "src/part1.txt"]
    );
    assert_eq!(
        names(&stage, &recorded[0]),
        ["new/deep/a.txt", "to.txt", "tool.sh"]
    );

    // Unless they are named, undo skips them.
    for skipping in [
        &["undo", "--yes"][..],
        &["undo", "-n", "2", "--yes"],
        &["undo", "--since", "1h", "--yes"],
    ] {
        let run = stage.run(skipping);
        assert_ne!(run.code, 0, "{skipping:?}: {run:?}");
        assert_eq!(tree(&stage.project()), after);
    }
    let undo = stage.run(&["undo", "-n", "2", "--include-unattributed", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
    let redo = stage.run(&["redo", "--yes"]);
    assert_eq!(redo.code, 0, "{redo:?}");
    let undo = stage.run(&["undo", "--client", "watched", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);

    // lancet's own changes are not recorded again.
    let number = log(&stage).len();
    shell(&stage, "echo last > last.txt");
    recording.end(&stage);
    let recorded = log(&stage);
    assert_eq!(recorded.len(), number + 1, "{recorded:#?}");
    assert_eq!(names(&stage, &recorded[0]), ["last.txt"]);
}

#[test]
fn changes_of_a_named_client_are_undone_like_any_other() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let recording = Recording::start(&stage, &["--client", "aider", "--every", "1"]);
    stage.file("a.txt", "two\n");
    until(|| log(&stage).len() == 1);
    assert_eq!(log(&stage)[0]["client"], "aider");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
    recording.end(&stage);
    let refused = stage.run(&["watch", "--record", "--client", "shell"]);
    assert_eq!(refused.code, 2, "{refused:?}");
}

#[test]
fn a_second_recorder_names_the_first_and_ends() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let recording = Recording::start(&stage, &[]);
    let second = stage.run(&["watch", "--record"]);
    assert_eq!(second.code, 1, "{second:?}");
    let process = format!(
        "process {} records the changes of this project",
        recording.0.id()
    );
    assert!(second.err.contains(&process), "{second:?}");
    recording.end(&stage);
    Recording::start(&stage, &[]).end(&stage);
}

#[test]
fn a_recorded_call_has_what_it_changed_and_the_recorder_the_rest() {
    let stage = Stage::new();
    for name in ["a.txt", "b.txt", "c.txt"] {
        stage.file(name, "one\n");
    }
    let recording = Recording::start(&stage, &[]);
    // Just before the command, so that only the recorder can have it.
    stage.file("a.txt", "before\n");
    let run = stage.run(&["run", "sh", "-c", "echo during > b.txt; sleep 3"]);
    assert_eq!(run.code, 0, "{run:?}");
    stage.file("c.txt", "after\n");
    // The recorder may have the first file before the last one is written, or both in one change.
    let watched = |recorded: &[Value]| -> Vec<String> {
        let watched = recorded.iter().filter(|change| change["tool"] == "watch");
        let mut found: Vec<String> = watched.flat_map(|change| names(&stage, change)).collect();
        found.sort();
        found
    };
    until(|| watched(&log(&stage)).len() == 2);
    recording.end(&stage);
    let recorded = log(&stage);
    assert_eq!(watched(&recorded), ["a.txt", "c.txt"], "{recorded:#?}");
    let run: Vec<&Value> = recorded
        .iter()
        .filter(|change| change["tool"] != "watch")
        .collect();
    assert_eq!(run.len(), 1, "{recorded:#?}");
    assert_eq!(names(&stage, run[0]), ["b.txt"]);
}

#[test]
fn a_persons_checkout_is_counted_and_not_listed() {
    let stage = Stage::new();
    project(&stage);
    git(&stage, &["init", "-q"]);
    git(&stage, &["add", "-A"]);
    git(&stage, &["commit", "-qm", "first"]);
    shell(&stage, "sed -i s/alpha/gamma/ src/part*.txt");
    git(&stage, &["commit", "-qam", "second"]);
    let recording = Recording::start(&stage, &[]);
    git(&stage, &["checkout", "-q", "HEAD~1"]);
    stage.file("own.txt", "not in git\n");
    until(|| log(&stage).len() == 1);
    recording.end(&stage);
    let recorded = log(&stage);
    assert_eq!(names(&stage, &recorded[0]), ["own.txt"]);
    assert_eq!(recorded[0]["asInGit"], 10);
}

/// Makes a project that is large enough for the hooks to start a recorder.
pub(crate) fn large_project(stage: &Stage) {
    project(stage);
    shell(
        stage,
        "for folder in $(seq 0 29); do mkdir -p many/$folder; for file in $(seq 0 69); do echo $file > many/$folder/$file.txt; done; done",
    );
}

/// Returns the process of the recorder; none if there is none.
pub(crate) fn recorder(stage: &Stage) -> Option<u32> {
    let folder = stage.home().join(".local/state/lancet/recorders");
    let entries = fs::read_dir(folder).ok()?;
    let locks = entries
        .flatten()
        .filter(|entry| !entry.path().to_string_lossy().ends_with(".socket"));
    let text = locks
        .map(|entry| fs::read_to_string(entry.path()).expect("read"))
        .next()?;
    let process = text.split_whitespace().next()?.parse().ok()?;
    fs::exists(format!("/proc/{process}"))
        .expect("known")
        .then_some(process)
}

#[test]
fn hooks_start_a_recorder_that_tells_them_what_changed() {
    let stage = Stage::new();
    large_project(&stage);
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Change everything.");
    until(|| recorder(&stage).is_some());
    let process = recorder(&stage).expect("a recorder");
    // It is detached: no stream, no folder, a session of its own.
    let link = |name: &str| fs::read_link(format!("/proc/{process}/{name}")).expect("a link");
    until(|| link("cwd").as_os_str() == "/");
    for stream in ["fd/0", "fd/1", "fd/2"] {
        assert_eq!(link(stream).as_os_str(), "/dev/null");
    }
    let before = tree(&stage.project());
    // Some calls are looked at before the recorder answers, and others with its help.
    for number in 0..6 {
        let script = format!(
            "sed -i s/alpha/gamma{number}/ src/part{number}.txt; rm -r many/{number}; mkdir -p many/new{number}/in; echo x > many/new{number}/in/a.txt; \
             mv many/1{number}/5.txt moved{number}.txt; mkdir empty{number}"
        );
        claude.bash(&format!("toolu_{number}"), &script);
    }
    let after = tree(&stage.project());
    let recorded = log(&stage);
    assert_eq!(tools(&recorded), ["Bash"; 6], "{recorded:#?}");
    for operation in &recorded {
        assert_eq!(names(&stage, operation).len(), 1 + 70 + 1 + 1 + 1);
    }
    assert_eq!(recorder(&stage), Some(process), "one for all hooks");
    let undo = stage.run(&["undo", "--to-prompt", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
    let redo = stage.run(&["redo", "--yes"]);
    assert_eq!(redo.code, 0, "{redo:?}");
    assert_eq!(tree(&stage.project()), after);

    // A person's recorder takes its place, and serves the hooks.
    let recording = Recording::start(&stage, &[]);
    until(|| recorder(&stage) == Some(recording.0.id()));
    claude.bash("toolu_7", "echo seven > seven.txt");
    assert_eq!(names(&stage, &log(&stage)[0]), ["seven.txt"]);
    assert_eq!(recorder(&stage), Some(recording.0.id()));
    recording.end(&stage);
}

#[test]
fn a_recorder_of_hooks_ends_with_the_project() {
    let stage = Stage::new();
    large_project(&stage);
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Go.");
    until(|| recorder(&stage).is_some());
    fs::remove_dir_all(stage.project()).expect("removed");
    until(|| recorder(&stage).is_none());
}
