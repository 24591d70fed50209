//! Tests of Sessions and Settings.

use http::StatusCode;

use super::{HOSTILE, open};

#[test]
fn stops_and_resumes_session_by_button() {
    let desk = open();
    assert!(
        desk.get_text("/sessions")
            .contains("No agent is at work here")
    );
    desk.write("a.txt", "one\n");
    let session = desk.agent.session(&"talk".parse().expect("a name"));
    let announced = session.announce(Some(HOSTILE), Some("2.0"));
    let other = desk.agent.session(&"other".parse().expect("a name"));
    other.read(lancet::tools::ReadArguments::new(desk.path("a.txt")));
    let seen = desk.get_text("/sessions");
    assert!(
        seen.contains("connected") && seen.contains("a.txt"),
        "{seen}"
    );
    assert!(
        seen.contains("Files that several sessions work on"),
        "{seen}"
    );
    let stopped = desk.post("/sessions/stop", &[("session", "talk"), ("words", HOSTILE)]);
    assert_eq!(stopped.to, "/sessions");
    let seen = desk.get_text("/sessions");
    assert!(
        seen.contains("writes stopped") && seen.contains("a person on the page"),
        "{seen}"
    );
    let refused = desk.edit("a.txt", "one", "two");
    assert!(
        refused.text().contains("stopped the writes"),
        "{}",
        refused.text()
    );
    desk.post("/sessions/resume", &[("session", "talk")]);
    assert!(!desk.edit("a.txt", "one", "two").is_error());
    assert_eq!(
        desk.post("/sessions/stop", &[("session", "nobody")]).status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        desk.post("/sessions/stop", &[]).status,
        StatusCode::NOT_FOUND
    );
    drop(announced);
}

#[test]
fn settings_page_explains_decisions() {
    let desk = open();
    let seen = desk.get_text("/settings");
    assert!(
        seen.contains("Read(hidden/**)") && seen.contains("mode ask"),
        "{seen}"
    );
    for (query, word) in [
        ("tool=Read&path=a.txt", "allowed"),
        ("tool=Edit&path=a.txt", "asks a person"),
        ("tool=Read&path=hidden%2Fa.txt", "denied"),
        ("tool=Read&path=%2Fetc%2Fpasswd", "refused"),
        ("tool=Burn&path=a.txt", "there is no such tool"),
        (
            "tool=Read&path=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
            "&#60;img",
        ),
    ] {
        let seen = desk.get_text(&format!("/settings?{query}"));
        assert!(seen.contains(word), "{query}: {seen}");
    }
}
