//! `lancet run` with real programs: their changes are one change, which is undone and redone byte for byte.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::Value;

#[path = "../shell/stage.rs"]
#[allow(dead_code, reason = "the tests of the shell use all of it")]
mod stage;

mod changed_events;
mod coverage;
mod failures;
mod folders;
mod git_objects;
mod heads;
mod hooks;
mod links_and_permissions;
mod obstacles;
mod odd;
mod parallel;
mod removed_root;
mod secrets;
mod server;
mod watch;

use crate::stage::{LANCET, Stage, finish};

/// Returns every file, link and empty folder below a folder: its permission bits, and its bytes or its target.
fn tree(folder: &Path) -> BTreeMap<Vec<u8>, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        let entries: Vec<_> = fs::read_dir(&next).expect("listed").flatten().collect();
        let name = next.strip_prefix(folder).expect("below").as_os_str();
        if entries.is_empty() && !name.is_empty() {
            let mode = next.metadata().expect("a stat").permissions().mode();
            found.insert(name.as_bytes().to_vec(), (mode, Vec::new()));
        }
        for entry in entries {
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

/// Makes links and a script that makes, changes, removes, moves and replaces links.
fn linked_project(stage: &Stage) -> &'static str {
    stage.file("a.txt", "one\n");
    stage.file("plain.txt", "plain\n");
    stage.file("moved.txt", "moved\n");
    let link = |target: &str, name: &str| {
        symlink(target, stage.project().join(name)).expect("made");
    };
    link("a.txt", "gone");
    link("a.txt", "changed");
    link("/nowhere/outside", "filled");
    link("../outside.txt", "travels");
    link(".", "round");
    "echo two > a.txt; rm gone; ln -sfn plain.txt changed; rm filled; echo filled > filled; chmod 640 filled; \
     rm plain.txt; ln -s a.txt plain.txt; mkdir -p new/deep; mv travels new/deep/there; ln -s ../a.txt new/made; \
     mv moved.txt moved-away.txt; ln -s moved-away.txt moved.txt; ln -sfn new round"
}

#[test]
fn symbolic_links_go_back_and_forth_and_none_is_followed() {
    let stage = Stage::new();
    let script = linked_project(&stage);
    let outside = stage.project().parent().expect("above").join("outside.txt");
    fs::write(&outside, "outside\n").expect("written");
    let before = tree(&stage.project());
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    let after = tree(&stage.project());
    let recorded = log(&stage);
    assert_eq!(recorded.len(), 1, "{recorded:#?}");
    assert_eq!(recorded[0]["notKept"], serde_json::json!([]));
    let files = recorded[0]["files"].as_array().expect("files");
    let file = |name: &str| {
        let path = stage.project().join(name).display().to_string();
        let found = files.iter().find(|file| file["file_path"] == path.as_str());
        found.unwrap_or_else(|| panic!("{name}: {files:#?}"))
    };
    assert_eq!(file("gone")["type"], "delete");
    assert_eq!(file("gone")["before"]["link"], "a.txt");
    assert_eq!(file("changed")["after"]["link"], "plain.txt");
    assert_eq!(file("filled")["before"]["link"], "/nowhere/outside");
    assert_eq!(file("filled")["after"]["mode"], "640");
    assert_eq!(file("new/made")["type"], "create");

    for _ in 0..2 {
        let undo = stage.run(&["undo", "--yes"]);
        assert_eq!(undo.code, 0, "{undo:?}");
        assert_eq!(tree(&stage.project()), before);
        assert!(!stage.project().join("new").exists());
        let redo = stage.run(&["redo", "--yes"]);
        assert_eq!(redo.code, 0, "{redo:?}");
        assert_eq!(tree(&stage.project()), after);
    }
    assert_eq!(fs::read_to_string(outside).expect("read"), "outside\n");
}

#[test]
fn a_link_is_shown_with_its_target_and_restored_by_its_own_name() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "two\n");
    symlink("a.txt", stage.project().join("link")).expect("made");
    assert_eq!(stage.run(&["checkpoint", "at-first"]).code, 0);
    let run = stage.run(&["run", "ln", "-sfn", "b.txt", "link"]);
    assert_eq!(run.code, 0, "{run:?}");
    let shown = stage.run(&["show"]);
    for line in ["-a.txt", "+b.txt"] {
        assert!(shown.out.contains(line), "{shown:?}");
    }
    let log = stage.run(&["log", "link", "--json"]);
    assert!(log.out.contains(r#""link":"b.txt""#), "{log:?}");
    let target = || fs::read_link(stage.project().join("link")).expect("a link");
    let restored = stage.run(&["restore", "link@at-first", "--yes"]);
    assert_eq!(restored.code, 0, "{restored:?}");
    assert_eq!(target(), Path::new("a.txt"));
    assert!(
        restored.err.contains("it is a symbolic link to a.txt"),
        "{restored:?}"
    );
    let undone = stage.run(&["undo", "--file", "link", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(target(), Path::new("b.txt"), "the restore is undone");
    assert_eq!(
        (stage.text("a.txt"), stage.text("b.txt")),
        ("one\n".to_owned(), "two\n".to_owned())
    );
}

#[test]
fn a_link_that_was_changed_since_is_not_replaced() {
    let stage = Stage::new();
    let link = stage.project().join("link");
    symlink("a.txt", &link).expect("made");
    assert_eq!(stage.run(&["run", "ln", "-sfn", "b.txt", "link"]).code, 0);
    fs::remove_file(&link).expect("removed");
    symlink("theirs", &link).expect("made");
    let undone = stage.run(&["undo", "--yes"]);
    assert_ne!(undone.code, 0, "{undone:?}");
    assert_eq!(fs::read_link(&link).expect("a link"), Path::new("theirs"));
    fs::remove_file(&link).expect("removed");
    fs::write(&link, "a file by now\n").expect("written");
    let undone = stage.run(&["undo", "--yes"]);
    assert_ne!(undone.code, 0, "{undone:?}");
    assert_eq!(stage.text("link"), "a file by now\n");
}

#[test]
fn empty_folders_go_back_and_forth() {
    let stage = Stage::new();
    stage.file("full/a.txt", "one\n");
    stage.file("emptied/a.txt", "one\n");
    let folder = |name: &str, mode: u32| {
        let path = stage.project().join(name);
        fs::create_dir_all(&path).expect("made");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
    };
    folder("gone", 0o750);
    folder("filled", 0o755);
    folder("full/gone", 0o700);
    let before = tree(&stage.project());
    let script = "rmdir gone; rm -r full; rm emptied/a.txt; mkdir -p made/deep; mkdir -m 711 single; echo a > filled/a";
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    let after = tree(&stage.project());
    let recorded = log(&stage);
    assert_eq!(recorded[0]["notKept"], serde_json::json!([]));
    let files = recorded[0]["files"].as_array().expect("files");
    let folders = files.iter().filter(|file| {
        let state = if file["before"].is_null() {
            "after"
        } else {
            "before"
        };
        file[state]["kind"] == "folder"
    });
    assert_eq!(folders.count(), 4, "{files:#?}");
    for _ in 0..2 {
        let undo = stage.run(&["undo", "--yes"]);
        assert_eq!(undo.code, 0, "{undo:?}");
        assert_eq!(tree(&stage.project()), before);
        let redo = stage.run(&["redo", "--yes"]);
        assert_eq!(redo.code, 0, "{redo:?}");
        assert_eq!(tree(&stage.project()), after);
    }
    let verified = stage.run(&["verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

#[test]
fn a_folder_that_a_command_made_stays_if_it_is_used_by_now() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let script = "mkdir used unused; echo two > a.txt";
    assert_eq!(stage.run(&["run", "sh", "-c", script]).code, 0);
    stage.file("used/theirs.txt", "theirs\n");
    let undone = stage.run(&["undo", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
    assert_eq!(stage.text("used/theirs.txt"), "theirs\n");
    assert!(!stage.project().join("unused").exists());
}

#[test]
fn names_that_are_not_utf8_go_back_and_forth() {
    let stage = Stage::new();
    let odd = |name: &[u8]| stage.project().join(OsStr::from_bytes(name));
    fs::write(odd(b"caf\xe9.txt"), "one\n").expect("written");
    fs::write(odd(b"gone\xff"), "gone\n").expect("written");
    symlink(OsStr::from_bytes(b"caf\xe9.txt"), odd(b"link\xe9")).expect("made");
    fs::create_dir(odd(b"empty\xe9")).expect("made");
    fs::create_dir(odd(b"d\xe9")).expect("made");
    fs::write(odd(b"d\xe9/plain.txt"), "one\n").expect("written");
    assert_eq!(stage.run(&["checkpoint", "at-first"]).code, 0);
    let before = tree(&stage.project());
    let script = "for file in caf*.txt d?*/plain.txt; do echo two > \"$file\"; done; rm gone* link*; rmdir empty*; \
                  mkdir \"$(printf 'new\\351')\"; mv d* moved; ln -s a \"$(printf 'l\\377')\"";
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    let after = tree(&stage.project());
    let recorded = log(&stage);
    assert_eq!(recorded[0]["notKept"], serde_json::json!([]));
    let files = recorded[0]["files"].as_array().expect("files");
    let shown = stage.project().join(r"caf\xe9.txt").display().to_string();
    let changed = files
        .iter()
        .find(|file| file["file_path"] == shown.as_str());
    let bytes = changed.expect("the changed file")["pathBytes"].as_str();
    let expected = STANDARD.encode(odd(b"caf\xe9.txt").as_os_str().as_bytes());
    assert_eq!(bytes, Some(expected.as_str()));
    for _ in 0..2 {
        let undo = stage.run(&["undo", "--yes"]);
        assert_eq!(undo.code, 0, "{undo:?}");
        assert_eq!(tree(&stage.project()), before);
        let redo = stage.run(&["redo", "--yes"]);
        assert_eq!(redo.code, 0, "{redo:?}");
        assert_eq!(tree(&stage.project()), after);
    }
    let text = |name: &[u8]| fs::read_to_string(odd(name)).expect("read");
    let escaped = stage.run(&["restore", r"caf\xe9.txt@at-first", "--yes"]);
    assert_eq!(escaped.code, 0, "{escaped:?}");
    assert_eq!(text(b"caf\xe9.txt"), "one\n");
    let mut raw = stage.command(LANCET);
    raw.arg("restore")
        .arg(OsStr::from_bytes(b"gone\xff@at-first"));
    raw.arg("--yes");
    let raw = finish(raw, b"");
    assert_eq!(raw.code, 0, "{raw:?}");
    assert_eq!(text(b"gone\xff"), "gone\n");
}

#[test]
fn a_removed_secret_file_is_restored_and_never_shown() {
    let stage = Stage::new().with_token();
    stage.file(".env", "TOKEN=correct-horse\n");
    stage.file(".gitignore", ".env\n");
    let run = stage.run(&["run", "--", "sh", "-c", "rm .env && echo x > other.txt"]);
    assert_eq!(run.code, 0, "{run:?}");
    let log = log(&stage);
    let files = log[0]["files"].as_array().expect("files");
    let secret = files
        .iter()
        .find(|file| {
            file["file_path"]
                .as_str()
                .is_some_and(|path| path.ends_with(".env"))
        })
        .expect("the secret file");
    assert_eq!(secret["type"], "delete");
    assert_eq!(secret["before"]["revision"], Value::Null);
    for arguments in [&["show"][..], &["show", "--json"], &["log", "--json"]] {
        let shown = stage.run(arguments);
        assert!(!shown.out.contains("correct-horse"), "{shown:?}");
    }
    let undone = stage.run(&["undo", "--yes-protected"]);
    assert!(!(undone.out + &undone.err).contains("correct-horse"));
    assert_eq!(stage.text(".env"), "TOKEN=correct-horse\n");
    assert!(!stage.project().join("other.txt").exists());
}

#[test]
fn of_a_link_that_may_not_be_read_only_name_and_kind_are_shown() {
    let stage = Stage::new();
    symlink("the-secret-target", stage.project().join("link")).expect("made");
    assert_eq!(stage.run(&["run", "rm", "link"]).code, 0);
    stage.user_settings("[permissions]\ndeny = [\"Read(link)\"]\n");
    for words in [&["log", "--json"][..], &["show", "--json"], &["show"]] {
        let run = stage.run(words);
        assert!(!run.out.contains("the-secret-target"), "{run:?}");
        assert!(run.out.contains("link"), "{run:?}");
    }
}

/// Returns a random command on the files `f0` to `f5` and one whose name is not UTF-8, some of them in folders.
fn command() -> impl Strategy<Value = String> {
    // The name `$o` is not UTF-8.
    let name = || {
        (0..7_u8, 0..3_u8).prop_map(|(file, folder)| {
            let file = match file {
                0..6 => format!("f{file}"),
                _ => "$o".to_owned(),
            };
            match folder {
                0 => file,
                folder => format!("d{folder}/{file}"),
            }
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
        (name(), name()).prop_map(|(target, link)| format!("ln -sfn {target} {link}")),
        (name(), name()).prop_map(|(file, name)| format!("ln -f {file} {name}")),
        Just("echo more >> nested/f".to_owned()),
        name().prop_map(|file| format!("mv {file} nested/f")),
        name().prop_map(|file| format!("mv nested/f {file}")),
        name().prop_map(|link| format!("ln -sfn /nowhere/outside {link}")),
        Just("rm -rf d1".to_owned()),
        Just("mkdir -p d2/e d3/e".to_owned()),
        Just("rmdir d1 d2/e d2 d3/e d3".to_owned()),
        Just("rm -rf d2 d3".to_owned()),
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
        stage.file("nested/.git/HEAD", "ref: refs/heads/main\n");
        stage.file("nested/f", "in a repository of its own\n");
        let script = |commands: &[String]| {
            format!("o=$(printf 'o\\351'); mkdir -p d1 d2; {{ {}; }} 2>/dev/null; true", commands.join("; "))
        };
        let mut plain = stage.command("sh");
        plain.args(["-c", &script(&begin)]);
        if !begin.is_empty() {
            finish(plain, b"");
        }
        // A person writes meanwhile.
        let person = stage.project().join("person.txt");
        let mut written = String::new();
        let mut write = || {
            written.push_str("theirs\n");
            fs::write(&person, &written).expect("written");
            written.clone()
        };
        let tree_of_commands = || {
            let mut found = tree(&stage.project());
            let theirs = found.remove(b"person.txt".as_slice());
            (found, theirs.map(|(_, bytes)| bytes))
        };
        write();
        let mut trees = vec![tree_of_commands().0];
        let mut recorded = 0;
        for commands in &scripts {
            let run = stage.run(&["run", "sh", "-c", &script(commands)]);
            prop_assert_eq!(run.code, 0, "{:?}", run);
            let now = tree_of_commands().0;
            if trees.last() != Some(&now) {
                trees.push(now);
                recorded += 1;
            }
        }
        prop_assert_eq!(log(&stage).len(), recorded);
        for expected in trees.iter().rev().skip(1) {
            let theirs = write();
            let undo = stage.run(&["undo", "--yes"]);
            prop_assert_eq!(undo.code, 0, "{:?} {:?}", scripts, undo);
            let (now, person) = tree_of_commands();
            prop_assert_eq!(&now, expected, "{:?}", scripts);
            prop_assert_eq!(person, Some(theirs.into_bytes()));
        }
        for expected in trees.iter().skip(1) {
            let theirs = write();
            let redo = stage.run(&["redo", "--yes"]);
            prop_assert_eq!(redo.code, 0, "{:?} {:?}", scripts, redo);
            let (now, person) = tree_of_commands();
            prop_assert_eq!(&now, expected, "{:?}", scripts);
            prop_assert_eq!(person, Some(theirs.into_bytes()));
        }
    }
}
