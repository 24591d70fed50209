//! When colours are used, and what terminals that are narrow or have no UTF-8 get.

use crate::stage::Stage;
use crate::terminal::on_terminal;

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("a.rs", "fn main() {}\n");
    let edit = ["edit", "a.rs", "--old", "main", "--new", "start", "--yes"];
    assert_eq!(stage.run(&edit).code, 0);
    stage
}

const SHOWN: [&[&str]; 3] = [&["log"], &["show"], &["read", "a.rs"]];

#[test]
fn colours_are_off_in_a_pipe_and_on_where_they_are_asked_for() {
    let stage = stage();
    for command in SHOWN {
        let run = stage.run(command);
        assert!(!run.out.contains('\x1b'), "{run:?}");
        let run = stage.run(&[command, &["--color", "always"]].concat());
        assert!(run.out.contains('\x1b'), "{run:?}");
    }
    let edit = ["edit", "a.rs", "--old", "start", "--new", "go", "--diff"];
    let run = stage.run(&[&edit[..], &["--color", "always"]].concat());
    assert!(run.out.contains("\x1b[32m+fn "), "{run:?}");
    assert_eq!(stage.run(&["read", "a.rs", "--color", "red"]).code, 2);
}

#[test]
fn variables_of_the_environment_force_colours_and_forbid_them() {
    for (variables, in_pipe, on_screen) in [
        (&[("FORCE_COLOR", "1")][..], true, true),
        (&[("FORCE_COLOR", "0")], false, true),
        (&[("CLICOLOR_FORCE", "1")], true, true),
        (&[("CLICOLOR", "0")], false, false),
        (&[("NO_COLOR", "1")], false, false),
        (&[("NO_COLOR", "1"), ("FORCE_COLOR", "1")], false, false),
    ] {
        let stage = variables
            .iter()
            .fold(stage(), |stage, (name, value)| stage.with(name, value));
        let run = stage.run(&["read", "a.rs"]);
        assert_eq!(run.out.contains('\x1b'), in_pipe, "{variables:?} {run:?}");
        let run = on_terminal(&stage, "read a.rs", "");
        assert_eq!(run.out.contains('\x1b'), on_screen, "{variables:?} {run:?}");
        let run = on_terminal(&stage, "read a.rs --color never", "");
        assert!(!run.out.contains('\x1b'), "{variables:?} {run:?}");
    }
}

#[test]
fn a_locale_without_utf_8_gets_ascii_on_the_terminal() {
    let stage = Stage::new().with("NO_COLOR", "1").with("LC_ALL", "C");
    stage.file("a.txt", "evil \u{1b}[2J\n");
    for command in [
        "read a.txt",
        "read --number a.txt",
        "grep evil",
        "doctor",
        "log",
    ] {
        let run = on_terminal(&stage, command, "");
        assert!(run.out.is_ascii(), "{command}: {run:?}");
    }
    let run = on_terminal(&stage, "edit a.txt --old evil --new good", "n\n");
    assert!(
        run.out.is_ascii() && run.out.contains("+good ^[[2J"),
        "{run:?}"
    );
    let run = stage.run(&["read", "a.txt"]);
    assert_eq!(run.out, "evil \u{1b}[2J\n", "a pipe gets the file as it is");
}

#[test]
fn a_narrow_terminal_gets_lines_that_fit() {
    let stage = Stage::new().with("NO_COLOR", "1");
    stage.file("a.txt", "one\n");
    let narrow = |command: &str| {
        let lancet = crate::stage::LANCET;
        let sized = format!("--version; stty cols 40; '{lancet}' {command}");
        on_terminal(&stage, &sized, "?\nn\n").out
    };
    for command in ["edit a.txt --old one --new two", "doctor"] {
        let out = narrow(command);
        for line in out.lines() {
            let line = line.trim_end();
            let is_word = !line.trim_start().contains(' ');
            let is_typed = line.contains("[y/N");
            assert!(
                line.chars().count() <= 40 || is_word || is_typed,
                "{line:?} of {out}"
            );
        }
    }
}
