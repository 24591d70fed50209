//! `lancet grep` and `lancet glob`.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::stage::{LANCET, Stage};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("src/a.rs", "fn one() {}\nfn two_test() {}\n");
    stage.file("src/b.py", "two_test = 2\n");
    stage.file(".gitignore", "*.log\n");
    stage.file("run.log", "two_test\n");
    stage
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_line_off_a_terminal_names_its_file_and_notices_are_not_among_the_lines() {
    let stage = stage();
    stage.file(".env", "two_test\n");
    let run = stage.run(&["grep", "--hidden", "two_test"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(
        sorted(&run.out),
        ["src/a.rs:2:fn two_test() {}", "src/b.py:1:two_test = 2"]
    );
    assert!(
        run.err
            .contains("lancet: 1 secret or denied file skipped\n"),
        "{run:?}"
    );
    let run = stage.run(&["glob", "*.toml"]);
    assert_eq!((run.code, &*run.out), (1, ""), "{run:?}");
}

#[test]
fn ripgreps_flags_stand_before_the_pattern_and_an_unknown_one_is_an_error() {
    let stage = stage();
    for flag in ["-n", "-i", "-w", "-F", "-S", "-s", "-U", "-H"] {
        let run = stage.run(&["grep", flag, "two_test", "src/b.py"]);
        assert_eq!(
            (run.code, &*run.out),
            (0, "src/b.py:1:two_test = 2\n"),
            "{flag}: {run:?}"
        );
    }
    let run = stage.run(&["grep", "-w", "src"]);
    assert_eq!(
        (run.code, &*run.out),
        (1, ""),
        "the flag is not the pattern: {run:?}"
    );
    let run = stage.run(&["grep", "--ignorecase", "two"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(
        run.err.contains("unexpected argument '--ignorecase'"),
        "{run:?}"
    );
    let run = stage.run(&["grep", "-v", "fn", "src/a.rs"]);
    assert_eq!(run.code, 1, "{run:?}");
    let run = stage.run(&["grep", "-o", "-N", "two", "src"]);
    assert_eq!(sorted(&run.out), ["src/a.rs:two", "src/b.py:two"]);
    let run = stage.run(&["grep", "-l", "-0", "two", "src/a.rs"]);
    assert_eq!(run.out, "src/a.rs\0");
    let run = stage.run(&["grep", "--files-without-match", "one", "src"]);
    assert_eq!((run.code, &*run.out), (0, "src/b.py\n"), "{run:?}");
    let run = stage.run(&["grep", "-c", "-g", "*.rs", "fn"]);
    assert_eq!(run.out, "src/a.rs:2\n");
    let run = stage.run(&["grep", "-e", "one", "-e", "two", "-m", "1", "src/a.rs"]);
    assert_eq!(run.out, "src/a.rs:1:fn one() {}\n");
    let run = stage.run(&["grep", "--", "-x"]);
    assert_eq!(run.code, 1, "{run:?}");
}

#[test]
fn several_paths_are_searched_and_one_that_is_missing_is_trouble() {
    let stage = stage();
    stage.file("docs/c.md", "two_test\n");
    let run = stage.run(&["grep", "two_test", "src", "docs"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.out.lines().count(), 3, "{run:?}");
    let run = stage.run(&["grep", "two_test", "nowhere", "docs"]);
    assert_eq!(
        (run.code, &*run.out),
        (2, "docs/c.md:1:two_test\n"),
        "{run:?}"
    );
    assert_eq!(run.err, "lancet: nowhere: No such file or folder\n");
}

#[test]
fn exit_codes_are_ripgreps() {
    let stage = stage();
    assert_eq!(stage.run(&["grep", "-q", "two_test"]).code, 0);
    let run = stage.run(&["grep", "-q", "nothing_like_it"]);
    assert_eq!((run.code, &*run.out, &*run.err), (1, "", ""));
    let run = stage.run(&["grep", "foo("]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("unclosed group"), "{run:?}");
    assert!(run.err.contains(r"use -F, or type 'foo\('"), "{run:?}");
    let run = stage.run(&["grep", "one\\ntwo"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("use -U"), "{run:?}");
    let run = stage.run(&["grep", "-t", "rst1", "x"]);
    assert_eq!(run.code, 2, "{run:?}");
}

#[test]
fn files_are_listed_by_name_extension_and_kind() {
    let stage = stage();
    let run = stage.run(&["glob", "src/*.{rs,py}"]);
    assert_eq!(sorted(&run.out), ["src/a.rs", "src/b.py"], "{run:?}");
    let run = stage.run(&["glob", "*.log", "--no-ignore"]);
    assert_eq!(run.out, "run.log\n");
    let run = stage.run(&["glob", "-e", "PY"]);
    assert_eq!(run.out, "src/b.py\n");
    let run = stage.run(&["glob", "-t", "d", "-0"]);
    assert_eq!(run.out, "src\0");
    let run = stage.run(&["glob", "*", "src", "--sort", "path"]);
    assert_eq!(run.out, "src/a.rs\nsrc/b.py\n");
}

#[test]
fn json_is_one_object_a_line_and_a_last_one_with_the_totals() {
    let run = stage().run(&["grep", "two_test", "--json", "--sort", "path"]);
    let lines: Vec<serde_json::Value> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 3, "{run:?}");
    assert_eq!(lines[0]["line"], 2);
    assert_eq!(lines[0]["submatches"], serde_json::json!([[3, 11]]));
    assert_eq!(lines[2]["numMatches"], 2);
    assert_eq!(lines[2]["skipped"]["ignored"], 1);
}

#[test]
fn a_time_budget_for_agents_does_not_end_a_persons_search() {
    let stage = stage();
    let budget = stage.file("budget.toml", "[search]\ntime_budget = 100\n");
    for number in 0..50 {
        stage.file(&format!("many/{number}.txt"), &"two_test\n".repeat(2_000));
    }
    let budget = budget.to_str().expect("UTF-8");
    let run = stage.run(&["grep", "-c", "two_test", "many", "--config", budget]);
    assert_eq!(
        (run.code, run.out.lines().count()),
        (0, 50),
        "{:?}",
        run.err
    );
    assert!(
        run.out.lines().all(|line| line.ends_with(":2000")),
        "{run:?}"
    );
    let run = stage.run(&["grep", "two_test", "many", "--config", budget]);
    assert_eq!(run.out.lines().count(), 100_000);
}

#[test]
fn the_first_lines_of_an_endless_search_come_before_its_end() {
    let stage = stage();
    for number in 0..2_000 {
        stage.file(
            &format!("many/{number}.txt"),
            &"two_test of a long line\n".repeat(500),
        );
    }
    let mut command = stage.command(LANCET);
    command.args(["grep", "two_test", "many"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    for _ in 0..2 {
        let line = lines.next().expect("a line").expect("text");
        assert!(line.contains(":two_test of a long line"), "{line}");
    }
    // The pipe holds far less than the million lines that are left, so the program cannot have ended by itself.
    drop(lines);
    let end = Instant::now() + Duration::from_secs(60);
    let status = loop {
        match child.try_wait().expect("it can be asked") {
            Some(status) => break status,
            None if Instant::now() > end => panic!("it goes on though nobody reads"),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    assert_eq!(status.code(), Some(0));
}

#[test]
fn colours_are_forced_and_forbidden_by_flag_and_environment() {
    let coloured = |stage: &Stage, flags: &[&str]| {
        let run = stage.run(&[&["grep", "one", "src"], flags].concat());
        run.out.contains('\x1b')
    };
    assert!(!coloured(&stage(), &[]));
    assert!(coloured(&stage(), &["--color", "always"]));
    assert!(coloured(&stage().with("FORCE_COLOR", "1"), &[]));
    assert!(!coloured(
        &stage().with("FORCE_COLOR", "1"),
        &["--color=never"]
    ));
    assert!(!coloured(
        &stage().with("FORCE_COLOR", "1").with("NO_COLOR", "1"),
        &[]
    ));
}

#[test]
fn standard_input_is_searched_if_it_is_a_pipe_or_a_dash_is_given() {
    let stage = stage();
    let piped = |arguments: &[&str]| {
        let run = stage.run_with(arguments, "one\nneedle\r\nlast needle\n");
        (run.code, run.out)
    };
    assert_eq!(piped(&["grep", "last"]), (0, "last needle\n".to_owned()));
    assert_eq!(piped(&["grep", "-c", "needle"]), (0, "2\n".to_owned()));
    assert_eq!(
        piped(&["grep", "-n", "last", "-"]),
        (0, "3:last needle\n".to_owned())
    );
    assert_eq!(piped(&["grep", "absent"]), (1, String::new()));
    let (code, out) = piped(&["grep", "needle|two_test", "src/b.py", "-"]);
    assert_eq!(code, 0);
    assert_eq!(
        sorted(&out),
        [
            "<stdin>:2:needle",
            "<stdin>:3:last needle",
            "src/b.py:1:two_test = 2"
        ]
    );
    // A path says what is searched.
    let (code, out) = piped(&["grep", "needle", "src"]);
    assert_eq!((code, &*out), (1, ""));
    // Patterns from standard input.
    let run = stage.run_with(&["grep", "-f", "-"], "absent\nfn one\n");
    assert_eq!((run.code, &*run.out), (0, "src/a.rs:1:fn one() {}\n"));
}

#[test]
fn notices_name_the_files_that_were_not_searched_whole() {
    let stage = stage();
    let late = format!("{}\0two_test\n", "text\n".repeat(40_000));
    stage.file("late.bin", &late);
    let run = stage.run(&["grep", "two_test"]);
    let notice = "lancet: late.bin was searched only up to a NUL byte (-a searches all of it)\n";
    assert!(run.err.contains(notice), "{run:?}");
    let run = stage.run(&["grep", "-a", "-c", "two_test", "late.bin"]);
    assert_eq!((run.code, &*run.out), (0, "late.bin:1\n"), "{run:?}");
    let folder = stage.project().join("closed");
    std::fs::create_dir(&folder).expect("a folder");
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o000);
    std::fs::set_permissions(&folder, closed).expect("closed");
    let mut command = stage.unprivileged();
    command.args(["grep", "two_test"]);
    let run = crate::stage::finish(command, b"");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&folder, open).expect("opened");
    assert_eq!(run.code, 2, "{run:?}");
    let notice = "lancet: closed could not be read and was skipped\n";
    assert!(run.err.contains(notice), "{run:?}");
}

#[test]
fn grep_and_edit_agree_on_the_end_of_a_crlf_line() {
    let stage = stage();
    stage.file("c.txt", "a\r\nb\r\n\r\nb\n");
    let run = stage.run(&["grep", "-c", "b$", "c.txt"]);
    assert_eq!((run.code, &*run.out), (0, "c.txt:2\n"), "{run:?}");
    let counted = ["--expect-count", "2", "--diff"];
    let edit = [
        &["edit", "c.txt", "--regex", "b$", "--new", "c"][..],
        &counted,
    ]
    .concat();
    let run = stage.run(&edit);
    assert_eq!(run.code, 0, "{run:?}");
    // The line is printed as it is, and a match without its CR.
    let run = stage.run(&["grep", "b$", "c.txt"]);
    assert_eq!(run.out, "c.txt:2:b\r\nc.txt:4:b\n");
    let run = stage.run(&["grep", "-o", "b.*$", "c.txt"]);
    assert_eq!(run.out, "c.txt:2:b\nc.txt:4:b\n");
    let run = stage.run(&["grep", "^$", "c.txt"]);
    assert_eq!(run.out, "c.txt:3:\r\n");
    let run = stage.run(&["grep", "--json", "b$", "c.txt"]);
    let first: serde_json::Value =
        serde_json::from_str(run.out.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["submatches"], serde_json::json!([[0, 1]]), "{run:?}");
    // A CR that is named is matched, and one within a line is a character.
    stage.file("d.txt", "a\r\nx\ry\n");
    let run = stage.run(&["grep", "-c", "\\r$", "d.txt"]);
    assert_eq!(run.out, "d.txt:1\n", "{run:?}");
    let run = stage.run(&["grep", "-c", "^x.y$", "d.txt"]);
    assert_eq!(run.out, "d.txt:1\n", "{run:?}");
}

#[test]
fn a_replacement_is_printed_and_not_written() {
    let stage = stage();
    let run = stage.run(&["grep", r"fn (\w+)", "-r", "def $1", "src/a.rs"]);
    assert_eq!(
        run.out,
        "src/a.rs:1:def one() {}\nsrc/a.rs:2:def two_test() {}\n"
    );
    assert_eq!(stage.text("src/a.rs"), "fn one() {}\nfn two_test() {}\n");
    let run = stage.run(&[
        "grep",
        "-o",
        r"(?<name>\w+)_test",
        "-r",
        "${name}!",
        "src/b.py",
    ]);
    assert_eq!(run.out, "src/b.py:1:two!\n");
    let run = stage.run(&["grep", "one", "-r", "", "--json"]);
    assert_eq!(run.code, 2, "{run:?}");
}

#[test]
fn every_match_or_every_line_is_printed_on_demand() {
    let stage = stage();
    stage.file("c.txt", "one\ntwo two\n");
    let run = stage.run(&["grep", "--vimgrep", "two", "c.txt"]);
    assert_eq!(run.out, "c.txt:2:1:two two\nc.txt:2:5:two two\n");
    let run = stage.run(&["grep", "--passthru", "two", "c.txt"]);
    assert_eq!(run.out, "c.txt-1-one\nc.txt:2:two two\n");
    let run = stage.run(&["grep", "--passthru", "absent", "c.txt"]);
    assert_eq!(run.code, 1, "{run:?}");
    let run = stage.run_with(&["grep", "--column", "two"], "one\n two\n");
    assert_eq!(run.out, "2:2: two\n");
}

#[test]
fn statistics_are_those_of_ripgrep() {
    let stage = stage();
    let run = stage.run(&["grep", "--stats", "t", "src"]);
    for line in [
        "6 matches",
        "2 matched lines",
        "2 files contained matches",
        "2 files searched",
    ] {
        assert!(
            run.out.lines().any(|printed| printed == line),
            "{line}: {run:?}"
        );
    }
    let run = stage.run(&["grep", "--stats", "-q", "two", "src"]);
    assert!(run.out.contains("\n2 files contained matches\n"), "{run:?}");
}

#[test]
fn types_are_listed_and_globs_may_ignore_case() {
    let stage = stage();
    let run = stage.run(&["grep", "--type-list"]);
    assert!(run.out.lines().any(|line| line == "rust: *.rs"), "{run:?}");
    stage.file("src/C.RS", "two_test\n");
    let run = stage.run(&["grep", "-l", "two", "--iglob", "*.rs"]);
    assert_eq!(sorted(&run.out), ["src/C.RS", "src/a.rs"], "{run:?}");
    let run = stage.run(&["grep", "-l", "two", "--iglob", "!*.rs"]);
    assert_eq!(run.out, "src/b.py\n", "{run:?}");
}

#[test]
fn links_are_followed_below_the_roots_and_nowhere_else() {
    use std::os::unix::fs::symlink;
    let stage = stage();
    stage.file(
        "lancet.toml",
        "[permissions]\ndeny = [\"Read(private/**)\"]\n",
    );
    stage.file("private/x.txt", "two_test\n");
    let outside = stage.home().join("outside.txt");
    std::fs::write(&outside, "two_test\n").expect("written");
    let links = stage.project().join("links");
    std::fs::create_dir(&links).expect("a folder");
    for (name, target) in [
        ("file", "../src/b.py"),
        ("folder", "../src"),
        ("again", ".."),
        ("denied", "../private"),
        ("out", outside.to_str().expect("UTF-8")),
        ("nowhere", "none"),
    ] {
        symlink(target, links.join(name)).expect("a link");
    }
    let run = stage.run(&["grep", "-l", "two_test", "links"]);
    assert_eq!((run.code, &*run.out), (1, ""), "{run:?}");
    let expected = ["links/file", "links/folder/a.rs", "links/folder/b.py"];
    for flags in [&["-L"][..], &["--follow", "--sort", "path"]] {
        let run = stage.run(&[&["grep", "-l", "two_test", "links"], flags].concat());
        assert_eq!(sorted(&run.out), expected, "{flags:?}: {run:?}");
    }
    let run = stage.run(&["glob", "*.rs", "links", "-L"]);
    assert_eq!(run.out, "links/folder/a.rs\n", "{run:?}");
}

#[test]
fn standard_input_is_read_for_one_purpose() {
    let stage = stage();
    let run = stage.run_with(&["grep", "-f", "-", "-"], "one\n");
    assert_eq!((run.code, &*run.out), (2, ""), "{run:?}");
    assert!(
        run.err.contains("standard input can be read once"),
        "{run:?}"
    );
}

#[test]
fn what_may_not_be_read_is_not_searched() {
    let stage = stage();
    stage.file(
        "lancet.toml",
        "[permissions]\ndeny = [\"Read(private/**)\"]\n",
    );
    stage.file("private/x.txt", "two_test\n");
    std::fs::hard_link(
        stage.project().join("private/x.txt"),
        stage.project().join("open.txt"),
    )
    .expect("a link");
    let run = stage.run(&["grep", "two_test", "--files-without-match"]);
    assert!(!run.out.contains("private"), "{run:?}");
    let run = stage.run(&["grep", "two_test"]);
    assert!(
        !run.out.contains("private") && !run.out.contains("open.txt"),
        "{run:?}"
    );
    let run = stage.run(&["grep", "two_test", "private/x.txt"]);
    assert_eq!((run.code, &*run.out), (2, ""), "{run:?}");
}

#[test]
fn a_tools_call_is_answered_as_one() {
    let run = stage().run(&["call", "Grep", r#"{"pattern": "^two_test$"}"#]);
    assert!(
        run.out.contains("include_ignored: true searches"),
        "{run:?}"
    );
}
