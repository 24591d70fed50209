//! A person who takes their time: a question stays as long as the file is what it shows, and is renewed when it is not.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use lancet::{Answer, Approver, Kind, Lancet, Mode, Question, RawCall, Reply, Wait};
use serde_json::json;

/// Longer than it takes whoever waits to look at the file, several times.
const A_WHILE: Duration = Duration::from_millis(900);

/// Says yes after a while; at the first question does something else before.
struct Slow {
    asked: Arc<AtomicUsize>,
    /// How many were taken back before they were answered.
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

/// An Edit of a file in mode ask, answered slowly. How often it was asked and taken back, what came of it, and the file
/// after it.
fn edit(meanwhile: impl Fn(&PathBuf) + Send + Sync + 'static) -> ([usize; 2], Reply, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.txt");
    fs::write(&path, "one\ntwo\n").expect("written");
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
    let session = lancet.unnamed_session();
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
    assert_eq!(reply.refusal(), Some(Kind::Stale), "{}", reply.text());
    assert_eq!((counts, text.as_str()), ([1, 1], "one\nthree\n"));
}
