//! Formatters that the settings name, through the real program and its launcher: real formatters, and scripts that fail
//! in every way.

use std::fs;
use std::path::{Path, PathBuf};

use lancet_testing::judges;
use serde_json::json;

use crate::agent::Agent;
use crate::stage::Stage;
use crate::wall::has_wall;

/// Returns an entry of the settings whose program is a shell script.
fn script(pattern: &str, script: &str) -> String {
    format!(
        "[[format]]\nfiles = [{pattern:?}]\nrun = [\"sh\", \"-c\", {script:?}, \"x\", \"{{path}}\"]\n"
    )
}

/// Makes a stage with these user's settings.
fn stage(settings: &str) -> Stage {
    let stage = Stage::new();
    stage.user_settings(settings);
    stage
}

fn edit(agent: &mut Agent, file: &Path, old: &str, new: &str) -> (String, String) {
    let arguments = json!({ "file_path": file, "old_string": old, "new_string": new });
    agent.call("Edit", arguments)
}

/// Returns the path of a formatter: that of `cargo xtask test`, of the toolchain, or one that is installed.
fn formatter(name: &str) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for variable in ["LANCET_FORMATTERS", "PATH"] {
        let listed = std::env::var_os(variable).unwrap_or_default();
        folders.extend(std::env::split_paths(&listed));
    }
    // What is in PATH as rustfmt may need the home folder that the stage does not have.
    folders.splice(
        0..0,
        Path::new(env!("CARGO")).parent().map(Path::to_path_buf),
    );
    let found = folders.into_iter().map(|folder| folder.join(name));
    let found = found.into_iter().find(|program| program.is_file());
    if found.is_none() {
        judges::missing(name);
    }
    found
}

/// An edit with a real formatter: the formatted text is in the answer and on the disk, the next edit finds it, and one
/// undo for each edit restores the bytes.
struct Case {
    program: &'static str,
    arguments: &'static [&'static str],
    file: &'static str,
    before: &'static str,
    edit: (&'static str, &'static str),
    after: &'static str,
    /// A formatted line of the answer.
    shown: &'static str,
    next: (&'static str, &'static str),
}

fn play(case: &Case, bytes: &[u8], decode: impl Fn(&[u8]) -> String) {
    let Some(program) = formatter(case.program) else {
        return;
    };
    let mut command = vec![program.to_str().expect("UTF-8")];
    command.extend_from_slice(case.arguments);
    let files = format!("*.{}", case.file.rsplit_once('.').expect("an extension").1);
    let stage = stage(&format!(
        "[[format]]\nfiles = [{files:?}]\nrun = {command:?}\n"
    ));
    let file = stage.file(case.file, "");
    fs::write(&file, bytes).expect("written");
    let mut agent = Agent::new(&stage, &["--tools", "default,Undo"]);
    assert_eq!(agent.read(&file), "");
    let (refused, text) = edit(&mut agent, &file, case.edit.0, case.edit.1);
    assert_eq!(refused, "", "{text}");
    assert!(text.contains(case.shown), "{text}");
    assert!(text.contains("formatted by `"), "{text}");
    assert_eq!(decode(&fs::read(&file).expect("there")), case.after);
    let (refused, text) = edit(&mut agent, &file, case.next.0, case.next.1);
    assert_eq!(refused, "", "{text}");
    for _ in 0..2 {
        let (refused, text) = agent.call("Undo", json!({}));
        assert_eq!(refused, "", "{text}");
    }
    assert_eq!(fs::read(&file).expect("there"), bytes);
}

fn plain(case: &Case) {
    play(case, case.before.as_bytes(), |bytes| {
        String::from_utf8(bytes.to_vec()).expect("UTF-8")
    });
}

const RUFF: Case = Case {
    program: "ruff",
    arguments: &["format", "--stdin-filename", "{path}", "-"],
    file: "kites.py",
    before: "def first( a ):\n    return a\n\n\ndef second():\n    return 1\n",
    edit: ("return 1", "return {'a':1,\n  'b':2}"),
    after: "def first(a):\n    return a\n\n\ndef second():\n    return {\"a\": 1, \"b\": 2}\n",
    shown: "6→    return {\"a\": 1, \"b\": 2}\n",
    next: ("{\"a\": 1, \"b\": 2}", "{\"a\":3}"),
};

#[test]
fn ruff_formats_python_and_names_the_lines_outside_the_edit() {
    plain(&RUFF);
    let Some(ruff) = formatter("ruff") else {
        return;
    };
    let stage = stage(&format!(
        "[[format]]\nfiles = [\"*.py\"]\nrun = [{:?}, \"format\", \"-\"]\n",
        ruff.to_str().expect("UTF-8")
    ));
    let file = stage.file("kites.py", RUFF.before);
    let mut agent = Agent::new(&stage, &[]);
    agent.read(&file);
    let (_, text) = edit(&mut agent, &file, RUFF.edit.0, RUFF.edit.1);
    let words = "ruff format -`, which also changed text outside the edit, at line 1]";
    assert!(text.contains(words), "{text}");
}

#[test]
fn crlf_and_utf_16_stay_through_a_formatter() {
    let crlf = RUFF.before.replace('\n', "\r\n");
    play(&RUFF, crlf.as_bytes(), |bytes| {
        let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
        text.replace("\r\n", "\n")
    });
    let wide = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xFF, 0xFE].into_iter().chain(units).collect()
    };
    play(&RUFF, &wide(&crlf), |bytes| {
        let units = bytes.chunks(2).skip(1);
        let units: Vec<u16> = units
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
            .collect();
        assert_eq!(&bytes[..2], &[0xFF, 0xFE]);
        String::from_utf16(&units)
            .expect("UTF-16")
            .replace("\r\n", "\n")
    });
}

#[test]
fn rustfmt_formats_rust() {
    plain(&Case {
        program: "rustfmt",
        arguments: &["--edition", "2024"],
        file: "src/kites.rs",
        before: "fn first() -> u8 {\n    1\n}\n",
        edit: ("    1\n", "    let kite=1 ; kite\n"),
        after: "fn first() -> u8 {\n    let kite = 1;\n    kite\n}\n",
        shown: "2→    let kite = 1;\n3→    kite\n",
        next: ("let kite = 1;\n    kite", "2"),
    });
}

#[test]
fn clang_format_formats_c() {
    plain(&Case {
        program: "clang-format",
        arguments: &["--assume-filename={path}"],
        file: "kites.c",
        before: "int first(void) { return 1; }\n",
        edit: ("return 1;", "int kite=1;return kite;"),
        after: "int first(void) {\n  int kite = 1;\n  return kite;\n}\n",
        shown: "2→  int kite = 1;\n",
        next: ("int kite = 1;\n  return kite;", "return 2;"),
    });
}

#[test]
fn prettier_formats_typescript_by_the_configuration_beside_the_file() {
    let case = Case {
        program: "prettier",
        arguments: &["--stdin-filepath", "{path}"],
        file: "kites.ts",
        before: "export const first = 1;\n",
        edit: ("= 1", "= [ 'a','b' ]"),
        after: "export const first = [\"a\", \"b\"];\n",
        shown: "1→export const first = [\"a\", \"b\"];\n",
        next: ("[\"a\", \"b\"]", "2"),
    };
    plain(&case);
    let Some(prettier) = formatter("prettier") else {
        return;
    };
    let stage = stage(&format!(
        "[[format]]\nfiles = [\"*.ts\"]\nrun = [{:?}, \"--stdin-filepath\", \"{{path}}\"]\n",
        prettier.to_str().expect("UTF-8")
    ));
    stage.file(
        ".prettierrc",
        "{ \"singleQuote\": true, \"semi\": false }\n",
    );
    let file = stage.file("kites.ts", case.before);
    let mut agent = Agent::new(&stage, &[]);
    agent.read(&file);
    edit(&mut agent, &file, case.edit.0, case.edit.1);
    assert_eq!(stage.text("kites.ts"), "export const first = ['a', 'b']\n");
}

#[test]
fn a_written_file_is_formatted_and_what_changed_is_shown() {
    let stage = stage(&script("*.up", "tr a-z A-Z"));
    let file = stage.project().join("a.up");
    let mut agent = Agent::new(&stage, &[]);
    let write = |content: &str| json!({ "file_path": file, "content": content });
    let (refused, text) = agent.call("Write", write("one\nTWO\n"));
    assert_eq!(refused, "", "{text}");
    assert!(text.contains("changed:\n1→ONE\n2→TWO\n"), "{text}");
    assert_eq!(stage.text("a.up"), "ONE\nTWO\n");
    let (refused, text) = edit(&mut agent, &file, "ONE", "three");
    assert_eq!(refused, "", "{text}");
    let (refused, text) = agent.call("Write", write("THREE\nfour\n"));
    assert_eq!(refused, "", "{text}");
    assert_eq!(stage.text("a.up"), "THREE\nFOUR\n");
    // The formatter turns the new text back into the file's text, so there is nothing to write.
    let (refused, text) = edit(&mut agent, &file, "FOUR", "four");
    assert_eq!(refused, "no_change", "{text}");
    assert!(text.contains("formatted by"), "{text}");
}

#[test]
fn lines_that_the_answer_does_not_show_have_to_be_read() {
    let stage = stage(&script("*.up", "tr a-z A-Z"));
    let long: String = (0..900).map(|line| format!("line {line}\n")).collect();
    let file = stage.project().join("a.up");
    let mut agent = Agent::new(&stage, &[]);
    let (refused, text) = agent.call("Write", json!({ "file_path": file, "content": long }));
    assert_eq!(refused, "", "{text}");
    assert_eq!(edit(&mut agent, &file, "LINE 3\n", "x\n").0, "");
    assert_eq!(edit(&mut agent, &file, "LINE 800\n", "x\n").0, "not_read");
    agent.read(&file);
    assert_eq!(edit(&mut agent, &file, "LINE 800\n", "x\n").0, "");
}

#[test]
fn a_formatter_that_fails_changes_nothing_and_is_told() {
    let cases = [
        (
            "*.code",
            "echo bad >&2; exit 3",
            "it ended with exit code 3: bad",
        ),
        ("*.signal", "kill -9 $$", "it ended with signal 9"),
        ("*.none", "cat > /dev/null", "it gave no text"),
        ("*.wrong", "printf '\\377'", "what it gave is not UTF-8"),
        (
            "*.slow",
            "trap '' TERM; sleep 600 & sleep 600",
            "it took longer than 5 seconds",
        ),
        ("*.flood", "yes", "it wrote more than 16384 KiB"),
    ];
    let entries: String = cases
        .iter()
        .map(|(pattern, text, _)| script(pattern, text))
        .collect();
    let gone = "[[format]]\nfiles = [\"*.gone\"]\nrun = [\"no-such-formatter\"]\n";
    let stage = stage(&format!("{entries}{gone}"));
    let mut agent = Agent::new(&stage, &[]);
    let mut check = |pattern: &str, words: &str| {
        let name = pattern.replace('*', "a");
        let file = stage.file(&name, "one\ntwo\n");
        agent.read(&file);
        let (refused, text) = edit(&mut agent, &file, "two", "three");
        assert_eq!(refused, "", "{text}");
        assert!(text.contains(words), "{text}");
        assert!(text.contains("the text is as it was sent]"), "{text}");
        assert_eq!(stage.text(&name), "one\nthree\n");
    };
    for (pattern, _, words) in cases {
        check(pattern, words);
    }
    check("*.gone", "it could not be started: No such file");
}

#[test]
fn a_character_that_the_encoding_lacks_leaves_the_text_as_it_was_sent() {
    let stage = stage(&format!(
        "[encoding]\n\"*.l1\" = \"windows-1252\"\n{}",
        script("*.l1", "sed 's/x/\u{2603}/'")
    ));
    let file = stage.file("a.l1", "");
    fs::write(&file, b"caf\xe9\n").expect("written");
    let mut agent = Agent::new(&stage, &[]);
    agent.read(&file);
    let (refused, text) = edit(&mut agent, &file, "caf\u{e9}", "x caf\u{e9}");
    assert_eq!(refused, "", "{text}");
    assert!(text.contains("without loss"), "{text}");
    assert_eq!(fs::read(&file).expect("there"), b"x caf\xe9\n");
}

#[test]
fn a_formatter_writes_no_file_of_the_project() {
    let stage = stage(&script("*.a", "echo x > \"$1\"; cat; echo formatted"));
    let file = stage.file("b.a", "one\n");
    let mut agent = Agent::new(&stage, &[]);
    agent.read(&file);
    if !has_wall(&stage) {
        return;
    }
    let (refused, text) = edit(&mut agent, &file, "one", "two");
    assert_eq!(refused, "", "{text}");
    assert_eq!(stage.text("b.a"), "two\nformatted\n");
}

#[test]
fn a_project_formats_only_once_it_is_trusted() {
    let stage = Stage::new().with_token();
    stage.file("lancet.toml", &script("*.up", "tr a-z A-Z"));
    let file = stage.file("a.up", "one\n");
    let change = |old: &str, new: &str| {
        let mut agent = Agent::new(&stage, &[]);
        agent.read(&file);
        edit(&mut agent, &file, old, new)
    };
    change("one", "two");
    assert_eq!(stage.text("a.up"), "two\n");
    assert_eq!(stage.run(&["trust", "--yes"]).code, 0);
    change("two", "three");
    assert_eq!(stage.text("a.up"), "THREE\n");
}
