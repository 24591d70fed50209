//! `lancet write`.

use crate::stage::{Stage, path_argument};

#[test]
fn a_file_is_made_from_each_source_of_text() {
    let stage = Stage::new();
    stage.file("source.txt", "from a file\n");
    assert_eq!(
        stage
            .run(&["write", "new/a.txt", "--content", "given\n", "--yes"])
            .code,
        0
    );
    assert_eq!(
        stage
            .run(&["write", "b.txt", "--from", "source.txt", "--yes"])
            .code,
        0
    );
    assert_eq!(
        stage
            .run_with(&["write", "c.txt", "-", "--yes"], "piped\n")
            .code,
        0
    );
    assert_eq!(
        stage
            .run_with(&["write", "d.txt", "--from", "-", "--yes"], "piped too\n")
            .code,
        0
    );
    let texts = ["new/a.txt", "b.txt", "c.txt", "d.txt"].map(|name| stage.text(name));
    assert_eq!(
        texts,
        ["given\n", "from a file\n", "piped\n", "piped too\n"]
    );
}

#[test]
fn a_file_that_is_there_is_replaced_added_to_or_left() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\r\n");
    let (code, data) = stage.json(&["write", "a.txt", "--content", "two\n", "--yes", "--json"]);
    assert_eq!((code, &data["type"]), (0, &"update".into()), "{data}");
    assert_eq!(data["file_path"], path_argument(&path));
    assert_eq!(stage.text("a.txt"), "two\r\n");
    assert_eq!(
        stage
            .run(&[
                "write",
                "a.txt",
                "--content",
                "three\n",
                "--append",
                "--yes"
            ])
            .code,
        0
    );
    assert_eq!(stage.text("a.txt"), "two\r\nthree\r\n");
    let run = stage.run(&["write", "a.txt", "--content", "four\n", "--create", "--yes"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("exists"), "{run:?}");
    assert_eq!(stage.text("a.txt"), "two\r\nthree\r\n");
}

#[test]
fn without_a_text_or_with_two_the_command_line_is_wrong() {
    let stage = Stage::new();
    for arguments in [
        &["write", "a.txt", "-", "--content", "x", "--yes"][..],
        &["write", "a.txt", "more", "--yes"],
        &["write", "a.txt", "--content", "x", "--append", "--create"],
    ] {
        let run = stage.run_with(arguments, "piped\n");
        assert_eq!(run.code, 2, "{arguments:?} {run:?}");
    }
    // Without a flag, input is the text; no input at all would empty the file.
    let run = stage.run_with(&["write", "a.txt", "--yes"], "");
    assert_eq!(run.code, 2, "{run:?}");
    assert!(!stage.project().join("a.txt").exists());
    let run = stage.run_with(&["write", "a.txt", "--yes"], "piped\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "piped\n");
    assert_eq!(
        stage.run_with(&["write", "a.txt", "-", "--yes"], "").code,
        0
    );
    assert_eq!(stage.text("a.txt"), "");
}

#[test]
fn a_write_asks_as_an_edit_does() {
    let stage = Stage::new();
    let run = stage.run_with(&["write", "a.txt", "-"], "y\n");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("--yes"), "{run:?}");
    let run = stage.run(&["write", "a.txt", "--content", "x\n", "--diff"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("+x"), "{run:?}");
    assert!(!stage.project().join("a.txt").exists());
}
