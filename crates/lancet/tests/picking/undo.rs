//! Undo of several files is one question, too; a file that is left out stays as it is, and its change stays in force.

use lancet::Mode;
use lancet::approval::{Answer, Pick};
use serde_json::json;

use crate::place::Place;

/// Two files that were changed in one call.
fn changed() -> (Place, lancet::Session) {
    let place = Place::new(Mode::Ask, |_| Answer::Yes);
    place.put("a.txt", "one\n");
    place.put("b.txt", "one\n");
    let session = place.session();
    place.read(&session, "a.txt");
    place.read(&session, "b.txt");
    let edit = |name: &str| json!({ "file_path": place.path(name), "old_string": "one", "new_string": "two" });
    let edits = json!({ "edits": [edit("a.txt"), edit("b.txt")] });
    let reply = place.call(&session, "MultiEdit", edits);
    assert!(!reply.is_error(), "{}", reply.text());
    (place, session)
}

fn texts(place: &Place) -> [String; 2] {
    ["a.txt", "b.txt"].map(|name| place.text(name))
}

#[test]
fn an_undo_of_two_files_is_one_question() {
    let (place, session) = changed();
    place.answer(|question| {
        assert_eq!((question.tool.as_str(), question.files.len()), ("Undo", 2));
        assert_eq!(question.lines(), (2, 2));
        assert!(question.files.iter().all(|file| file.pieces.len() == 1));
        Answer::Yes
    });
    let reply = session.undo();
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(place.asked(), 2);
    assert_eq!(texts(&place), ["one\n", "one\n"]);
}

#[test]
fn a_file_left_out_of_an_undo_can_be_taken_back_later() {
    let (place, session) = changed();
    place.answer(|_| Answer::Picked {
        files: vec![Pick::Nothing, Pick::Whole],
        words: None,
    });
    let reply = session.undo();
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(texts(&place), ["two\n", "one\n"]);
    assert!(
        reply.text().contains("a.txt (all of it)"),
        "{}",
        reply.text()
    );
    place.answer(|question| {
        assert_eq!(question.files.len(), 1);
        Answer::Yes
    });
    let reply = session.undo();
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(texts(&place), ["one\n", "one\n"]);
}
