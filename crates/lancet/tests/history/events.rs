//! Events: writers in several processes, killed at random, and followers in several others. Every follower gets every
//! change exactly once and in the order of recording, whichever process recorded it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use lancet::history::{
    EventContent, EventWait, EventsSince, History, HistoryEvent, LogQuery, WakeReason,
};
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Lancet, Mode, RawCall};
use lancet_testing::TestFolder;
use serde_json::json;

use crate::child::{open, part};
use crate::project::{Changes as _, operation, project};

const FOLLOWERS: usize = 3;
const WRITERS: u64 = 3;
/// How many writers are killed.
const KILLED: u64 = 12;
/// The change that ends the followers.
const LAST: &str = "the last one";
/// A follower that has not received everything after this time has lost something.
const PATIENCE: Duration = Duration::from_secs(60);

/// Plays a part: makes changes until it is killed, and prints each one's id once its answer is there.
#[expect(clippy::print_stdout, reason = "the parent reads these lines")]
pub(crate) fn write_on(folder: &Path, number: u64) {
    let lancet = open(folder, None);
    let session = lancet.new_session();
    for count in 0.. {
        let path = folder.join(format!("root/{number}-{count}.txt"));
        let write = json!({ "file_path": path, "content": format!("{count}\n") });
        let reply = session.call(RawCall::new("Write", write));
        println!("\nmade {}", operation(&reply));
    }
}

/// Plays a part: follows the events until the last change, and prints the number and the operation of each.
#[expect(clippy::print_stdout, reason = "the parent reads these lines")]
pub(crate) fn follow(folder: &Path) {
    let lancet = open(folder, None);
    let history = lancet.history().expect("a state folder");
    let mut wait = EventWait::new(&folder.join("state"));
    let reader = history.events(&EventsSince::Beginning).expect("read");
    let mut reader = reader.expect("from the beginning");
    println!("\nready");
    loop {
        let page = reader.next_page().expect("read");
        for event in &page {
            let (id, tool) = described(event);
            println!("\nevent {} {id}", event.seq);
            if tool == LAST {
                return;
            }
        }
        if page.is_empty() {
            let woken = wait.wait(std::io::stdout().as_fd()).expect("waited");
            assert_eq!(woken, WakeReason::Look, "the parent is there");
        }
    }
}

/// Returns the operation of a change and, for the last one, the mark.
fn described(event: &HistoryEvent) -> (String, &str) {
    let EventContent::Changed(changed) = &event.fact else {
        panic!("only changes are made here: {event:?}");
    };
    let path = changed.path.as_ref().expect("it may be shown");
    let is_last = path.file_name().is_some_and(|name| name == LAST);
    (
        changed.operation.id.clone(),
        if is_last { LAST } else { "" },
    )
}

/// Starts a follower. The result has its lines.
fn start_follower(folder: &Path) -> (Child, JoinHandle<Vec<String>>) {
    let mut child = part("follow", folder, 0).spawn().expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let is_ready = |line: &Result<String, _>| line.as_ref().is_ok_and(|line| line == "ready");
    assert!(lines.by_ref().any(|line| is_ready(&line)), "it follows");
    let read = thread::spawn(move || {
        let lines = lines.map_while(Result::ok);
        lines.filter(|line| line.starts_with("event ")).collect()
    });
    (child, read)
}

#[test]
fn every_follower_gets_every_change_once_and_in_order_while_writers_are_killed() {
    let folder = TestFolder::new();
    folder.make("root");
    let path = folder.path().canonicalize().expect("there");
    drop(open(&path, None).history());
    let mut followers: Vec<_> = (0..FOLLOWERS).map(|_| start_follower(&path)).collect();
    let start = |number| part("write-on", &path, number).spawn().expect("started");
    let mut writers: Vec<Child> = (0..WRITERS).map(start).collect();
    let mut said: Vec<String> = Vec::new();
    for number in WRITERS..WRITERS + KILLED {
        // The first line of a writer may be cut off anywhere after it, by the kill.
        let mut killed = writers.remove(0);
        thread::sleep(Duration::from_millis(20 + number * 37 % 90));
        killed.kill().expect("killed");
        said.extend(made(&mut killed));
        writers.push(start(number));
    }
    for mut writer in writers {
        writer.kill().expect("killed");
        said.extend(made(&mut writer));
    }
    // The next process settles what the killed ones left.
    let lancet = open(&path, None);
    let history = lancet.history().expect("a state folder");
    let last = json!({ "file_path": path.join("root").join(LAST), "content": "end\n" });
    operation(&lancet.new_session().call(RawCall::new("Write", last)));

    let all = lines(&all_events(&history, &EventsSince::Beginning));
    assert!(all.is_sorted_by_key(|line| number_of(line)), "{all:?}");
    let log = history.log(&LogQuery::default()).expect("read");
    assert_eq!(log.len(), all.len(), "each change has one event");
    for id in &said {
        let ending = format!(" {id}");
        assert!(
            all.iter().any(|line| line.ends_with(&ending)),
            "{id} was answered"
        );
    }
    let deadline = Instant::now() + PATIENCE;
    for (child, read) in &mut followers {
        while !read.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
    }
    for (mut child, read) in followers {
        let _ = child.wait();
        assert_eq!(read.join().expect("read"), all);
    }
    assert!(said.len() > WRITERS as usize, "the writers wrote: {said:?}");
}

/// Returns the ids that a killed writer printed.
fn made(writer: &mut Child) -> Vec<String> {
    let mut text = String::new();
    let output = writer
        .stdout
        .take()
        .expect("piped")
        .read_to_string(&mut text);
    output.expect("text");
    let _ = writer.wait();
    // The last line may be cut off.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines().filter_map(|line| line.strip_prefix("made "));
    lines.map(str::to_owned).collect()
}

fn number_of(line: &str) -> i64 {
    let number = line.split(' ').nth(1).expect("a number");
    number.parse().expect("a number")
}

fn lines(events: &[HistoryEvent]) -> Vec<String> {
    let line = |event: &HistoryEvent| format!("event {} {}", event.seq, described(event).0);
    events.iter().map(line).collect()
}

fn all_events(history: &History, since: &EventsSince) -> Vec<HistoryEvent> {
    let mut reader = history.events(since).expect("read").expect("it is there");
    let mut all = Vec::new();
    loop {
        let page = reader.next_page().expect("read");
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

#[test]
fn an_event_has_what_its_operation_has() {
    let project = project();
    project.put("a.txt", "one\ntwo\n");
    let first = operation(&project.write_file("a.txt", "one\n2\n"));
    operation(&project.write_file("b.txt", "new\n"));
    let undone = project.session.undo_or_redo(
        UndoRequest::undo(Selection::Operation(first.clone())),
        Caller::default(),
    );
    assert!(undone.refusal().is_none(), "{undone:?}");
    let history = project.lancet.history().expect("a state folder");
    let all = all_events(&history, &EventsSince::Beginning);
    let json: Vec<_> = all.iter().map(HistoryEvent::to_json).collect();
    assert_eq!(json.len(), 3);
    assert_eq!(json[0]["event"], "changed");
    assert_eq!(json[0]["seq"], 1);
    assert_eq!(json[0]["path"], project.path("a.txt").display().to_string());
    assert_eq!(json[0]["kind"], "update");
    assert_eq!(json[0]["tool"], "Write");
    assert_eq!(json[0]["operation"], first);
    assert_eq!(json[0]["session"], "talk");
    assert_eq!(json[0]["patch"][0]["lines"], json!([" one", "-two", "+2"]));
    assert_eq!(
        (&json[1]["kind"], &json[1]["before"]),
        (&json!("create"), &json!(null))
    );
    assert_eq!(json[2]["after"], json[0]["before"]);
    assert_eq!(json[2]["takesBack"], json!([first]));
    let after_first = all_events(&history, &EventsSince::Operation(first));
    assert_eq!(after_first, all[1..]);
    assert_eq!(all_events(&history, &EventsSince::Sequence(2)), all[2..]);
    assert_eq!(all_events(&history, &EventsSince::Now), []);
}

#[test]
fn a_file_that_may_not_be_read_has_neither_path_nor_patch() {
    let folder = TestFolder::new();
    folder.make("root");
    operation(&write(
        &open(folder.path(), None),
        folder.path(),
        "hidden.txt",
    ));
    let lancet = Lancet::builder()
        .root(folder.join("root"))
        .state_dir(folder.join("state"))
        .deny("Read(hidden.txt)")
        .open()
        .expect("opened");
    let history = lancet.history().expect("a state folder");
    let events = all_events(&history, &EventsSince::Beginning);
    assert_eq!(events.len(), 1);
    let text = events[0].to_json().to_string();
    assert!(!text.contains("hidden"), "{text}");
    for field in ["path", "patch"] {
        assert_eq!(events[0].to_json().get(field), None, "{text}");
    }
    assert_eq!(events[0].to_json()["after"], json!(null));
}

fn write(lancet: &Lancet, folder: &Path, name: &str) -> lancet::Reply {
    let path = folder.join("root").join(name);
    let write = json!({ "file_path": path, "content": "text\n" });
    lancet.new_session().call(RawCall::new("Write", write))
}

#[test]
fn a_state_folder_that_is_made_anew_is_told_as_a_gap() {
    let folder = TestFolder::new();
    folder.make("root");
    let lancet = open(folder.path(), None);
    for name in ["a", "b", "c"] {
        operation(&write(&lancet, folder.path(), name));
    }
    let history = lancet.history().expect("a state folder");
    let mut reader = history
        .events(&EventsSince::Beginning)
        .expect("read")
        .expect("there");
    assert_eq!(reader.next_page().expect("read").len(), 3);
    fs::remove_dir_all(folder.join("state")).expect("removed");
    operation(&write(&lancet, folder.path(), "d"));
    let page = reader.next_page().expect("read");
    assert!(
        matches!(page[0].fact, EventContent::Gap { from: 4, .. }),
        "{page:?}"
    );
    assert_eq!(page.last().map(|event| described(event).1), Some(""));
    assert!(page.last().expect("the change").seq > 3);
}

#[test]
fn sessions_begin_and_end() {
    let folder = TestFolder::new();
    folder.make("root");
    let lancet = Lancet::builder()
        .root(folder.join("root"))
        .state_dir(folder.join("state"))
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let session = lancet.new_session();
    let (one, other) = (
        session.announce(Some("agent"), Some("1.0")),
        session.announce(Some("agent"), None),
    );
    assert!(one.is_some() && other.is_some());
    let history = lancet.history().expect("a state folder");
    let states = || -> Vec<String> {
        let all = all_events(&history, &EventsSince::Beginning);
        let json = all.iter().map(HistoryEvent::to_json);
        json.map(|event| format!("{} {}", event["event"], event["state"]))
            .collect()
    };
    assert_eq!(states(), ["\"session\" \"begun\""]);
    drop(one);
    assert_eq!(states().len(), 1, "one is left");
    drop(other);
    assert_eq!(states(), ["\"session\" \"begun\"", "\"session\" \"ended\""]);

    // A process that is killed in the middle of its session.
    let mut child = part("session", folder.path(), 0);
    let mut child = child.stdin(Stdio::piped()).spawn().expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line == "begun")));
    assert_eq!(states().len(), 3);
    child.kill().expect("killed");
    child.wait().expect("ended");
    drop(open(folder.path(), None).history());
    assert_eq!(
        states()[2..],
        ["\"session\" \"begun\"", "\"session\" \"ended\""]
    );
}

/// Plays a part: begins a session and waits for its end.
#[expect(clippy::print_stdout, reason = "the parent waits for this line")]
pub(crate) fn hold_session(folder: &Path) {
    let lancet = open(folder, None);
    let _announced = lancet
        .new_session()
        .announce(None, None)
        .expect("announced");
    println!("\nbegun");
    std::io::stdout().flush().expect("flushed");
    let _ = std::io::stdin().lines().count();
}
