//! Files and folders that cannot be recorded, or not as they are: each has a clear answer, and the command runs.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::log;
use crate::stage::{LANCET, Stage, finish};

/// Returns the names of the files that the newest operation does not restore.
fn not_kept(stage: &Stage) -> Vec<String> {
    let log = log(stage);
    let names = log[0]["notKept"].as_array().expect("a list").iter();
    let top = format!("{}/", stage.project().display());
    names
        .map(|name| name.as_str().expect("a path").replace(&top, ""))
        .collect()
}

#[test]
fn a_file_of_ten_gigabytes_is_named_and_not_stored() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let large = File::create(stage.project().join("large.bin")).expect("made");
    large.set_len(10 << 30).expect("sparse");
    let script = "echo two > a.txt; printf x | dd of=large.bin conv=notrunc status=none";
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(not_kept(&stage), ["large.bin"]);
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
    assert!(
        undo.out.contains("large.bin") || undo.err.contains("large.bin"),
        "{undo:?}"
    );
    assert_eq!(large.metadata().expect("a stat").len(), 10 << 30);
}

#[test]
fn a_file_that_changes_while_it_is_read_holds_up_nothing() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let path = stage.file("growing.log.txt", &"line\n".repeat(200_000));
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = OpenOptions::new().append(true).open(&path).expect("opened");
            while !is_over.load(Ordering::Relaxed) {
                file.write_all(b"more\n").expect("written");
            }
        });
        let run = stage.run(&["run", "sh", "-c", "echo two > a.txt"]);
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(run.code, 0, "{run:?}");
    });
    let undo = stage.run(&["undo", "--yes", "--keep-going"]);
    assert_eq!(stage.text("a.txt"), "one\n", "{undo:?}");
    let text = fs::read_to_string(&path).expect("read");
    assert!(
        text.starts_with("line\n"),
        "no byte of the other program is lost"
    );
}

#[test]
fn a_folder_without_permission_is_not_taken_for_a_removed_one() {
    let stage = Stage::new();
    stage.file("closed/deep/b.txt", "one\n");
    stage.file("a.txt", "one\n");
    let closed = stage.project().join("closed");
    let run = |script: &str| {
        let mut command = stage.unprivileged();
        command.args(["run", "sh", "-c", script]);
        let run = finish(command, b"");
        assert_eq!(run.code, 0, "{run:?}");
    };
    run("echo two > a.txt; chmod 000 closed");
    let files = log(&stage)[0]["files"].clone();
    assert_eq!(files.as_array().map(Vec::len), Some(1), "{files:#?}");
    run("echo three > a.txt; chmod 755 closed");
    let files = log(&stage)[0]["files"].clone();
    assert_eq!(files.as_array().map(Vec::len), Some(1), "{files:#?}");
    run("echo two > closed/deep/b.txt");
    let files = log(&stage)[0]["files"].clone();
    assert_eq!(files.as_array().map(Vec::len), Some(1), "{files:#?}");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("closed/deep/b.txt"), "one\n");
    let mode = closed.metadata().expect("a stat").permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn a_command_that_removes_the_project_has_its_exit_code() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let mut command = stage.command(LANCET);
    command.args(["run", "sh", "-c", "rm -r \"$PWD\"; exit 7"]);
    let run = finish(command, b"");
    assert_eq!(run.code, 7, "{run:?}");
    assert!(run.err.contains("was removed with 1 file"), "{run:?}");
}
