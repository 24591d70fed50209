//! The message of a panic after each command that writes. The panic hook and the registered call belong to the process,
//! so every case runs in a separate process, which is this test program again.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser as _;
use lancet::{Lancet, Mode};
use serde_json::json;

use super::*;
use crate::arguments::Arguments;
use crate::surroundings::Surroundings;

/// The folder of the case that the process runs.
const FOLDER: &str = "LANCET_TEST_FAULT_IN";
/// The command of the case that the process runs.
const COMMAND: &str = "LANCET_TEST_FAULT_AFTER";
/// The part of the message that says that files may have been written.
const WRITTEN: &str = "The file may have been written";

#[test]
fn panic_after_write_is_reported_for_every_command() {
    let commands = [
        "write a.txt --content two --yes",
        "undo --yes",
        "redo --yes",
        "restore a.txt@ID^ --yes",
        "apply reply.md --yes",
    ];
    for command in commands {
        let (out, error) = fault_after(command);
        assert!(error.contains(WRITTEN), "{command}: {out}{error}");
        assert!(!error.contains("quoted text"), "{command}: {error}");
    }
}

#[test]
fn json_flag_reports_panic_as_json() {
    let (out, error) = fault_after("undo --yes --json");
    let line = out.lines().find(|line| line.contains("fault of lancet"));
    let answer: Value = serde_json::from_str(line.unwrap_or_default())
        .unwrap_or_else(|wrong| panic!("{wrong}: {out}{error}"));
    assert_eq!(answer["error"]["name"], "internal");
    let text = answer["text"].as_str().unwrap_or_default();
    assert!(text.contains(WRITTEN), "{text}");
    assert_eq!(answer["error"]["message"], answer["text"]);
    assert!(!error.contains("fault"), "{error}");
}

#[test]
fn panic_before_write_reports_unchanged_files() {
    let (_, error) = fault_after("undo --dry-run");
    assert!(error.contains("Files are as they were"), "{error}");
    let (_, error) = fault_after("read a.txt");
    assert!(!error.contains("iles are as they were"), "{error}");
    assert!(error.contains("fault of lancet"), "{error}");
}

/// Returns the output of a process that runs this command and then panics.
fn fault_after(command: &str) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    fs::create_dir(&root).expect("made");
    let file = root.join("a.txt");
    let lancet = Lancet::builder()
        .root(&root)
        .state_dir(folder.path().join("state"))
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let session = lancet.new_session();
    let mut id = String::new();
    for content in ["zero\n", "one\n"] {
        let written = json!({ "file_path": file, "content": content });
        let reply = session.call(RawCall::new("Write", written));
        assert!(!reply.is_error(), "{}", reply.text());
        id = reply.data()["operation"]
            .as_str()
            .expect("an id")
            .to_owned();
    }
    if command.starts_with("redo") {
        assert!(!session.undo().is_error());
    }
    let reply = "a.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n";
    fs::write(root.join("reply.md"), reply).expect("written");
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "fault::tests::runs_a_command_and_panics",
            "--nocapture",
        ])
        .env(FOLDER, folder.path())
        .env(COMMAND, command.replace("ID", &id))
        .current_dir(&root)
        .output()
        .expect("started");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn runs_a_command_and_panics() {
    let (Some(folder), Ok(command)) = (std::env::var_os(FOLDER), std::env::var(COMMAND)) else {
        return;
    };
    let state = PathBuf::from(folder).join("state");
    let words = command.split(' ');
    let state_dir = ["--state-dir", state.to_str().expect("text")];
    let typed: Vec<&str> = ["lancet"]
        .into_iter()
        .chain(words)
        .chain(state_dir)
        .collect();
    let form = OutputFormat::from_json_flag(typed.contains(&"--json"));
    let arguments = Arguments::try_parse_from(&typed).expect("a command line");
    hush_panics(form);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let around = Surroundings::from_environment();
        let exit = crate::command::run(&arguments.command, &around).expect("carried out");
        assert_eq!(exit, crate::failure::Exit::Done, "{command}");
        assert!(Path::new("no such file").exists(), "quoted text");
    }));
    assert!(ended.is_err());
    report_panic(form);
}
