//! A file whose bytes changed while every field of its stat stayed the same. The write detects that the ledger's
//! version was only trusted, and nothing is reported about bytes that were not read.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::Duration;

use lancet::approval::{Answer, Approver, Question, Wait};
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Check, Lancet, Mode, RawCall, RefusalKind, Reply, Session, SessionName};
use lancet_testing::TestProject;
use lancet_testing::replies::done;
use serde_json::{Value, json};

const FILE: &str = "a.txt";
const BEFORE: &str = "first line\nthe second\nthe third\n";
/// Text of the same length as the one before.
const AFTER: &str = "first line\nTHE SECOND\nthe third\n";

/// After this time a change leaves another stamp.
const LONG: Duration = Duration::from_millis(2_100);

/// How long before a check the file was changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changed {
    /// Another change in the same moment could leave the same stamp.
    JustNow,
    /// By its times the file has not changed for long.
    LongAgo,
}

/// The number of names of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    One,
    /// A hard link: it is rewritten in place.
    Two,
}

/// Says yes and counts.
struct Yes(Arc<AtomicUsize>);

impl Approver for Yes {
    fn ask(&self, _: &Question, _: &Wait) -> Answer {
        self.0.fetch_add(1, Ordering::Relaxed);
        Answer::Yes
    }
}

fn open(mode: Mode, approver: impl Approver + 'static) -> TestProject {
    TestProject::with_history(|builder| builder.mode(mode).approver(approver))
}

fn session(lancet: &Lancet, name: &str) -> Session {
    lancet.session(&SessionName::new(name).expect("a name"))
}

/// Makes a file that was read, and then changed without a trace.
fn changed() -> TestProject {
    changed_with(Mode::AcceptEdits, Changed::JustNow, Names::One).0
}

/// Makes a file that was read, and then changed without a trace, and counts the questions.
fn changed_with(mode: Mode, changed: Changed, names: Names) -> (TestProject, Arc<AtomicUsize>) {
    let questions = Arc::new(AtomicUsize::new(0));
    let mut project = open(mode, Yes(Arc::clone(&questions)));
    project.session = session(&project.lancet, "talk");
    let file = project.put(FILE, BEFORE);
    if names == Names::Two {
        fs::hard_link(&file, file.with_file_name("b.txt")).expect("linked");
    }
    change_after(&file, || {
        if changed == Changed::LongAgo {
            sleep(LONG);
        }
        done(&project.read(&file));
    });
    assert_eq!(project.text(FILE), AFTER);
    (project, questions)
}

fn raw(project: &TestProject, tool: &str, mut arguments: Value) -> RawCall {
    arguments["file_path"] = json!(project.path(FILE));
    RawCall::new(tool, arguments)
}

fn call(project: &TestProject, tool: &str, arguments: Value) -> Reply {
    project.session.call(raw(project, tool, arguments))
}

/// Asserts that an edit is refused as stale, shows what is there, changes nothing and asks no question.
fn assert_stale((project, questions): &(TestProject, Arc<AtomicUsize>)) {
    let answer = call(project, "Edit", third());
    assert_eq!(
        answer.refusal(),
        Some(RefusalKind::Stale),
        "{}",
        answer.text()
    );
    assert!(answer.text().contains("THE SECOND"), "{}", answer.text());
    assert_eq!(project.text(FILE), AFTER);
    assert_eq!(questions.load(Ordering::Relaxed), 0);
}

fn third() -> Value {
    json!({ "old_string": "the third", "new_string": "the 3rd" })
}

/// Runs `look` and then stores [`AFTER`] through a mapping that was dirty before: no field of the stat changes.
#[allow(
    unsafe_code,
    reason = "there is no other way to write through a mapping"
)]
fn change_after(path: &Path, look: impl FnOnce()) {
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
    let file = fs::File::options()
        .read(true)
        .write(true)
        .open(path)
        .expect("opens");
    let stat = || {
        let stat = rustix::fs::fstat(&file).expect("a stat");
        (stat.st_mtime_nsec, stat.st_ctime_nsec, stat.st_size)
    };
    let (flags, protection) = (MapFlags::SHARED, ProtFlags::READ | ProtFlags::WRITE);
    // SAFETY: a fresh mapping of a file of less than a page, used inside its length, gone at the end.
    unsafe {
        let map = mmap(std::ptr::null_mut(), 4096, protection, flags, &file, 0).expect("maps");
        let bytes = map.cast::<u8>();
        bytes.write_volatile(BEFORE.as_bytes()[0]);
        let before = stat();
        look();
        for (at, byte) in AFTER.bytes().enumerate() {
            bytes.add(at).write_volatile(byte);
        }
        munmap(map, 4096).expect("unmaps");
        assert_eq!(stat(), before, "the change left a trace");
    }
}

#[test]
fn an_edit_of_what_was_there_is_refused_and_the_file_stands() {
    let unasked = changed_with(Mode::AcceptEdits, Changed::JustNow, Names::One);
    assert_stale(&unasked);
    let project = unasked.0;
    // The refusal has shown what is there now.
    let answer = call(&project, "Edit", third());
    assert!(!answer.is_error(), "{}", answer.text());
    assert_eq!(project.text(FILE), "first line\nTHE SECOND\nthe 3rd\n");
}

#[test]
fn a_file_that_seems_unchanged_for_long_is_found_out_too() {
    assert_stale(&changed_with(
        Mode::AcceptEdits,
        Changed::LongAgo,
        Names::One,
    ));
}

#[test]
fn a_file_that_is_rewritten_in_place_is_found_out_too() {
    assert_stale(&changed_with(
        Mode::AcceptEdits,
        Changed::JustNow,
        Names::Two,
    ));
}

#[test]
fn nobody_is_asked_about_what_was_there() {
    assert_stale(&changed_with(Mode::Ask, Changed::JustNow, Names::One));
}

#[test]
fn what_is_told_instead_of_a_write_is_told_of_what_is_there_now() {
    let not_found = json!({ "old_string": "the sec\nond", "new_string": "the 2nd" });
    let dry_run = json!({ "old_string": "the second", "new_string": "the 2nd", "dry_run": true });
    for arguments in [not_found, dry_run] {
        let project = changed();
        let answer = call(&project, "Edit", arguments);
        assert!(answer.is_error(), "{}", answer.text());
        assert!(answer.text().contains("THE SECOND"), "{}", answer.text());
    }
}

#[test]
fn a_write_over_what_was_there_is_refused_and_the_file_stands() {
    let project = changed();
    let answer = call(&project, "Write", json!({ "content": "new\n" }));
    assert!(answer.is_error(), "{}", answer.text());
    assert_eq!(project.text(FILE), AFTER);
}

#[test]
fn text_is_not_put_at_the_end_of_what_was_there() {
    let project = changed();
    let answer = call(
        &project,
        "Write",
        json!({ "content": "more\n", "mode": "append" }),
    );
    assert_eq!(
        answer.refusal(),
        Some(RefusalKind::Stale),
        "{}",
        answer.text()
    );
    assert_eq!(project.text(FILE), AFTER);
}

#[test]
fn an_undo_does_not_take_away_what_was_put_there_since() {
    let project = open(Mode::AcceptEdits, Yes(Arc::default()));
    let talk = session(&project.lancet, "talk");
    let file = project.path(FILE);
    let write = json!({ "file_path": &file, "content": BEFORE });
    assert!(!talk.call(RawCall::new("Write", write)).is_error());
    change_after(&file, || {
        sleep(LONG);
        let read = talk.call(RawCall::new("Read", json!({ "file_path": &file })));
        assert!(!read.is_error(), "{}", read.text());
    });
    let newest = UndoRequest::undo(Selection::Newest);
    let undone = talk.undo_or_redo(newest, Caller::default());
    assert_eq!(
        undone.refusal(),
        Some(RefusalKind::Conflict),
        "{}",
        undone.text()
    );
    assert_eq!(fs::read_to_string(&file).expect("there"), AFTER);
}

#[test]
fn a_check_without_effect_is_made_of_what_is_there_now() {
    let project = changed();
    let checked = project.session.check(raw(&project, "Edit", third()));
    assert!(
        matches!(&checked, Check::Refused(refusal) if refusal.kind() == RefusalKind::Stale),
        "{checked:?}"
    );
}

/// A call to be made later.
type Other = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

/// At the first question starts the other call, and lets it proceed until it waits for its turn.
struct Meanwhile {
    other: Other,
    asked: Arc<AtomicUsize>,
}

impl Approver for Meanwhile {
    fn ask(&self, _: &Question, _: &Wait) -> Answer {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if let Some(other) = self.other.lock().expect("not poisoned").take() {
            thread::spawn(other);
            sleep(Duration::from_millis(300));
        }
        Answer::Yes
    }
}

#[test]
fn a_call_that_waited_for_its_turn_looks_at_what_the_other_wrote() {
    let asked = Arc::new(AtomicUsize::new(0));
    let next = Other::default();
    let approver = Meanwhile {
        other: Arc::clone(&next),
        asked: Arc::clone(&asked),
    };
    let project = open(Mode::Ask, approver);
    let file = project.put(FILE, BEFORE);
    // A stamp that is a proof, as long as it is still the present one.
    sleep(LONG);
    let edit = |old: &str, new: &str| {
        let arguments = json!({ "file_path": &file, "old_string": old, "new_string": new });
        RawCall::new("Edit", arguments)
    };
    let (first, second) = (
        session(&project.lancet, "first"),
        session(&project.lancet, "second"),
    );
    for each in [&first, &second] {
        let read = each.call(RawCall::new("Read", json!({ "file_path": &file })));
        assert!(!read.is_error(), "{}", read.text());
    }
    let (tell, told) = std::sync::mpsc::channel();
    let other = edit("the second", "the 2nd");
    *next.lock().expect("not poisoned") = Some(Box::new(move || {
        let _ = tell.send(second.call(other));
    }));
    let answer = first.call(edit("the third", "the 3rd"));
    assert!(!answer.is_error(), "{}", answer.text());
    let other = told.recv().expect("it answered");
    assert_eq!(
        other.refusal(),
        Some(RefusalKind::Stale),
        "{}",
        other.text()
    );
    assert_eq!(
        asked.load(Ordering::Relaxed),
        1,
        "only the first is asked about"
    );
    let content = fs::read_to_string(&file).expect("read");
    assert_eq!(content, "first line\nthe second\nthe 3rd\n");
}
