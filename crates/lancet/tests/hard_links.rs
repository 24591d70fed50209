//! Other names of a file after an edit: kept, separated inside package stores, or as the settings say.

use std::fs;

use lancet::{Lancet, Mode, RawCall};
use lancet_testing::replies::done;
use lancet_testing::{TestFolder, project, settings};
use serde_json::json;

/// Edits one of two names. Returns the text under the other.
fn other_name_after_an_edit(folder: &str, text: &str) -> String {
    let place = TestFolder::new();
    let (edited, other) = (
        place.path().join(folder).join("a.js"),
        place.path().join("store.js"),
    );
    fs::create_dir_all(edited.parent().expect("a parent")).expect("made");
    fs::write(&other, "one\n").expect("written");
    fs::hard_link(&other, &edited).expect("linked");
    let builder = Lancet::builder()
        .root(place.path())
        .mode(Mode::AcceptEdits)
        .settings(settings(text));
    let session = builder.open().expect("opened").new_session();
    project::read(&session, &edited);
    done(&project::edit(&session, &edited, "one", "two"));
    assert_eq!(fs::read_to_string(&edited).expect("there"), "two\n");
    fs::read_to_string(&other).expect("there")
}

#[test]
fn names_are_kept_but_for_package_stores() {
    assert_eq!(other_name_after_an_edit("src", ""), "two\n");
    assert_eq!(other_name_after_an_edit("node_modules/x", ""), "one\n");
}

#[test]
fn the_settings_decide() {
    assert_eq!(
        other_name_after_an_edit("src", "links = \"break\"\n"),
        "one\n"
    );
    assert_eq!(
        other_name_after_an_edit("node_modules/x", "links = \"keep\"\n"),
        "two\n"
    );
}

#[test]
fn an_undo_says_that_names_stay_parted() {
    let place = TestFolder::new();
    let root = place.join("root");
    let (edited, other) = (root.join("node_modules/x/a.js"), root.join("store.js"));
    fs::create_dir_all(edited.parent().expect("a parent")).expect("made");
    fs::write(&other, "one\n").expect("written");
    fs::hard_link(&other, &edited).expect("linked");
    let lancet = Lancet::builder()
        .root(&root)
        .state_dir(place.path().join("state"))
        .mode(Mode::AcceptEdits)
        .settings(settings("tools = \"all\"\n"))
        .open()
        .expect("opened");
    let session = lancet.new_session();
    for (new, told) in [("two", true), ("three", false)] {
        session.call(RawCall::new("Read", json!({ "file_path": edited })));
        let edit = json!({ "file_path": edited, "old_string": "one", "new_string": new });
        let reply = session.call(RawCall::new("Edit", edit));
        assert_eq!(
            reply.text().contains("LINKS_BROKEN"),
            told,
            "{}",
            reply.text()
        );
        let undone = session.call(RawCall::new("Undo", json!({})));
        assert!(!undone.is_error(), "{}", undone.text());
        let words = "parted the file from its other names (hard links); they stay apart";
        assert_eq!(undone.text().contains(words), told, "{}", undone.text());
        for file in [&edited, &other] {
            assert_eq!(fs::read_to_string(file).expect("there"), "one\n");
        }
    }
}
