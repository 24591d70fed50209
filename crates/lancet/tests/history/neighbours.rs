//! A process is killed in the middle of a change while another one, which has written in the project before, goes on.
//! The change is all there or not at all, both sessions are notified, and everything can be undone.

use std::fs;
use std::path::Path;
use std::process::Command;

use lancet::history::LogQuery;
use lancet::undo::{Direction, Selection, UndoRequest};
use lancet::{Caller, Lancet, RawCall};
use lancet_testing::{TestFolder, TestProject, judges};
use serde_json::json;

use crate::child::{dress, edit, open, read, session};
use crate::killed::{prepare, tree};
use crate::project::{Tree, operation, patiently};

/// Makes a project in which one process is running. Returns its files before, too.
fn running_project(act: &str) -> (TestProject, Tree) {
    let around = TestFolder::below(env!("CARGO_TARGET_TMPDIR"));
    prepare(act, around.path());
    let root = around.join("root");
    // What the preparation changed is undone with the rest.
    let file = around.put("root/large.txt", "one\nmore\n");
    let before = {
        let lancet = open(around.path(), None);
        undo_all(&lancet);
        let before = tree(around.path());
        drop(lancet);
        fs::remove_dir_all(around.join("state")).expect("removed");
        before
    };
    let lancet = open(around.path(), None);
    let session = session(&lancet, "running");
    read(&session, &file);
    operation(&edit(&session, &file, "one", "1"));
    let project = TestProject {
        around,
        root,
        lancet,
        session,
    };
    (project, before)
}

/// Lets another process act, and kills it at the `number`-th system call of this name. False where it ended before.
fn kill(project: &TestProject, act: &str, call: &str, number: u64) -> bool {
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-qq", "-o", "/dev/null", "-e"])
        .arg(format!("trace={call}"))
        .arg("-e")
        .arg(format!("inject={call}:signal=KILL:when={number}"))
        .arg(std::env::current_exe().expect("this program"));
    dress(&mut strace, &format!("act {act}"), project.around.path(), 0);
    !strace.output().expect("ended").status.success()
}

fn undo_all(lancet: &Lancet) {
    let since = UndoRequest::new(Direction::Undo, Selection::Since(0));
    let session = lancet.new_session();
    let reply = patiently(|| session.undo_or_redo(since.clone(), Caller::default()));
    assert!(!reply.is_error(), "{}", reply.text());
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("-V").output().is_ok()
}

/// Returns which of the files that a call was to change it has changed.
fn changed(project: &TestProject) -> [bool; 3] {
    [
        project.text_or_empty("a.txt").contains("\n2\n"),
        project.text_or_empty("b.txt").contains("5"),
        project.text_or_empty("c.txt") == "made\n",
    ]
}

#[test]
fn a_running_process_settles_a_dead_ones_change_before_it_writes_a_file_of_it() {
    if !is_there("strace") {
        return judges::missing("strace, which kills a process at a system call,");
    }
    let mut half = 0;
    for call in ["renameat2", "linkat"] {
        for number in 1.. {
            let (project, before) = running_project("edit");
            if !kill(&project, "batch", call, number) {
                break;
            }
            let what = format!("killed at {call} {number}");
            let stood = changed(&project);
            half += usize::from(stood.contains(&true) && stood.contains(&false));
            read(&project.session, &project.path("a.txt"));
            let mut reply = edit(&project.session, &project.path("a.txt"), "one", "first");
            let mut text = reply.text().to_owned();
            if reply.is_error() {
                // The content that the session had read was rolled back.
                reply = edit(&project.session, &project.path("a.txt"), "one", "first");
                text.push_str(reply.text());
            }
            assert!(!reply.is_error(), "{what}: {text}");
            let now = changed(&project);
            assert!(
                now == [true; 3] || now == [false; 3],
                "{what}: {stood:?}, then {now:?}: {text}"
            );
            assert!(
                project.text_or_empty("a.txt").starts_with("first\n"),
                "{what}"
            );
            if stood.contains(&true) && stood.contains(&false) {
                let told = text.contains("(session talk) was interrupted while it changed");
                assert!(told, "{what}: {text}");
                // The session that was interrupted is notified when it comes back, wherever that is.
                let other = open(project.around.path(), None);
                let back = session(&other, "talk");
                let glance = json!({ "file_path": project.path("b.txt"), "force": true });
                let reply = back.call(RawCall::new("Read", glance.clone()));
                let own = "this session was interrupted while it changed";
                assert!(reply.text().contains(own), "{what}: {}", reply.text());
                let reply = back.call(RawCall::new("Read", glance));
                assert!(!reply.text().contains(own), "{what}: told once");
            }
            undo_all(&open(project.around.path(), None));
            assert_eq!(tree(project.around.path()), before, "{what}");
        }
    }
    assert!(half > 0, "no kill left the change half done");
}

#[test]
fn a_change_that_did_not_happen_is_in_no_undos_way() {
    if !is_there("strace") {
        return judges::missing("strace, which kills a process at a system call,");
    }
    for call in ["renameat2", "fdatasync"] {
        for number in 1.. {
            let (project, before) = running_project("edit");
            if !kill(&project, "edit", call, number) {
                break;
            }
            let what = format!("killed at {call} {number}");
            read(&project.session, &project.path("a.txt"));
            let reply = edit(&project.session, &project.path("a.txt"), "one", "first");
            assert!(!reply.is_error(), "{what}: {}", reply.text());
            let reply = edit(&project.session, &project.path("a.txt"), "first", "1st");
            assert!(!reply.is_error(), "{what}: {}", reply.text());
            let happened = project.text_or_empty("a.txt").contains("\n2\n");
            undo_all(&project.lancet);
            assert_eq!(
                project.text_or_empty("a.txt"),
                "one\ntwo\nthree\n",
                "{what}, {happened}"
            );
            assert_eq!(tree(project.around.path()), before, "{what}");
            let history = project.lancet.history().expect("kept");
            let log = history.log(&LogQuery::default()).expect("read");
            let of_dead = log.iter().filter(|operation| operation.session == "talk");
            assert_eq!(of_dead.count(), usize::from(happened), "{what}");
            assert!(
                log.iter()
                    .all(|operation| operation.state.as_str() == "done"),
                "{what}"
            );
        }
    }
}

/// If the change can be neither completed nor rolled back, nothing more is changed, and both sessions learn which
/// files have it.
#[test]
fn what_can_be_neither_completed_nor_taken_back_is_told() {
    if !is_there("strace") {
        return judges::missing("strace, which kills a process at a system call,");
    }
    let mut divided = 0;
    for number in 1.. {
        let (project, _) = running_project("edit");
        if !kill(&project, "batch", "renameat2", number) {
            break;
        }
        let stood = changed(&project);
        if !stood.contains(&true) || !stood.contains(&false) {
            continue;
        }
        divided += 1;
        // Another program changes all of them.
        for name in ["a.txt", "b.txt", "c.txt"] {
            append(&project.path(name), "theirs\n");
        }
        read(&project.session, &project.path("a.txt"));
        let reply = edit(&project.session, &project.path("a.txt"), "one", "first");
        assert!(!reply.is_error(), "{}", reply.text());
        let words = "can be neither completed nor undone";
        assert!(reply.text().contains(words), "{}", reply.text());
        let (has, has_not) = reply.text().split_once(" have it, ").expect("both");
        let told = ["a.txt", "b.txt", "c.txt"].map(|name| {
            (
                has.rsplit("since: ")
                    .next()
                    .unwrap_or_default()
                    .contains(name),
                has_not.contains(name),
            )
        });
        for ((has, has_not), stood) in told.into_iter().zip(stood) {
            assert_eq!((has, has_not), (stood, !stood), "{stood}: {}", reply.text());
        }
        let mut now = changed(&project);
        now[2] = project.text_or_empty("c.txt").starts_with("made\n");
        assert_eq!(now, stood);
        let back = session(&project.lancet, "talk");
        let glance = json!({ "file_path": project.path("b.txt") });
        let reply = back.call(RawCall::new("Read", glance));
        assert!(reply.text().contains(words), "{}", reply.text());
    }
    assert!(divided > 0);
}

fn append(path: &Path, text: &str) {
    let mut now = fs::read_to_string(path).unwrap_or_default();
    now.push_str(text);
    fs::write(path, now).expect("written");
}
