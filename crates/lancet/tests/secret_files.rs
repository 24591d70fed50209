//! A secret file is written only with a person's yes, and its text reaches nobody but that person.

use std::sync::{Arc, Mutex};

use lancet::{Answer, Builder, Kind, Lancet, Mode, Question, RawCall, Reply};
use serde_json::json;

fn write_over_secret(open: impl FnOnce(Builder) -> Builder) -> (Reply, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(".env");
    std::fs::write(&path, "TOKEN=old-secret\n").expect("written");
    let builder = Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits);
    let lancet = open(builder).open().expect("opened");
    let call = RawCall::new(
        "Write",
        json!({ "file_path": path, "content": "TOKEN=new\n" }),
    );
    let reply = lancet.unnamed_session().call(call);
    (reply, std::fs::read_to_string(&path).expect("there"))
}

#[test]
fn nobody_to_ask_is_a_no() {
    let (reply, content) = write_over_secret(|builder| builder);
    assert_eq!(reply.refusal(), Some(Kind::Declined));
    assert_eq!(content, "TOKEN=old-secret\n");
    assert!(!reply.text().contains("old-secret"));
}

#[test]
fn a_person_sees_the_diff_and_the_model_does_not() {
    let asked = Arc::new(Mutex::new(String::new()));
    let diff = Arc::clone(&asked);
    let (reply, content) = write_over_secret(move |builder| {
        builder.approver(move |question: &Question| {
            assert!(question.protected);
            diff.lock().expect("free").push_str(&question.diff);
            Answer::Yes
        })
    });
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(content, "TOKEN=new\n");
    assert!(asked.lock().expect("free").contains("-TOKEN=old-secret"));
    let all = format!("{}{}{}", reply.text(), reply.data(), reply.person());
    assert!(!all.contains("old-secret"), "{all}");
}

#[test]
fn neither_read_nor_edit_shows_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("id_rsa");
    std::fs::write(&path, "PRIVATE\n").expect("written");
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let session = lancet.unnamed_session();
    for (tool, arguments) in [
        ("Read", json!({ "file_path": path })),
        (
            "Edit",
            json!({ "file_path": path, "old_string": "PRIVATE", "new_string": "x" }),
        ),
        ("Read", json!({ "file_path": folder.path().join("id_rs") })),
        ("Read", json!({ "file_path": folder.path() })),
    ] {
        let reply = session.call(RawCall::new(tool, arguments.clone()));
        assert!(reply.is_error(), "{tool} {arguments}");
        assert!(!reply.text().contains("PRIVATE"));
        if !arguments.to_string().contains("id_rsa") {
            assert!(!reply.text().contains("id_rsa"), "{}", reply.text());
        }
    }
}
