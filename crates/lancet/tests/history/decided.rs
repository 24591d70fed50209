//! A process that is killed (SIGKILL) while it carries out a person's decision. The change is written once or not at
//! all, a yes that was not used is still there, and a yes that was used allows no second write.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use lancet::approval::Answer;
use lancet::call::{AskMode, Deciders};
use lancet::testing::FaultyDisk;
use lancet::{Caller, Lancet, Mode, RawCall, RefusalKind, Reply};
use lancet_testing::TestFolder;
use lancet_testing::judges::is_torture_run;
use rustix::process::{Signal, getpid, kill_process};
use serde_json::json;

use crate::child::{dress, part, read, session};

const OLD: &str = "one\n";
const NEW: &str = "one\nadded\n";

fn open(folder: &Path, disk: Option<Arc<FaultyDisk>>) -> Lancet {
    let mut builder = Lancet::builder()
        .root(folder.join("root"))
        .state_dir(folder.join("state"))
        .mode(Mode::Ask);
    if let Some(disk) = disk {
        builder = builder.disk(disk);
    }
    builder.open().expect("opens")
}

/// Sends the call. It adds a line, so that a second write would show.
fn send(lancet: &Lancet, folder: &Path) -> Reply {
    let arguments =
        json!({ "file_path": folder.join("root/a.txt"), "content": "added\n", "mode": "append" });
    let call = RawCall::new("Write", arguments)
        .with_caller(Caller::client("agent", "1"))
        .with_ask_mode(AskMode::Recorded {
            deciders: Deciders::Present,
            waited_on: None,
        });
    session(lancet, "talk").call(call)
}

/// Raises the question, and has it decided.
fn prepare(folder: &Path) {
    fs::create_dir(folder.join("root")).expect("made");
    fs::write(folder.join("root/a.txt"), OLD).expect("written");
    let lancet = open(folder, None);
    read(&session(&lancet, "talk"), &folder.join("root/a.txt"));
    let waiting = send(&lancet, folder);
    let id = waiting.waiting_call().expect("asked").question().to_owned();
    let questions = lancet.questions().expect("a state folder");
    questions
        .decide(&id, &Answer::Yes, "somebody")
        .expect("decided");
}

/// Plays a child that kills itself before the `number`-th call to the disk, or is killed by another process.
pub(crate) fn carry_out(folder: &Path, number: u64) {
    let disk = Arc::new(FaultyDisk::new());
    let lancet = open(folder, Some(Arc::clone(&disk)));
    if number > 0 {
        // Calls are counted from here.
        disk.clear_faults();
        disk.set_hook(move |call| {
            if call.number == number {
                kill_process(getpid(), Signal::KILL).expect("killed");
            }
        });
    }
    let reply = send(&lancet, folder);
    assert!(!reply.is_error(), "{}", reply.text());
}

/// Checks what a new process finds, and the result of the call that is sent again. True if the change had been made.
fn check(folder: &Path, what: &str) -> bool {
    let text = || fs::read_to_string(folder.join("root/a.txt")).expect("read");
    let lancet = open(folder, None);
    // The log settles what the dead process left.
    let history = lancet.history().expect("kept");
    history
        .log(&lancet::history::LogQuery::default())
        .expect("read");
    let found = text();
    assert!(found == OLD || found == NEW, "{what}: {found:?}");
    let again = send(&lancet, folder);
    if found == OLD {
        assert!(
            !again.is_error(),
            "{what}: the yes is gone: {}",
            again.text()
        );
    } else {
        // A new question is raised, or the call is refused because the dead process had not recorded its own change as
        // seen.
        let refused = matches!(
            again.refusal(),
            Some(RefusalKind::Waiting | RefusalKind::Stale)
        );
        assert!(refused, "{what}: {}", again.text());
    }
    assert_eq!(text(), NEW, "{what}");
    found == NEW
}

#[test]
fn a_decision_survives_the_end_of_the_process_at_every_call() {
    let (mut old, mut new) = (0, 0);
    for number in 1.. {
        let folder = TestFolder::below(env!("CARGO_TARGET_TMPDIR"));
        let at = folder.path().canonicalize().expect("there");
        prepare(&at);
        let output = part("carry out", &at, number).output().expect("ended");
        if output.status.success() {
            break;
        }
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&output.status),
            Some(9),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        match check(&at, &format!("killed before call {number}")) {
            true => new += 1,
            false => old += 1,
        }
    }
    assert!(old > 5 && new > 0, "{old} times old, {new} times new");
}

/// Tests the same with kills at the system calls by which the database is written.
#[test]
fn a_decision_survives_the_end_of_the_process_at_every_write_of_the_database() {
    let step = if is_torture_run() { 1 } else { 7 };
    for number in (1..).step_by(step) {
        let folder = TestFolder::below(env!("CARGO_TARGET_TMPDIR"));
        let at = folder.path().canonicalize().expect("there");
        prepare(&at);
        let mut strace = Command::new("strace");
        strace
            .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e"])
            .arg(format!("inject=pwrite64:signal=KILL:when={number}"))
            .arg(std::env::current_exe().expect("this program"));
        dress(&mut strace, "carry out", &at, 0);
        let output = strace.output().expect("ended");
        if output.status.success() {
            assert!(number > 1, "nothing was written into the database");
            break;
        }
        check(&at, &format!("killed at write {number}"));
    }
}
