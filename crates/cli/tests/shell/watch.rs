//! `lancet watch`: each change is shown as it is made, and a key undoes one.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

use crate::stage::{LANCET, Stage};
use crate::terminal::terminal;

/// Reads lines until one contains this text.
fn until(lines: &mut impl Iterator<Item = std::io::Result<String>>, words: &str) -> Vec<String> {
    let mut read = Vec::new();
    for line in lines {
        read.push(line.expect("text"));
        if read.last().is_some_and(|line| line.contains(words)) {
            return read;
        }
    }
    panic!("{words:?} did not come: {read:?}")
}

#[test]
fn changes_are_streamed_as_plain_text() {
    let stage = Stage::new();
    stage.run(&["write", "old.txt", "--content", "old\n", "--yes"]);
    let mut command = stage.command(LANCET);
    command.args(["watch"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut watch = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut told = BufReader::new(watch.stderr.take().expect("piped")).lines();
    until(&mut told, "waiting for changes");
    let mut lines = BufReader::new(watch.stdout.take().expect("piped")).lines();
    stage.run(&["write", "a.txt", "--content", "one\n", "--yes"]);
    let shown = until(&mut lines, "+one");
    assert!(
        shown[0].contains("shell") && shown[0].contains("a.txt"),
        "{shown:?}"
    );
    assert!(!shown.join("\n").contains("old.txt"), "{shown:?}");
    stage.run(&["undo", "--yes"]);
    until(&mut lines, "-one");
    // It ends when its reader leaves.
    drop(lines);
    let ended = watch.wait().expect("it ends");
    assert_eq!(ended.code(), Some(0));
}

#[test]
fn a_key_takes_the_newest_change_back() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let mut command = terminal(&stage, "watch");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut watch = command.spawn().expect("it starts");
    let mut keys = watch.stdin.take().expect("piped");
    let mut lines = BufReader::new(watch.stdout.take().expect("piped")).lines();
    until(&mut lines, "u takes the newest one back");
    stage.run(&["edit", "a.txt", "--old", "one", "--new", "two", "--yes"]);
    until(&mut lines, "two");
    keys.write_all(b"u").expect("typed");
    until(&mut lines, "Undo");
    assert_eq!(stage.text("a.txt"), "one\n");
    keys.write_all(b"uq").expect("typed");
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(
        rest.join("\n").contains("no change that is shown here"),
        "{rest:?}"
    );
    let mut left = String::new();
    drop(keys);
    let _ = watch
        .stderr
        .take()
        .map(|mut err| err.read_to_string(&mut left));
    assert!(watch.wait().expect("it ends").success());
}
