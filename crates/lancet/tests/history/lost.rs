//! The database while a process uses it: held by one that was stopped, removed with its folder, truncated, overwritten.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use lancet::{LogQuery, RawCall, Selection};
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::ground::{Ground, operation, refused};

/// A process that begins to write into the database, and waits in the middle of it.
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
    let ground = Ground::new();
    ground.put("a.txt", "0\n");
    operation(&ground.edit("a.txt", "0", "1"));
    let root = ground.root();
    let folder = root.parent().expect("it has one");
    let mut child = crate::child::part("hold", folder, 0)
        .spawn()
        .expect("started");
    while !folder.join("held").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&child, Signal::STOP);
    let write = json!({ "file_path": ground.path("b.txt"), "content": "new\n" });
    let reply = ground.session.call(RawCall::new("Write", write.clone()));
    signal(&child, Signal::CONT);
    fs::write(folder.join("done"), "").expect("told");
    assert!(child.wait().expect("ended").success());
    assert_eq!(refused(&reply), "busy", "{}", reply.text());
    let words = format!("process {}, which is stopped", child.id());
    assert!(reply.text().contains(&words), "{}", reply.text());
    assert!(!ground.path("b.txt").exists());
    operation(&ground.session.call(RawCall::new("Write", write)));
}
