//! The sessions at work: which are connected, what each has read and changed, which files two of them work on, and what
//! a stop does. Each engine that is opened represents a process; the tests of the shell use real ones.

use lancet::approval::Answer;
use lancet::call::{AskMode, Deciders};
use lancet::history::{EventsSince, LogQuery};
use lancet::sessions::Sessions;
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Lancet, Mode, RawCall, RefusalKind, Reply, Session, SessionName};
use lancet_testing::project::SharedProject;
use serde_json::{Value, json};
use tempfile::TempDir;

fn project() -> SharedProject {
    SharedProject::new(&[("a.txt", "one\ntwo\n")])
}

/// Returns the sessions, as another process sees them.
fn sessions(project: &SharedProject) -> Sessions {
    let lancet = project.engine(Mode::AcceptEdits);
    lancet.sessions().expect("a state folder")
}

fn named(lancet: &Lancet, name: &str) -> Session {
    lancet.session(&SessionName::new(name).expect("a name"))
}

fn call(session: &Session, tool: &str, arguments: Value) -> Reply {
    let call = RawCall::new(tool, arguments);
    session.call(call.with_caller(Caller::client("agent", "1.0")))
}

fn read(session: &Session, project: &SharedProject, name: &str) -> Reply {
    call(session, "Read", json!({ "file_path": project.path(name) }))
}

fn edit(session: &Session, project: &SharedProject, old: &str, new: &str) -> Reply {
    let arguments =
        json!({ "file_path": project.path("a.txt"), "old_string": old, "new_string": new });
    call(session, "Edit", arguments)
}

fn kind(reply: &Reply) -> Option<RefusalKind> {
    reply.refusal()
}

#[test]
fn a_stopped_session_reads_and_does_not_write_until_it_is_resumed() {
    let project = project();
    let (one, other) = (
        project.engine(Mode::AcceptEdits),
        project.engine(Mode::AcceptEdits),
    );
    let (session, beside) = (named(&one, "evening"), named(&other, "morning"));
    // The same session in two processes.
    let again = named(&other, "evening");
    for session in [&session, &beside, &again] {
        assert!(!read(session, &project, "a.txt").is_error());
    }
    assert!(
        sessions(&project)
            .stop("evening", "somebody", Some("not today"))
            .expect("kept")
    );
    assert!(
        !sessions(&project)
            .stop("evening", "another", None)
            .expect("kept"),
        "stopped already"
    );
    for session in [&session, &again] {
        let refused = edit(session, &project, "one", "ONE");
        assert_eq!(
            kind(&refused),
            Some(RefusalKind::Declined),
            "{}",
            refused.text()
        );
        assert!(refused.text().contains("not today") && refused.text().contains("Ask your user"));
        let write = json!({ "file_path": project.path("new.txt"), "content": "new\n" });
        assert_eq!(
            kind(&call(session, "Write", write)),
            Some(RefusalKind::Declined)
        );
        assert!(!project.path("new.txt").exists());
        assert!(!read(session, &project, "a.txt").is_error(), "reads go on");
    }
    assert_eq!(project.text("a.txt"), "one\ntwo\n");
    let history = other.history().expect("a state folder");
    assert!(
        history.log(&LogQuery::default()).expect("read").is_empty(),
        "nothing was recorded"
    );

    assert!(
        !edit(&beside, &project, "two", "TWO").is_error(),
        "others write"
    );
    assert!(
        sessions(&project)
            .resume("evening", "somebody")
            .expect("kept")
    );
    assert!(
        !sessions(&project)
            .resume("evening", "somebody")
            .expect("kept"),
        "it may write already"
    );
    read(&session, &project, "a.txt");
    assert!(!edit(&session, &project, "one", "ONE").is_error());
    assert_eq!(project.text("a.txt"), "ONE\nTWO\n");
}

#[test]
fn undo_is_a_write_of_the_session_and_a_person_still_takes_back() {
    let project = project();
    let lancet = project.engine(Mode::AcceptEdits);
    let session = named(&lancet, "evening");
    read(&session, &project, "a.txt");
    assert!(!edit(&session, &project, "one", "ONE").is_error());
    sessions(&project)
        .stop("evening", "somebody", None)
        .expect("kept");
    assert_eq!(session.undo().refusal(), Some(RefusalKind::Declined));
    let asked = UndoRequest::undo(Selection::Session("evening".to_owned()));
    let reply = lancet.new_session().undo_or_redo(asked, Caller::default());
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(project.text("a.txt"), "one\ntwo\n");
}

#[test]
fn a_yes_that_comes_while_its_session_is_stopped_writes_nothing() {
    let project = project();
    let lancet = project.engine(Mode::Ask);
    let questions = lancet.questions().expect("a state folder");
    let _watch = questions.watch().expect("watched");
    // One session with a name, and one without, whose call another process carries out in its own session.
    for session in [named(&lancet, "evening"), lancet.new_session()] {
        read(&session, &project, "a.txt");
        let arguments =
            json!({ "file_path": project.path("a.txt"), "old_string": "one", "new_string": "ONE" });
        let asks = || AskMode::Recorded {
            deciders: Deciders::Present,
            waited_on: None,
        };
        let ask = || session.call(RawCall::new("Edit", arguments.clone()).with_ask_mode(asks()));
        let waits = ask();
        assert_eq!(kind(&waits), Some(RefusalKind::Waiting), "{}", waits.text());
        let id = waits.waiting_call().expect("waits").question().to_owned();
        let listed = sessions(&project).in_all_projects().list().expect("read");
        sessions(&project)
            .stop(session.key(), "somebody", None)
            .expect("kept");
        questions
            .decide(&id, &Answer::Yes, "a person")
            .expect("decided");
        assert_eq!(kind(&ask()), Some(RefusalKind::Declined));
        let other = project.engine(Mode::Ask);
        let (carrier, carried) = questions
            .call_to_carry_out(&id, &other)
            .expect("read")
            .expect("kept");
        let refused = carrier.call(carried);
        assert_eq!(
            kind(&refused),
            Some(RefusalKind::Declined),
            "{}",
            refused.text()
        );
        assert_eq!(project.text("a.txt"), "one\ntwo\n");
        // The yes is still recorded when the session may write again.
        sessions(&project)
            .resume(session.key(), "somebody")
            .expect("kept");
        assert!(!ask().is_error());
        assert_eq!(project.text("a.txt"), "ONE\ntwo\n");
        std::fs::write(project.path("a.txt"), "one\ntwo\n").expect("written");
        drop(listed);
    }
}

#[test]
fn the_list_tells_who_is_connected_and_what_each_does() {
    let project = project();
    let lancet = project.engine(Mode::AcceptEdits);
    let (one, other) = (named(&lancet, "one"), named(&lancet, "other"));
    let announced = one.announce(Some("agent"), Some("1.2"));
    for session in [&one, &other] {
        read(session, &project, "a.txt");
    }
    let sessions = sessions(&project);
    assert!(
        sessions
            .overlaps(&sessions.list().expect("read"))
            .expect("read")
            .is_empty()
    );
    assert!(!edit(&one, &project, "one", "ONE").is_error());
    let listed = sessions.list().expect("read");
    let keys: Vec<&str> = listed.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(keys, ["one", "other"], "the connected one first");
    let connection = &listed[0].connections[0];
    assert_eq!(connection.client.as_deref(), Some("agent"));
    assert_eq!(connection.version.as_deref(), Some("1.2"));
    assert_eq!(connection.pid, Some(u64::from(std::process::id())));
    assert!(connection.since.is_some());
    assert_eq!(listed[0].activity.known_files, Some(1));
    assert_eq!(listed[0].activity.changed[0].path, project.path("a.txt"));
    assert!(listed[1].connections.is_empty() && listed[1].activity.changed.is_empty());
    let overlaps = sessions.overlaps(&listed).expect("read");
    assert_eq!(overlaps.len(), 1);
    assert_eq!(overlaps[0].path, project.path("a.txt"));
    let at_work = &overlaps[0].sessions;
    assert!(at_work[0].key == "one" && at_work[0].changed.is_some());
    assert!(at_work[1].key == "other" && at_work[1].changed.is_none());
    drop(announced);
    assert!(sessions.list().expect("read")[0].connections.is_empty());

    // Another project sees none of them, unless it requests those of all projects.
    let elsewhere = TempDir::new().expect("folder");
    let far = Lancet::builder()
        .root(elsewhere.path())
        .state_dir(&project.state)
        .open();
    let far = far.expect("opened").sessions().expect("a state folder");
    assert!(far.list().expect("read").is_empty());
    assert_eq!(far.in_all_projects().list().expect("read").len(), 2);
}

#[test]
fn stops_are_events() {
    let project = project();
    let lancet = project.engine(Mode::AcceptEdits);
    let session = lancet.new_session();
    let _announced = session.announce(Some("agent"), None);
    let sessions = sessions(&project);
    sessions
        .stop(session.key(), "somebody", Some("enough"))
        .expect("kept");
    sessions.resume(session.key(), "somebody").expect("kept");
    sessions
        .stop("nobody-here", "somebody", None)
        .expect("kept");
    let history = lancet.history().expect("a state folder");
    let reader = history.events(&EventsSince::Beginning).expect("read");
    let events = reader.expect("there").next_page().expect("read");
    let told: Vec<Value> = events.iter().map(|event| event.to_json()).collect();
    let states: Vec<&Value> = told.iter().map(|event| &event["state"]).collect();
    assert_eq!(states, ["begun", "stopped", "resumed", "stopped"]);
    assert_eq!(told[1]["client"], "agent");
    assert_eq!(told[1]["words"], "enough");
    assert_eq!(told[1]["by"], "somebody");
    assert_eq!(told[1]["pid"], std::process::id());
    assert_eq!(told[3]["session"], "nobody-here");
}
