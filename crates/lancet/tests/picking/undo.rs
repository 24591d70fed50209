//! Undo of several files is one question, too. A file that is left out stays as it is, and its change stays in effect.

use lancet::approval::{Answer, Pick};
use lancet::dialects::ReplyOptions;
use lancet::undo::{Selection, TakeBack};
use lancet::{Caller, Mode, RefusalKind};
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
    assert_eq!(place.question_count(), 2);
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

#[test]
fn moved_files_that_changed_names_come_back_together_or_not_at_all() {
    let place = Place::new(Mode::Ask, |_| Answer::Yes);
    place.put("a.txt", "a\n");
    place.put("c.txt", "c\n");
    let session = place.session();
    for (from, to) in [("a.txt", "b.txt"), ("c.txt", "a.txt")] {
        let diff = format!(
            "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
        );
        let reply = session.apply_reply(&diff, ReplyOptions::default());
        assert!(!reply.is_error(), "{}", reply.text());
    }
    let there = || ["a.txt", "b.txt"].map(|name| place.text(name));
    let undo = || session.take_back(TakeBack::undo(Selection::Last(2)), Caller::default());
    let files = 3;
    for alone in 0..files {
        place.answer(move |question| {
            assert_eq!(question.files.len(), files);
            let goes_with = question.files.iter().map(|file| file.goes_with);
            assert_eq!(goes_with.collect::<Vec<_>>(), [None, Some(0), Some(0)]);
            let mut picks = vec![Pick::Nothing; files];
            picks[alone] = Pick::Whole;
            Answer::Picked {
                files: picks,
                words: None,
            }
        });
        let reply = undo();
        assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
        let text = reply.text();
        assert!(text.contains("together or not at all"), "{text}");
        assert_eq!(there(), ["c\n", "a\n"]);
    }
    place.answer(|_| Answer::Yes);
    let reply = undo();
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!([place.text("a.txt"), place.text("c.txt")], ["a\n", "c\n"]);
    assert!(!place.path("b.txt").exists());
}
