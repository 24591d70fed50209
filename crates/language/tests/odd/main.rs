//! A server that misbehaves (`server.py`): it is ended or ignored and reported as not ready, and no answer is late or
//! wrong.

#[path = "../servers/asking.rs"]
mod asking;
mod plans;
#[path = "../servers/setting.rs"]
mod setting;

use std::time::{Duration, Instant};

use lancet_language::{ServerEntry, ServerStatus};
use setting::{LONG, Project, SESSION, assert_told};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/odd/server.py");

const SHORT: Duration = Duration::from_millis(300);

fn odd(way: &str) -> ServerEntry {
    ServerEntry::new("odd", &["*.txt"], &["python3", SCRIPT, way])
}

fn project(way: &str) -> Project {
    let project = Project::new(vec![odd(way)], &[("a.txt", "one\nBAD old\n")]);
    project.read(&["a.txt"]);
    project
}

fn standing(project: &Project) -> ServerStatus {
    project.language.server_states()[0].standing
}

/// The server fails during an edit: it is reported as not ready, and nothing else is reported.
#[track_caller]
fn assert_not_ready(project: &Project, time: Duration) {
    let found = project.edit_within("a.txt", "one\nBAD old\nBAD-new\n", time);
    assert_eq!(found.not_ready, ["odd"]);
    assert_told(&found.new, &[]);
}

#[test]
fn emoji_before_a_problem_count_as_characters() {
    for way in ["well", "ranges"] {
        let project = project(way);
        let found = project.edit("a.txt", "one 😀\n\tä😀😀 BAD-new\nBAD old\n");
        assert_told(&found, &[("a.txt:2:6", "BAD-new")]);
        let found = project.edit("a.txt", "one 😀\n\tä😀😀 BAD-new\n😀 BAD-more\n");
        assert_told(&found, &[("a.txt:3:3", "BAD-more")]);
    }
}

#[test]
fn problems_without_a_version_count_when_nothing_else_was_on_its_way() {
    let project = project("no-version");
    assert_told(
        &project.edit("a.txt", "BAD-new\none\nBAD old\n"),
        &[("a.txt:1:1", "BAD-new")],
    );
    assert_told(&project.edit("a.txt", "one\nBAD old\n"), &[]);
}

#[test]
fn problems_of_another_version_do_not_count() {
    assert_not_ready(&project("wrong-version"), SHORT);
}

#[test]
fn a_server_that_stays_silent_is_not_ready() {
    let project = project("silent");
    assert_not_ready(&project, SHORT);
    assert_eq!(standing(&project), ServerStatus::Ready);
}

#[test]
fn a_server_that_never_greets_is_not_ready() {
    let project = Project::new(vec![odd("mute")], &[("a.txt", "one\nBAD old\n")]);
    project
        .language
        .announce_read(&project.path("a.txt"), &project.text("a.txt"));
    assert_not_ready(&project, SHORT);
}

#[test]
fn a_server_that_talks_nonsense_is_ended() {
    for way in ["nonsense", "no-message", "endless"] {
        let project = project(way);
        assert_not_ready(&project, LONG);
        assert_eq!(standing(&project), ServerStatus::Crashed, "{way}");
    }
}

#[test]
fn a_server_that_floods_is_ended() {
    let project = project("flood");
    assert_not_ready(&project, LONG);
    assert_eq!(standing(&project), ServerStatus::Crashed);
}

#[test]
fn what_comes_late_is_told_once_and_withdrawn_by_a_further_change() {
    let project = project("slow");
    let found = project.edit_within("a.txt", "one\nBAD old\nBAD-new\n", SHORT);
    assert_eq!(found.not_ready, ["odd"]);
    assert!(project.language.wait_until_processed(Instant::now() + LONG));
    assert_told(
        &project.language.take_late_problems("another session").new,
        &[],
    );
    let late = project.language.take_late_problems(SESSION).new;
    assert_told(&late, &[("a.txt:3:1", "BAD-new")]);
    assert_eq!(late[0].revision, Some(project.revision()));
    assert_told(&project.language.take_late_problems(SESSION).new, &[]);

    let _ = project.edit_within("a.txt", "one\nBAD old\nBAD-new\nBAD-more\n", SHORT);
    assert!(project.language.wait_until_processed(Instant::now() + LONG));
    let _ = project.edit_within("a.txt", "one\nBAD old\nBAD-new\n", SHORT);
    assert_told(&project.language.take_late_problems(SESSION).new, &[]);
    assert!(project.language.wait_until_processed(Instant::now() + LONG));
    assert_told(&project.language.take_late_problems(SESSION).new, &[]);
}

#[test]
fn a_change_that_nobody_waits_for_is_told_late() {
    let project = project("well");
    let path = project.path("a.txt");
    std::fs::write(&path, "one\nBAD-new\n").expect("a write");
    let change = lancet_language::ChangedText {
        path: &path,
        before: Some("one\nBAD old\n"),
        after: Some("one\nBAD-new\n"),
        revision: "r",
    };
    drop(project.language.announce_changes(SESSION, &[change]));
    assert!(project.language.wait_until_processed(Instant::now() + LONG));
    assert_told(
        &project.language.take_late_problems(SESSION).new,
        &[("a.txt:2:1", "BAD-new")],
    );
}

#[test]
fn more_than_ten_are_counted() {
    let project = project("well");
    let text: String = (0..13).map(|number| format!("BAD-{number}\n")).collect();
    let found = project.edit_within("a.txt", &text, LONG);
    assert_eq!((found.new.len(), found.more), (10, 3));
}

#[test]
fn a_server_that_crashes_again_and_again_is_given_up() {
    let project = Project::with(vec![odd("nonsense")], &[("a.txt", "one\n")], |options| {
        options.pauses = vec![Duration::ZERO, Duration::ZERO, Duration::from_secs(600)];
    });
    for started in 1..=3 {
        project.read(&["a.txt"]);
        assert_eq!(project.children.started(), started);
        assert_not_ready(&project, LONG);
        std::fs::write(project.path("a.txt"), "one\n").expect("a write");
    }
    assert_eq!(standing(&project), ServerStatus::GivenUp);
    project
        .language
        .announce_read(&project.path("a.txt"), "one\n");
    assert_not_ready(&project, SHORT);
    assert_eq!(project.children.started(), 3);
}

#[test]
fn questions_of_a_server_are_answered_as_the_protocol_wants() {
    let project = project("asks");
    assert_told(
        &project.edit("a.txt", "BAD-new\nBAD old\n"),
        &[("a.txt:1:1", "BAD-new")],
    );
}

#[test]
fn a_server_that_is_not_used_ends_and_comes_back() {
    let project = Project::with(vec![odd("well")], &[("a.txt", "one\n")], |options| {
        options.idle = Duration::from_secs(2);
    });
    project.read(&["a.txt"]);
    let until = Instant::now() + LONG;
    while standing(&project) != ServerStatus::Ended {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(20));
    }
    project.read(&["a.txt"]);
    assert_told(
        &project.edit("a.txt", "BAD-new\n"),
        &[("a.txt:1:1", "BAD-new")],
    );
    assert_eq!(project.children.started(), 2);
}

#[test]
fn more_servers_than_allowed_are_not_started() {
    let entries = vec![
        odd("well"),
        ServerEntry {
            name: "second".to_owned(),
            ..odd("well")
        },
    ];
    let project = Project::with(entries, &[("a.txt", "one\n")], |options| options.most = 1);
    project
        .language
        .announce_read(&project.path("a.txt"), "one\n");
    let found = project.edit_within("a.txt", "two\n", SHORT);
    assert!(found.not_ready.contains(&"second".to_owned()), "{found:?}");
    let states = project.language.server_states();
    let run = |state: &lancet_language::ServerState| state.standing != ServerStatus::Ended;
    let running: Vec<_> = states.iter().filter(|state| run(state)).collect();
    assert_eq!(running.len(), 1, "{states:?}");
    assert_eq!(running[0].name, "odd");
}

#[test]
fn a_file_that_is_too_large_is_not_told() {
    let project = project("well");
    let large = format!("{}\nBAD-new\n", "x".repeat(5 << 20));
    let found = project.edit_within("a.txt", &large, SHORT);
    assert_eq!(found.not_ready, ["odd"]);
    assert_told(&found.new, &[]);
    let found = project.edit_within("a.txt", "BAD-new\n", SHORT);
    assert_eq!(
        found.not_ready,
        ["odd"],
        "nothing is known of the large text"
    );
    project.read(&["a.txt"]);
    assert_told(
        &project.edit("a.txt", "BAD-new\nBAD-more\n"),
        &[("a.txt:2:1", "BAD-more")],
    );
}
