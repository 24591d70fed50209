//! Law: whatever a session does to files, undoing all of it gives the tree as it was, and redoing it gives the result.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lancet::Reply;
use lancet_testing::laws;
use proptest::prelude::*;
use serde_json::json;

use crate::ground::{Ground, Node};

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

fn act(ground: &Ground, deed: &Deed) -> Reply {
    let path = |name: usize| ground.path(NAMES[name]);
    let read = |name: usize| ground.call("Read", json!({ "file_path": path(name), "force": true }));
    match *deed {
        Deed::Edit(name, text) => {
            read(name);
            ground.call(
                "Edit",
                json!({ "file_path": path(name), "old_string": "end", "new_string": format!("{text}\nend") }),
            )
        }
        Deed::Write(name, text) => {
            read(name);
            ground.call(
                "Write",
                json!({ "file_path": path(name), "content": format!("{}\nend\n", "x".repeat(text)) }),
            )
        }
        Deed::Delete(name) => {
            read(name);
            ground.delete(NAMES[name])
        }
        Deed::Rename(from, to) => ground.rename(NAMES[from], NAMES[to]),
        Deed::Undo => ground.call("Undo", json!({})),
    }
}

fn cases() -> ProptestConfig {
    laws::config_of(laws::limited(laws::cases(), 400))
}

fn ground() -> Ground {
    let ground = Ground::new();
    ground.put("a", "a\nend\n");
    ground.chmod("a", 0o640);
    ground.put("sub/c", "c\r\nend\r\n");
    ground.chmod("sub/c", 0o755);
    std::os::unix::fs::symlink("sub/c", ground.path("link")).expect("made");
    ground
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
        let ground = ground();
        let mut trees = vec![ground.tree()];
        for deed in deeds.iter().filter(|deed| !matches!(deed, Deed::Undo)) {
            let before = ground.tree();
            let reply = act(&ground, deed);
            if reply.is_error() {
                prop_assert_eq!(ground.tree(), before, "{:?}: {}", deed, reply.text());
            } else {
                trees.push(ground.tree());
            }
        }
        let done = trees.pop().expect("a tree");
        let mut again = vec![done];
        while let Some(tree) = trees.pop() {
            let reply = ground.call("Undo", json!({}));
            prop_assert!(!reply.is_error(), "{}", reply.text());
            prop_assert_eq!(ground.tree(), tree.clone());
            again.push(tree);
        }
        again.pop();
        while let Some(tree) = again.pop() {
            let reply = ground.redo();
            prop_assert!(!reply.is_error(), "{}", reply.text());
            prop_assert_eq!(ground.tree(), tree);
        }
    }

    #[test]
    fn undo_of_everything_gives_the_first_tree_or_says_to_go_step_by_step(deeds in prop::collection::vec(deed(), 1..12)) {
        let ground = ground();
        let first = ground.tree();
        let mut done = 0;
        for deed in &deeds {
            let reply = act(&ground, deed);
            match (deed, reply.is_error()) {
                (_, true) => {}
                (Deed::Undo, false) => done -= 1,
                (_, false) => done += 1,
            }
        }
        if done == 0 {
            return Ok(());
        }
        let last = ground.tree();
        let reply = ground.session.undo_all();
        if reply.is_error() {
            // Only moves of links in circles are refused.
            prop_assert!(reply.text().contains("one at a time"), "{}", reply.text());
            prop_assert_eq!(ground.tree(), last);
            return Ok(());
        }
        // Folders that were made on the way are removed only with a file that leaves them, and are not recreated.
        prop_assert_eq!(files(ground.tree()), files(first));
        if reply.data()["operation"].is_null() {
            // The files already had this state. No operation was made that could be undone, so a redo refers to an
            // earlier undo.
            prop_assert_eq!(files(ground.tree()), files(last));
            return Ok(());
        }
        let reply = ground.redo();
        if !reply.is_error() {
            prop_assert_eq!(files(ground.tree()), files(last));
        }
    }
}
