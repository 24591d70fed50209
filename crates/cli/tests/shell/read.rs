//! `lancet read`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use crate::stage::{Stage, path_argument};

#[test]
fn as_a_model_sees_it_lines_are_numbered_and_the_last_line_tells_the_revision() {
    let stage = Stage::new();
    stage.file("a.txt", "one\ntwo\nthree\n");
    let run = stage.run(&["read", "a.txt", "--number"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.starts_with("1→one\n2→two\n3→three\n"), "{run:?}");
    assert!(run.out.contains("revision "), "{run:?}");
    assert!(!run.out.contains('\x1b'), "colour into a pipe: {run:?}");
}

#[test]
fn a_range_and_a_column_are_shown_alone() {
    let stage = Stage::new();
    stage.file("a.txt", "one\ntwo\nthree\n");
    let run = stage.run(&["read", "a.txt", "--offset", "2", "--limit", "1"]);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("two\n", ""));
    let run = stage.run(&["read", "-n", "a.txt", "--offset", "2", "--limit", "1"]);
    assert!(run.out.starts_with("2→two\n[lancet"), "{run:?}");
    let run = stage.run(&["read", "a.txt", "--offset", "3", "--column", "3"]);
    assert!(run.out.starts_with("3→ree\n"), "{run:?}");
}

#[test]
fn json_is_the_tools_data_and_its_text() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\r\ntwo\r\n");
    let (code, data) = stage.json(&["read", "a.txt", "--json"]);
    assert_eq!(code, 0);
    assert_eq!(data["type"], "text");
    assert_eq!(data["file_path"], path_argument(&path));
    assert_eq!(data["totalLines"], 2);
    assert_eq!(data["lineEndings"], "crlf");
    assert_eq!(data["revision"].as_str().map(str::len), Some(16));
    assert!(
        data["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("1→one\n"))
    );
}

#[test]
fn what_cannot_be_read_is_refused_with_the_closest_name() {
    let stage = Stage::new();
    stage.file("letter.txt", "x\n");
    let run = stage.run(&["read", "leter.txt"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.err.contains("letter.txt") && run.err.contains("missing"),
        "{run:?}"
    );
    assert_eq!(run.out, "");
    let (code, data) = stage.json(&["read", "leter.txt", "--json"]);
    assert_eq!((code, &data["error"]["name"]), (1, &"missing".into()));
    assert!(
        data["text"]
            .as_str()
            .is_some_and(|text| text.contains("letter.txt"))
    );
    assert_eq!(stage.run(&["read", "."]).code, 1);
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let stage = Stage::new();
    stage.file("long.txt", &"a line of text\n".repeat(20_000));
    let script = format!(
        "'{}' read long.txt | head -n 1; echo ${{PIPESTATUS[0]}}",
        crate::stage::LANCET
    );
    let mut command = stage.command("bash");
    command.args(["-c", &script]);
    let run = crate::stage::finish(command, b"");
    assert_eq!(run.out, "a line of text\n0\n", "{run:?}");
    assert_eq!(run.err, "");
}

#[test]
fn a_session_has_a_name_that_can_be_a_name() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    for name in ["no blanks", "", "../up"] {
        let run = stage.run(&["read", "a.txt", "--session", name]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains("session"), "{run:?}");
    }
    assert_eq!(
        stage.run(&["read", "a.txt", "--session", "a.b_c-1"]).code,
        0
    );
}

#[test]
fn a_folder_that_is_closed_is_the_systems_no() {
    let stage = Stage::new();
    let closed = stage.file("closed/a", "one\n");
    let closed = closed.parent().expect("it has one");
    fs::set_permissions(closed, Permissions::from_mode(0o000)).expect("its mode");
    // From the project, and from a folder that is no root.
    for from in [stage.project(), stage.home()] {
        let mut command = stage.unprivileged();
        command
            .args(["read", path_argument(&closed.join("a"))])
            .current_dir(from);
        let run = crate::stage::finish(command, b"");
        assert_eq!(run.code, 3, "{run:?}");
        assert!(run.err.contains("ermission denied"), "{run:?}");
        assert!(!run.err.contains("settings"), "{run:?}");
    }
    fs::set_permissions(closed, Permissions::from_mode(0o700)).expect("its mode");
}

#[test]
fn the_next_lines_are_a_command_away() {
    let stage = Stage::new();
    stage.file("a b.txt", "one\ntwo\nthree\n");
    let run = stage.run(&["read", "a b.txt", "--limit", "1", "--session", "s"]);
    assert!(!run.out.contains("Read {"), "{run:?}");
    let edit = [
        "edit",
        "a b.txt",
        "--session",
        "s",
        "--old",
        "three",
        "--new",
        "3",
        "--yes",
    ];
    let run = stage.run(&edit);
    assert!(
        run.err
            .contains("Run lancet read 'a b.txt' --offset 3 --limit 1 --session s and try again"),
        "{run:?}"
    );
    let follow = [
        "read",
        "a b.txt",
        "--offset",
        "3",
        "--limit",
        "1",
        "--session",
        "s",
    ];
    assert_eq!(stage.run(&follow).code, 0);
    assert_eq!(stage.run(&edit).code, 0, "now it was shown");
}

#[test]
fn off_a_terminal_the_lines_are_those_of_the_file_byte_by_byte() {
    let stage = Stage::new();
    let long = format!("{}\r\n", "x".repeat(100_000));
    let text = [&b"\xe9 one\r\n"[..], long.as_bytes(), b"\x1b[31mlast"].concat();
    fs::write(stage.project().join("a.txt"), &text).expect("a file");
    let mut command = stage.command(crate::stage::LANCET);
    let output = command.args(["read", "a.txt"]).output().expect("it runs");
    assert!(output.stdout == text, "not the bytes of the file");
    assert!(output.stderr.is_empty());
    let many: String = (1..=5000).map(|line| format!("{line}\n")).collect();
    stage.file("many.txt", &many);
    assert_eq!(stage.run(&["read", "many.txt"]).out, many);
    assert_eq!(stage.run(&["read", "many.txt", "--plain"]).out, many);
}

#[test]
fn lines_can_be_typed_after_the_name_unless_a_file_has_that_name() {
    let stage = Stage::new();
    stage.file("a.txt", "one\ntwo\nthree\n");
    for (typed, meant) in [
        ("a.txt:2-3", "two\nthree\n"),
        ("a.txt:2-", "two\nthree\n"),
        ("a.txt:2", "two\n"),
        ("a.txt:2:5", "two\n"),
        ("a.txt:3-900", "three\n"),
        ("a.txt:7", ""),
    ] {
        let run = stage.run(&["read", typed]);
        assert_eq!((run.code, run.out.as_str()), (0, meant), "{typed}: {run:?}");
    }
    for wrong in ["a.txt:0", "a.txt:3-2"] {
        assert_eq!(stage.run(&["read", wrong]).code, 2, "{wrong}");
    }
    stage.file("a.txt:2", "its own name\n");
    assert_eq!(stage.run(&["read", "a.txt:2"]).out, "its own name\n");
    let (_, data) = stage.json(&["read", "a.txt:2-3", "--json"]);
    assert_eq!(
        (&data["startLine"], &data["numLines"]),
        (&2.into(), &2.into())
    );
}

#[test]
fn several_files_come_one_after_the_other_and_a_missing_one_is_told() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "two\n");
    let run = stage.run(&["read", "a.txt", "b.txt"]);
    assert_eq!((run.code, run.out.as_str()), (0, "one\ntwo\n"));
    let run = stage.run(&["read", "a.txt", "none.txt", "b.txt"]);
    assert_eq!((run.code, run.out.as_str()), (1, "one\ntwo\n"), "{run:?}");
    assert!(run.err.contains("none.txt"), "{run:?}");
    let run = stage.run(&["read", "a.txt", "b.txt", "--json"]);
    assert_eq!(run.out.lines().count(), 2, "{run:?}");
}

#[test]
fn an_outline_has_names_and_lines_and_no_text() {
    let stage = Stage::new();
    stage.file("a.rs", "struct A;\n\nimpl A {\n    fn b() {}\n}\n");
    let run = stage.run(&["read", "a.rs", "--outline"]);
    assert_eq!(run.code, 0, "{run:?}");
    let outline = "1  struct A\n3-5  impl A\n4    fn b\n";
    assert!(run.out.starts_with(outline), "{run:?}");
    let (code, data) = stage.json(&["read", "a.rs", "--outline", "--json"]);
    assert_eq!((code, &data["type"]), (0, &"outline".into()));
    assert_eq!(data["symbols"][2]["name"], "b");
    stage.file("a.txt", "one\n");
    let run = stage.run(&["read", "a.txt", "--outline"]);
    assert!(run.code != 0 && run.err.contains("no outline"), "{run:?}");
}
