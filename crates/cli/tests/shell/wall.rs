//! The kernel's sandbox around the real program: it confines every thread of the server, and no program that the server
//! starts for a person.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::json;

use crate::stage::{LANCET, Stage};
use crate::terminal::on_low_terminal;

#[allow(clippy::print_stdout, reason = "a skipped test says why")]
/// Reports whether this kernel has the sandbox; a reason is printed if it does not.
pub(crate) fn has_wall(stage: &Stage) -> bool {
    let (_, report) = stage.json(&["doctor", "--json"]);
    let level = report["landlock"].as_u64();
    if level.is_none() {
        println!("skipped: this kernel has no Landlock");
    }
    level.is_some()
}

#[test]
fn the_doctor_says_the_level_and_makes_nothing() {
    let stage = Stage::new();
    let run = stage.run(&["doctor"]);
    assert!(
        run.out.contains("Landlock level") || run.out.contains("no Landlock"),
        "{run:?}"
    );
    assert_eq!(
        std::fs::read_dir(stage.home()).expect("there").count(),
        0,
        "the doctor only looks"
    );
}

#[test]
fn every_thread_of_the_server_is_behind_the_wall_and_still_writes_where_it_may() {
    let stage = Stage::new();
    if !has_wall(&stage) {
        return;
    }
    let mut command = std::process::Command::new(LANCET);
    stage.set_surroundings(&mut command);
    let mut server = command
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut input = server.stdin.take().expect("piped");
    let mut output = BufReader::new(server.stdout.take().expect("piped")).lines();
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let file = stage.project().join("deep/a.txt");
    let write = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "Write", "arguments": { "file_path": file, "content": "one\n" } } });
    for message in [hello, ready, write] {
        writeln!(input, "{message}").expect("sent");
    }
    let mut answer = || output.next().expect("an answer").expect("text");
    answer();
    let written = answer();
    assert!(!written.contains("\"isError\":true"), "{written}");
    // The kernel sets this for a thread together with the sandbox, and passes both on to everything that the thread
    // starts.
    let tasks = std::fs::read_dir(format!("/proc/{}/task", server.id())).expect("there");
    let mut threads = 0;
    for task in tasks {
        let status = task.expect("a thread").path().join("status");
        let status = std::fs::read_to_string(status).expect("its status");
        assert!(status.contains("NoNewPrivs:\t1"), "{status}");
        threads += 1;
    }
    assert!(threads >= 2, "a thread for the calls at least");
    drop(input);
    assert!(server.wait().expect("ended").success());
    assert_eq!(stage.text("deep/a.txt"), "one\n");
}

#[test]
fn a_program_for_a_person_is_started_outside_the_wall() {
    let stage = Stage::new();
    let programs = stage.home().join("bin");
    std::fs::create_dir(&programs).expect("made");
    let pager = programs.join("less");
    std::fs::write(&pager, "#!/bin/sh\ncat > \"$HOME/seen\"\n").expect("written");
    std::fs::set_permissions(&pager, std::fs::Permissions::from_mode(0o755)).expect("set");
    let path = format!(
        "{}:{}",
        programs.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let stage = stage.with("PATH", path);
    stage.file("a.txt", "one\n");
    let edited = stage.run(&["edit", "a.txt", "--old", "one", "--new", "two", "--yes"]);
    assert_eq!(edited.code, 0, "{edited:?}");
    let run = on_low_terminal(&stage, 1, "log", "");
    assert_eq!(run.code, 0, "{run:?}");
    let seen = std::fs::read_to_string(stage.home().join("seen")).expect("the pager wrote it");
    assert!(seen.contains("a.txt"), "{seen} {run:?}");
}

#[test]
fn the_pager_is_the_one_that_the_environment_names() {
    let log = |name: &str, value: &str| {
        let stage = Stage::new().with("PAGER", "false").with(name, value);
        stage.file("a.txt", "one\n");
        let edited = stage.run(&["edit", "a.txt", "--old", "one", "--new", "two", "--yes"]);
        assert_eq!(edited.code, 0, "{edited:?}");
        on_low_terminal(&stage, 1, "log", "").out
    };
    assert!(log("PAGER", "sed s/a.txt/paged/").contains("paged"));
    assert!(log("LANCET_PAGER", "sed s/a.txt/paged/").contains("paged"));
    for none in ["cat", ""] {
        assert!(log("LANCET_PAGER", none).contains("a.txt"));
    }
}

#[test]
fn a_server_whose_state_folder_is_removed_goes_on() {
    let stage = Stage::new();
    let mut command = std::process::Command::new(LANCET);
    stage.set_surroundings(&mut command);
    let mut server = command
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut input = server.stdin.take().expect("piped");
    let mut output = BufReader::new(server.stdout.take().expect("piped")).lines();
    let mut ask = |id: usize, method: &str, params: serde_json::Value| {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(input, "{message}").expect("sent");
        output.next().expect("an answer").expect("text")
    };
    ask(
        0,
        "initialize",
        json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" } }),
    );
    let state = stage.home().join(".local/state/lancet");
    for (id, remove) in [(1, true), (2, true), (3, false)] {
        let file = stage.project().join(format!("{id}.txt"));
        let write =
            json!({ "name": "Write", "arguments": { "file_path": file, "content": "one\n" } });
        let answer = ask(id, "tools/call", write);
        assert!(!answer.contains("\"isError\":true"), "{answer}");
        assert_eq!(answer.contains("Tell the user"), id > 1, "{answer}");
        if remove {
            std::fs::remove_dir_all(&state).expect("removed");
        }
    }
    drop(input);
    assert!(server.wait().expect("ended").success());
    let run = stage.run(&["log"]);
    for name in ["1.txt", "2.txt", "3.txt"] {
        assert!(run.out.contains(name), "{run:?}");
    }
}
