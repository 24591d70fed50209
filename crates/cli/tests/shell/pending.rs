//! `lancet pending`: questions that calls of agents left, listed, shown and decided at the shell. The calls are made by
//! engines in the test's own process; the program is another process.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use lancet::approval::{ChangeKind, FileQuestion, Question};
use lancet::call::{AskMode, Deciders};
use lancet::questions::{QuestionState, RecordedQuestion};
use lancet::{Caller, Lancet, Mode, RawCall, RefusalKind, Reply, Session};
use lancet_history::{OperationAuthor, QuestionDraft, QuestionFile, QuestionStore as _};
use serde_json::{Value, json};

use crate::stage::{LANCET, Run, Stage};
use crate::terminal::{on_terminal, terminal};

/// An agent that prompts before it writes.
struct Agent {
    lancet: Lancet,
    session: Session,
    deciders: Deciders,
}

impl Agent {
    fn new(stage: &Stage, deciders: Deciders) -> Self {
        let lancet = Lancet::builder()
            .root(stage.project())
            .state_dir(stage.home().join(".local/state/lancet"))
            .mode(Mode::Ask)
            .open()
            .expect("opened");
        let session = lancet.new_session();
        Self {
            lancet,
            session,
            deciders,
        }
    }

    fn call(&self, tool: &str, arguments: Value) -> Reply {
        let asks = AskMode::Recorded {
            deciders: self.deciders,
            waited_on: None,
        };
        let call = RawCall::new(tool, arguments);
        let call = call.with_caller(Caller::client("some-agent", "1.0"));
        self.session.call(call.with_ask_mode(asks))
    }

    /// Reads the file, then changes three lines that are far apart: three hunks.
    fn three_edits(&self, stage: &Stage) -> Reply {
        let file = stage.project().join("a.txt");
        self.call("Read", json!({ "file_path": file }));
        let edit = |line: usize| json!({ "old_string": format!("line {line}.\n"), "new_string": format!("LINE {line}.\n") });
        let edits = json!({ "file_path": file, "edits": [edit(5), edit(20), edit(35)] });
        self.call("MultiEdit", edits)
    }

    fn write(&self, stage: &Stage, name: &str) -> Reply {
        let file = stage.project().join(name);
        self.call("Write", json!({ "file_path": file, "content": "new\n" }))
    }

    fn question(&self, id: &str) -> RecordedQuestion {
        let questions = self.lancet.questions().expect("a state folder");
        questions.get(id).expect("read").expect("kept")
    }

    fn decided_by(&self, id: &str) -> String {
        self.question(id).decided.expect("decided").0
    }
}

fn waits(reply: &Reply) -> String {
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Waiting),
        "{}",
        reply.text()
    );
    let waiting = reply.waiting_call().expect("what it waits on");
    waiting.question().to_owned()
}

fn lines() -> String {
    (1..=40).map(|line| format!("line {line}.\n")).collect()
}

/// Makes a project with one file, and an agent that prompts.
fn asking() -> (Stage, Agent) {
    let stage = Stage::new().with("USER", "tester");
    stage.file("a.txt", &lines());
    let agent = Agent::new(&stage, Deciders::Present);
    (stage, agent)
}

fn objects(run: &Run) -> Vec<Value> {
    let lines = run.out.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn open_questions_are_listed_newest_first_with_who_asks_and_why() {
    let (stage, agent) = asking();
    let run = stage.run(&["pending"]);
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{run:?}");
    assert!(
        run.err.contains("no question is open about this project"),
        "{run:?}"
    );
    let first = waits(&agent.three_edits(&stage));
    let second = waits(&agent.write(&stage, "b.txt"));
    let run = stage.run(&["pending"]);
    let shown: Vec<&str> = run.out.lines().collect();
    assert_eq!((run.code, shown.len()), (0, 4), "{run:?}");
    assert!(
        shown[0].starts_with(&second[8..]) && shown[2].starts_with(&first[8..]),
        "{run:?}"
    );
    assert!(
        shown[2].contains("some-agent") && shown[2].contains("MultiEdit"),
        "{run:?}"
    );
    assert!(shown[2].contains("a.txt +3 -3"), "{run:?}");
    assert!(shown[3].contains("the mode is ask"), "{run:?}");
    let found = objects(&stage.run(&["pending", "--json"]));
    assert_eq!(found.len(), 3);
    assert_eq!(found[0]["question"], second.as_str());
    assert_eq!(found[1]["files"][0]["added"], 3);
    assert_eq!(found[2], json!({ "total": 2 }));
}

#[test]
fn a_question_is_shown_with_numbered_hunks_and_found_by_its_end() {
    let (stage, agent) = asking();
    let id = waits(&agent.three_edits(&stage));
    let run = stage.run(&["pending", "show", &id[10..]]);
    assert_eq!(run.code, 0, "{run:?}");
    for words in [
        "hunk 1\n@@ ",
        "hunk 3\n@@ ",
        "-line 35.\n+LINE 35.\n",
        "--hunk N",
        "--edit",
        "some-agent",
    ] {
        assert!(run.out.contains(words), "{words}: {run:?}");
    }
    let (_, data) = stage.json(&["pending", "show", &id, "--json"]);
    assert_eq!(data["files"][0]["pieces"][2]["hunks"], json!([3]));
    assert_eq!(stage.run(&["pending", "show", "x"]).code, 2, "too short");
    let run = stage.run(&["pending", "reject", "nosuchquestion"]);
    assert!(
        run.code == 1 && run.err.contains("there is no question"),
        "{run:?}"
    );
}

#[test]
fn an_ending_that_two_ids_share_is_told_with_both() {
    let (stage, _) = asking();
    let state = stage.home().join(".local/state/lancet");
    let store = lancet_history::Store::new(&state);
    let path = stage.project().join("a.txt");
    for (call, id) in [(1, "aaaaaaaaa1zz"), (2, "aaaaaaaaa2zz")] {
        let file = FileQuestion::new(&path, ChangeKind::Update);
        let shown = serde_json::to_vec(&Question::new("Edit", vec![file])).expect("JSON");
        let draft = QuestionDraft {
            id,
            call: [call; 32],
            plan: [0; 32],
            workspace: None,
            arguments: b"{}",
            event: "{}",
            author: OperationAuthor {
                session: "s",
                client: None,
                version: None,
                turn: None,
                call: None,
            },
            tool: "Edit",
            shown: &shown,
            files: vec![QuestionFile {
                path: path.clone(),
                kind: ChangeKind::Update,
                added: 0,
                removed: 0,
                seen: None,
            }],
            renews: None,
        };
        store.record_question(&draft).expect("recorded");
    }
    let run = stage.run(&["pending", "show", "zz"]);
    assert!(
        run.code == 1 && run.err.contains("the end of several ids"),
        "{run:?}"
    );
    assert!(
        run.err.contains("a1zz") && run.err.contains("a2zz"),
        "{run:?}"
    );
    assert_eq!(stage.run(&["pending", "show", "2zz"]).code, 0);
}

#[test]
fn an_agent_cannot_approve_itself() {
    let (stage, agent) = asking();
    let id = waits(&agent.three_edits(&stage));
    let run = stage.run(&["pending", "approve", &id]);
    assert!(
        run.code == 1 && run.err.contains("needs a person"),
        "{run:?}"
    );
    let (_, data) = stage.json(&["pending", "approve", &id, "--json"]);
    assert_eq!(data["error"]["name"], "denied");
    let stage = stage.with_token().with("LANCET_TOKEN", "a-guess");
    let run = stage.run(&["pending", "approve", &id]);
    assert!(
        run.code == 1 && run.err.contains("is not the person's token"),
        "{run:?}"
    );
    // Neither the token nor a terminal helps an agent.
    let stage = stage.with_token().with("CLAUDECODE", "1");
    let run = stage.run(&["pending", "approve", &id]);
    assert!(
        run.code == 1
            && run
                .err
                .contains("Claude Code runs this command (CLAUDECODE is set)"),
        "{run:?}"
    );
    let run = on_terminal(&stage, &format!("pending approve {id}"), "y\n");
    assert!(
        run.code == 1 && !run.out.contains("Approve this?"),
        "{run:?}"
    );
    assert_eq!(agent.question(&id).state, QuestionState::Open);
    // A no does no harm.
    let run = stage.run(&["pending", "reject", &id, "Not", "now."]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(agent.decided_by(&id), "a command that Claude Code ran");
    let reply = agent.three_edits(&stage);
    assert!(reply.text().contains("Not now."), "{}", reply.text());
    assert_eq!(stage.text("a.txt"), lines());
}

#[test]
fn hunks_are_approved_by_their_numbers_and_the_call_sent_again_writes_exactly_those() {
    let (stage, agent) = asking();
    let id = waits(&agent.three_edits(&stage));
    let stage = stage.with_token();
    let approve = |flags: &[&str]| stage.run(&[&["pending", "approve", &id][..], flags].concat());
    let run = approve(&["--hunk", "4"]);
    assert!(
        run.code == 2 && run.err.contains("the hunks 1 to 3"),
        "{run:?}"
    );
    let run = approve(&["--file", "b.txt"]);
    assert!(
        run.code == 2 && run.err.contains("but about a.txt"),
        "{run:?}"
    );
    assert_eq!(approve(&["--session", "--hunk", "1"]).code, 2);
    let run = approve(&["--hunk", "1", "--hunk", "3", "--reason", "Twenty stays."]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out.contains("approved in part") && run.out.contains("a.txt: hunks 1, 3"),
        "{run:?}"
    );
    assert_eq!(agent.decided_by(&id), "LANCET_TOKEN");
    let run = approve(&[]);
    assert!(
        run.code == 1 && run.err.contains("was approved by LANCET_TOKEN"),
        "{run:?}"
    );
    let reply = agent.three_edits(&stage);
    assert!(reply.text().contains("Twenty stays."), "{}", reply.text());
    let meant = lines()
        .replace("line 5.", "LINE 5.")
        .replace("line 35.", "LINE 35.");
    assert_eq!(stage.text("a.txt"), meant);
    let run = stage.run(&["pending", "show", &id]);
    assert!(run.out.contains("written as operation"), "{run:?}");
}

#[test]
fn words_reach_the_model_with_a_whole_yes_too() {
    let (stage, agent) = asking();
    let id = waits(&agent.write(&stage, "b.txt"));
    let stage = stage.with_token();
    let run = stage.run(&[
        "pending",
        "approve",
        &id,
        "--reason",
        "Run the tests, too.",
        "--json",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(objects(&run)[0]["state"], "approved");
    let reply = agent.write(&stage, "b.txt");
    assert!(
        reply
            .text()
            .contains("the person who approved this says: Run the tests, too."),
        "{}",
        reply.text()
    );
    assert_eq!(stage.text("b.txt"), "new\n");
}

#[test]
fn at_a_terminal_the_answer_is_typed() {
    let (stage, agent) = asking();
    let id = waits(&agent.three_edits(&stage));
    let approve = format!("pending approve {id}");
    for leave in ["q\n", "\n"] {
        let run = on_terminal(&stage, &approve, leave);
        assert!(
            run.code == 1 && run.out.contains("Approve this? [y/n/"),
            "{run:?}"
        );
        assert_eq!(agent.question(&id).state, QuestionState::Open);
    }
    // Only what would be approved is shown.
    let stage = stage.with("NO_COLOR", "1");
    let run = on_terminal(&stage, &format!("{approve} --hunk 2"), "n\n");
    assert!(
        run.out.contains("LINE 20.") && !run.out.contains("LINE 5."),
        "{run:?}"
    );
    assert!(
        run.code == 1 && run.out.contains("a.txt: hunk 2"),
        "{run:?}"
    );
    assert_eq!(agent.question(&id).state, QuestionState::Open);
    let run = on_terminal(&stage, &approve, "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(agent.decided_by(&id), "a person at a terminal (tester)");
    assert!(!agent.three_edits(&stage).is_error());
    assert_eq!(stage.text("a.txt").matches("LINE").count(), 3);
}

#[test]
fn the_text_is_edited_before_it_is_approved() {
    let (stage, agent) = asking();
    let stage = stage.with("EDITOR", "sed -i s/new/edited/");
    let id = waits(&agent.write(&stage, "b.txt"));
    let run = on_terminal(&stage, &format!("pending approve {id} --edit"), "y\n");
    assert!(run.code == 0 && run.out.contains("as edited"), "{run:?}");
    let reply = agent.write(&stage, "b.txt");
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(stage.text("b.txt"), "edited\n");
}

/// Reads lines until one contains this text.
fn until(lines: &mut impl Iterator<Item = std::io::Result<String>>, words: &str) -> String {
    let mut read = String::new();
    for line in lines {
        let line = line.expect("text");
        read.push_str(&line);
        if line.contains(words) {
            return line;
        }
        read.push('\n');
    }
    panic!("{words:?} did not come: {read:?}")
}

#[test]
fn calls_wait_while_somebody_follows_and_questions_are_streamed() {
    let (stage, _) = asking();
    let agent = Agent::new(&stage, Deciders::IfWatched);
    let alone = agent.write(&stage, "b.txt");
    assert_eq!(
        alone.refusal(),
        Some(RefusalKind::Declined),
        "nobody watches"
    );
    let mut command = stage.command(LANCET);
    command
        .args(["pending", "--follow", "--json"])
        .stdin(Stdio::null());
    let mut follow = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut told = BufReader::new(follow.stderr.take().expect("piped")).lines();
    until(&mut told, "waiting for questions");
    let mut news = BufReader::new(follow.stdout.take().expect("piped")).lines();
    let id = waits(&agent.write(&stage, "b.txt"));
    let asked: Value = serde_json::from_str(&until(&mut news, "asked")).expect("JSON");
    assert_eq!(
        (&asked["event"], &asked["question"]),
        (&json!("asked"), &json!(id))
    );
    stage.run(&["pending", "reject", &id]);
    let decided: Value = serde_json::from_str(&until(&mut news, "rejected")).expect("JSON");
    assert_eq!(
        decided["decidedBy"],
        "a command without a terminal (tester)"
    );
    // It ends when its reader leaves.
    drop(news);
    assert_eq!(follow.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_key_decides_the_newest_question_in_follow_and_in_watch() {
    for command in ["pending --follow", "watch"] {
        let (stage, _) = asking();
        let agent = Agent::new(&stage, Deciders::IfWatched);
        let mut command = terminal(&stage, command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command.spawn().expect("it starts");
        let mut keys = program.stdin.take().expect("piped");
        let mut shown = BufReader::new(program.stdout.take().expect("piped")).lines();
        until(&mut shown, "q ends");
        let id = waits(&agent.write(&stage, "b.txt"));
        until(&mut shown, "lancet pending approve");
        keys.write_all(b"d").expect("typed");
        until(&mut shown, "+new");
        keys.write_all(b"y\n").expect("typed");
        until(
            &mut shown,
            "was approved by a person at a terminal (tester)",
        );
        assert!(!agent.write(&stage, "b.txt").is_error());
        assert_eq!(agent.question(&id).state, QuestionState::Used);
        keys.write_all(b"q").expect("typed");
        drop(shown);
        assert!(program.wait().is_ok());
    }
}

#[test]
fn trust_and_yes_protected_need_a_person_or_the_token() {
    let stage = Stage::new();
    stage.file("lancet.toml", "permissions.allow = [\"Edit(a.txt)\"]\n");
    stage.file(".git/config", "[core]\n");
    let edit = [
        "edit",
        ".git/config",
        "--old",
        "core",
        "--new",
        "user",
        "--yes-protected",
    ];
    let run = stage.run(&["trust", "--yes"]);
    assert!(
        run.code == 1 && run.err.contains("`lancet trust` needs a person"),
        "{run:?}"
    );
    let run = stage.run(&edit);
    assert!(run.code == 1 && run.err.contains("LANCET_TOKEN"), "{run:?}");
    // At a terminal the answer is typed, even with the flag.
    let run = on_terminal(&stage, "trust --yes", "n\n");
    assert!(
        run.code == 1 && run.out.contains("Trust this text"),
        "{run:?}"
    );
    let run = on_terminal(
        &stage,
        "edit .git/config --old core --new user --yes-protected",
        "n\n",
    );
    assert!(run.code == 1 && run.out.contains("Write this?"), "{run:?}");
    let stage = stage.with("GEMINI_CLI", "1");
    for run in [on_terminal(&stage, "trust", "y\n"), stage.run(&edit)] {
        let said = format!("{}{}", run.out, run.err);
        assert!(
            run.code == 1 && said.contains("Gemini CLI runs this command"),
            "{run:?}"
        );
    }
    assert_eq!(stage.text(".git/config"), "[core]\n");
    // Any caller may revoke trust: that only restricts.
    assert_eq!(stage.run(&["trust", "--revoke"]).code, 0);
    let stage = Stage::new().with_token();
    stage.file("lancet.toml", "permissions.allow = [\"Edit(a.txt)\"]\n");
    stage.file(".git/config", "[core]\n");
    assert_eq!(stage.run(&["trust", "--yes"]).code, 0);
    assert_eq!(stage.run(&edit).code, 0);
    assert_eq!(stage.text(".git/config"), "[user]\n");
    // The token of a state folder that the caller names is not the person's token.
    let stage = Stage::new().with("LANCET_TOKEN", "of-my-own");
    stage.file(".git/config", "[core]\n");
    stage.file("mine/serve-token", "of-my-own\n");
    stage.file("mine/person-token", "of-my-own\n");
    let run = stage.run(&[&edit[..], &["--state-dir", "mine"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(stage.text(".git/config"), "[core]\n");
}
