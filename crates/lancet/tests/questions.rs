//! Recorded questions: a call is refused as `waiting`, a person decides, in another process or later, and the call sent
//! again writes exactly that, once.

use std::path::{Path, PathBuf};

use lancet::approval::{Answer, Pick};
use lancet::call::{AskMode, Deciders};
use lancet::questions::{DecideError, QuestionState, Questions, RecordedQuestion};
use lancet::{Caller, Lancet, Mode, RawCall, RefusalKind, Reply, Session};
use lancet_testing::project::SharedProject;
use serde_json::{Value, json};

/// Makes a root with the file of the tests, and a state folder.
fn project() -> SharedProject {
    SharedProject::new(&[("a.txt", &lines())])
}

fn file(project: &SharedProject) -> PathBuf {
    project.path("a.txt")
}

fn text(project: &SharedProject) -> String {
    project.text("a.txt")
}

fn engine(project: &SharedProject) -> Lancet {
    project.engine(Mode::Ask)
}

/// Returns the questions, as another process sees them.
fn questions(project: &SharedProject) -> Questions {
    engine(project).questions().expect("a state folder")
}

fn open_question(project: &SharedProject) -> RecordedQuestion {
    let mut open = questions(project).open().expect("read");
    assert_eq!(open.len(), 1, "{open:?}");
    open.remove(0)
}

/// Opens a session that has read the file.
fn reader(project: &SharedProject, lancet: &Lancet) -> Session {
    let session = lancet.new_session();
    let read = call("Read", json!({ "file_path": file(project) }));
    assert!(!session.call(read).is_error());
    session
}

/// Returns edits of three lines far enough apart to be three hunks.
fn three_edits(project: &SharedProject) -> Value {
    let edit = |line: usize| json!({ "old_string": format!("line {line}.\n"), "new_string": format!("LINE {line}.\n") });
    json!({ "file_path": file(project), "edits": [edit(5), edit(20), edit(35)] })
}

fn send(project: &SharedProject, session: &Session) -> Reply {
    session.call(call("MultiEdit", three_edits(project)))
}

fn lines() -> String {
    (1..=40).map(|line| format!("line {line}.\n")).collect()
}

fn call(tool: &str, arguments: Value) -> RawCall {
    RawCall::new(tool, arguments)
        .with_caller(Caller::client("some-agent", "1.0"))
        .with_ask_mode(AskMode::Recorded {
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
    let waiting = reply.waiting_call().expect("what it waits on");
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
    let place = project();
    let lancet = engine(&place);
    let session = reader(&place, &lancet);
    let id = waits(&send(&place, &session));
    assert_eq!(text(&place), lines());
    assert_eq!(waits(&send(&place, &session)), id, "the same question");
    let asked = open_question(&place);
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
    questions(&place)
        .decide(&id, &two, "somebody")
        .expect("decided");
    let reply = send(&place, &session);
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(reply.text().contains("Twenty stays."), "{}", reply.text());
    let meant = lines()
        .replace("line 5.", "LINE 5.")
        .replace("line 35.", "LINE 35.");
    assert_eq!(text(&place), meant);
    let used = questions(&place).get(&id).expect("read").expect("kept");
    assert_eq!(used.state, QuestionState::Used);
    assert_eq!(
        used.followed_by.as_deref(),
        reply.data()["files"][0]["operation"]
            .as_str()
            .or(reply.data()["operation"].as_str())
    );
    // The yes was for one write.
    let again = send(&place, &session);
    assert!(again.is_error());
    assert_eq!(text(&place), meant);
}

#[test]
fn a_process_that_has_not_read_the_file_carries_the_decision_out() {
    let place = project();
    let id = {
        let lancet = engine(&place);
        let session = reader(&place, &lancet);
        waits(&send(&place, &session))
    };
    let session = engine(&place).new_session();
    assert_eq!(
        waits(&send(&place, &session)),
        id,
        "asked before the decision"
    );
    questions(&place)
        .decide(&id, &Answer::Yes, "somebody")
        .expect("decided");
    let session = engine(&place).new_session();
    let reply = send(&place, &session);
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(text(&place).contains("LINE 20."));
    // What another call of this process may do has not changed.
    let other = call(
        "Edit",
        json!({ "file_path": file(&place), "old_string": "line 1.\n", "new_string": "x\n" }),
    );
    let other_session = engine(&place).new_session();
    assert_eq!(
        other_session.call(other).refusal(),
        Some(RefusalKind::NotRead)
    );
}

#[test]
fn a_no_is_told_once_and_the_call_sent_again_asks_anew() {
    let place = project();
    let lancet = engine(&place);
    let session = reader(&place, &lancet);
    let id = waits(&send(&place, &session));
    let no = Answer::No(Some("Not today.".into()));
    questions(&place)
        .decide(&id, &no, "somebody")
        .expect("decided");
    let reply = send(&place, &session);
    assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
    assert!(reply.text().contains("Not today."), "{}", reply.text());
    assert_ne!(waits(&send(&place, &session)), id);
    assert_eq!(text(&place), lines());
}

#[test]
fn the_first_decision_counts() {
    let place = project();
    let lancet = engine(&place);
    let session = reader(&place, &lancet);
    let id = waits(&send(&place, &session));
    let questions = questions(&place);
    questions
        .decide(&id, &Answer::No(None), "the first")
        .expect("decided");
    let late = questions.decide(&id, &Answer::Yes, "the second");
    let Err(DecideError::TooLate(words)) = late else {
        panic!("{late:?}");
    };
    assert!(words.contains("the first"), "{words}");
    assert!(send(&place, &session).is_error());
    assert_eq!(text(&place), lines());
}

#[test]
fn a_question_about_an_older_version_is_superseded() {
    let place = project();
    let lancet = engine(&place);
    let session = reader(&place, &lancet);
    let waiting = send(&place, &session);
    let id = waits(&waiting);
    let waiting = waiting.waiting_call().expect("waits");
    assert!(!waiting.has_changed());
    questions(&place)
        .decide(&id, &Answer::Yes, "somebody")
        .expect("decided");
    std::fs::write(file(&place), lines().replace("line 12.", "twelve")).expect("written");
    assert!(waiting.has_changed());
    let read = call("Read", json!({ "file_path": file(&place) }));
    assert!(!session.call(read).is_error());
    let newer = waits(&send(&place, &session));
    assert_ne!(newer, id);
    let old = questions(&place).get(&id).expect("read").expect("kept");
    assert_eq!(old.state, QuestionState::Superseded);
    assert!(
        old.describe_outcome()
            .ends_with(&format!("superseded by {newer}"))
    );
    assert!(!text(&place).contains("LINE"));
    questions(&place)
        .decide(&newer, &Answer::Yes, "somebody")
        .expect("decided");
    assert!(!send(&place, &session).is_error());
    assert!(text(&place).contains("twelve") && text(&place).contains("LINE 5."));
}

#[test]
fn a_second_call_that_waited_gets_the_first_ones_answer() {
    let place = project();
    let lancet = engine(&place);
    let session = reader(&place, &lancet);
    let id = waits(&send(&place, &session));
    questions(&place)
        .decide(&id, &Answer::Yes, "somebody")
        .expect("decided");
    let again = || {
        let waited = AskMode::Recorded {
            deciders: Deciders::Present,
            waited_on: Some(id.clone()),
        };
        session.call(call("MultiEdit", three_edits(&place)).with_ask_mode(waited))
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
    let history = engine(&place).history().expect("history");
    let log = history
        .log(&lancet::history::LogQuery::default())
        .expect("read");
    assert_eq!(log.len(), 1, "written once");
}

#[test]
fn nobody_is_asked_where_nobody_looks() {
    let place = project();
    let lancet = engine(&place);
    let session = reader(&place, &lancet);
    let if_watched = || {
        let asks = AskMode::Recorded {
            deciders: Deciders::IfWatched,
            waited_on: None,
        };
        session.call(call("MultiEdit", three_edits(&place)).with_ask_mode(asks))
    };
    assert_eq!(if_watched().refusal(), Some(RefusalKind::Declined));
    let watch = questions(&place).watch().expect("announced");
    let id = waits(&if_watched());
    drop(watch);
    assert_eq!(waits(&if_watched()), id, "the question stays open");
    questions(&place)
        .decide(&id, &Answer::Yes, "somebody")
        .expect("decided");
    assert!(!if_watched().is_error());
}

#[test]
fn a_write_that_fails_gives_the_yes_back() {
    let place = project();
    let lancet = engine(&place);
    let session = lancet.new_session();
    // The parent of the new file is a file by the time of the write.
    let folder = place.root.join("new");
    let write = || {
        session.call(call(
            "Write",
            json!({ "file_path": folder.join("b.txt"), "content": "b\n" }),
        ))
    };
    let id = waits(&write());
    questions(&place)
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
    let place = project();
    let lancet = engine(&place);
    let session = lancet.new_session();
    let write = |number: usize| {
        let path: &Path = &place.root;
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
    let one = questions(&place).open().expect("read").remove(0);
    questions(&place)
        .decide(&one.id, &Answer::No(None), "somebody")
        .expect("decided");
    waits(&write(100));
}

#[test]
fn a_decision_that_does_not_fit_is_refused_and_the_question_stays_open() {
    let place = project();
    let lancet = engine(&place);
    let session = reader(&place, &lancet);
    let id = waits(&send(&place, &session));
    let pieces = |pieces: Vec<usize>| Answer::Picked {
        files: vec![Pick::Pieces(pieces)],
        words: None,
    };
    let many = Answer::Picked {
        files: vec![Pick::Whole, Pick::Whole],
        words: None,
    };
    for answer in [pieces(vec![3]), many] {
        let refused = questions(&place).decide(&id, &answer, "somebody");
        assert!(
            matches!(refused, Err(DecideError::DoesNotFit(_))),
            "{refused:?}"
        );
    }
    let unknown = questions(&place).decide("nowhere", &Answer::Yes, "somebody");
    assert!(matches!(unknown, Err(DecideError::Unknown(_))));
    assert_eq!(open_question(&place).state, QuestionState::Open);
}

/// Two calls that waited on the same question, one after the other.
fn both(place: &SharedProject, answer: &Answer) -> [Reply; 2] {
    let lancet = engine(place);
    let session = reader(place, &lancet);
    let append = || {
        call(
            "Write",
            json!({ "file_path": file(place), "content": "added\n", "mode": "append" }),
        )
    };
    let id = waits(&session.call(append()));
    questions(place)
        .decide(&id, answer, "somebody")
        .expect("decided");
    let again = || {
        session.call(append().with_ask_mode(AskMode::Recorded {
            deciders: Deciders::Present,
            waited_on: Some(id.clone()),
        }))
    };
    [again(), again()]
}

#[test]
fn a_change_that_would_fit_twice_is_written_once() {
    for answer in [Answer::Yes, Answer::Session] {
        let place = project();
        let [first, second] = both(&place, &answer);
        assert!(!first.is_error() && !second.is_error(), "{answer:?}");
        assert_eq!(second.data()["repeated"], true, "{answer:?}");
        assert_eq!(text(&place), format!("{}added\n", lines()), "{answer:?}");
    }
}

#[test]
fn calls_that_waited_together_get_the_same_no() {
    let place = project();
    let [first, second] = both(&place, &Answer::No(Some("Leave it.".into())));
    for reply in [first, second] {
        assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
        assert!(reply.text().contains("Leave it."), "{}", reply.text());
    }
    assert_eq!(questions(&place).open().expect("read").len(), 0);
}

#[test]
fn a_decision_that_picks_nothing_is_a_no() {
    let place = project();
    let lancet = engine(&place);
    let session = reader(&place, &lancet);
    let id = waits(&send(&place, &session));
    let nothing = Answer::Picked {
        files: vec![Pick::Nothing],
        words: None,
    };
    questions(&place)
        .decide(&id, &nothing, "somebody")
        .expect("decided");
    assert_eq!(
        send(&place, &session).refusal(),
        Some(RefusalKind::Declined)
    );
    assert_ne!(waits(&send(&place, &session)), id, "it is asked anew");
    assert_eq!(text(&place), lines());
}

#[test]
fn picks_hold_for_the_question_that_was_shown() {
    let place = project();
    let other = place.root.join("b.txt");
    std::fs::write(&other, "b\n").expect("written");
    let lancet = engine(&place);
    let session = reader(&place, &lancet);
    let read = call("Read", json!({ "file_path": other }));
    assert!(!session.call(read).is_error());
    // A grant for the first file: the question lists it last.
    let edit = |path: &Path, old: &str, new: &str| json!({ "file_path": path, "old_string": old, "new_string": new });
    let one = call("Edit", edit(&file(&place), "line 1.\n", "line one.\n"));
    let id = waits(&session.call(one.clone()));
    questions(&place)
        .decide(&id, &Answer::Session, "somebody")
        .expect("decided");
    assert!(!session.call(one).is_error());
    let edits = [
        edit(&file(&place), "line 2.\n", "line two.\n"),
        edit(&other, "b\n", "B\n"),
    ];
    let both = || call("MultiEdit", json!({ "edits": edits }));
    let id = waits(&session.call(both()));
    assert_eq!(open_question(&place).question.files[0].path, other);
    let first_alone = Answer::Picked {
        files: vec![Pick::Whole, Pick::Nothing],
        words: None,
    };
    questions(&place)
        .decide(&id, &first_alone, "somebody")
        .expect("decided");
    // Another process has no grant, and would list the files in another order.
    let session = engine(&place).new_session();
    for path in [file(&place), other.clone()] {
        let read = call("Read", json!({ "file_path": path }));
        assert!(!session.call(read).is_error());
    }
    assert_ne!(waits(&session.call(both())), id);
    assert!(text(&place).contains("line 2."));
    assert_eq!(std::fs::read_to_string(&other).expect("read"), "b\n");
}

#[test]
fn a_yes_that_is_dated_in_the_future_or_too_long_ago_does_not_hold() {
    let hour = 60 * 60 * 1_000_i64;
    for (moved, holds) in [(0, true), (hour, false), (-25 * hour, false)] {
        let place = project();
        let lancet = engine(&place);
        let session = reader(&place, &lancet);
        let id = waits(&send(&place, &session));
        let decided = questions(&place).decide(&id, &Answer::Yes, "a person");
        decided.expect("decided");
        let database = place.state.join("lancet.db");
        let connection = rusqlite::Connection::open(database).expect("opened");
        let changed = connection.execute(
            "UPDATE questions SET decided = decided + ?1 WHERE state = 1",
            [moved],
        );
        assert_eq!(changed, Ok(1));
        drop(connection);
        let reply = send(&place, &session);
        match holds {
            true => assert!(!reply.is_error(), "{}", reply.text()),
            false => {
                assert_ne!(waits(&reply), id, "it is asked about anew");
                assert_eq!(text(&place), lines());
            }
        }
    }
}
