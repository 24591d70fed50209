//! The history cannot be written, or a process ended in the middle of an operation.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use lancet::events::Event;
use lancet::history::{LogQuery, OperationState};
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Lancet};
use lancet_testing::small_disk::SmallDisk;
use lancet_testing::user::{assert_one_passed, give_to_nobody, set_mode, this_program_as_nobody};
use lancet_testing::{TestFolder, TestProject};
use rusqlite::Connection;

use crate::project::{Changes as _, operation, project, project_with, refused};

/// Makes a state folder that cannot be written by any user: there is a file in its place.
fn without_state(project: &TestProject) {
    fs::write(project.state(), "in the way").expect("written");
}

#[test]
fn a_state_folder_that_takes_no_bytes_refuses_writes_and_lets_reads_through() {
    let project = project();
    project.put("a.txt", "0\n");
    without_state(&project);
    let reply = project.edit_file("a.txt", "0", "1");
    assert_eq!(refused(&reply), "io");
    assert!(
        reply.text().contains("history.required"),
        "{}",
        reply.text()
    );
    assert_eq!(project.bytes("a.txt"), b"0\n");
    assert_eq!(refused(&project.write_file("b.txt", "new\n")), "io");
    assert!(!project.path("b.txt").exists());
}

#[test]
fn where_it_is_not_required_the_answer_says_that_it_cannot_be_undone() {
    let project = project_with(|mut settings| {
        settings.history.required = false;
        settings
    });
    project.put("a.txt", "0\n");
    without_state(&project);
    let reply = project.edit_file("a.txt", "0", "1");
    operation(&reply);
    assert!(
        reply.text().contains("cannot be undone"),
        "{}",
        reply.text()
    );
    assert_eq!(project.bytes("a.txt"), b"1\n");
}

#[test]
fn a_stop_holds_where_a_change_cannot_be_recorded() {
    let project = project_with(|mut settings| {
        settings.history.required = false;
        settings
    });
    project.put("a.txt", "0\n");
    operation(&project.edit_file("a.txt", "0", "1"));
    let lock = || {
        let database = Connection::open(project.state().join("lancet.db")).expect("opened");
        database.execute_batch("BEGIN IMMEDIATE").expect("locked");
        database
    };
    // Nothing can be recorded while another process writes, but that alone does not prevent the change here.
    let locked = lock();
    operation(&project.edit_file("a.txt", "1", "2"));
    drop(locked);
    let sessions = project.lancet.sessions().expect("a state folder");
    let stopped = sessions.stop(project.session.key(), "somebody", None);
    assert!(stopped.expect("kept"));
    let _locked = lock();
    let reply = project.edit_file("a.txt", "2", "3");
    assert_eq!(refused(&reply), "declined");
    assert_eq!(project.bytes("a.txt"), b"2\n");
}

#[test]
fn a_damaged_database_is_set_aside_and_the_write_goes_on() {
    let project = project();
    project.put("a.txt", "0\n");
    fs::create_dir(project.state()).expect("made");
    fs::write(
        project.state().join("lancet.db"),
        "no database ".repeat(500),
    )
    .expect("written");
    let reply = project.edit_file("a.txt", "0", "1");
    operation(&reply);
    assert_eq!(project.bytes("a.txt"), b"1\n");
    operation(&project.undo(Selection::Newest));
    assert_eq!(project.bytes("a.txt"), b"0\n");
    let names: Vec<String> = fs::read_dir(project.state())
        .expect("there")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    assert!(
        names
            .iter()
            .any(|name| name.starts_with("lancet.db.damaged-")),
        "{names:?}"
    );
}

/// Replaces the database by noise and removes its log. It is another file, so a process that has the old one open
/// notices.
fn damage(project: &TestProject) {
    let noise = project.state().join("noise");
    fs::write(&noise, "no database ".repeat(500)).expect("written");
    fs::rename(noise, project.state().join("lancet.db")).expect("put there");
    for side in ["lancet.db-wal", "lancet.db-shm"] {
        let _ = fs::remove_file(project.state().join(side));
    }
}

#[test]
fn whoever_meets_a_damaged_database_is_told_once_in_a_session_and_observers_too() {
    let project = project();
    project.put("a.txt", "0\n");
    operation(&project.edit_file("a.txt", "0", "1"));
    let read = |session: &lancet::Session| {
        let path = project.path("a.txt");
        let reply = session.call(lancet::RawCall::new(
            "Read",
            serde_json::json!({ "file_path": path, "force": true }),
        ));
        reply.text().matches("was damaged").count()
    };
    // Found before the first call of a new process, when there is no answer yet that could report it.
    damage(&project);
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let ear = std::sync::Arc::clone(&heard);
    let lancet = Lancet::builder()
        .root(&project.root)
        .state_dir(project.state())
        .observer(move |event: &Event| {
            if let Event::SetAside { words, .. } = event {
                ear.lock().expect("heard").push(words.clone());
            }
        })
        .open()
        .expect("opens");
    let (one, other) = (lancet.new_session(), lancet.new_session());
    assert_eq!((read(&one), read(&one), read(&other)), (1, 0, 1));
    assert_eq!(heard.lock().expect("heard").len(), 1);
    // The damage is found by reading the history, and by an undo.
    damage(&project);
    let history = lancet.history().expect("a state folder");
    assert!(history.log(&LogQuery::default()).expect("read").is_empty());
    assert_eq!(heard.lock().expect("heard").len(), 2);
    assert_eq!((read(&one), read(&one)), (1, 0));
    damage(&project);
    let newest = UndoRequest::undo(Selection::Newest);
    let reply = lancet.new_session().undo_or_redo(newest, Caller::default());
    assert!(reply.text().contains("was damaged"), "{}", reply.text());
    assert_eq!(heard.lock().expect("heard").len(), 3);
}

#[test]
fn a_newer_database_refuses_writes_and_stays_where_it_is() {
    let project = project();
    project.put("a.txt", "0\n");
    operation(&project.edit_file("a.txt", "0", "1"));
    let file = project.state().join("lancet.db");
    Connection::open(&file)
        .and_then(|database| database.pragma_update(None, "user_version", 999))
        .expect("set");
    let lancet = project.reopened();
    let path = project.path("a.txt");
    let revision = blake3::hash(b"1\n").to_hex()[..16].to_owned();
    let edit = serde_json::json!({ "file_path": path, "old_string": "1", "new_string": "2", "revision": revision });
    let reply = lancet
        .new_session()
        .call(lancet::RawCall::new("Edit", edit));
    assert_eq!(refused(&reply), "io");
    assert!(
        reply.text().contains("999") && reply.text().contains("newer"),
        "{}",
        reply.text()
    );
    assert_eq!(project.bytes("a.txt"), b"1\n");
}

#[test]
fn a_refused_write_leaves_no_operation() {
    let project = project();
    project.put("a.txt", "0\n");
    fs::set_permissions(project.path("a.txt"), Permissions::from_mode(0o444)).expect("set");
    assert_eq!(refused(&project.edit_file("a.txt", "0", "1")), "io");
    assert!(project.log().is_empty());
    let begun: i64 = Connection::open(project.state().join("lancet.db"))
        .and_then(|database| database.query_row("SELECT count(*) FROM begun", [], |row| row.get(0)))
        .expect("counted");
    assert_eq!(begun, 0);
}

/// Simulates a process that ended after it announced the operation and before it recorded the outcome.
fn interrupted(project: &TestProject, id: &str) {
    let database = Connection::open(project.state().join("lancet.db")).expect("opens");
    database
        .execute(
            "INSERT INTO begun (id, process) VALUES (?1, '4000000:1')",
            [id],
        )
        .expect("announced");
}

#[test]
fn the_next_start_finds_out_what_an_interrupted_operation_did() {
    for (now, state) in [
        ("1\n", Some(OperationState::Done)),
        ("0\n", None),
        ("theirs\n", Some(OperationState::Unsure)),
    ] {
        let project = project();
        project.put("a.txt", "0\n");
        let id = operation(&project.edit_file("a.txt", "0", "1"));
        project.put("a.txt", now);
        interrupted(&project, &id);
        let history = project.reopened().history().expect("kept");
        let log = history
            .log(&lancet::history::LogQuery::default())
            .expect("read");
        assert_eq!(log.first().map(|operation| operation.state), state, "{now}");
        assert_eq!(project.bytes("a.txt"), now.as_bytes());
    }
}

#[test]
fn an_interrupted_batch_keeps_the_files_that_were_written() {
    let project = project();
    let edits = serde_json::json!({ "edits": [
        { "file_path": project.path("a.txt"), "old_string": "", "new_string": "A\n" },
        { "file_path": project.path("b.txt"), "old_string": "", "new_string": "B\n" },
    ] });
    let id = operation(
        &project
            .session
            .call(lancet::RawCall::new("MultiEdit", edits)),
    );
    fs::remove_file(project.path("b.txt")).expect("removed");
    interrupted(&project, &id);
    let history = project.reopened().history().expect("kept");
    let log = history
        .log(&lancet::history::LogQuery::default())
        .expect("read");
    assert_eq!(log[0].files.len(), 1);
    assert_eq!(log[0].files[0].path, project.path("a.txt"));
}

/// Plays an ordinary user whose state folder may only be read.
pub(crate) fn as_nobody(folder: &std::path::Path) {
    let lancet = crate::child::open(folder, None);
    let session = crate::child::session(&lancet, "talk");
    let path = folder.join("root/a.txt");
    crate::child::read(&session, &path);
    let reply = crate::child::edit(&session, &path, "0", "1");
    assert_eq!(refused(&reply), "io");
    assert!(reply.text().contains("state"), "{}", reply.text());
    assert_eq!(fs::read(&path).expect("a file"), b"0\n");
}

#[test]
fn a_state_folder_that_may_only_be_read_refuses_writes() {
    let outer = TestFolder::new();
    set_mode(outer.path(), 0o755);
    for (name, mode) in [("root", 0o755), ("state", 0o555)] {
        let folder = outer.make(name);
        give_to_nobody(&folder);
        set_mode(&folder, mode);
    }
    give_to_nobody(outer.put("root/a.txt", "0\n"));
    let mut command = this_program_as_nobody(outer.path());
    crate::child::dress(&mut command, "as nobody", outer.path(), 0);
    assert_one_passed(&command.output().expect("ended"));
}

#[test]
fn a_full_state_folder_refuses_and_takes_up_again_when_there_is_room() {
    let project = project();
    project.put("a.txt", "0\n");
    let Some(_small) = SmallDisk::mount_at(&project.state(), 1024) else {
        return;
    };
    operation(&project.edit_file("a.txt", "0", "1"));
    let filler = project.state().join("filler");
    let mut size = 1 << 20;
    while size > 0 {
        let more = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&filler);
        let wrote = more.and_then(|mut file| {
            use std::io::Write as _;
            file.write_all(&vec![0; size])
        });
        if wrote.is_err() {
            size /= 2;
        }
    }
    let reply = project.edit_file("a.txt", "1", "2");
    assert_eq!(refused(&reply), "io", "{}", reply.text());
    assert_eq!(project.bytes("a.txt"), b"1\n");
    fs::remove_file(&filler).expect("removed");
    operation(&project.edit_file("a.txt", "1", "2"));
    assert_eq!(project.log().len(), 2);
    operation(&project.undo(Selection::Newest));
    operation(&project.undo(Selection::Newest));
    assert_eq!(project.bytes("a.txt"), b"0\n");
    let verdict: String = Connection::open(project.state().join("lancet.db"))
        .and_then(|database| database.pragma_query_value(None, "integrity_check", |row| row.get(0)))
        .expect("checked");
    assert_eq!(verdict, "ok");
}
