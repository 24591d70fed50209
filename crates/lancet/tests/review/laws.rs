//! Laws over generated texts: undoing a hunk restores its old lines and leaves every other byte, and undoing the rest
//! gives the state at the last look.

use lancet::review::ReviewText;
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, RefusalKind};
use lancet_testing::laws;
use proptest::prelude::*;

use crate::project::{call, engine, hunk, named, project, read, reviews};

/// Generates a text of some lines with all kinds of line ends, perhaps without one at the end.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => "[ab]{0,2}\n",
        1 => "[ab]{0,2}\r\n",
        1 => "é\u{a0}\t\n",
    ];
    let lines = prop::collection::vec(line, 1..30);
    (lines, "b?").prop_map(|(lines, end)| lines.concat() + &end)
}

/// Returns the new bytes with one hunk replaced by its old lines, counted by the head of the hunk alone.
fn expected(old: &str, new: &str, hunk: &lancet::outcome::Hunk) -> String {
    let lines =
        |text: &str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
    let (old, new) = (lines(old), lines(new));
    let first = |start: usize, count: usize| start - usize::from(count > 0);
    let (from, to) = (
        first(hunk.old_start, hunk.old_lines),
        first(hunk.new_start, hunk.new_lines),
    );
    let mut all = new[..to].to_vec();
    all.extend_from_slice(&old[from..from + hunk.old_lines]);
    all.extend_from_slice(&new[to + hunk.new_lines..]);
    all.concat()
}

proptest! {
    #![proptest_config(laws::config_of(laws::limited(200, 12)))]

    #[test]
    fn exactly_one_hunk_and_then_the_rest(
        old in text(),
        steps in prop::collection::vec(text(), 1..3),
        mark in any::<bool>(),
        pick in 0usize..100,
    ) {
        let project = project();
        let path = project.put("a.txt", &old);
        let lancet = engine(&project);
        let session = named(&lancet, "agent");
        for text in &steps {
            read(&session, &path);
            let arguments = serde_json::json!({ "file_path": path, "content": text });
            let reply = call(&session, "Write", arguments);
            prop_assert!(!reply.is_error() || reply.refusal() == Some(RefusalKind::NoChange), "{}", reply.text());
        }
        let new = project.text("a.txt");
        let list = reviews(&project).list(1).expect("read");
        let Some(file) = list.files.first() else {
            prop_assert_eq!(new, old);
            return Ok(());
        };
        let ReviewText::Lines { hunks, .. } = &file.text else { panic!("{:?}", file.text) };
        let pick = pick % hunks.len();
        let reply = reviews(&project).undo_hunk(hunk(file, pick));
        prop_assert!(!reply.is_error(), "{}", reply.text());
        prop_assert_eq!(project.text("a.txt"), expected(&old, &new, &hunks[pick].hunk));
        if mark {
            // A second hunk of what is left.
            if let Some(file) = reviews(&project).list(1).expect("read").files.first() {
                let reply = reviews(&project).undo_hunk(hunk(file, 0));
                prop_assert!(!reply.is_error(), "{}", reply.text());
            }
        }
        let undo = UndoRequest::undo(Selection::Session("agent".into()));
        let reply = lancet.new_session().undo_or_redo(undo, Caller::client("lancet", "1"));
        prop_assert!(!reply.is_error(), "{}", reply.text());
        prop_assert_eq!(project.text("a.txt"), old);
    }
}
