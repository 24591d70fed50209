//! `lancet events`: one JSON object a line, for any number of readers, until they leave.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::stage::{LANCET, Stage};

/// Starts a follower that begins at the beginning.
fn follow(stage: &Stage) -> Child {
    let mut command = stage.command(LANCET);
    command.args(["events", "--follow", "--since", "0"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.spawn().expect("it starts")
}

fn event(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> Value {
    let line = lines.next().expect("a line").expect("text");
    serde_json::from_str(&line).expect("JSON")
}

#[test]
fn followers_get_what_comes_and_end_when_their_readers_leave() {
    let stage = Stage::new();
    stage.run(&["write", "a.txt", "--content", "one\n", "--yes"]);
    let mut followers = [follow(&stage), follow(&stage)];
    let mut outputs: Vec<_> = followers
        .iter_mut()
        .map(|child| BufReader::new(child.stdout.take().expect("piped")).lines())
        .collect();
    for lines in &mut outputs {
        assert_eq!(event(lines)["kind"], "create");
    }
    stage.run(&["edit", "a.txt", "--old", "one", "--new", "two", "--yes"]);
    for lines in &mut outputs {
        let event = event(lines);
        assert_eq!(
            (&event["seq"], &event["kind"]),
            (&2.into(), &"update".into())
        );
    }
    drop(outputs);
    for mut child in followers {
        assert_eq!(child.wait().expect("it ends").code(), Some(0));
    }
}

#[test]
fn a_begin_is_an_event_or_a_change() {
    let stage = Stage::new();
    for content in ["1", "2", "3"] {
        stage.run(&["write", "a.txt", "--content", content, "--yes"]);
    }
    let numbers = |since: &str| -> Vec<i64> {
        let printed = stage.run(&["events", "--since", since]);
        assert_eq!(printed.code, 0, "{}", printed.err);
        let lines = printed.out.lines();
        let lines = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        lines
            .map(|line| line["seq"].as_i64().expect("a number"))
            .collect()
    };
    assert_eq!(numbers("0"), [1, 2, 3]);
    assert_eq!(numbers("2"), [3]);
    assert!(numbers("3").is_empty());
    let log = stage.run(&["log", "--json"]).out;
    let oldest: Value = log
        .lines()
        .nth(2)
        .and_then(|line| serde_json::from_str(line).ok())
        .expect("JSON");
    assert_eq!(
        numbers(oldest["operation"].as_str().expect("an id")),
        [2, 3]
    );
    let unknown = stage.run(&["events", "--since", "zzzzzzzz"]);
    assert_ne!(unknown.code, 0);
    assert!(unknown.err.contains("zzzzzzzz"), "{}", unknown.err);
}
