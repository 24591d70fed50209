//! The question on the terminal, asked and answered through a pseudo-terminal (`script` from util-linux).

use std::process::Command;

use crate::stage::{LANCET, Run, Stage, finish};

/// Runs the program on a terminal of its own, on which `answer` is typed. Its output is all that the terminal showed.
pub(crate) fn on_terminal(stage: &Stage, arguments: &str, answer: &str) -> Run {
    let mut command = Command::new("script");
    command.args([
        "--quiet",
        "--return",
        "--command",
        &format!("'{LANCET}' {arguments}"),
        "/dev/null",
    ]);
    stage.dress(&mut command);
    command.env("TERM", "xterm");
    finish(command, answer.as_bytes())
}

#[test]
fn yes_writes() {
    let stage = Stage::new();
    stage.file("a.txt", "one\ntwo\n");
    let run = on_terminal(&stage, "edit a.txt --old one --new 1", "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "1\ntwo\n");
    assert!(
        run.out.contains("Write this?") && run.out.contains("a.txt"),
        "{run:?}"
    );
    assert!(
        run.out.contains("\x1b[31m-one\x1b[0m") && run.out.contains("\x1b[32m+1\x1b[0m"),
        "{run:?}"
    );
    assert_eq!(
        run.out.matches("-one").count(),
        1,
        "the diff is shown once: {run:?}"
    );
}

#[test]
fn no_writes_nothing_and_passes_the_words_on() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let run = on_terminal(&stage, "edit a.txt --old one --new 1", "n keep the word\n");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.out.contains("declined") && run.out.contains(": keep the word"),
        "{run:?}"
    );
    assert_eq!(stage.text("a.txt"), "one\n");
    let run = on_terminal(&stage, "edit a.txt --old one --new 1", "\n");
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
}

#[test]
fn the_answer_comes_from_the_terminal_and_not_from_standard_input() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("yes.txt", "y\n");
    let run = on_terminal(&stage, "edit a.txt --old one --new-file - < yes.txt", "n\n");
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
    let run = on_terminal(&stage, "edit a.txt --old one --new-file - < yes.txt", "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "y\n\n");
}

#[test]
fn protected_names_are_asked_about_even_with_yes() {
    let stage = Stage::new();
    stage.file(".git/config", "[core]\n");
    let run = on_terminal(
        &stage,
        "edit .git/config --old '[core]' --new '[user]' --yes",
        "n\n",
    );
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(stage.text(".git/config"), "[core]\n");
    let run = on_terminal(
        &stage,
        "edit .git/config --old '[core]' --new '[user]' --yes",
        "y\n",
    );
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text(".git/config"), "[user]\n");
    assert!(run.out.contains("protected"), "{run:?}");
}

#[test]
fn a_diff_cannot_hide_behind_escape_sequences() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("new.txt", "evil\u{1b}[2K\u{1b}[1Gharmless\n");
    let run = on_terminal(
        &stage,
        "edit a.txt --old-file a.txt --new-file new.txt",
        "n\n",
    );
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("evil␛[2K␛[1Gharmless"), "{run:?}");
}

#[test]
fn colours_stay_away_where_they_are_not_welcome() {
    let stage = Stage::new().with("NO_COLOR", "1");
    stage.file("a.txt", "one\n");
    let run = on_terminal(&stage, "edit a.txt --old one --new 1", "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!run.out.contains('\x1b'), "{run:?}");
    let run = on_terminal(&stage, "read a.txt", "");
    assert!(
        run.out.contains("1→1") && !run.out.contains('\x1b'),
        "{run:?}"
    );
}

#[test]
fn help_is_set_off_on_a_terminal_where_colours_are_welcome() {
    let welcome = Stage::new();
    let run = on_terminal(&welcome, "help read", "");
    assert!(run.out.contains("\x1b[1m"), "{run:?}");
    let unwelcome = Stage::new().with("NO_COLOR", "1");
    for arguments in ["help read", "read --help"] {
        let run = on_terminal(&unwelcome, arguments, "");
        assert!(
            run.out.contains("Usage:") && !run.out.contains('\x1b'),
            "{run:?}"
        );
    }
}

#[test]
fn a_person_who_starts_the_server_by_hand_is_told_what_it_waits_for() {
    let stage = Stage::new();
    let run = on_terminal(&stage, "mcp", "\u{4}");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("lancet help mcp"), "{run:?}");
}

#[test]
fn line_numbers_stand_back_on_a_terminal() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let run = on_terminal(&stage, "read a.txt", "");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("\x1b[2m1→\x1b[0mone"), "{run:?}");
}
