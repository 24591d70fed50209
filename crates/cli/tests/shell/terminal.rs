//! The question on the terminal, shown and answered through a pseudo-terminal (`script` from util-linux).

use std::process::Command;

use crate::stage::{LANCET, Run, Stage, finish};

/// Runs the program on a separate terminal, on which `answer` is typed. The output is everything that the terminal
/// showed.
pub(crate) fn on_terminal(stage: &Stage, arguments: &str, answer: &str) -> Run {
    finish(terminal(stage, arguments), answer.as_bytes())
}

/// Runs the program on a terminal with so many rows.
pub(crate) fn on_low_terminal(stage: &Stage, rows: usize, arguments: &str, answer: &str) -> Run {
    let sized = format!("--version; stty rows {rows}; '{LANCET}' {arguments}");
    on_terminal(stage, &sized, answer)
}

/// Makes a command that runs the program on a separate terminal.
pub(crate) fn terminal(stage: &Stage, arguments: &str) -> Command {
    let mut command = Command::new("script");
    command.args([
        "--quiet",
        "--return",
        "--command",
        &format!("'{LANCET}' {arguments}"),
        "/dev/null",
    ]);
    stage.set_surroundings(&mut command);
    command.env("TERM", "xterm");
    command
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
        run.out.contains("Cancelled; nothing was written."),
        "{run:?}"
    );
    let typed = "edit a.txt --old one --new 1 --json";
    let run = on_terminal(&stage, typed, "n keep the word\n");
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
        run.out.contains("1  1") && !run.out.contains('\x1b'),
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
    assert!(run.out.contains("\x1b[2m1  \x1b[0mone"), "{run:?}");
}

#[test]
fn code_is_coloured_on_a_terminal_and_plain_where_that_is_wanted() {
    let stage = Stage::new();
    stage.file("a.rs", "fn main() {} // evil \u{1b}[2J\n");
    stage.file("b.txt", "text\n");
    let run = on_terminal(&stage, "read a.rs b.txt", "");
    assert!(run.out.contains("\x1b[35mfn\x1b[0m"), "{run:?}");
    assert!(
        run.out.contains("==> a.rs <==") && run.out.contains("==> b.txt <=="),
        "{run:?}"
    );
    assert!(
        run.out.contains("␛[2J") && !run.out.contains("\x1b[2J"),
        "{run:?}"
    );
    assert!(run.out.contains("[a.rs, 1 line, revision "), "{run:?}");
    let run = on_terminal(&stage, "read --plain a.rs", "");
    assert_eq!(run.out, "fn main() {} // evil ␛[2J\r\n", "{run:?}");
}

#[test]
fn a_file_that_is_longer_than_the_screen_comes_in_the_pager() {
    let stage = Stage::new().with("PAGER", "sed 's/^/paged: /'");
    stage.file("a.rs", &"let x = 1;\n".repeat(40));
    let run = on_low_terminal(&stage, 20, "read a.rs", "");
    assert!(run.out.contains("paged: \x1b[2m40  \x1b[0m"), "{run:?}");
    let run = on_low_terminal(&stage, 60, "read a.rs", "");
    assert!(!run.out.contains("paged: "), "{run:?}");
}

#[test]
fn a_text_edited_by_the_person_is_what_is_written() {
    let stage = Stage::new().with("EDITOR", "sed -i s/1/one-and-a-half/");
    stage.file("a.txt", "one\ntwo\n");
    let run = on_terminal(&stage, "edit a.txt --old one --new 1", "e\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "one-and-a-half\ntwo\n");
    assert!(run.out.contains("a person changed the text"), "{run:?}");
    let (_, after) = run.out.split_once("a.txt, as edited").expect("shown");
    assert!(
        after.contains("+one-and-a-half"),
        "shown before it is written: {run:?}"
    );
    assert!(after.contains("Write it as edited?"), "{run:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn long_work_is_shown_on_a_terminal_and_nowhere_else() {
    let stage = Stage::new();
    if !crate::wall::has_wall(&stage) {
        return;
    }
    stage.user_settings(
        "[[format]]\nfiles = [\"*.txt\"]\nrun = [\"sh\", \"-c\", \"sleep 2; cat\"]\n",
    );
    stage.file("a.txt", "one\n");
    let run = on_terminal(&stage, "edit a.txt --old one --new 1 --yes", "");
    assert_eq!(run.code, 0, "{run:?}");
    let (_, after) = run.out.split_once("editing, 1 s").expect("shown");
    assert!(after.contains("\r\x1b[K"), "removed: {run:?}");
    let run = stage.run(&["edit", "a.txt", "--old", "1", "--new", "2", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!run.err.contains("editing"), "{run:?}");
}

#[test]
fn interactive_begins_with_the_choice_of_hunks_and_files() {
    let stage = Stage::new();
    let far = "other\n".repeat(20);
    stage.file("a.txt", &format!("one\n{far}one\n"));
    let edit = "edit a.txt --old one --new 1 --replace-all --interactive";
    let run = on_terminal(&stage, edit, "n\ny\n");
    assert_eq!(stage.text("a.txt"), format!("one\n{far}1\n"), "{run:?}");
    assert!(!run.out.contains("Write this?"), "{run:?}");
    stage.file("b.txt", "two\n");
    stage.file("c.txt", "two\n");
    let edit = "edit b.txt c.txt --regex two --new 2 --interactive";
    let run = on_terminal(&stage, edit, "n\ny\n");
    assert_eq!(
        (&*stage.text("b.txt"), &*stage.text("c.txt")),
        ("two\n", "2\n"),
        "{run:?}"
    );
}

#[test]
fn an_editor_that_changes_nothing_or_fails_leads_back_to_the_question() {
    for editor in ["true", "false", "no-such-editor"] {
        let stage = Stage::new().with("EDITOR", editor);
        stage.file("a.txt", "one\n");
        let run = on_terminal(&stage, "edit a.txt --old one --new 1", "e\nn\n");
        assert_eq!(run.code, 1, "{run:?}");
        assert_eq!(stage.text("a.txt"), "one\n");
        assert_eq!(run.out.matches("Write this?").count(), 2, "{run:?}");
    }
}

#[test]
fn always_adds_one_rule_and_the_next_time_nobody_is_asked() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    let settings = stage.user_settings("# mine\n[permissions]\ndeny = [\"Read(x)\"] # stays\n");
    let run = on_terminal(&stage, "edit a.txt --old one --new two", "a\n");
    assert_eq!(run.code, 0, "{run:?}");
    let rule = format!("Edit(/{})", stage.project().join("a.txt").display());
    assert_eq!(
        std::fs::read_to_string(&settings).expect("there"),
        format!("# mine\n[permissions]\ndeny = [\"Read(x)\"] # stays\nallow = [\"{rule}\"]\n")
    );
    let run = on_terminal(&stage, "edit a.txt --old two --new three", "");
    assert_eq!(
        (run.code, stage.text("a.txt").as_str()),
        (0, "three\n"),
        "{run:?}"
    );
    let run = on_terminal(&stage, "edit b.txt --old one --new two", "n\n");
    assert_eq!(
        (run.code, stage.text("b.txt").as_str()),
        (1, "one\n"),
        "{run:?}"
    );
}

#[test]
fn yes_protected_answers_for_protected_names_and_nothing_else_does() {
    let stage = Stage::new();
    stage.file(".git/config", "[core]\n");
    let edit = ["edit", ".git/config", "--old", "[core]", "--new", "[user]"];
    let run = stage.run(&[&edit[..], &["--yes"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("--yes-protected"), "{run:?}");
    let stage = stage.with_token();
    let run = stage.run(&[&edit[..], &["--yes-protected"]].concat());
    assert_eq!(
        (run.code, stage.text(".git/config").as_str()),
        (0, "[user]\n"),
        "{run:?}"
    );
}

#[test]
fn a_question_is_taken_back_when_the_file_changes() {
    use std::io::Read as _;
    use std::process::Stdio;
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\ntwo\n");
    let mut command = terminal(&stage, "edit a.txt --old one --new 1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // Input stays open without an answer.
    let stdin = child.stdin.take();
    let mut out = child.stdout.take().expect("piped");
    let mut shown = Vec::new();
    let mut read_until = |wanted: &str| {
        let mut bytes = [0; 4096];
        while !String::from_utf8_lossy(&shown).contains(wanted) {
            let length = out.read(&mut bytes).expect("it shows something");
            assert!(
                length > 0,
                "{wanted} never came: {}",
                String::from_utf8_lossy(&shown)
            );
            shown.extend_from_slice(&bytes[..length]);
        }
    };
    read_until("Write this?");
    std::fs::write(path, "other\n").expect("written");
    read_until("(no longer asked)");
    read_until("not_found");
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    drop(stdin);
    assert_eq!(stage.text("a.txt"), "other\n");
}

#[test]
fn an_edited_text_is_not_written_after_a_no() {
    let stage = Stage::new().with("EDITOR", "sed -i s/1/2/");
    stage.file("a.txt", "one\n");
    let run = on_terminal(&stage, "edit a.txt --old one --new 1", "e\nn\n");
    assert_eq!(
        (run.code, stage.text("a.txt").as_str()),
        (1, "one\n"),
        "{run:?}"
    );
}

#[test]
fn the_editor_opens_at_the_change() {
    let stage = Stage::new();
    let editor = stage.file("vi", "#!/bin/sh\necho \"$1\" > line.txt\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&editor, mode).expect("executable");
    let stage = stage.with("EDITOR", &editor);
    stage.file("a.txt", &lines());
    let edit = "edit a.txt --old 'line 20.' --new twenty";
    let run = on_terminal(&stage, edit, "e\nn\n");
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(stage.text("line.txt"), "+20\n");
}

#[test]
fn a_diff_shows_line_numbers_and_marks_the_changed_words() {
    let stage = Stage::new();
    stage.file("a.txt", &lines());
    let edit = "edit a.txt --old 'line 20.' --new 'line twenty.'";
    let run = on_terminal(&stage, edit, "n\n");
    assert!(
        run.out
            .contains("\x1b[2m20    \x1b[0m\x1b[31m-line \x1b[0m\x1b[31;7m20\x1b[0m"),
        "{run:?}"
    );
    assert!(
        run.out
            .contains("\x1b[2m   20 \x1b[0m\x1b[32m+line \x1b[0m\x1b[32;7mtwenty\x1b[0m"),
        "{run:?}"
    );
}

#[test]
fn a_diff_that_is_longer_than_the_screen_comes_in_the_pager() {
    let stage = Stage::new()
        .with("PAGER", "sed 's/^/paged: /'")
        .with("NO_COLOR", "1");
    stage.file("a.txt", &lines());
    let edit = "edit a.txt --regex '^line' --new row";
    let run = on_low_terminal(&stage, 20, edit, "n\n");
    assert!(
        run.out.contains("paged: ") && run.out.contains("+row 40."),
        "{run:?}"
    );
    let (_, after) = run.out.rsplit_once("paged: ").expect("paged");
    assert!(
        after.contains("+40 -40") && after.contains("Write this?"),
        "{run:?}"
    );
    let short = on_terminal(&stage, "edit a.txt --old 'line 1.' --new one", "n\n");
    assert!(!short.out.contains("paged: "), "{short:?}");
}

#[test]
fn several_files_are_one_question_and_one_undo() {
    let stage = Stage::new().with("NO_COLOR", "1");
    stage.file("src/a.rs", "foo(x)\n");
    stage.file("src/deep/b.rs", "foo(y); foo(z)\n");
    let edit = r"edit 'src/**/*.rs' --regex 'foo\((\w+)\)' --new 'bar($1)'";
    let run = on_terminal(&stage, edit, "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("Edit: 2 files, +2 -2"), "{run:?}");
    assert_eq!(run.out.matches("Write this?").count(), 1, "{run:?}");
    assert_eq!(stage.text("src/a.rs"), "bar(x)\n");
    assert_eq!(stage.text("src/deep/b.rs"), "bar(y); bar(z)\n");
    let run = stage.run(&["undo", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("src/a.rs"), "foo(x)\n");
    assert_eq!(stage.text("src/deep/b.rs"), "foo(y); foo(z)\n");
}

/// Returns forty lines, of which the fifth and the thirtieth are the same.
fn lines() -> String {
    let lines: String = (1..=40).map(|line| format!("line {line}.\n")).collect();
    lines.replace("line 30.", "line 5.")
}

const BOTH_HUNKS: &str = "edit a.txt --old 'line 5.' --new five --replace-all";

/// A call that makes two files.
const TWO_FILES: &str = r#"call MultiEdit '{"edits":[{"file_path":"a.txt","old_string":"","new_string":"a\n"},{"file_path":"b.txt","old_string":"","new_string":"b\n"}]}' --mode ask"#;

#[test]
fn a_typo_is_no_answer_and_the_keys_are_explained() {
    let stage = Stage::new().with("NO_COLOR", "1");
    stage.file("a.txt", &lines());
    let run = on_terminal(&stage, BOTH_HUNKS, "yy\n?\nd\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.out.matches("Write this?").count(), 4, "{run:?}");
    assert!(run.out.contains("yy is no answer; ? explains."), "{run:?}");
    assert!(run.out.contains("p  pick what is written"), "{run:?}");
    assert_eq!(
        run.out.matches("+five").count(),
        4,
        "the diff is shown again: {run:?}"
    );
    assert_eq!(stage.text("a.txt"), lines().replace("line 5.", "five"));
}

#[test]
fn hunks_are_picked() {
    let stage = Stage::new().with("NO_COLOR", "1");
    stage.file("a.txt", &lines());
    let run = on_terminal(&stage, BOTH_HUNKS, "p\nn not this one\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    let text = lines();
    let (before, after) = text.split_at(text.len() / 2);
    let meant = format!("{before}{}", after.replace("line 5.", "five"));
    assert_eq!(stage.text("a.txt"), meant);
    assert!(run.out.contains("(1/2) Write this hunk?"), "{run:?}");
    assert!(
        run.out.contains("a.txt line 5. You said: not this one"),
        "{run:?}"
    );
}

#[test]
fn picking_leads_back_to_the_question_and_ends_with_nothing_or_everything() {
    for (typed, code, meant) in [
        ("p\ny\nq\nn\n", 1, lines()),
        ("p\nn\nn because\n", 1, lines()),
        ("p\ny\ny\n", 0, lines().replace("line 5.", "five")),
    ] {
        let stage = Stage::new().with("NO_COLOR", "1");
        stage.file("a.txt", &lines());
        let run = on_terminal(&stage, BOTH_HUNKS, typed);
        assert_eq!((run.code, stage.text("a.txt")), (code, meant), "{run:?}");
    }
}

#[test]
fn several_files_are_one_question_with_a_summary_and_picked_by_file() {
    let stage = Stage::new().with("NO_COLOR", "1");
    let run = on_terminal(&stage, TWO_FILES, "p\nn\nx\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("MultiEdit: 2 files, +2 -0"), "{run:?}");
    assert_eq!(run.out.matches("Write this?").count(), 1, "{run:?}");
    assert_eq!(run.out.matches("Write this file?").count(), 3, "{run:?}");
    assert!(!stage.project().join("a.txt").exists());
    assert_eq!(stage.text("b.txt"), "b\n");
    assert!(run.out.contains("a.txt (all of it)"), "{run:?}");
}

#[test]
fn several_files_are_edited_one_after_the_other() {
    let stage = Stage::new().with("EDITOR", "sed -i s/b/edited/");
    let run = on_terminal(&stage, TWO_FILES, "e\n?\ns\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("e  edit it again"), "{run:?}");
    assert_eq!(
        (stage.text("a.txt").as_str(), stage.text("b.txt").as_str()),
        ("a\n", "edited\n")
    );
}

#[test]
fn always_adds_a_rule_for_each_file() {
    let stage = Stage::new().with("NO_COLOR", "1");
    let run = on_terminal(&stage, TWO_FILES, "?\na\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out
            .contains("a: always (adds 2 rules to your settings; ? lists them)"),
        "{run:?}"
    );
    let settings = stage.home().join(".config/lancet/lancet.toml");
    let settings = std::fs::read_to_string(settings).expect("there");
    for name in ["a.txt", "b.txt"] {
        let rule = format!("Edit(/{})", stage.project().join(name).display());
        assert!(settings.contains(&rule), "{settings}");
        assert!(run.out.contains(&rule), "? names it: {run:?}");
    }
}

#[test]
fn an_undo_of_two_files_is_one_question() {
    let stage = Stage::new().with("NO_COLOR", "1");
    let run = on_terminal(&stage, TWO_FILES, "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    let run = on_terminal(&stage, "undo", "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.out.matches("Undo this?").count(), 1, "{run:?}");
    assert!(run.out.contains("Undo: 2 files, +0 -2"), "{run:?}");
    assert!(!stage.project().join("a.txt").exists() && !stage.project().join("b.txt").exists());
}

#[test]
fn an_undo_of_two_files_is_picked_by_file_and_the_other_is_undone_later() {
    let stage = Stage::new().with("NO_COLOR", "1");
    let run = on_terminal(&stage, TWO_FILES, "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    let run = on_terminal(&stage, "undo", "p\nn\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.out.matches("Undo this?").count(), 1, "{run:?}");
    assert_eq!(run.out.matches("Undo this file?").count(), 2, "{run:?}");
    assert!(run.out.contains("a.txt (all of it)"), "{run:?}");
    assert_eq!(stage.text("a.txt"), "a\n");
    assert!(!stage.project().join("b.txt").exists());
    // The part that was left out is not reported as undone.
    let lead = run.out.lines().find(|line| line.contains("Undid"));
    assert!(
        lead.is_some_and(|lead| lead.trim_end().ends_with(", in part.")),
        "{run:?}"
    );
    let log = stage.run(&["log"]).out;
    let of_change = log.lines().last().expect("a line");
    assert!(of_change.ends_with("  (undone in part)"), "{log}");
    let id = of_change.split_whitespace().next().expect("an id");
    let shown = stage.run(&["show", id]).out;
    let by = shown.lines().find(|line| line.starts_with("undone by"));
    assert!(
        by.is_some_and(|by| by.ends_with(", but for a.txt")),
        "{shown}"
    );
    let run = on_terminal(&stage, "undo", "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("Undo a.txt (it goes)"), "{run:?}");
    assert!(!stage.project().join("a.txt").exists());
}

#[test]
fn files_that_changed_names_are_picked_together() {
    let stage = Stage::new().with("NO_COLOR", "1");
    for (name, text) in [("a.txt", "a\n"), ("c.txt", "c\n")] {
        stage.file(name, text);
    }
    let tools = "--mode bypass --tools all --session one";
    for call in [
        r#"call MoveFile '{"from_path":"a.txt","to_path":"b.txt"}'"#,
        r#"call MoveFile '{"from_path":"c.txt","to_path":"a.txt"}'"#,
        r#"call MultiEdit '{"edits":[{"file_path":"new.txt","old_string":"","new_string":"new\n"}]}'"#,
    ] {
        let run = on_terminal(&stage, &format!("{call} {tools}"), "");
        assert_eq!(run.code, 0, "{run:?}");
    }
    let run = on_terminal(&stage, "undo --session one", "p\nd\ny\nn\n");
    assert_eq!(run.code, 0, "{run:?}");
    let together = run
        .out
        .matches("Undo these files, which only change together?");
    assert_eq!(together.count(), 2, "{run:?}");
    assert_eq!(run.out.matches("Undo this file?").count(), 1, "{run:?}");
    assert_eq!(stage.text("new.txt"), "new\n");
    assert!(!stage.project().join("b.txt").exists());
    assert_eq!(
        (stage.text("a.txt").as_str(), stage.text("c.txt").as_str()),
        ("a\n", "c\n"),
        "{run:?}"
    );
}

#[test]
fn a_restore_of_two_files_is_one_question_picked_by_file_and_one_undo() {
    let stage = Stage::new().with("NO_COLOR", "1");
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    let edit = "edit a.txt b.txt --old one --new two --yes";
    let run = on_terminal(&stage, edit, "");
    assert_eq!(run.code, 0, "{run:?}");
    let log = stage.run(&["log", "--json"]);
    let first = log.out.lines().next().expect("a change");
    let id = serde_json::from_str::<serde_json::Value>(first).expect("JSON")["operation"]
        .as_str()
        .expect("an id")
        .to_owned();
    let restore = format!("restore a.txt@{id}^ b.txt@{id}^");
    let texts = || (stage.text("a.txt"), stage.text("b.txt"));
    let (one, two) = ("one\n".to_owned(), "two\n".to_owned());
    let run = on_terminal(&stage, &restore, "p\nn\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("Restore: 2 files, +2 -2"), "{run:?}");
    assert_eq!(run.out.matches("Restore this file?").count(), 2, "{run:?}");
    assert_eq!(texts(), (two.clone(), one.clone()));
    let run = on_terminal(&stage, &restore, "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("Restore a.txt  +1 -1"), "{run:?}");
    assert_eq!(texts(), (one.clone(), one.clone()));
    let run = on_terminal(&stage, &format!("restore a.txt@{id} b.txt@{id}"), "y\n");
    assert_eq!(
        (run.code, texts()),
        (0, (two.clone(), two.clone())),
        "{run:?}"
    );
    let run = on_terminal(&stage, "undo", "y\n");
    assert_eq!((run.code, texts()), (0, (one.clone(), one)), "{run:?}");
    let run = stage.run(&["restore", &format!("a.txt@{id}"), &format!("a.txt@{id}^")]);
    assert!(run.code == 1 && run.err.contains("named twice"), "{run:?}");
    let run = stage.run(&["restore", &format!("a.txt@{id}"), "b.txt"]);
    assert!(
        run.code == 2 && run.err.contains("b.txt names no change"),
        "{run:?}"
    );
}

#[test]
fn a_write_without_a_text_does_not_wait_for_one_at_a_terminal() {
    let stage = Stage::new();
    let run = on_terminal(&stage, "write a.txt", "");
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.out.contains("give the text with --content"), "{run:?}");
}
