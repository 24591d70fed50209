//! The database while a process uses it: locked by a stopped process, removed with its folder, truncated, overwritten.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use lancet::RawCall;
use lancet::history::LogQuery;
use lancet::undo::Selection;
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::project::{Changes as _, operation, project, refused};

/// Plays a process that begins to write into the database, and waits in the middle of it.
pub(crate) fn hold(folder: &Path) {
    let database = Connection::open(folder.join("state/lancet.db")).expect("opens");
    database
        .execute_batch("BEGIN IMMEDIATE; DELETE FROM begun")
        .expect("held");
    fs::write(folder.join("held"), "").expect("told");
    while !folder.join("done").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    database.execute_batch("ROLLBACK").expect("let go");
}

fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    kill_process(pid.expect("a process"), signal).expect("sent");
}

#[test]
fn a_stopped_process_that_holds_the_database_is_named() {
    let project = project();
    project.put("a.txt", "0\n");
    operation(&project.edit_file("a.txt", "0", "1"));
    let root = project.root.clone();
    let folder = root.parent().expect("it has one");
    let mut child = crate::child::part("hold", folder, 0)
        .spawn()
        .expect("started");
    while !folder.join("held").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&child, Signal::STOP);
    let write = json!({ "file_path": project.path("b.txt"), "content": "new\n" });
    let reply = project.session.call(RawCall::new("Write", write.clone()));
    signal(&child, Signal::CONT);
    fs::write(folder.join("done"), "").expect("told");
    assert!(child.wait().expect("ended").success());
    assert_eq!(refused(&reply), "busy", "{}", reply.text());
    let words = format!("process {}, which is stopped", child.id());
    assert!(reply.text().contains(&words), "{}", reply.text());
    assert!(!project.path("b.txt").exists());
    operation(&project.session.call(RawCall::new("Write", write)));
}

/// Returns whether an answer reports a lost or damaged database.
fn reports_loss(reply: &lancet::Reply) -> bool {
    reply.text().contains("Tell the user.]")
}

/// Makes two changes, then something happens to the state folder, then two more: all are answered, all are in the
/// history of a process that comes later, and it is notified once.
fn goes_on_after(happens: impl Fn(&Path)) {
    let project = project();
    project.put("a.txt", "0\n");
    operation(&project.edit_file("a.txt", "0", "1"));
    operation(&project.edit_file("a.txt", "1", "2"));
    happens(&project.state());
    let reply = project.edit_file("a.txt", "2", "3");
    operation(&reply);
    let reply_after = project.edit_file("a.txt", "3", "4");
    operation(&reply_after);
    let log = project.reopened().history().expect("kept");
    let log = log.log(&LogQuery::default()).expect("read");
    assert_eq!(log.len(), 4, "{log:?}");
    for text in ["3\n", "2\n", "1\n", "0\n"] {
        operation(&project.undo(Selection::Newest));
        assert_eq!(project.bytes("a.txt"), text.as_bytes());
    }
    let mode = fs::metadata(project.state())
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
    assert!(!reports_loss(&reply_after), "{}", reply_after.text());
}

#[test]
fn a_state_folder_that_is_removed_is_made_again_with_what_is_known() {
    goes_on_after(|state| fs::remove_dir_all(state).expect("removed"));
    goes_on_after(|state| {
        fs::remove_dir_all(state).expect("removed");
        fs::create_dir(state).expect("made");
    });
}

#[test]
fn a_database_that_is_truncated_in_use_loses_no_change() {
    goes_on_after(cut);
}

#[test]
fn a_database_that_is_overwritten_in_use_loses_no_change() {
    goes_on_after(|state| {
        fs::write(state.join("lancet.db"), "no database ".repeat(500)).expect("written");
    });
}

#[test]
fn a_log_that_is_removed_in_use_loses_no_change() {
    goes_on_after(|state| fs::remove_file(state.join("lancet.db-wal")).expect("removed"));
}

/// Overwrites the middle of a file of the state folder with bytes that follow from the seed.
fn scramble(file: &Path, seed: u64) {
    let mut bytes = fs::read(file).expect("there");
    let mut state = seed;
    let middle = bytes.len() / 4..bytes.len() * 3 / 4;
    for byte in &mut bytes[middle] {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        *byte = (state >> 56) as u8;
    }
    fs::write(file, bytes).expect("written");
}

#[test]
fn random_bytes_over_the_database_in_use_lose_no_change() {
    for seed in 1..4 {
        goes_on_after(|state| scramble(&state.join("lancet.db"), seed));
    }
}

#[test]
fn random_bytes_over_the_log_in_use_lose_no_change() {
    for seed in 1..4 {
        goes_on_after(|state| scramble(&state.join("lancet.db-wal"), seed));
    }
}

#[test]
fn a_process_that_finds_a_scrambled_log_says_so() {
    let project = project();
    project.put("a.txt", "0\n");
    for change in 0..20 {
        operation(&project.edit_file("a.txt", &change.to_string(), &(change + 1).to_string()));
    }
    scramble(&project.state().join("lancet.db-wal"), 7);
    let other = project.reopened().new_session();
    let write = json!({ "file_path": project.path("b.txt"), "content": "new\n" });
    let reply = other.call(RawCall::new("Write", write));
    operation(&reply);
    assert!(reports_loss(&reply), "{}", reply.text());
}

#[test]
fn processes_that_take_turns_at_the_log_say_nothing() {
    let project = project();
    project.put("a.txt", "0\n");
    let other = project.reopened().new_session();
    for change in 0..40 {
        let edit = project.edit_file("a.txt", &change.to_string(), &(change + 1).to_string());
        operation(&edit);
        let path = project.path(format!("{change}.txt"));
        let write = json!({ "file_path": path, "content": "new\n" });
        let write = other.call(RawCall::new("Write", write));
        operation(&write);
        assert!(
            !reports_loss(&edit) && !reports_loss(&write),
            "{}{}",
            edit.text(),
            write.text()
        );
    }
}

#[test]
fn whoever_opens_a_truncated_database_tells_it_and_keeps_its_log() {
    let project = project();
    project.put("a.txt", "0\n");
    operation(&project.edit_file("a.txt", "0", "1"));
    cut(&project.state());
    let other = project.reopened().new_session();
    let write = json!({ "file_path": project.path("b.txt"), "content": "new\n" });
    let reply = other.call(RawCall::new("Write", write));
    operation(&reply);
    assert!(reports_loss(&reply), "{}", reply.text());
    let entries = fs::read_dir(project.state()).expect("there").flatten();
    let log = entries
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().ends_with("-wal") && is_damaged(path));
    assert!(fs::metadata(log.expect("kept")).expect("there").len() > 0);
    // The earlier process goes on with the new database.
    operation(&project.edit_file("a.txt", "1", "2"));
    let log = project.reopened().history().expect("kept");
    assert_eq!(log.log(&LogQuery::default()).expect("read").len(), 2);
}

fn cut(state: &Path) {
    let file = fs::OpenOptions::new()
        .write(true)
        .open(state.join("lancet.db"));
    file.and_then(|file| file.set_len(0)).expect("cut");
}

fn is_damaged(path: &Path) -> bool {
    path.to_string_lossy().contains("lancet.db.damaged-")
}

#[test]
fn what_was_lost_is_told_once() {
    let project = project();
    project.put("a.txt", "0\n");
    operation(&project.edit_file("a.txt", "0", "1"));
    fs::remove_dir_all(project.state()).expect("removed");
    let read = json!({ "file_path": project.path("a.txt"), "force": true });
    let write = json!({ "file_path": project.path("b.txt"), "content": "new\n" });
    let replies = [("Read", &read), ("Write", &write), ("Read", &read)]
        .map(|(tool, arguments)| project.session.call(RawCall::new(tool, arguments.clone())));
    assert_eq!(
        replies.iter().filter(|reply| reports_loss(reply)).count(),
        1
    );
    assert!(replies.iter().all(|reply| !reply.is_error()));
}

#[test]
fn what_is_displaced_later_is_kept_in_the_new_state_folder() {
    let project = project();
    let long = "line\n".repeat(30_000);
    project.put("long.txt", format!("0\n{long}"));
    project.put("one.txt", "0\n");
    fs::hard_link(project.path("one.txt"), project.path("two.txt")).expect("linked");
    for (old, new) in [("0", "1"), ("1", "2")] {
        // One by exchange, whose old file is moved away; one in place, whose old bytes are copied.
        operation(&project.edit_file("long.txt", &format!("{old}\n"), &format!("{new}\n")));
        operation(&project.edit_file("one.txt", old, new));
        if new == "1" {
            fs::remove_dir_all(project.state()).expect("removed");
        }
    }
    assert_eq!(project.bytes("two.txt"), b"2\n");
    // The first change of the long file is lost with the folder that had its old bytes.
    assert_eq!(project.log().len(), 3);
    let journal = fs::read_dir(project.state().join("journal")).expect("made again");
    assert!(journal.count() > 0);
    operation(&project.undo(Selection::Newest));
    operation(&project.undo(Selection::Newest));
    assert_eq!(project.bytes("one.txt"), b"1\n");
    assert_eq!(project.bytes("long.txt"), format!("1\n{long}").as_bytes());
}
