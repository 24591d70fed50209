//! Questions on record: a call is refused as `waiting`, somebody decides, in another process or later, and the call sent
//! again writes exactly that, once.

use std::path::{Path, PathBuf};

use lancet::approval::{Answer, Pick};
use lancet::call::{Asks, Deciders};
use lancet::questions::{DecideError, QuestionState, Questions, RecordedQuestion};
use lancet::{Caller, Lancet, Mode, RawCall, RefusalKind, Reply, Session};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A project and a state folder. Each engine that is opened on them stands for a process.
struct Place {
    root: TempDir,
    state: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Place {
            root: TempDir::new().expect("folder"),
            state: TempDir::new().expect("folder"),
        };
        std::fs::write(place.file(), lines()).expect("written");
        place
    }

    fn file(&self) -> PathBuf {
        self.root.path().join("a.txt")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).expect("read")
    }

    fn engine(&self) -> Lancet {
        Lancet::builder()
            .root(self.root.path())
            .state_dir(self.state.path())
            .mode(Mode::Ask)
            .open()
            .expect("opened")
    }

    /// The questions, as another process sees them.
    fn questions(&self) -> Questions {
        self.engine().questions().expect("a state folder")
    }

    fn open_question(&self) -> RecordedQuestion {
        let mut open = self.questions().open().expect("read");
        assert_eq!(open.len(), 1, "{open:?}");
        open.remove(0)
    }

    /// A session that has read the file.
    fn reader(&self, lancet: &Lancet) -> Session {
        let session = lancet.new_session();
        let read = call("Read", json!({ "file_path": self.file() }));
        assert!(!session.call(read).is_error());
        session
    }

    /// Changes three lines far enough apart to be three hunks.
    fn three_edits(&self) -> Value {
        let edit = |line: usize| json!({ "old_string": format!("line {line}.\n"), "new_string": format!("LINE {line}.\n") });
        json!({ "file_path": self.file(), "edits": [edit(5), edit(20), edit(35)] })
    }

    fn send(&self, session: &Session) -> Reply {
        session.call(call("MultiEdit", self.three_edits()))
    }
}

fn lines() -> String {
    (1..=40).map(|line| format!("line {line}.\n")).collect()
}

fn call(tool: &str, arguments: Value) -> RawCall {
    RawCall::new(tool, arguments)
        .with_caller(Caller::client("some-agent", "1.0"))
        .asking(Asks::Recorded {
            deciders: Deciders::Present,
            waited_on: None,
        })
}

fn waits(reply: &Reply) -> String {
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Waiting),
        "{}",
        reply.text()
    );
    assert_eq!(reply.data()["error"]["code"], 34);
    let waiting = reply.waiting().expect("what it waits on");
    assert!(
        !reply.text().contains(waiting.question()),
        "{}",
        reply.text()
    );
    assert_eq!(reply.data()["error"]["question"], waiting.question());
    waiting.question().to_owned()
}

#[test]
fn a_decision_of_another_process_is_carried_out_by_the_call_sent_again() {
    let place = Place::new();
    let lancet = place.engine();
    let session = place.reader(&lancet);
    let id = waits(&place.send(&session));
    assert_eq!(place.text(), lines());
    assert_eq!(waits(&place.send(&session)), id, "the same question");
    let asked = place.open_question();
    assert_eq!(
        (asked.question.tool.as_str(), asked.id.as_str()),
        ("MultiEdit", id.as_str())
    );
    assert_eq!(asked.question.client.as_deref(), Some("some-agent"));
    assert_eq!(asked.question.files[0].pieces.len(), 3);
    let two = Answer::Picked {
        files: vec![Pick::Pieces(vec![0, 2])],
        words: Some("Twenty stays.".into()),
    };
    place
        .questions()
        .decide(&id, &two, "somebody")
        .expect("decided");
    let reply = place.send(&session);
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(reply.text().contains("Twenty stays."), "{}", reply.text());
    let meant = lines()
        .replace("line 5.", "LINE 5.")
        .replace("line 35.", "LINE 35.");
    assert_eq!(place.text(), meant);
    let used = place.questions().get(&id).expect("read").expect("kept");
    assert_eq!(used.state, QuestionState::Used);
    assert_eq!(
        used.followed_by.as_deref(),
        reply.data()["files"][0]["operation"]
            .as_str()
            .or(reply.data()["operation"].as_str())
    );
    // The yes was for one write.
    let again = place.send(&session);
    assert!(again.is_error());
    assert_eq!(place.text(), meant);
}

#[test]
fn a_process_that_has_not_read_the_file_carries_the_decision_out() {
    let place = Place::new();
    let id = {
        let lancet = place.engine();
        let session = place.reader(&lancet);
        waits(&place.send(&session))
    };
    let session = place.engine().new_session();
    assert_eq!(
        waits(&place.send(&session)),
        id,
        "asked before the decision"
    );
    place
        .questions()
        .decide(&id, &Answer::Yes, "somebody")
        .expect("decided");
    let session = place.engine().new_session();
    let reply = place.send(&session);
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(place.text().contains("LINE 20."));
    // What another call of this process may do has not changed.
    let other = call(
        "Edit",
        json!({ "file_path": place.file(), "old_string": "line 1.\n", "new_string": "x\n" }),
    );
    let other_session = place.engine().new_session();
    assert_eq!(
        other_session.call(other).refusal(),
        Some(RefusalKind::NotRead)
    );
}

#[test]
fn a_no_is_told_once_and_the_call_sent_again_asks_anew() {
    let place = Place::new();
    let lancet = place.engine();
    let session = place.reader(&lancet);
    let id = waits(&place.send(&session));
    let no = Answer::No(Some("Not today.".into()));
    place
        .questions()
        .decide(&id, &no, "somebody")
        .expect("decided");
    let reply = place.send(&session);
    assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
    assert!(reply.text().contains("Not today."), "{}", reply.text());
    assert_ne!(waits(&place.send(&session)), id);
    assert_eq!(place.text(), lines());
}

#[test]
fn the_first_decision_counts() {
    let place = Place::new();
    let lancet = place.engine();
    let session = place.reader(&lancet);
    let id = waits(&place.send(&session));
    let questions = place.questions();
    questions
        .decide(&id, &Answer::No(None), "the first")
        .expect("decided");
    let late = questions.decide(&id, &Answer::Yes, "the second");
    let Err(DecideError::TooLate(words)) = late else {
        panic!("{late:?}");
    };
    assert!(words.contains("the first"), "{words}");
    assert!(place.send(&session).is_error());
    assert_eq!(place.text(), lines());
}

#[test]
fn a_question_about_an_older_version_is_superseded() {
    let place = Place::new();
    let lancet = place.engine();
    let session = place.reader(&lancet);
    let waiting = place.send(&session);
    let id = waits(&waiting);
    let waiting = waiting.waiting().expect("waits");
    assert!(!waiting.has_changed());
    place
        .questions()
        .decide(&id, &Answer::Yes, "somebody")
        .expect("decided");
    std::fs::write(place.file(), lines().replace("line 12.", "twelve")).expect("written");
    assert!(waiting.has_changed());
    let read = call("Read", json!({ "file_path": place.file() }));
    assert!(!session.call(read).is_error());
    let newer = waits(&place.send(&session));
    assert_ne!(newer, id);
    let old = place.questions().get(&id).expect("read").expect("kept");
    assert_eq!(old.state, QuestionState::Superseded);
    assert!(
        old.what_became_of_it()
            .ends_with(&format!("superseded by {newer}"))
    );
    assert!(!place.text().contains("LINE"));
    place
        .questions()
        .decide(&newer, &Answer::Yes, "somebody")
        .expect("decided");
    assert!(!place.send(&session).is_error());
    assert!(place.text().contains("twelve") && place.text().contains("LINE 5."));
}

#[test]
fn a_second_call_that_waited_gets_the_first_ones_answer() {
    let place = Place::new();
    let lancet = place.engine();
    let session = place.reader(&lancet);
    let id = waits(&place.send(&session));
    place
        .questions()
        .decide(&id, &Answer::Yes, "somebody")
        .expect("decided");
    let again = || {
        let waited = Asks::Recorded {
            deciders: Deciders::Present,
            waited_on: Some(id.clone()),
        };
        session.call(call("MultiEdit", place.three_edits()).asking(waited))
    };
    let replies: Vec<Reply> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..4).map(|_| scope.spawn(again)).collect();
        calls
            .into_iter()
            .map(|call| call.join().expect("ended"))
            .collect()
    });
    let repeated = |reply: &&Reply| reply.data()["repeated"] == true;
    assert!(replies.iter().all(|reply| !reply.is_error()));
    assert_eq!(replies.iter().filter(repeated).count(), 3);
    assert!(
        replies
            .iter()
            .all(|reply| reply.text() == replies[0].text())
    );
    let history = place.engine().history().expect("history");
    let log = history
        .log(&lancet::history::LogQuery::default())
        .expect("read");
    assert_eq!(log.len(), 1, "written once");
}

#[test]
fn nobody_is_asked_where_nobody_looks() {
    let place = Place::new();
    let lancet = place.engine();
    let session = place.reader(&lancet);
    let if_watched = || {
        let asks = Asks::Recorded {
            deciders: Deciders::IfWatched,
            waited_on: None,
        };
        session.call(call("MultiEdit", place.three_edits()).asking(asks))
    };
    assert_eq!(if_watched().refusal(), Some(RefusalKind::Declined));
    let watch = place.questions().watch().expect("announced");
    let id = waits(&if_watched());
    drop(watch);
    assert_eq!(waits(&if_watched()), id, "the question stays open");
    place
        .questions()
        .decide(&id, &Answer::Yes, "somebody")
        .expect("decided");
    assert!(!if_watched().is_error());
}

#[test]
fn a_write_that_fails_gives_the_yes_back() {
    let place = Place::new();
    let lancet = place.engine();
    let session = lancet.new_session();
    // The parent of the new file is a file by the time of the write.
    let folder = place.root.path().join("new");
    let write = || {
        session.call(call(
            "Write",
            json!({ "file_path": folder.join("b.txt"), "content": "b\n" }),
        ))
    };
    let id = waits(&write());
    place
        .questions()
        .decide(&id, &Answer::Yes, "somebody")
        .expect("decided");
    std::fs::write(&folder, "in the way").expect("written");
    assert!(write().is_error());
    std::fs::remove_file(&folder).expect("removed");
    let reply = write();
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(
        std::fs::read_to_string(folder.join("b.txt")).expect("read"),
        "b\n"
    );
}

#[test]
fn at_most_a_hundred_questions_of_a_session_wait() {
    let place = Place::new();
    let lancet = place.engine();
    let session = lancet.new_session();
    let write = |number: usize| {
        let path: &Path = place.root.path();
        session.call(call(
            "Write",
            json!({ "file_path": path.join(format!("{number}.txt")), "content": "x" }),
        ))
    };
    for number in 0..100 {
        waits(&write(number));
    }
    let refused = write(100);
    assert_eq!(refused.refusal(), Some(RefusalKind::Declined));
    assert!(
        refused.text().contains("100 questions"),
        "{}",
        refused.text()
    );
    let one = place.questions().open().expect("read").remove(0);
    place
        .questions()
        .decide(&one.id, &Answer::No(None), "somebody")
        .expect("decided");
    waits(&write(100));
}

#[test]
fn a_decision_that_does_not_fit_is_refused_and_the_question_stays_open() {
    let place = Place::new();
    let lancet = place.engine();
    let session = place.reader(&lancet);
    let id = waits(&place.send(&session));
    let pieces = |pieces: Vec<usize>| Answer::Picked {
        files: vec![Pick::Pieces(pieces)],
        words: None,
    };
    let many = Answer::Picked {
        files: vec![Pick::Whole, Pick::Whole],
        words: None,
    };
    for answer in [pieces(vec![3]), many] {
        let refused = place.questions().decide(&id, &answer, "somebody");
        assert!(
            matches!(refused, Err(DecideError::DoesNotFit(_))),
            "{refused:?}"
        );
    }
    let unknown = place
        .questions()
        .decide("nowhere", &Answer::Yes, "somebody");
    assert!(matches!(unknown, Err(DecideError::Unknown(_))));
    assert_eq!(place.open_question().state, QuestionState::Open);
}

/// Two calls that waited on the same question, one after the other.
fn both(place: &Place, answer: &Answer) -> [Reply; 2] {
    let lancet = place.engine();
    let session = place.reader(&lancet);
    let append = || {
        call(
            "Write",
            json!({ "file_path": place.file(), "content": "added\n", "mode": "append" }),
        )
    };
    let id = waits(&session.call(append()));
    place
        .questions()
        .decide(&id, answer, "somebody")
        .expect("decided");
    let again = || {
        session.call(append().asking(Asks::Recorded {
            deciders: Deciders::Present,
            waited_on: Some(id.clone()),
        }))
    };
    [again(), again()]
}

#[test]
fn a_change_that_would_fit_twice_is_written_once() {
    for answer in [Answer::Yes, Answer::Session] {
        let place = Place::new();
        let [first, second] = both(&place, &answer);
        assert!(!first.is_error() && !second.is_error(), "{answer:?}");
        assert_eq!(second.data()["repeated"], true, "{answer:?}");
        assert_eq!(place.text(), format!("{}added\n", lines()), "{answer:?}");
    }
}

#[test]
fn calls_that_waited_together_get_the_same_no() {
    let place = Place::new();
    let [first, second] = both(&place, &Answer::No(Some("Leave it.".into())));
    for reply in [first, second] {
        assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
        assert!(reply.text().contains("Leave it."), "{}", reply.text());
    }
    assert_eq!(place.questions().open().expect("read").len(), 0);
}

#[test]
fn a_decision_that_picks_nothing_is_a_no() {
    let place = Place::new();
    let lancet = place.engine();
    let session = place.reader(&lancet);
    let id = waits(&place.send(&session));
    let nothing = Answer::Picked {
        files: vec![Pick::Nothing],
        words: None,
    };
    place
        .questions()
        .decide(&id, &nothing, "somebody")
        .expect("decided");
    assert_eq!(place.send(&session).refusal(), Some(RefusalKind::Declined));
    assert_ne!(waits(&place.send(&session)), id, "it is asked anew");
    assert_eq!(place.text(), lines());
}

#[test]
fn picks_hold_for_the_question_that_was_shown() {
    let place = Place::new();
    let other = place.root.path().join("b.txt");
    std::fs::write(&other, "b\n").expect("written");
    let lancet = place.engine();
    let session = place.reader(&lancet);
    let read = call("Read", json!({ "file_path": other }));
    assert!(!session.call(read).is_error());
    // A grant for the first file: the question lists it last.
    let edit = |path: &Path, old: &str, new: &str| json!({ "file_path": path, "old_string": old, "new_string": new });
    let one = call("Edit", edit(&place.file(), "line 1.\n", "line one.\n"));
    let id = waits(&session.call(one.clone()));
    place
        .questions()
        .decide(&id, &Answer::Session, "somebody")
        .expect("decided");
    assert!(!session.call(one).is_error());
    let edits = [
        edit(&place.file(), "line 2.\n", "line two.\n"),
        edit(&other, "b\n", "B\n"),
    ];
    let both = || call("MultiEdit", json!({ "edits": edits }));
    let id = waits(&session.call(both()));
    assert_eq!(place.open_question().question.files[0].path, other);
    let first_alone = Answer::Picked {
        files: vec![Pick::Whole, Pick::Nothing],
        words: None,
    };
    place
        .questions()
        .decide(&id, &first_alone, "somebody")
        .expect("decided");
    // Another process has no grant, and would list the files in another order.
    let session = place.engine().new_session();
    for path in [place.file(), other.clone()] {
        let read = call("Read", json!({ "file_path": path }));
        assert!(!session.call(read).is_error());
    }
    assert_ne!(waits(&session.call(both())), id);
    assert!(place.text().contains("line 2."));
    assert_eq!(std::fs::read_to_string(&other).expect("read"), "b\n");
}

#[test]
fn a_yes_that_is_dated_in_the_future_or_too_long_ago_does_not_hold() {
    let hour = 60 * 60 * 1_000_i64;
    for (moved, holds) in [(0, true), (hour, false), (-25 * hour, false)] {
        let place = Place::new();
        let lancet = place.engine();
        let session = place.reader(&lancet);
        let id = waits(&place.send(&session));
        let decided = place.questions().decide(&id, &Answer::Yes, "a person");
        decided.expect("decided");
        let database = place.state.path().join("lancet.db");
        let connection = rusqlite::Connection::open(database).expect("opened");
        let changed = connection.execute(
            "UPDATE questions SET decided = decided + ?1 WHERE state = 1",
            [moved],
        );
        assert_eq!(changed, Ok(1));
        drop(connection);
        let reply = place.send(&session);
        match holds {
            true => assert!(!reply.is_error(), "{}", reply.text()),
            false => {
                assert_ne!(waits(&reply), id, "it is asked about anew");
                assert_eq!(place.text(), lines());
            }
        }
    }
}
