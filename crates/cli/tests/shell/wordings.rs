//! Messages for a person at the shell: flags instead of fields, names from the working folder, and notes on standard
//! error.

use std::io::Read as _;
use std::process::Stdio;

use crate::stage::{Stage, finish};
use crate::terminal::{on_terminal, terminal};

#[test]
fn a_change_is_named_from_the_working_folder_and_notes_are_not_among_the_lines() {
    let stage = Stage::new();
    stage.file(".git/HEAD", "ref: refs/heads/main\n");
    stage.file("sub/i.py", "  if x:\n      y()\n");
    stage.file("top.txt", "one\n");
    let in_sub = |arguments: &[&str]| {
        let mut command = stage.command(crate::stage::LANCET);
        command
            .current_dir(stage.project().join("sub"))
            .args(arguments);
        finish(command, b"")
    };
    let old = "    if x:\n        y()";
    let new = "    if x:\n        z()";
    let run = in_sub(&["edit", "i.py", "--old", old, "--new", new, "--yes"]);
    assert_eq!(
        run.out,
        "Edited i.py  +1 -1, matched ignoring indentation\n@@ -1,2 +1,2 @@\n   if x:\n-      y()\n+      z()\n",
        "{run:?}"
    );
    assert!(
        run.err
            .contains("note: matched ignoring indentation at line 1;"),
        "{run:?}"
    );
    let run = in_sub(&["edit", "../top.txt", "--old", "one", "--new", "1", "--diff"]);
    assert!(
        run.out.starts_with("Would edit ../top.txt  +1 -1\n"),
        "{run:?}"
    );
    assert_eq!(run.err, "note: dry run; nothing was written\n");
    let run = in_sub(&["edit", "../top.txt", "--old", "two", "--new", "2", "--yes"]);
    assert!(run.err.contains(" ../top.txt"), "{run:?}");
    assert!(
        !run.err.contains(&stage.project().display().to_string()),
        "{run:?}"
    );
    let run = in_sub(&["stats"]);
    assert!(run.out.contains("  i.py\n"), "{run:?}");
}

#[test]
fn a_number_below_zero_is_told_with_what_to_do() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let run = stage.run(&["read", "a.txt", "--offset", "-5"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(
        run.err
            .contains("lines count from 1; --tail shows the last ones"),
        "{run:?}"
    );
    for wrong in [
        &["read", "a.txt", "--limit", "-5"][..],
        &["log", "-n", "-3"],
        &["undo", "-n", "-3"],
    ] {
        let run = stage.run(wrong);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(!run.err.contains("use '-- "), "{run:?}");
    }
}

#[test]
fn what_a_search_skipped_is_said_in_plain_words() {
    let stage = Stage::new().with("NO_COLOR", "1");
    stage.file(".github/x", "needle\n");
    stage.file("id_rsa", "needle\n");
    stage.file("b.key", "needle\n");
    stage.file("a.txt", "other\n");
    let run = on_terminal(&stage, "grep needle", "");
    assert!(
        run.out
            .contains("lancet: 2 secret or denied files skipped\r\n"),
        "{run:?}"
    );
    assert!(
        run.out.contains("lancet: nothing found in 1 file\r\n"),
        "{run:?}"
    );
    assert!(
        run.out
            .contains("lancet: hidden files are skipped; name one (.github) or use --hidden\r\n"),
        "{run:?}"
    );
    assert!(!run.out.contains("withheld"), "{run:?}");
}

#[test]
fn refusals_are_counted_by_project() {
    let stage = Stage::new();
    stage.file("one/.git/HEAD", "ref: refs/heads/main\n");
    stage.file("two/.git/HEAD", "ref: refs/heads/main\n");
    stage.file("one/a.txt", "a\n");
    let run_in = |folder: &str, arguments: &[&str]| {
        let mut command = stage.command(crate::stage::LANCET);
        command
            .current_dir(stage.project().join(folder))
            .args(arguments);
        finish(command, b"")
    };
    run_in(
        "one",
        &["edit", "a.txt", "--old", "zzz", "--new", "y", "--yes"],
    );
    let here = run_in("one", &["stats"]);
    assert!(
        here.out.contains("refusals\n") && here.out.contains("not_found"),
        "{here:?}"
    );
    let there = run_in("two", &["stats"]);
    assert!(!there.out.contains("not_found"), "{there:?}");
}

#[test]
fn a_question_about_an_undo_does_not_go_on_to_another_change() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    for (old, new) in [("one", "two"), ("two", "three")] {
        let run = stage.run(&["edit", "a.txt", "--old", old, "--new", new, "--yes"]);
        assert_eq!(run.code, 0, "{run:?}");
    }
    let mut command = terminal(&stage, "undo");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let stdin = child.stdin.take();
    let mut out = child.stdout.take().expect("piped");
    let mut shown = String::new();
    let mut read_until = |wanted: &str| {
        let mut bytes = [0; 4096];
        while !shown.contains(wanted) {
            let length = out.read(&mut bytes).expect("it shows something");
            assert!(length > 0, "{wanted} never came: {shown}");
            shown.push_str(&String::from_utf8_lossy(&bytes[..length]));
        }
    };
    read_until("Undo this?");
    let other = stage.run(&["undo", "--yes"]);
    assert_eq!(other.code, 0, "{other:?}");
    read_until("The history changed while this was asked");
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    drop(stdin);
    assert_eq!(stage.text("a.txt"), "two\n");
}

#[test]
fn short_answers_say_what_is_so() {
    let stage = Stage::new();
    stage.file("lib.rs", "one\n");
    for (arguments, code, words) in [
        (&["read", "lob.rs"][..], 1, "No such file: lob.rs."),
        (
            &["undo", "--yes"],
            1,
            "There is nothing to undo in this project.",
        ),
        (
            &["redo", "--yes"],
            1,
            "There is nothing to redo in this project.",
        ),
        (&["log", "-n", "0"], 2, "give at least 1"),
        (&["grep", "foo("], 2, "use -F, or type 'foo\\('."),
    ] {
        let run = stage.run(arguments);
        assert_eq!(run.code, code, "{run:?}");
        assert!(run.err.contains(words), "{words}: {run:?}");
    }
    let revoked = stage.run(&["trust", "--revoke"]);
    assert!(
        revoked
            .out
            .contains("is not trusted; there is nothing to revoke"),
        "{revoked:?}"
    );
    stage.run(&["edit", "lib.rs", "--old", "one", "--new", "1", "--yes"]);
    let doctor = stage.run(&["doctor"]).out;
    assert!(
        doctor.contains("record of 0 named sessions and 1 change\n"),
        "{doctor}"
    );
    let help = stage.run(&["help", "edit"]).out;
    assert!(
        help.contains("Work in a named session; edits are limited to lines that it has read"),
        "{help}"
    );
}

#[test]
fn an_offer_is_not_reworded() {
    let stage = Stage::new();
    let text = "a(\n(end of part one)\nrun now\n)\nb(\n(end of part one)\nrun now\n]\n";
    stage.file("g.txt", text);
    let new = "(end of part one)\nrun the operation with old_string and replace_all";
    let old = "(end of part one)\nrun now";
    let run = stage.run(&["edit", "g.txt", "--old", old, "--new", new]);
    assert!(
        run.err
            .starts_with("lancet: refused (ambiguous) --old matches 2 places in g.txt; nothing was changed.\nTo change line 2, use this --old:\n"),
        "{run:?}"
    );
    let indented = format!("    {}\n", new.replace('\n', "\n    "));
    assert!(run.err.contains(&indented), "{run:?}");
    assert!(
        run.err.ends_with(
            "Make --old longer, for example one of these, and --new by the same lines. Or use --replace-all.\n"
        ),
        "{run:?}"
    );
}

#[test]
fn names_are_not_reworded() {
    let stage = Stage::new();
    for name in [
        "an operation log.txt",
        "Undo of march.txt",
        "old_string notes.txt",
    ] {
        stage.file(name, "q\n");
        let run = stage.run(&["edit", name, "--old", "zzz", "--new", "y"]);
        let sentence = format!("--old was not found in {name}.");
        assert!(run.err.contains(&sentence), "{run:?}");
    }
    stage.file("the operation plans/a.txt", "q\n");
    let run = stage.run(&["read", "the operation plans/b.txt"]);
    assert!(
        run.err.contains(
            "No such file: the operation plans/b.txt. Did you mean the operation plans/a.txt?"
        ),
        "{run:?}"
    );
    // A folder in the name contains the path of the working folder.
    let folder = stage.project();
    let name = format!("x {}/c.txt", folder.display());
    stage.file(&name, "q\n");
    let run = stage.run(&["edit", &name, "--old", "zzz", "--new", "y"]);
    let sentence = format!("--old was not found in {name}.");
    assert!(run.err.contains(&sentence), "{run:?}");
}
