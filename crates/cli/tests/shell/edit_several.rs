//! `lancet edit` of several files and by a regular expression, and writes that meet each other.

use std::process::Stdio;

use crate::stage::{LANCET, Stage};

const FOO: [&str; 4] = ["--regex", r"foo\((\w+)\)", "--new", "bar($1)"];

#[test]
fn every_match_of_every_file_is_replaced_and_nothing_else() {
    let stage = Stage::new();
    stage.file("src/a.rs", "foo(one) foo(two)\r\nkept\r\n");
    stage.file("src/b.rs", "no match\n");
    let latin = stage.project().join("src/c.rs");
    std::fs::write(&latin, b"\xe9 foo(x) \xe8\n").expect("a file");
    stage.file("other.rs", "foo(z)\n");
    let run = stage.run(&[&["edit", "src/*.rs", "--yes"], &FOO[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("src/a.rs"), "bar(one) bar(two)\r\nkept\r\n");
    assert_eq!(stage.text("src/b.rs"), "no match\n");
    assert_eq!(std::fs::read(&latin).expect("there"), b"\xe9 bar(x) \xe8\n");
    assert_eq!(stage.text("other.rs"), "foo(z)\n");
}

#[test]
fn a_preview_writes_nothing_and_json_names_every_file() {
    let stage = Stage::new();
    stage.file("a.txt", "foo(1)\n");
    stage.file("b.txt", "foo(2)\n");
    let (code, data) = stage.json(&[&["edit", "*.txt", "--diff", "--json"], &FOO[..]].concat());
    assert_eq!(code, 0, "{data}");
    assert_eq!(data["files"].as_array().map(Vec::len), Some(2), "{data}");
    assert_eq!(stage.text("a.txt"), "foo(1)\n");
}

#[test]
fn anchors_dollars_and_matches_across_lines() {
    let stage = Stage::new();
    stage.file("a.txt", "a\r\nb\r\n");
    let edit = |arguments: &[&str]| {
        let run = stage.run(&[&["edit", "a.txt", "--yes"], arguments].concat());
        assert_eq!(run.code, 0, "{run:?}");
    };
    edit(&["--regex", "$", "--new", ";$$"]);
    assert_eq!(stage.text("a.txt"), "a;$\r\nb;$\r\n");
    edit(&["--regex", r";\$\n(?<next>b)", "-U", "--new", "\n\n${next}"]);
    assert_eq!(stage.text("a.txt"), "a\r\n\r\nb;$\r\n");
}

#[test]
fn nothing_found_is_exit_1_and_says_so() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "two\n");
    let run = stage.run(&[&["edit", "*.txt", "--yes"], &FOO[..]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.err
            .contains("no match: the pattern was not found in 2 files"),
        "{run:?}"
    );
    let run = stage.run(&[&["edit", "*.rs", "--yes"], &FOO[..]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("no file matches *.rs"), "{run:?}");
    let run = stage.run(&[&["edit", "a.txt", "none.txt", "--yes"], &FOO[..]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("none.txt"), "{run:?}");
}

#[test]
fn a_wrong_pattern_or_template_is_wrong_usage() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    for (pattern, new, words) in [
        ("foo(", "x", "use --old"),
        ("(o)ne", "$1x", "write ${1}x"),
        ("one", "5 $", "a dollar sign is written $$"),
        (r"one\n", "x", "use -U"),
    ] {
        let run = stage.run(&["edit", "a.txt", "--regex", pattern, "--new", new, "--yes"]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains(words), "{run:?}");
    }
    assert_eq!(stage.text("a.txt"), "one\n");
}

#[test]
fn a_binary_file_is_named_and_one_that_was_typed_ends_the_command() {
    let stage = Stage::new();
    stage.file("a.txt", "foo(1)\n");
    std::fs::write(stage.project().join("b.bin"), b"foo(1)\0\x01\x02").expect("a file");
    let run = stage.run(&[&["edit", "*", "--yes"], &FOO[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("skipped b.bin (binary)"), "{run:?}");
    assert_eq!(stage.text("a.txt"), "bar(1)\n");
    stage.file("a.txt", "foo(1)\n");
    let run = stage.run(&[&["edit", "a.txt", "b.bin", "--yes"], &FOO[..]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(stage.text("a.txt"), "foo(1)\n");
}

#[test]
fn a_protected_file_among_them_stops_all_of_them() {
    let stage = Stage::new();
    stage.file("a.txt", "foo(1)\n");
    stage.file(".bashrc", "foo(1)\n");
    let edit = [&["edit", "a.txt", ".bashrc", "--yes"], &FOO[..]].concat();
    let run = stage.run(&edit);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains(".bashrc"), "{run:?}");
    assert_eq!(stage.text("a.txt"), "foo(1)\n");
}

#[test]
fn plain_text_in_several_files_must_stand_once_in_each_unless_all_are_meant() {
    let stage = Stage::new();
    stage.file("a.txt", "one.\n");
    stage.file("b.txt", "one. one.\n");
    stage.file("c.txt", "onex\n");
    let edit = ["edit", "*.txt", "--old", "one.", "--new", "$1", "--yes"];
    let run = stage.run(&edit);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.err.contains("b.txt has the old text at 2 places"),
        "{run:?}"
    );
    let run = stage.run(&[&edit[..], &["--replace-all", "--expect-count", "2"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("3 places"), "{run:?}");
    let run = stage.run(&[&edit[..], &["--replace-all"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "$1\n");
    assert_eq!(stage.text("b.txt"), "$1 $1\n");
    assert_eq!(stage.text("c.txt"), "onex\n");
}

#[test]
fn a_file_whose_name_is_a_glob_is_that_file() {
    let stage = Stage::new();
    stage.file("[a].txt", "one\n");
    stage.file("a.txt", "one\n");
    let run = stage.run(&["edit", "[a].txt", "--regex", "one", "--new", "1", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("[a].txt"), "1\n");
    assert_eq!(stage.text("a.txt"), "one\n");
}

/// Runs the program several times at once, with the arguments of each number.
fn at_once(stage: &Stage, number: usize, arguments: impl Fn(usize) -> Vec<String>) {
    let start = |at: usize| {
        let mut command = stage.command(LANCET);
        command.args(arguments(at)).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    };
    let running: Vec<_> = (0..number).map(start).collect();
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}");
    }
}

#[test]
fn independent_edits_of_one_file_do_not_refuse_each_other() {
    let stage = Stage::new();
    let text: String = (0..6).map(|at| format!("item{at}=a\n")).collect();
    stage.file("c.txt", &text);
    at_once(&stage, 6, |at| {
        let (old, new) = (format!("item{at}=a"), format!("item{at}=b"));
        let words = ["edit", "c.txt", "--old", &old, "--new", &new, "--yes"];
        words.map(str::to_owned).to_vec()
    });
    assert_eq!(stage.text("c.txt"), text.replace("=a", "=b"));
}

#[test]
fn appends_at_the_same_time_are_all_kept() {
    let stage = Stage::new();
    stage.file("log.txt", "");
    at_once(&stage, 6, |at| {
        let line = format!("line {at}\n");
        let words = ["write", "log.txt", "--content", &line, "--append", "--yes"];
        words.map(str::to_owned).to_vec()
    });
    let log = stage.text("log.txt");
    let mut lines: Vec<&str> = log.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["line 0", "line 1", "line 2", "line 3", "line 4", "line 5"]
    );
}

#[test]
fn case_and_words_count_as_asked_for() {
    let stage = Stage::new();
    let text = "Limit limits LIMIT (limit)\n";
    let edited = |arguments: &[&str]| {
        stage.file("a.txt", text);
        let run = stage.run(&[&["edit", "a.txt", "--yes"], arguments].concat());
        (run.code, stage.text("a.txt"))
    };
    assert_eq!(
        edited(&["--regex", "limit", "-i", "--new", "x"]),
        (0, "x xs x (x)\n".to_owned())
    );
    assert_eq!(
        edited(&["--regex", "limit", "-iw", "--new", "x"]),
        (0, "x limits x (x)\n".to_owned())
    );
    assert_eq!(
        edited(&["--regex", "(limit)", "-F", "--new", "$1"]),
        (0, "Limit limits LIMIT $1\n".to_owned())
    );
    assert_eq!(
        edited(&["--old", "limit", "-w", "--new", "x"]),
        (0, "Limit limits LIMIT (x)\n".to_owned())
    );
    // Without --replace-all a text must be there once.
    assert_eq!(
        edited(&["--old", "limit", "-i", "--new", "x"]),
        (1, text.to_owned())
    );
}

#[test]
fn escapes_of_other_programs_are_refused_with_what_to_write() {
    let stage = Stage::new();
    stage.file("a.txt", "foo(x)\n");
    for (new, advice) in [
        (r"\1_x", "a group is $1 or ${1}"),
        (r"bar\n", r"type the character itself (in bash $'\n')"),
    ] {
        let edit = [
            "edit",
            "a.txt",
            "--regex",
            r"foo\((\w)\)",
            "--new",
            new,
            "--yes",
        ];
        let run = stage.run(&edit);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains(advice), "{run:?}");
        assert_eq!(stage.text("a.txt"), "foo(x)\n");
        let run = stage.run(&[&edit[..], &["--insist"]].concat());
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(stage.text("a.txt"), format!("{new}\n"));
        stage.file("a.txt", "foo(x)\n");
    }
    // A backslash before a backslash is text.
    let edit = ["edit", "a.txt", "--regex", "foo", "--new", r"\\1", "--yes"];
    assert_eq!(stage.run(&edit).code, 0);
    assert_eq!(stage.text("a.txt"), "\\\\1(x)\n");
}

#[test]
fn a_preview_has_no_limit_of_files_and_a_refusal_names_a_part_that_fits() {
    let stage = Stage::new();
    for number in 0..450 {
        let folder = if number < 300 { "large" } else { "small" };
        stage.file(&format!("src/{folder}/{number}.txt"), "foo(x)\n");
    }
    let run = stage.run(&[&["edit", "src/**", "--diff"], &FOO[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.out.matches("Would edit ").count(), 450);
    let run = stage.run(&[&["edit", "src/**", "--yes"], &FOO[..]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.err.contains("450 files have a match")
            && run.err.contains("'src/large/**' (300 of them)"),
        "{run:?}"
    );
    assert_eq!(stage.text("src/large/0.txt"), "foo(x)\n");
    let run = stage.run(&[&["edit", "src/large/**", "--yes"], &FOO[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
}
