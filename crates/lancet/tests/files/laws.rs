//! Law: whatever a session does to files, undoing all of it gives the tree as it was, and redoing it gives the result.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lancet::Reply;
use lancet_testing::{TestProject, laws};
use proptest::prelude::*;
use serde_json::json;

use crate::project::{Node, chmod, delete_file, project, redo_newest, rename_file, snapshot};

/// One step of a session.
#[derive(Clone, Debug)]
enum Deed {
    Edit(usize, usize),
    Write(usize, usize),
    Delete(usize),
    Rename(usize, usize),
    Undo,
}

const NAMES: [&str; 6] = ["a", "b", "sub/a", "sub/c", "deep/er/d", "link"];

fn deed() -> impl Strategy<Value = Deed> {
    let name = 0..NAMES.len();
    prop_oneof![
        (name.clone(), 0..5_usize).prop_map(|(name, text)| Deed::Edit(name, text)),
        (name.clone(), 0..5_usize).prop_map(|(name, text)| Deed::Write(name, text)),
        name.clone().prop_map(Deed::Delete),
        (name.clone(), name.clone()).prop_map(|(from, to)| Deed::Rename(from, to)),
        (name.clone(), name).prop_map(|(from, to)| Deed::Rename(from, to)),
        Just(Deed::Undo),
    ]
}

fn act(project: &TestProject, deed: &Deed) -> Reply {
    let path = |name: usize| project.path(NAMES[name]);
    let read =
        |name: usize| project.call("Read", json!({ "file_path": path(name), "force": true }));
    match *deed {
        Deed::Edit(name, text) => {
            read(name);
            project.call(
                "Edit",
                json!({ "file_path": path(name), "old_string": "end", "new_string": format!("{text}\nend") }),
            )
        }
        Deed::Write(name, text) => {
            read(name);
            project.call(
                "Write",
                json!({ "file_path": path(name), "content": format!("{}\nend\n", "x".repeat(text)) }),
            )
        }
        Deed::Delete(name) => {
            read(name);
            delete_file(project, NAMES[name])
        }
        Deed::Rename(from, to) => rename_file(project, NAMES[from], NAMES[to]),
        Deed::Undo => project.call("Undo", json!({})),
    }
}

fn cases() -> ProptestConfig {
    laws::config_of(laws::limited(laws::cases(), 400))
}

fn filled() -> TestProject {
    let project = project();
    project.put("a", "a\nend\n");
    chmod(&project, "a", 0o640);
    project.put("sub/c", "c\r\nend\r\n");
    chmod(&project, "sub/c", 0o755);
    std::os::unix::fs::symlink("sub/c", project.path("link")).expect("made");
    project
}

/// Returns the tree without its folders.
fn files(mut tree: BTreeMap<PathBuf, Node>) -> BTreeMap<PathBuf, Node> {
    tree.retain(|_, node| *node != Node::Folder);
    tree
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn undo_one_by_one_gives_every_tree_back(deeds in prop::collection::vec(deed(), 1..12)) {
        let project = filled();
        let mut trees = vec![snapshot(&project)];
        for deed in deeds.iter().filter(|deed| !matches!(deed, Deed::Undo)) {
            let before = snapshot(&project);
            let reply = act(&project, deed);
            if reply.is_error() {
                prop_assert_eq!(snapshot(&project), before, "{:?}: {}", deed, reply.text());
            } else {
                trees.push(snapshot(&project));
            }
        }
        let done = trees.pop().expect("a tree");
        let mut again = vec![done];
        while let Some(tree) = trees.pop() {
            let reply = project.call("Undo", json!({}));
            prop_assert!(!reply.is_error(), "{}", reply.text());
            prop_assert_eq!(snapshot(&project), tree.clone());
            again.push(tree);
        }
        again.pop();
        while let Some(tree) = again.pop() {
            let reply = redo_newest(&project);
            prop_assert!(!reply.is_error(), "{}", reply.text());
            prop_assert_eq!(snapshot(&project), tree);
        }
    }

    #[test]
    fn undo_of_everything_gives_the_first_tree_or_says_to_go_step_by_step(deeds in prop::collection::vec(deed(), 1..12)) {
        let project = filled();
        let first = snapshot(&project);
        let mut done = 0;
        for deed in &deeds {
            let reply = act(&project, deed);
            match (deed, reply.is_error()) {
                (_, true) => {}
                (Deed::Undo, false) => done -= 1,
                (_, false) => done += 1,
            }
        }
        if done == 0 {
            return Ok(());
        }
        let last = snapshot(&project);
        let reply = project.session.undo_all();
        if reply.is_error() {
            // Only moves of links in circles are refused.
            prop_assert!(reply.text().contains("one at a time"), "{}", reply.text());
            prop_assert_eq!(snapshot(&project), last);
            return Ok(());
        }
        // Folders that were made on the way are removed only with a file that leaves them, and are not recreated.
        prop_assert_eq!(files(snapshot(&project)), files(first));
        if reply.data()["operation"].is_null() {
            // The files already had this state. No operation was made that could be undone, so a redo refers to an
            // earlier undo.
            prop_assert_eq!(files(snapshot(&project)), files(last));
            return Ok(());
        }
        let reply = redo_newest(&project);
        if !reply.is_error() {
            prop_assert_eq!(files(snapshot(&project)), files(last));
        }
    }
}
