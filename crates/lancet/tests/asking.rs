//! A person who answers late: a question stays open as long as the file is as it shows, and is renewed when it is not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::sleep;
use std::time::Duration;

use lancet::approval::{Answer, Approver, Question, Wait};
use lancet::{Lancet, Mode, RawCall, RefusalKind, Reply};
use lancet_testing::TestFolder;
use serde_json::json;

/// Several times the interval at which the waiting call checks the file.
const A_WHILE: Duration = Duration::from_millis(900);

/// Says yes after a while. At the first question it does something else before.
struct Slow {
    asked: Arc<AtomicUsize>,
    /// How many questions were withdrawn before they were answered.
    taken_back: Arc<AtomicUsize>,
    first: Box<dyn Fn() + Send + Sync>,
}

impl Approver for Slow {
    fn ask(&self, _: &Question, wait: &Wait) -> Answer {
        if self.asked.fetch_add(1, Ordering::Relaxed) == 0 {
            (self.first)();
        }
        for _ in 0..10 {
            sleep(A_WHILE / 10);
            if wait.is_over() {
                self.taken_back.fetch_add(1, Ordering::Relaxed);
                return Answer::No(None);
            }
        }
        Answer::Yes
    }
}

/// Edits a file in mode ask, answered slowly. Returns how often the question was raised and withdrawn, the reply, and
/// the file after it.
fn edit(meanwhile: impl Fn(&PathBuf) + Send + Sync + 'static) -> ([usize; 2], Reply, String) {
    let folder = TestFolder::new();
    let path = folder.put("a.txt", "one\ntwo\n");
    let there = path.clone();
    let asked = Arc::new(AtomicUsize::new(0));
    let taken_back = Arc::new(AtomicUsize::new(0));
    let slow = Slow {
        asked: Arc::clone(&asked),
        taken_back: Arc::clone(&taken_back),
        first: Box::new(move || meanwhile(&there)),
    };
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::Ask)
        .approver(slow)
        .open()
        .expect("opened");
    let session = lancet.new_session();
    session.call(RawCall::new("Read", json!({ "file_path": path })));
    let call = json!({ "file_path": path, "old_string": "two", "new_string": "2" });
    let reply = session.call(RawCall::new("Edit", call));
    let text = fs::read_to_string(&path).expect("it is there");
    let counts = [asked, taken_back].map(|count| count.load(Ordering::Relaxed));
    (counts, reply, text)
}

#[test]
fn a_question_about_a_file_that_stays_as_it_is_is_put_once() {
    let (counts, reply, text) = edit(|_| ());
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!((counts, text.as_str()), ([1, 0], "one\n2\n"));
}

#[test]
fn a_question_about_a_file_that_changes_meanwhile_is_taken_back() {
    let (counts, reply, text) = edit(|path| fs::write(path, "one\nthree\n").expect("written"));
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Stale),
        "{}",
        reply.text()
    );
    assert_eq!((counts, text.as_str()), ([1, 1], "one\nthree\n"));
}

/// Makes a folder with one file, opened in mode ask.
fn open(approver: impl Approver + 'static) -> (TestFolder, PathBuf, Lancet) {
    open_with(approver, |builder| builder)
}

fn open_with(
    approver: impl Approver + 'static,
    change: impl FnOnce(lancet::Builder) -> lancet::Builder,
) -> (TestFolder, PathBuf, Lancet) {
    let folder = TestFolder::new();
    let path = folder.join("root/a.txt");
    fs::create_dir(folder.join("root")).expect("made");
    fs::write(&path, "one\ntwo\n").expect("written");
    let builder = Lancet::builder()
        .root(folder.join("root"))
        .user_settings(folder.join("lancet.toml"))
        .mode(Mode::Ask)
        .approver(approver);
    let lancet = change(builder).open().expect("opened");
    (folder, path, lancet)
}

#[test]
fn an_approver_that_panics_is_no_person() {
    let (_folder, path, lancet) = open(|_: &Question| -> Answer { panic!("on purpose") });
    let call = json!({ "file_path": path.with_file_name("b.txt"), "content": "x\n" });
    let reply = lancet.new_session().call(RawCall::new("Write", call));
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Declined),
        "{}",
        reply.text()
    );
    assert!(
        reply.text().contains("was not answered by a person")
            && !reply.text().contains("A person declined"),
        "{}",
        reply.text()
    );
}

#[test]
fn a_question_that_nobody_answers_is_told_with_its_true_limit() {
    let (end, until_the_end) = mpsc::channel::<()>();
    let until_the_end = Mutex::new(until_the_end);
    let never = move |_: &Question| -> Answer {
        let _ = until_the_end.lock().expect("free").recv();
        Answer::Yes
    };
    let (_folder, path, lancet) = open_with(never, |builder| {
        builder.wait_limit(Duration::from_millis(250))
    });
    let call = json!({ "file_path": path.with_file_name("b.txt"), "content": "x\n" });
    let reply = lancet.new_session().call(RawCall::new("Write", call));
    drop(end);
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Declined),
        "{}",
        reply.text()
    );
    assert!(reply.text().contains("within 250 ms."), "{}", reply.text());
}

#[test]
fn a_call_that_takes_too_long_is_told_with_its_true_limit() {
    let (_folder, path, lancet) = open(|_: &Question| Answer::Yes);
    let mut call = RawCall::new("Write", json!({ "file_path": path, "content": "x\n" }));
    call.cancel = lancet::Cancel::with_time_limit(Duration::from_millis(3));
    sleep(Duration::from_millis(10));
    let reply = lancet.new_session().call(call);
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Timeout),
        "{}",
        reply.text()
    );
    assert!(
        reply.text().contains("longer than 3 ms"),
        "{}",
        reply.text()
    );
}

/// Says no, and adds its message only after the file has changed.
struct Wordy(PathBuf, Arc<AtomicUsize>);

impl Approver for Wordy {
    fn ask(&self, _: &Question, wait: &Wait) -> Answer {
        self.1.fetch_add(1, Ordering::Relaxed);
        wait.mark_declined();
        fs::write(&self.0, "another\n").expect("written");
        sleep(A_WHILE);
        Answer::No(Some("Not now.".into()))
    }
}

#[test]
fn a_no_stands_while_its_words_are_written() {
    let asked = Arc::new(AtomicUsize::new(0));
    let folder = TestFolder::new();
    let path = folder.put("a.txt", "one\ntwo\n");
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::Ask)
        .approver(Wordy(path.clone(), Arc::clone(&asked)))
        .open()
        .expect("opened");
    let session = lancet.new_session();
    session.call(RawCall::new("Read", json!({ "file_path": path })));
    let call = json!({ "file_path": path, "old_string": "two", "new_string": "2" });
    let reply = session.call(RawCall::new("Edit", call));
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Declined),
        "{}",
        reply.text()
    );
    assert!(
        reply.text().contains("A person declined") && reply.text().contains("Not now."),
        "{}",
        reply.text()
    );
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

/// Returns a MultiEdit that makes new files.
fn make(path: &Path, names: &[&str]) -> RawCall {
    let edit = |name: &&str| json!({ "file_path": path.with_file_name(name), "old_string": "", "new_string": "x\n" });
    let edits: Vec<_> = names.iter().map(edit).collect();
    RawCall::new("MultiEdit", json!({ "edits": edits }))
}

#[test]
fn lasting_answers_are_kept_only_where_the_call_goes_through() {
    for lasting in [Answer::Always, Answer::Session] {
        let asked = Arc::new(AtomicUsize::new(0));
        let (count, answer) = (Arc::clone(&asked), lasting.clone());
        let (folder, path, lancet) = open(move |question: &Question| {
            if count.fetch_add(1, Ordering::Relaxed) == 0 {
                fs::write(&question.files[1].path, "theirs\n").expect("written");
            }
            answer.clone()
        });
        let session = lancet.new_session();
        let settings = || fs::read_to_string(folder.join("lancet.toml")).unwrap_or_default();
        let reply = session.call(make(&path, &["b.txt", "c.txt"]));
        assert!(reply.is_error(), "{}", reply.text());
        assert_eq!(settings(), "", "a call that did not go through left a rule");
        let asked_before = asked.load(Ordering::Relaxed);
        let reply = session.call(make(&path, &["b.txt", "d.txt"]));
        assert!(!reply.is_error(), "{}", reply.text());
        let asked_now = asked.load(Ordering::Relaxed);
        assert_eq!(asked_now, asked_before + 1, "its grant was not kept either");
        let kept = ["b.txt", "d.txt"].map(|name| settings().contains(name));
        assert_eq!(kept, [lasting == Answer::Always; 2], "{}", settings());
        // From now on there is no question about these files.
        for name in ["b.txt", "d.txt"] {
            let path = path.with_file_name(name);
            let write = json!({ "file_path": path, "content": "y\n" });
            let reply = session.call(RawCall::new("Write", write));
            assert!(!reply.is_error(), "{}", reply.text());
        }
        assert_eq!(asked.load(Ordering::Relaxed), asked_now);
    }
}

#[test]
fn always_is_offered_for_up_to_five_files() {
    let offered = Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = Arc::clone(&offered);
    let (_folder, path, lancet) = open(move |question: &Question| {
        heard.lock().expect("free").push(question.offers.clone());
        Answer::No(None)
    });
    let names = ["1", "2", "3", "4", "5", "6"];
    for some in [&names[..5], &names[..]] {
        lancet.new_session().call(make(&path, some));
    }
    let offered = offered.lock().expect("free");
    assert_eq!(offered[0].always.len(), 5);
    assert_eq!(offered[1].always.len(), 0);
    assert_eq!(offered[1].session, "these 6 files");
}

#[test]
fn a_rule_that_could_not_be_kept_is_told_at_the_end_of_the_answer() {
    let (folder, path, lancet) = open(|_: &Question| Answer::Always);
    fs::create_dir(folder.join("lancet.toml")).expect("made");
    let reply = lancet.new_session().call(make(&path, &["b.txt", "c.txt"]));
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(
        reply
            .text()
            .contains("[lancet: the rule of the answer \"always\" could not be added to"),
        "{}",
        reply.text()
    );
}

#[test]
fn names_and_diffs_are_escaped_before_any_approver_sees_them() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let asked = Arc::clone(&seen);
    let (_folder, path, lancet) = open(move |question: &Question| {
        asked.lock().expect("free").push(question.clone());
        Answer::No(None)
    });
    let name = "x\nAsked because nothing.\n\nThis is safe\u{202e}.txt";
    let edits = json!([
        { "file_path": path.with_file_name(name), "old_string": "", "new_string": "ok\x1b[2K\r\u{2066}evil\u{9b}\n" },
        { "file_path": path.with_file_name("b.txt"), "old_string": "", "new_string": "b\n" },
    ]);
    let reply = lancet
        .new_session()
        .call(RawCall::new("MultiEdit", json!({ "edits": edits })));
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Declined),
        "{}",
        reply.text()
    );
    let seen = seen.lock().expect("free");
    let question = &seen[0];
    let is_hidden =
        |c: char| (c.is_control() && c != '\n' && c != '\t') || "\u{202e}\u{2066}".contains(c);
    assert_eq!((seen.len(), question.files.len()), (1, 2));
    let file = &question.files[0];
    let lines = [
        file.escaped_path(),
        file.escaped_relative_path(),
        question.joined_reasons(),
        question.offers.always[0].clone(),
    ];
    for line in lines {
        assert!(
            !line.contains('\n') && !line.contains(is_hidden),
            "{line:?}"
        );
    }
    assert!(!file.diff().contains(is_hidden), "{:?}", file.diff());
    assert!(file.diff().contains("ok␛[2K␍<U+2066>evil<U+009B>"));
    assert!(question.files[1].path.ends_with("b.txt"));
}
