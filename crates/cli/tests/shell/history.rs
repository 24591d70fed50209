//! Changes shown and undone from the shell.

use std::fs;
use std::process::Command;

use crate::stage::{LANCET, Stage, path_argument};

fn edited() -> (Stage, String) {
    let stage = Stage::new();
    stage.file("a.txt", "one\r\ntwo\n");
    let edit = [
        "edit", "a.txt", "--old", "two", "--new", "2", "--yes", "--json",
    ];
    let (code, answer) = stage.json(&edit);
    assert_eq!(code, 0, "{answer}");
    (
        stage,
        answer["operation"].as_str().expect("an id").to_owned(),
    )
}

#[test]
fn a_log_without_changes_says_so() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    for (arguments, words) in [
        (&["log"][..], "no change in this project yet"),
        (&["log", "a.txt"], "no change of a.txt yet\n"),
        (&["log", "b.txt"], "b.txt yet, and it does not exist"),
        (&["log", "--turn", "s"], "no such change"),
    ] {
        let run = stage.run(arguments);
        assert_eq!((run.code, run.out.as_str()), (0, ""), "{run:?}");
        assert!(run.err.contains(words), "{run:?}");
    }
    let (code, data) = stage.json(&["log", "--json"]);
    assert_eq!((code, &data["total"]), (0, &0.into()), "{data}");
}

#[test]
fn what_an_agent_takes_back_at_the_shell_is_recorded_as_the_agents() {
    let (stage, _) = edited();
    let run = |arguments: &[&str], agent: Option<&str>| {
        let mut command = stage.command(LANCET);
        command.args(arguments).envs(agent.map(|name| (name, "1")));
        assert!(command.status().expect("it ran").success());
        let log = stage.run(&["log", "--json"]).out;
        let newest = log.lines().next().unwrap_or_default();
        let newest: serde_json::Value = serde_json::from_str(newest).expect("JSON");
        newest["client"].clone()
    };
    // A person's own undo and redo need no review, so an agent's must not have the person's name.
    assert_eq!(run(&["undo", "--yes"], None), "lancet");
    let redone = run(&["redo", "--yes"], Some("CLAUDECODE"));
    assert_eq!(redone, "lancet, run by Claude Code");
}

#[test]
fn a_change_is_listed_shown_taken_back_and_done_again() {
    let (stage, id) = edited();
    let log = stage.run(&["log", "--json"]);
    assert!(log.out.contains(r#""client":"lancet""#), "{log:?}");
    let log = stage.run(&["log"]);
    assert_eq!(log.code, 0, "{log:?}");
    assert!(
        log.out.starts_with(&id[8..]) && log.out.contains("a.txt  +1 -1"),
        "{log:?}"
    );
    let show = stage.run(&["show", &id]);
    for words in ["-two\n+2\n", "approved    by --yes\n"] {
        assert!(show.out.contains(words), "{words}: {show:?}");
    }
    let dry = stage.run(&["undo", "--dry-run"]);
    assert_eq!(
        (dry.code, stage.text("a.txt").as_str()),
        (0, "one\r\n2\n"),
        "{dry:?}"
    );
    let refused = stage.run(&["undo"]);
    assert_eq!(refused.code, 1, "nobody to ask: {refused:?}");
    assert_eq!(stage.run(&["undo", "--yes"]).code, 0);
    assert_eq!(stage.text("a.txt"), "one\r\ntwo\n");
    assert!(stage.run(&["log"]).out.contains("(undone)"));
    assert_eq!(stage.run(&["undo", "--yes"]).code, 1, "nothing is left");
    assert_eq!(stage.run(&["redo", "--yes"]).code, 0);
    assert_eq!(stage.text("a.txt"), "one\r\n2\n");
    let before = format!("a.txt@{id}^");
    assert_eq!(stage.run(&["restore", &before, "--yes"]).code, 0);
    assert_eq!(stage.text("a.txt"), "one\r\ntwo\n");
    let versions = stage.run(&["restore", "a.txt"]);
    assert_eq!(versions.code, 0, "{versions:?}");
    assert!(
        versions.out.contains(&format!("{}  ", &id[8..])),
        "{versions:?}"
    );
    assert!(
        versions.err.contains("lancet restore a.txt@ID"),
        "{versions:?}"
    );
    assert_eq!(stage.run(&["restore", "b.txt"]).code, 1);
    assert_eq!(stage.run(&["undo", "--since", "soon"]).code, 2);
    assert_eq!(stage.run(&["show", "zzzzzz"]).code, 1);
}

#[test]
fn log_show_and_undo_mean_the_project_from_every_folder_in_it() {
    let (stage, id) = edited();
    stage.file(".git/HEAD", "ref: refs/heads/main\n");
    stage.file("sub/deep/b.txt", "b\n");
    let sub = stage.project().join("sub/deep");
    let run = |arguments: &[&str]| {
        let mut command = stage.command(LANCET);
        command.args(arguments).current_dir(&sub);
        crate::stage::finish(command, b"")
    };
    let log = run(&["log"]);
    assert!(log.out.starts_with(&id[8..]), "{log:?}");
    let show = run(&["show"]);
    assert_eq!(show.code, 0, "the newest: {show:?}");
    assert!(
        show.out.contains(&id) && show.out.contains("-two\n+2\n"),
        "{show:?}"
    );
    let stats = run(&["stats"]);
    assert!(stats.out.starts_with("1 change,"), "{stats:?}");
    assert_eq!(run(&["undo", "--yes"]).code, 0);
    assert_eq!(stage.text("a.txt"), "one\r\ntwo\n");
    assert_eq!(run(&["redo", "--yes"]).code, 0);
    assert_eq!(stage.text("a.txt"), "one\r\n2\n");
}

#[test]
fn a_line_of_the_log_says_what_changed() {
    let (stage, id) = edited();
    let log = stage.run(&["log"]);
    assert!(
        log.out.ends_with("  shell  Edit  a.txt  +1 -1  2\n"),
        "{log:?}"
    );
    let log = stage.run(&["log", "--oneline"]);
    let mut words = log.out.split("  ");
    assert!(
        words.next().is_some_and(|short| id.ends_with(short)),
        "{log:?}"
    );
    assert!(
        log.out.ends_with("  shell  Edit  a.txt  +1 -1  2\n"),
        "{log:?}"
    );
    // The line has the numbers of a single file; with several files each has its own.
    let single = stage.run(&["log", "--stat"]);
    assert_eq!(single.out, stage.run(&["log"]).out);
    stage.file("b.txt", "2\n");
    let both = ["edit", "*.txt", "--old", "2", "--new", "3\n4", "--yes"];
    assert_eq!(stage.run(&both).code, 0);
    let log = stage.run(&["log", "--stat", "-n", "1"]);
    assert!(
        log.out.ends_with("\n    a.txt  +2 -1\n    b.txt  +2 -1\n"),
        "{log:?}"
    );
    let run = stage.run(&["log", "-n", "0"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("at least 1"), "{run:?}");
}

#[test]
fn times_are_those_of_the_persons_zone() {
    let (stage, _) = edited();
    let time = |zone: &str| {
        let mut command = stage.command(LANCET);
        command.arg("show").env("TZ", zone);
        let out = crate::stage::finish(command, b"").out;
        let line = out.lines().find(|line| line.starts_with("time"));
        line.unwrap_or_default().to_owned()
    };
    assert!(time("UTC0").ends_with(" +00:00"), "{}", time("UTC0"));
    let there = time("JST-9");
    assert!(there.ends_with(" +09:00"), "{there}");
    assert_ne!(there[..31], time("UTC0")[..31]);
    let log = |zone: &str| {
        let mut command = stage.command(LANCET);
        command.arg("log").env("TZ", zone);
        crate::stage::finish(command, b"").out
    };
    let clock = &there[12..31];
    assert!(log("JST-9").contains(clock), "{clock}: {}", log("JST-9"));
    assert!(!log("UTC0").contains(clock));
}

#[test]
fn gc_tells_the_size_that_the_next_gc_finds() {
    let stage = Stage::new();
    let text: String = (0..40_000).map(|line| format!("line {line}\n")).collect();
    stage.file("large.txt", &text);
    let edit = [
        "edit",
        "large.txt",
        "--old",
        "line 777\n",
        "--new",
        "x\n",
        "--yes",
    ];
    assert_eq!(stage.run(&edit).code, 0);
    let (_, first) = stage.json(&["gc", "--json"]);
    let (_, second) = stage.json(&["gc", "--json"]);
    let size = |gc: &serde_json::Value| gc["bytes"].as_u64().expect("a number");
    let (told, found) = (size(&first), size(&second));
    assert!(
        told.abs_diff(found) * 10 <= found,
        "{told} and {found}: {first}"
    );
    // `doctor` counts the same, and additionally describes the files on the disk.
    let (_, doctor) = stage.json(&["doctor", "--json"]);
    let state = &doctor["stateFolder"];
    assert_eq!(state["bytes"], second["bytes"], "{doctor}");
    assert!(
        state["bytesOnDisk"].as_u64() >= state["bytes"].as_u64(),
        "{doctor}"
    );
    let words = "(records and contents in use)";
    assert!(stage.run(&["gc"]).out.contains(words));
    assert!(stage.run(&["doctor"]).out.contains(words));
}

#[test]
fn the_log_is_one_object_a_line_and_the_total() {
    let (stage, id) = edited();
    let run = stage.run(&["log", "--json", "-n", "5"]);
    let lines: Vec<serde_json::Value> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines[0]["operation"], id.as_str());
    assert_eq!(lines[0]["files"][0]["type"], "update");
    assert_eq!(lines[1]["total"], 1);
    let (_, sums) = stage.json(&["stats", "--json"]);
    assert_eq!(
        (&sums["operations"], &sums["rungs"]["exact"]),
        (&1.into(), &1.into())
    );
    let (code, gc) = stage.json(&["gc", "--json"]);
    assert_eq!((code, &gc["removedOperations"]), (0, &0.into()));
}

/// Returns every file below a folder with its bytes and when they were written, by name.
fn everything(
    folder: &std::path::Path,
) -> Vec<(std::path::PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let written = fs::metadata(&path).and_then(|found| found.modified());
                let bytes = fs::read(&path).expect("read");
                all.push((path, bytes, written.expect("a time")));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn git_takes_the_series_and_is_otherwise_left_alone() {
    let stage = Stage::new();
    let root = stage.project();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=t", "-c", "user.email=t@t"])
            .args(arguments);
        stage.set_surroundings(&mut command);
        let output = command.output().expect("git is here");
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    };
    stage.file("a.txt", "one\r\ntwo\nthree");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["-c", "core.autocrlf=false", "commit", "-qm", "first"]);
    let state = |names: &[&str]| -> Vec<Vec<u8>> {
        names
            .iter()
            .map(|name| fs::read(root.join(".git").join(name)).unwrap_or_default())
            .collect()
    };
    let watched = ["index", "HEAD", "refs/stash", "logs/HEAD"];
    let before = state(&watched);
    let all = || everything(&root.join(".git"));
    let untouched = all();
    for (old, new) in [("two", "2"), ("three", "3\nfour")] {
        assert_eq!(
            stage
                .run(&["edit", "a.txt", "--old", old, "--new", new, "--yes"])
                .code,
            0
        );
    }
    assert_eq!(
        stage
            .run(&["write", "new/b.txt", "--content", "b\n", "--yes"])
            .code,
        0
    );
    assert_eq!(state(&watched), before);
    for arguments in [
        &["undo", "--yes"][..],
        &["redo", "--yes"],
        &["log"],
        &["stats"],
        &["gc"],
    ] {
        assert_eq!(stage.run(arguments).code, 0, "{arguments:?}");
    }
    assert_eq!(
        all(),
        untouched,
        "no file of git is made, changed or touched"
    );
    // git has no other file to check than the changed one.
    let names: Vec<_> = everything(&root)
        .into_iter()
        .map(|(path, ..)| path)
        .filter(|path| !path.starts_with(root.join(".git")))
        .collect();
    assert_eq!(names, [root.join("a.txt"), root.join("new/b.txt")]);
    let status = String::from_utf8(git(&["status", "--porcelain"])).expect("text");
    assert_eq!(status, " M a.txt\n?? new/\n");
    let before = state(&watched);
    let wanted = stage.text("a.txt");
    let series = stage.run(&["log", "--format", "patch"]);
    let mails = stage.home().join("changes.mbox");
    fs::write(&mails, &series.out).expect("written");
    assert_eq!(stage.run(&["undo", "--since", "1h", "--yes"]).code, 0);
    assert_eq!(stage.text("a.txt"), "one\r\ntwo\nthree");
    assert_eq!(state(&watched), before);
    git(&["am", "-q", "--keep-cr", path_argument(&mails)]);
    assert_eq!(stage.text("a.txt"), wanted);
    assert_eq!(stage.text("new/b.txt"), "b\n");
    assert_eq!(
        String::from_utf8_lossy(&git(&["rev-list", "--count", "HEAD"])).trim(),
        "6"
    );
}

#[test]
fn git_takes_the_series_whatever_encodings_and_names_are() {
    let stage = Stage::new();
    let root = stage.project();
    let utf16 = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(units).collect()
    };
    let latin = |text: &str| -> Vec<u8> { text.chars().map(|c| c as u8).collect() };
    let odd = "na\tme\n+++ b\"\\\u{1}é x.txt";
    let long: String = (0..60_000)
        .map(|line| format!("word {line} {}\n", line * 7))
        .collect();
    let files: [(&str, Vec<u8>); 5] = [
        ("utf16.txt", utf16("one\r\nword\r\nđ\r\n")),
        ("latin.txt", latin("caf\u{e9}\nword\n\u{85}\nlast")),
        (odd, b"one\nword\n".to_vec()),
        ("with space.txt", b"word".to_vec()),
        ("long.txt", long.into_bytes()),
    ];
    for (name, bytes) in &files {
        fs::write(root.join(name), bytes).expect("written");
    }
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@t"]);
        stage.set_surroundings(command.args(arguments));
        let output = command.output().expect("git is here");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {words}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["-c", "core.autocrlf=false", "commit", "-qm", "first"]);
    for (name, _) in &files {
        let edit = [
            "edit",
            name,
            "--old",
            "word",
            "--new",
            "Wört",
            "--replace-all",
            "--yes",
        ];
        let run = stage.run(&edit);
        assert_eq!(run.code, 0, "{run:?}");
    }
    let write = ["write", "new\nfile", "--content", "new\n", "--yes"];
    assert_eq!(stage.run(&write).code, 0);
    let wanted: Vec<Vec<u8>> = files
        .iter()
        .map(|(name, _)| fs::read(root.join(name)).expect("read"))
        .collect();
    let series = stage
        .command(LANCET)
        .args(["log", "--format", "patch"])
        .output()
        .expect("it ends");
    assert_eq!(String::from_utf8_lossy(&series.stderr), "");
    let mails = stage.home().join("changes.mbox");
    fs::write(&mails, &series.stdout).expect("written");
    for arguments in [
        &["apply", path_argument(&mails)][..],
        &["am", "-q", "--keep-cr", path_argument(&mails)],
    ] {
        git(&["checkout", "-q", "."]);
        fs::remove_file(root.join("new\nfile")).expect("removed");
        git(arguments);
        for ((name, _), wanted) in files.iter().zip(&wanted) {
            assert_eq!(&fs::read(root.join(name)).expect("read"), wanted, "{name}");
        }
        assert_eq!(stage.text("new\nfile"), "new\n");
    }
}

#[test]
fn every_command_that_meets_a_damaged_history_says_so_and_doctor_remembers() {
    let commands: [&[&str]; 8] = [
        &["log"],
        &["undo", "--yes"],
        &["redo", "--yes"],
        &["stats"],
        &["gc"],
        &["show", "abcdef"],
        &["read", "a.txt", "--session", "talk"],
        &["edit", "a.txt", "--old", "2", "--new", "3", "--yes"],
    ];
    for command in commands {
        let (stage, _) = edited();
        let state = stage.project().with_file_name("state");
        // A separate state folder, because it will be damaged.
        let with = |words: &[&str]| {
            let mut words = words.to_vec();
            words.extend(["--state-dir", path_argument(&state)]);
            stage.run(&words)
        };
        let edit = ["edit", "a.txt", "--old", "one", "--new", "1", "--yes"];
        assert_eq!(with(&edit).code, 0);
        fs::write(state.join("lancet.db"), "noise ".repeat(4000)).expect("written");
        for side in ["lancet.db-wal", "lancet.db-shm"] {
            let _ = fs::remove_file(state.join(side));
        }
        let run = with(command);
        assert_eq!(
            run.err.matches("lancet: error: the database in").count(),
            1,
            "{command:?}: {run:?}"
        );
        let again = with(command);
        assert!(!again.err.contains("damaged"), "{command:?}: {again:?}");
        let doctor = with(&["doctor"]);
        assert_eq!(doctor.code, 3, "{doctor:?}");
        let mend = format!("rm {}/lancet.db.damaged*", state.display());
        assert!(doctor.out.contains(&mend), "{doctor:?}");
        for entry in fs::read_dir(&state).expect("listed").flatten() {
            if entry.file_name().to_string_lossy().contains("damaged") {
                fs::remove_file(entry.path()).expect("removed");
            }
        }
        assert_eq!(with(&["doctor"]).code, 0);
    }
}

#[test]
fn an_id_that_is_too_short_is_answered_with_those_it_could_be() {
    let (stage, id) = edited();
    let more = [
        "edit", "a.txt", "--old", "one", "--new", "1", "--yes", "--json",
    ];
    let (_, answer) = stage.json(&more);
    let second = answer["operation"].as_str().expect("an id");
    let shared = id
        .bytes()
        .zip(second.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    for command in [&["show"][..], &["undo", "--yes"]] {
        let mut words = command.to_vec();
        words.push(&id[..shared]);
        let run = stage.run(&words);
        assert_eq!(run.code, 1, "{run:?}");
        for words in [&id, second, "a.txt"] {
            assert!(run.err.contains(words), "{words}: {run:?}");
        }
    }
    let log = stage.run(&["log", "--json"]);
    let first: serde_json::Value =
        serde_json::from_str(log.out.lines().next().expect("a line")).expect("JSON");
    let mut endings = id.bytes().rev().zip(second.bytes().rev());
    let same = endings
        .position(|(one, other)| one != other)
        .expect("two ids");
    assert_eq!(first["short"], second[12 - (same + 1).max(4)..]);
    let short = first["short"].as_str().expect("characters");
    assert_eq!(stage.run(&["show", short]).code, 0);
    assert_eq!(stage.run(&["undo", short, "--yes"]).code, 0);
    assert_eq!(stage.text("a.txt"), "one\r\n2\n");
}

#[test]
fn gc_says_what_it_would_remove_and_removes_nothing() {
    let (stage, _) = edited();
    let (code, foreseen) = stage.json(&["gc", "--dry-run", "--json"]);
    assert_eq!((code, &foreseen["dryRun"]), (0, &true.into()), "{foreseen}");
    assert_eq!(foreseen["removedOperations"], 0);
    let run = stage.run(&["gc", "--dry-run"]);
    assert!(run.out.starts_with("Would remove 0 changes"), "{run:?}");
    assert!(stage.run(&["log"]).out.contains("a.txt"));
}

#[test]
fn gc_says_what_stays_beyond_the_limits_and_why() {
    let stage = Stage::new();
    // Larger than the smallest limit, however well it is compressed.
    let mut number = 1_u64;
    let noise: String = (0..400_000)
        .map(|_| {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            format!("{:08x}\n", number >> 32)
        })
        .collect();
    stage.file("a.txt", &format!("{noise}one\n"));
    for (old, new) in [("one", "two"), ("two", "three"), ("three", "four")] {
        let edit = ["edit", "a.txt", "--old", old, "--new", new, "--yes"];
        let run = stage.run(&edit);
        assert_eq!(run.code, 0, "{run:?}");
    }
    let settings = stage.home().join("small.toml");
    fs::write(&settings, "[history]\nmax_size = 1048576\n").expect("written");
    for more in [&["--dry-run"][..], &[]] {
        let gc = [&["gc", "--config", path_argument(&settings)], more].concat();
        let run = stage.run(&gc);
        assert!(
            run.out.contains("2 changes beyond the limits kept") && run.out.contains("hour"),
            "{run:?}"
        );
        let (_, data) = stage.json(&[&gc[..], &["--json"]].concat());
        assert_eq!(data["sparedOperations"], 2, "{data}");
    }
}

#[test]
fn attribution_says_which_lines_a_change_wrote() {
    let (stage, id) = edited();
    // Another process inserts a line above: their line stays, and ours moves down.
    let text = format!("zero\n{}", stage.text("a.txt"));
    stage.file("a.txt", &text);
    let (code, record) = stage.json(&["log", "--format", "attribution"]);
    assert_eq!(code, 0, "{record}");
    assert_eq!(record["version"], "0.1.0");
    assert_eq!(record["id"].as_str().map(str::len), Some(36));
    let file = &record["files"][0];
    assert_eq!(
        (&file["path"], &file["metadata"]["lines"]),
        (&"a.txt".into(), &3.into())
    );
    let conversation = &file["conversations"][0];
    assert_eq!(conversation["metadata"]["operation"], id.as_str());
    assert_eq!(
        conversation["ranges"],
        serde_json::json!([{ "start_line": 3, "end_line": 3 }])
    );
    // After the undo no operation owns the line any more.
    fs::write(stage.project().join("a.txt"), "one\r\n2\n").expect("written");
    assert_eq!(stage.run(&["undo", "--yes"]).code, 0);
    let (_, record) = stage.json(&["log", "--format", "attribution"]);
    assert_eq!(record["files"][0]["conversations"], serde_json::json!([]));
}

#[test]
fn attribution_is_of_the_path_alone_and_an_applied_reply_is_a_models() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "two\n");
    let reply = "a.txt\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n\nb.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n";
    let run = stage.run_with(&["apply", "-", "--yes"], reply);
    assert_eq!(run.code, 0, "{run:?}");
    let edit = ["write", "b.txt", "--content", "mine\n", "--append", "--yes"];
    assert_eq!(stage.run(&edit).code, 0);
    let contributors = |path: &str| -> (Vec<String>, Vec<String>) {
        let (_, record) = stage.json(&["log", path, "--format", "attribution"]);
        let files = record["files"].as_array().expect("files");
        let conversations = files
            .iter()
            .flat_map(|file| file["conversations"].as_array());
        let types = conversations
            .flatten()
            .map(|of| of["contributor"]["type"].as_str());
        (
            files
                .iter()
                .filter_map(|file| file["path"].as_str())
                .map(str::to_owned)
                .collect(),
            types.flatten().map(str::to_owned).collect(),
        )
    };
    assert_eq!(
        contributors("a.txt"),
        (vec!["a.txt".into()], vec!["ai".into()])
    );
    let (files, types) = contributors("b.txt");
    assert_eq!(
        (files, types),
        (vec!["b.txt".into()], vec!["ai".into(), "human".into()])
    );
}

#[test]
fn what_a_project_denies_is_not_shown_from_another_one() {
    let (stage, id) = edited();
    let other = stage.home().join("other");
    fs::create_dir_all(&other).expect("made");
    let other = other.to_str().expect("UTF-8").to_owned();
    let show = stage.run(&["show", &id, "--root", &other]);
    assert!(show.out.contains("+2\n"), "{show:?}");
    stage.file("lancet.toml", "[permissions]\ndeny = [\"Read(a.txt)\"]\n");
    for json in [&[][..], &["--json"]] {
        let mut command = vec!["show", &id, "--root", &other];
        command.extend(json);
        let show = stage.run(&command);
        assert_eq!(show.code, 0, "{show:?}");
        assert!(
            !show.out.contains("-two") && !show.out.contains("+2\n"),
            "{show:?}"
        );
    }
}

#[test]
fn one_hunk_of_a_change_is_taken_back_and_nothing_else() {
    let stage = Stage::new();
    let lines: Vec<String> = (1..=40).map(|line| format!("line {line}.")).collect();
    let old = lines.join("\n") + "\n";
    stage.file("a.txt", &old);
    let new = old.replace("line 5.", "LINE 5.");
    let new = new
        .replace("line 20.", "LINE 20.")
        .replace("line 35.", "LINE 35.");
    stage.run(&["write", "a.txt", "--content", &new, "--yes"]);
    let shown = stage.run(&["show", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown.out).expect("JSON");
    let id = shown["operation"].as_str().expect("an id").to_owned();
    let hunks = shown["files"][0]["hunks"].as_array().expect("hunks");
    assert_eq!(hunks.len(), 3, "{hunks:?}");
    assert_eq!(
        (&hunks[1]["number"], &hunks[1]["newStart"]),
        (&2.into(), &17.into())
    );
    // The file as it was before, and as the change left it.
    assert_eq!(stage.run(&["show", &format!("a.txt@{id}^")]).out, old);
    assert_eq!(stage.run(&["show", &format!("a.txt@{id}")]).out, new);
    let run = stage.run(&["show", &format!("b.txt@{id}")]);
    assert!(
        run.code != 0 && run.err.contains("has no file b.txt"),
        "{run:?}"
    );

    // A change elsewhere in the file does not matter, and the text there is not touched.
    stage.run(&[
        "edit",
        "a.txt",
        "--old",
        "line 1.",
        "--new",
        "first\nline 1.",
        "--yes",
    ]);
    let dry = stage.run(&["undo", &id, "--hunk", "2", "--dry-run"]);
    assert!(
        dry.code == 0 && stage.text("a.txt").contains("LINE 20."),
        "{dry:?}"
    );
    let run = stage.run(&["undo", &id, "--hunk", "2", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    let expected = new
        .replace("LINE 20.", "line 20.")
        .replace("line 1.", "first\nline 1.");
    assert_eq!(stage.text("a.txt"), expected);
    // A second time there is nothing to undo, and the number must be a hunk of the change.
    let run = stage.run(&["undo", &id, "--hunk", "2", "--yes"]);
    assert!(
        run.code != 0 && run.err.contains("cannot be undone"),
        "{run:?}"
    );
    let run = stage.run(&["undo", &id, "--hunk", "4", "--yes"]);
    assert!(
        run.code != 0 && run.err.contains("has 3 hunks, not 4"),
        "{run:?}"
    );
    assert_eq!(stage.text("a.txt"), expected);
}

#[test]
fn a_hunk_without_an_id_is_one_of_the_newest_change() {
    let stage = Stage::new();
    let lines = |first: &str, last: &str| {
        let middle: String = (0..20).map(|line| format!("line {line}\n")).collect();
        format!("{first}\n{middle}{last}\n")
    };
    stage.file("a.txt", &lines("one", "one"));
    let edit = ["edit", "a.txt", "--regex", "one", "--new", "two", "--yes"];
    assert_eq!(stage.run(&edit).code, 0);
    let shown = stage.run(&["show"]);
    assert!(
        shown.out.contains("@@ hunk 1\n") && shown.out.contains("@@ hunk 2\n"),
        "{shown:?}"
    );
    let run = stage.run(&["undo", "--hunk", "2", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), lines("two", "one"));
    let run = stage.run(&["restore", "a.txt", "--json"]);
    let last = run.out.lines().last().expect("the total");
    assert_eq!((run.code, last), (0, r#"{"total":2}"#), "{run:?}");
    let first: serde_json::Value =
        serde_json::from_str(run.out.lines().next().expect("one")).expect("JSON");
    assert_eq!(first["kind"], "undo", "{first}");
}

#[test]
fn the_last_lines_of_a_large_file_are_those_of_a_small_one() {
    let stage = Stage::new();
    let line = "a line that is repeated so often that the file is not loaded into memory\r\n";
    let large = format!("{}last but one\r\nlast é", line.repeat(500_000));
    stage.file("large.log", &large);
    let run = stage.run(&["read", "large.log:-2"]);
    assert_eq!(
        (run.code, &*run.out),
        (0, "last but one\r\nlast é"),
        "{run:?}"
    );
    let run = stage.run(&["read", "large.log:500001"]);
    assert_eq!((run.code, &*run.out), (0, "last but one\r\n"), "{run:?}");
}
