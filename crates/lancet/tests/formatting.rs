//! Formatters in the library: what a person sees and approves is already formatted, and is written without a second
//! run.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lancet::approval::Answer;
use lancet::call::{AskMode, Deciders};
use lancet::programs::{Formatter, Hook, ProgramError, ProgramOutput, ProgramRunner};
use lancet::{Caller, Lancet, Mode, RawCall, RefusalKind, Reply, Session};
use lancet_testing::project::SharedProject;
use lancet_testing::settings;
use serde_json::{Value, json};

/// Starts the programs as children of the test, and counts them.
#[derive(Clone, Default)]
struct Runner(Arc<AtomicUsize>);

impl ProgramRunner for Runner {
    fn format(
        &self,
        formatter: &Formatter,
        _: &Path,
        text: &str,
        _: &dyn Fn() -> bool,
    ) -> Result<ProgramOutput, ProgramError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let mut child = Command::new(&formatter.command[0])
            .args(&formatter.command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| ProgramError::Unavailable(error.to_string()))?;
        let mut input = child.stdin.take().expect("piped");
        input.write_all(text.as_bytes()).expect("written");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        let mut result = ProgramOutput::default();
        result.code = output.status.code();
        result.output = output.stdout;
        Ok(result)
    }

    fn run_hook(
        &self,
        _: &Hook,
        _: &[u8],
        _: &dyn Fn() -> bool,
    ) -> Result<ProgramOutput, ProgramError> {
        Err(ProgramError::Stopped)
    }
}

impl Runner {
    fn runs(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

fn project() -> SharedProject {
    SharedProject::new(&[("a.txt", "one\ntwo\n")])
}

/// Opens an engine with a formatter whose output differs at every run.
fn engine(project: &SharedProject, runner: &Runner, mode: Mode) -> Lancet {
    let script = "cat; date +%s%N";
    let text = format!("[[format]]\nfiles = [\"*\"]\nrun = [\"sh\", \"-c\", {script:?}]\n");
    project.engine_with(|builder| {
        builder
            .settings(settings(&text))
            .mode(mode)
            .program_runner(runner.clone())
    })
}

fn call(project: &SharedProject, session: &Session, tool: &str, mut arguments: Value) -> Reply {
    arguments["file_path"] = json!(project.path("a.txt"));
    let call = RawCall::new(tool, arguments).with_caller(Caller::client("some-agent", "1"));
    session.call(call.with_ask_mode(AskMode::Recorded {
        deciders: Deciders::Present,
        waited_on: None,
    }))
}
fn edit() -> Value {
    json!({ "old_string": "two", "new_string": "three" })
}

#[test]
fn what_was_approved_is_written_and_the_formatter_does_not_run_again() {
    let (project, runner) = (project(), Runner::default());
    let session = engine(&project, &runner, Mode::Ask).new_session();
    call(&project, &session, "Read", json!({}));
    let waits = call(&project, &session, "Edit", edit());
    assert_eq!(waits.refusal(), Some(RefusalKind::Waiting));
    assert_eq!(runner.runs(), 1);
    // Another engine represents another process.
    let questions = engine(&project, &runner, Mode::Ask)
        .questions()
        .expect("kept");
    let open = questions.open().expect("read").remove(0);
    let shown = open.question.files[0].text.clone().expect("its text");
    assert!(shown.starts_with("one\nthree\n1"), "{shown}");
    questions
        .decide(&open.id, &Answer::Yes, "a test")
        .expect("decided");
    let reply = call(&project, &session, "Edit", edit());
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(project.text("a.txt"), shown);
    assert_eq!(runner.runs(), 1);
}

#[test]
fn a_check_runs_no_formatter_and_a_dry_run_shows_what_it_gives() {
    let (project, runner) = (project(), Runner::default());
    let session = engine(&project, &runner, Mode::AcceptEdits).new_session();
    call(&project, &session, "Read", json!({}));
    let mut arguments = edit();
    arguments["file_path"] = json!(project.path("a.txt"));
    session.check(RawCall::new("Edit", arguments));
    assert_eq!(runner.runs(), 0);
    let mut dry = edit();
    dry["dry_run"] = json!(true);
    let reply = call(&project, &session, "Edit", dry);
    assert!(
        reply.text().contains("formatted by `sh -c"),
        "{}",
        reply.text()
    );
    assert_eq!(project.text("a.txt"), "one\ntwo\n");
    assert_eq!(runner.runs(), 1);
}

#[test]
fn without_a_runner_the_answer_says_so() {
    let project = project();
    let text = "[[format]]\nfiles = [\"*\"]\nrun = [\"cat\"]\n";
    let lancet = project.engine_with(|builder| builder.settings(settings(text)));
    let session = lancet.new_session();
    call(&project, &session, "Read", json!({}));
    let reply = call(&project, &session, "Edit", edit());
    assert!(
        reply.text().contains("starts no programs"),
        "{}",
        reply.text()
    );
    assert_eq!(project.text("a.txt"), "one\nthree\n");
}
