//! `lancet run` with real programs: their changes are one change, which is undone and redone byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::Value;

#[path = "../shell/stage.rs"]
#[allow(dead_code, reason = "the tests of the shell use all of it")]
mod stage;

mod coverage;
mod hooks;
mod parallel;

use crate::stage::{LANCET, Stage, finish};

/// Returns every file and link below a folder: its permission bits, and its bytes or its target.
fn tree(folder: &Path) -> BTreeMap<Vec<u8>, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).expect("listed").flatten() {
            let path = entry.path();
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                if entry.file_name() != ".git" {
                    waiting.push(path);
                }
                continue;
            }
            let content = match kind.is_symlink() {
                true => fs::read_link(&path)
                    .expect("a target")
                    .as_os_str()
                    .as_bytes()
                    .to_vec(),
                false => fs::read(&path).expect("read"),
            };
            let mode = path
                .symlink_metadata()
                .expect("a stat")
                .permissions()
                .mode();
            let name = path.strip_prefix(folder).expect("below").as_os_str();
            found.insert(name.as_bytes().to_vec(), (mode, content));
        }
    }
    found
}

/// Returns the operations of the project, newest first.
fn log(stage: &Stage) -> Vec<Value> {
    let run = stage.run(&["log", "--json"]);
    let lines = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let lines: Vec<Value> = lines.collect();
    lines
        .into_iter()
        .filter(|line: &Value| line.get("operation").is_some())
        .collect()
}

fn git(stage: &Stage, arguments: &[&str]) {
    let mut command = stage.command("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example"]);
    command.args(arguments);
    let run = finish(command, b"");
    assert_eq!(run.code, 0, "{run:?}");
}

/// Makes a project with text, a binary file, a program, a folder that will be removed, and an ignored file.
fn project(stage: &Stage) {
    for number in 0..10 {
        stage.file(
            &format!("src/part{number}.txt"),
            &format!("alpha {number}\nbeta\n"),
        );
    }
    stage.file("old/one.txt", "one\n");
    stage.file("old/deep/two.txt", "two\n");
    stage.file("tool.sh", "#!/bin/sh\necho tool\n");
    stage.file("from.txt", "a file that moves\n");
    stage.file(".gitignore", "*.log\nbuild/\n");
    stage.file("debug.log", "A=1\n");
    stage.file("build/out.txt", "built\n");
    fs::write(stage.project().join("data.bin"), [0, 159, 146, 150, 0, 255]).expect("written");
}

const SCRIPT: &str = "sed -i s/alpha/gamma/ src/part*.txt && rm -r old && mv from.txt to.txt && chmod +x tool.sh \
     && printf 'A=2\\n' > debug.log && printf '\\000\\001' > data.bin && mkdir -p gen/inner && seq 100 > gen/inner/numbers.txt";

#[test]
fn what_a_script_did_is_one_change_that_goes_back_and_forth() {
    for with_git in [false, true] {
        let stage = Stage::new();
        project(&stage);
        if with_git {
            // Files that are as recent as the index are not clean by their stat.
            sleep(Duration::from_millis(2_200));
            git(&stage, &["init", "-q"]);
            git(&stage, &["add", "-A"]);
            git(&stage, &["commit", "-qm", "first"]);
        }
        let before = tree(&stage.project());
        let run = stage.run(&["run", "--name", "the script", "--", "sh", "-c", SCRIPT]);
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
        let after = tree(&stage.project());
        assert_ne!(before, after);

        let log = log(&stage);
        assert_eq!(log.len(), 1, "{log:#?}");
        assert_eq!(log[0]["tool"], "run");
        assert_eq!(log[0]["exitCode"], 0);
        assert_eq!(log[0]["name"], "the script");
        assert!(
            log[0]["command"]
                .as_str()
                .is_some_and(|command| command.starts_with("sh -c 'sed -i"))
        );
        let files = log[0]["files"].as_array().expect("files");
        let count = |kind: &str| files.iter().filter(|file| file["type"] == kind).count();
        assert_eq!(
            (
                count("update"),
                count("delete"),
                count("move"),
                count("mode"),
                count("create")
            ),
            (12, 2, 1, 1, 1),
            "with git: {with_git}: {files:#?}"
        );

        let undo = stage.run(&["undo", "--yes"]);
        assert_eq!(undo.code, 0, "{undo:?}");
        assert_eq!(tree(&stage.project()), before, "with git: {with_git}");
        assert!(
            !stage.project().join("gen").exists(),
            "the folders that the script made go, too"
        );
        let redo = stage.run(&["redo", "--yes"]);
        assert_eq!(redo.code, 0, "{redo:?}");
        assert_eq!(tree(&stage.project()), after, "with git: {with_git}");
    }
}

#[test]
fn the_command_has_the_exit_code_and_the_streams() {
    let stage = Stage::new();
    stage.file("a.txt", "a\n");
    let run = |words: &[&str]| {
        let run = stage.run(&[&["run", "--"], words].concat());
        (run.code, run.out)
    };
    assert_eq!(
        run(&["sh", "-c", "echo out; exit 7"]),
        (7, "out\n".to_owned())
    );
    assert_eq!(run(&["sh", "-c", "kill -9 $$"]).0, 137);
    assert_eq!(run(&["no-such-program-anywhere"]).0, 127);
    assert_eq!(run(&["./a.txt"]).0, 126);
    let mut command = stage.command(LANCET);
    command.args(["run", "cat"]);
    assert_eq!(finish(command, b"through").out, "through");
    assert!(
        log(&stage).is_empty(),
        "nothing changed, so nothing is recorded"
    );
}

#[test]
fn a_change_of_lancets_own_in_between_stays_its_own() {
    let stage = Stage::new();
    stage.file("own.txt", "one\n");
    stage.file("theirs.txt", "one\n");
    let script = format!(
        "{} write own.txt --content 'two\n' --yes >/dev/null && echo two > theirs.txt",
        LANCET
    );
    let run = stage.run(&["run", "sh", "-c", &script]);
    assert_eq!(run.code, 0, "{run:?}");
    let log = log(&stage);
    let changed = |at: usize| {
        let files = log[at]["files"].as_array().expect("files").iter();
        let paths = files.map(|file| file["file_path"].as_str().expect("a path").to_owned());
        paths.collect::<Vec<_>>()
    };
    let path = |name: &str| stage.project().join(name).display().to_string();
    assert_eq!(log.len(), 2, "{log:#?}");
    assert_eq!(
        (log[0]["tool"].as_str(), changed(0)),
        (Some("run"), vec![path("theirs.txt")])
    );
    assert_eq!(
        (log[1]["tool"].as_str(), changed(1)),
        (Some("Write"), vec![path("own.txt")])
    );
}

#[test]
fn what_a_killed_run_changed_is_recorded_at_the_next_look_and_not_undone_unasked() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let mut command = stage.command(LANCET);
    let mark = stage.project().join("changed");
    command.args([
        "run",
        "sh",
        "-c",
        "echo $$ > $HOME/pid; echo two > a.txt; touch changed; exec sleep 600",
    ]);
    let mut child = command.spawn().expect("started");
    while !mark.exists() {
        sleep(Duration::from_millis(10));
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    let pid = fs::read_to_string(stage.home().join("pid")).expect("its id");
    let mut ends = stage.command("kill");
    ends.arg(pid.trim());
    assert_eq!(
        finish(ends, b"").code,
        0,
        "the command goes on without lancet"
    );

    let run = stage.run(&["run", "true"]);
    assert_eq!(run.code, 0, "{run:?}");
    let log = log(&stage);
    assert_eq!(log.len(), 1, "{log:#?}");
    assert_eq!(log[0]["tool"], "unattributed");
    let plain = stage.run(&["undo", "--yes"]);
    assert_ne!(plain.code, 0, "{plain:?}");
    assert_eq!(stage.text("a.txt"), "two\n");
    let id = log[0]["operation"].as_str().expect("an id");
    let by_id = stage.run(&["undo", id, "--yes"]);
    assert_eq!(by_id.code, 0, "{by_id:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
    assert!(!mark.exists());
}

#[test]
fn a_file_comes_back_from_a_checkpoint_and_so_does_everything_since() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    let set = stage.run(&["checkpoint", "before-all"]);
    assert_eq!(set.code, 0, "{set:?}");
    let listed = stage.run(&["log", "--checkpoints"]);
    assert!(listed.out.contains("before-all"), "{listed:?}");
    for number in 2..4 {
        let script = format!("echo {number} > a.txt; echo {number} > b.txt");
        assert_eq!(stage.run(&["run", "sh", "-c", &script]).code, 0);
    }
    fs::write(stage.project().join("a.txt"), "by hand\n").expect("written");
    let restored = stage.run(&["restore", "a.txt@before-all", "--yes"]);
    assert_eq!(restored.code, 0, "{restored:?}");
    assert_eq!(
        (stage.text("a.txt"), stage.text("b.txt")),
        ("one\n".to_owned(), "3\n".to_owned())
    );
    let undone = stage.run(&[
        "undo",
        "--to-checkpoint",
        "before-all",
        "--yes",
        "--keep-going",
    ]);
    assert_eq!(stage.text("b.txt"), "one\n", "{undone:?}");
}

#[test]
fn settings_change_what_a_checkpoint_covers_and_stores() {
    let stage = Stage::new();
    stage.file(".gitignore", "build/\n");
    stage.file("build/keep.txt", "one\n");
    stage.file("build/other.txt", "one\n");
    stage.file("gen/a.txt", "one\n");
    stage.file("large.txt", &"one\n".repeat(300));
    stage.user_settings(
        "[checkpoint]\ninclude = [\"build/keep.txt\"]\nexclude = [\"gen\"]\nmax_file = 1000\n",
    );
    let script =
        "for file in build/keep.txt build/other.txt gen/a.txt large.txt; do echo two > $file; done";
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    let log = log(&stage);
    let files = log[0]["files"].as_array().expect("files");
    assert_eq!(files.len(), 1, "{log:#?}");
    let path = files[0]["file_path"].as_str().expect("a path");
    assert!(path.ends_with("/build/keep.txt"), "{path}");
    let not_kept = log[0]["notKept"].as_array().expect("a list");
    assert_eq!(not_kept.len(), 1, "{log:#?}");
    assert!(
        not_kept[0]
            .as_str()
            .is_some_and(|path| path.ends_with("/large.txt"))
    );
    let undone = stage.run(&["undo", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(stage.text("build/keep.txt"), "one\n");
    for other in ["build/other.txt", "gen/a.txt", "large.txt"] {
        assert_eq!(stage.text(other), "two\n", "{other}");
    }
}

#[test]
fn links_are_named_as_what_cannot_come_back() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    symlink("a.txt", stage.project().join("link")).expect("made");
    let run = stage.run(&["run", "sh", "-c", "echo two > a.txt; rm link"]);
    assert_eq!(run.code, 0, "{run:?}");
    let log = log(&stage);
    let not_kept = log[0]["notKept"].as_array().expect("a list");
    assert_eq!(not_kept.len(), 1, "{log:#?}");
    assert!(
        not_kept[0]
            .as_str()
            .is_some_and(|path| path.ends_with("/link"))
    );
    let undone = stage.run(&["undo", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    let is_named = undone
        .out
        .contains("Not recorded, so left as they are: link.");
    assert!(is_named, "{undone:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
}

/// Returns a random command on the files `f0` to `f5`, some of them in folders.
fn command() -> impl Strategy<Value = String> {
    let name = || {
        (0..6_u8, 0..3_u8).prop_map(|(file, folder)| match folder {
            0 => format!("f{file}"),
            folder => format!("d{folder}/f{file}"),
        })
    };
    prop_oneof![
        (name(), 0..4_u8).prop_map(|(file, text)| format!("printf 't{text}\\n' > {file}")),
        name().prop_map(|file| format!("printf 'more\\000' >> {file}")),
        name().prop_map(|file| format!("rm -f {file}")),
        (name(), name()).prop_map(|(from, to)| format!("mv {from} {to}")),
        (name(), name()).prop_map(|(from, to)| format!("cp {from} {to}")),
        (name(), 0..2_u8).prop_map(|(file, bit)| match bit {
            0 => format!("chmod +x {file}"),
            _ => format!("chmod -x {file}"),
        }),
        Just("rm -rf d1".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn random_commands_go_back_and_forth(
        begin in proptest::collection::vec(command(), 0..8),
        scripts in proptest::collection::vec(proptest::collection::vec(command(), 1..6), 1..4),
    ) {
        let stage = Stage::new();
        stage.file("keep.txt", "kept\n");
        let script = |commands: &[String]| {
            format!("mkdir -p d1 d2; {{ {}; }} 2>/dev/null; true", commands.join("; "))
        };
        let mut plain = stage.command("sh");
        plain.args(["-c", &script(&begin)]);
        if !begin.is_empty() {
            finish(plain, b"");
        }
        let mut trees = vec![tree(&stage.project())];
        let mut recorded = 0;
        for commands in &scripts {
            let run = stage.run(&["run", "sh", "-c", &script(commands)]);
            prop_assert_eq!(run.code, 0, "{:?}", run);
            let now = tree(&stage.project());
            if trees.last() != Some(&now) {
                trees.push(now);
                recorded += 1;
            }
        }
        prop_assert_eq!(log(&stage).len(), recorded);
        for expected in trees.iter().rev().skip(1) {
            let undo = stage.run(&["undo", "--yes"]);
            prop_assert_eq!(undo.code, 0, "{:?}", undo);
            prop_assert_eq!(&tree(&stage.project()), expected, "{:?}", scripts);
        }
        for expected in trees.iter().skip(1) {
            let redo = stage.run(&["redo", "--yes"]);
            prop_assert_eq!(redo.code, 0, "{:?}", redo);
            prop_assert_eq!(&tree(&stage.project()), expected, "{:?}", scripts);
        }
    }
}
