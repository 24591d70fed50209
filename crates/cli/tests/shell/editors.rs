//! The link to a user's editor: writes to files with unsaved changes prompt as long as the editor is connected. Editor
//! and shell are separate processes; the agent's engine is in the test.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use lancet::call::{AskMode, Deciders};
use lancet::{Lancet, Mode, RawCall, RefusalKind, Reply, Session};
use serde_json::{Value, json};

use crate::stage::{LANCET, Stage};

/// A process `lancet events --follow --editor`.
struct Editor {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Editor {
    fn new(stage: &Stage, name: &str) -> Self {
        // Without setsid around it, so that the process can be killed.
        let mut command = std::process::Command::new(LANCET);
        stage.set_surroundings(&mut command);
        command.args(["events", "--follow", "--editor", name]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.stderr(Stdio::piped()).spawn().expect("starts");
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let mut editor = Self { process, lines };
        assert_eq!(
            editor.next(),
            json!({ "event": "editor", "editor": name, "roots": [stage.project()], "unsaved": 0 })
        );
        editor
    }

    fn next(&mut self) -> Value {
        let line = self.lines.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("JSON")
    }

    fn say(&mut self, line: &str) {
        let input = self.process.stdin.as_mut().expect("piped");
        writeln!(input, "{line}").expect("written");
    }

    /// Reports which files are unsaved, and waits until the list is in effect.
    fn unsaved(&mut self, files: &[&Path]) {
        self.say(&json!({ "unsaved": files }).to_string());
        assert_eq!(self.next()["unsaved"], files.len());
    }
}

/// An agent whose edits are accepted in its mode.
struct Agent {
    _lancet: Lancet,
    session: Session,
}

impl Agent {
    fn new(stage: &Stage, mode: Mode) -> Self {
        let lancet = Lancet::builder()
            .root(stage.project())
            .state_dir(stage.home().join(".local/state/lancet"))
            .mode(mode)
            .open()
            .expect("opened");
        let session = lancet.new_session();
        Self {
            _lancet: lancet,
            session,
        }
    }

    fn write(&self, file: &Path, content: &str) -> Reply {
        let read = RawCall::new("Read", json!({ "file_path": file }));
        self.session.call(read);
        let asks = AskMode::Recorded {
            deciders: Deciders::IfWatched,
            waited_on: None,
        };
        let arguments = json!({ "file_path": file, "content": content });
        self.session
            .call(RawCall::new("Write", arguments).with_ask_mode(asks))
    }

    fn is_asked_about(&self, file: &Path, content: &str) -> bool {
        let reply = self.write(file, content);
        match reply.refusal() {
            None => false,
            Some(RefusalKind::Waiting) => true,
            refusal => panic!("{refusal:?}: {}", reply.text()),
        }
    }
}

#[test]
fn an_edit_of_an_unsaved_file_is_asked_about_until_it_is_saved() {
    let stage = Stage::new();
    let (a, b) = (stage.file("a.txt", "one\n"), stage.file("b.txt", "one\n"));
    let agent = Agent::new(&stage, Mode::AcceptEdits);
    let mut editor = Editor::new(&stage, "nvim");
    assert!(!agent.is_asked_about(&a, "two\n"));
    editor.next();
    editor.unsaved(&[&a]);
    assert!(agent.is_asked_about(&a, "three\n"));
    assert_eq!(stage.text("a.txt"), "two\n");
    assert!(!agent.is_asked_about(&b, "two\n"), "another file");
    let waiting = editor.next();
    assert_eq!(waiting["event"], "waiting");
    let reason = waiting["reason"].as_str().expect("a reason");
    assert!(reason.contains("a.txt is unsaved in nvim"), "{reason}");
    editor.next();
    assert!(
        !Agent::new(&stage, Mode::Bypass).is_asked_about(&a, "bypassed\n"),
        "in the mode bypass nobody is asked"
    );
    editor.next();
    editor.unsaved(&[&b]);
    assert!(!agent.is_asked_about(&a, "four\n"), "the list was replaced");
    assert!(agent.is_asked_about(&b, "four\n"));
}

#[test]
fn a_yes_writes_it_and_an_allow_rule_does_not() {
    let stage = Stage::new().with_token();
    stage.user_settings("[permissions]\nallow = [\"Edit(*)\", \"Write(*)\"]\n");
    let file = stage.file("a.txt", "one\n");
    let agent = Agent::new(&stage, Mode::AcceptEdits);
    let mut editor = Editor::new(&stage, "Visual Studio Code");
    editor.unsaved(&[&file]);
    let reply = agent.write(&file, "two\n");
    let id = reply
        .waiting_call()
        .expect("it waits")
        .question()
        .to_owned();
    let shown = stage.run(&["pending", "show", &id, "--json"]);
    let shown: Value = serde_json::from_str(&shown.out).expect("JSON");
    assert_eq!(
        shown["offers"]["always"],
        json!([]),
        "a rule would not answer it"
    );
    // A command of the shell needs a question as well, and there is no terminal.
    let run = stage.run(&["edit", "a.txt", "--old", "one", "--new", "three"]);
    assert!(
        run.code != 0 && run.err.contains("unsaved in Visual Studio Code"),
        "{run:?}"
    );
    let run = stage.run(&["pending", "approve", &id]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!agent.write(&file, "two\n").is_error());
    assert_eq!(stage.text("a.txt"), "two\n");
}

#[test]
fn an_editor_that_leaves_or_is_killed_leaves_nothing_behind() {
    let stage = Stage::new();
    let file = stage.file("a.txt", "one\n");
    let agent = Agent::new(&stage, Mode::AcceptEdits);
    let folder = stage.home().join(".local/state/lancet/unsaved");
    let mut editor = Editor::new(&stage, "nvim");
    editor.unsaved(&[&file]);
    assert!(folder.exists() && agent.is_asked_about(&file, "two\n"));
    drop(editor.process.stdin.take());
    assert_eq!(editor.process.wait().expect("it ends").code(), Some(0));
    assert!(!folder.exists());
    assert!(!agent.is_asked_about(&file, "two\n"));

    let mut editor = Editor::new(&stage, "nvim");
    editor.unsaved(&[&file]);
    assert!(agent.is_asked_about(&file, "three\n"));
    editor.process.kill().expect("killed");
    editor.process.wait().expect("it ends");
    assert!(!agent.is_asked_about(&file, "three\n"));
    assert!(!folder.exists(), "the next look removes what it left");
    let run = stage.run(&["edit", "a.txt", "--old", "three", "--new", "four", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn nonsense_is_named_and_changes_nothing() {
    let stage = Stage::new();
    let file = stage.file("a.txt", "one\n");
    let agent = Agent::new(&stage, Mode::AcceptEdits);
    let mut editor = Editor::new(&stage, "nvim");
    editor.unsaved(&[&file]);
    let many: Vec<String> = (0..1001).map(|at| format!("/f{at}")).collect();
    let many = json!({ "unsaved": many }).to_string();
    let nonsense = [
        "",
        "{",
        "[]",
        r#"{"unsaved": "a.txt"}"#,
        r#"{"saved": []}"#,
        r#"{"unsaved": ["/"]}"#,
        &many,
    ];
    for line in nonsense {
        editor.say(line);
    }
    // Files are identified by the file itself, not by its path: a relative path and a symbolic link mean the same one.
    std::os::unix::fs::symlink(&file, stage.project().join("link.txt")).expect("linked");
    editor.unsaved(&[Path::new("link.txt")]);
    assert!(agent.is_asked_about(&file, "two\n"));
    drop(editor.process.stdin.take());
    let mut told = String::new();
    let mut errors = editor.process.stderr.take().expect("piped");
    std::io::Read::read_to_string(&mut errors, &mut told).expect("read");
    // The empty line is ignored.
    assert_eq!(told.lines().count(), nonsense.len() - 1, "{told}");
    for part in ["`{`", "`[]`", "is expected", "more than 1000", "is no file"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.lines().all(|line| line.contains("changes nothing")));
    for name in ["", " ", "a\nb", &"x".repeat(41)] {
        let run = stage.run(&["events", "--follow", "--editor", name]);
        assert_eq!(run.code, 2, "{name:?}: {run:?}");
    }
    assert_eq!(stage.run(&["events", "--editor", "nvim"]).code, 2);
}
