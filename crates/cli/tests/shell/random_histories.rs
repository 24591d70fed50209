//! Random histories of changes at the shell: edits, moves and removals of files and folders, undos and redos. An undo
//! of all of it gives back the tree of the start, and a redo the tree of the end.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use crate::chance::Chance;
use crate::stage::{Run, Stage};

/// How many histories are tried.
fn histories() -> u64 {
    match std::env::var_os("LANCET_TORTURE") {
        Some(_) => 2_000,
        None => 12,
    }
}

/// What is under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    File(String, u32),
    Link(String),
    EmptyFolder,
}

/// Everything in a folder, by its relative path.
type Tree = BTreeMap<String, Entry>;

fn read_tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    add_entries(root, root, &mut tree);
    tree
}

fn add_entries(root: &Path, folder: &Path, tree: &mut Tree) {
    let mut is_empty = true;
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        is_empty = false;
        let path = entry.path();
        let name = relative_name(root, &path);
        let kind = entry.file_type().expect("a kind");
        if kind.is_symlink() {
            let target = fs::read_link(&path).expect("a link");
            tree.insert(name, Entry::Link(target.to_string_lossy().into_owned()));
        } else if kind.is_dir() {
            add_entries(root, &path, tree);
        } else {
            let mode = entry.metadata().expect("there").permissions().mode();
            let text = fs::read_to_string(&path).expect("text");
            tree.insert(name, Entry::File(text, mode & 0o777));
        }
    }
    if is_empty && folder != root {
        tree.insert(relative_name(root, folder), Entry::EmptyFolder);
    }
}

fn relative_name(root: &Path, path: &Path) -> String {
    let name = path.strip_prefix(root).expect("below it");
    name.to_string_lossy().into_owned()
}

/// Makes the files that a history begins with.
fn begin() -> Stage {
    let stage = Stage::new();
    for name in ["a", "b", "c", "d/e", "d/f", "g/h/i"] {
        stage.file(name, &format!("{name} one\n{name} two\n{name} three\n"));
    }
    fs::create_dir_all(stage.project().join("empty/inner")).expect("made");
    symlink("a", stage.project().join("link")).expect("made");
    stage
}

/// Makes one change or tries to: a refusal is none.
fn make_change(stage: &Stage, chance: &mut Chance, number: usize) -> Run {
    let tree = read_tree(&stage.project());
    let names: Vec<&String> = tree.keys().collect();
    if names.is_empty() {
        return stage.run(&["undo", "--yes"]);
    }
    let name = chance.one(&names).as_str();
    let (plain, deep) = (format!("n{number}"), format!("m/n{number}"));
    let new: &str = chance.one(&[plain.as_str(), deep.as_str(), "a", "d/e"]);
    let text = format!("changed {number}");
    let folder = name.split('/').next().unwrap_or(name);
    let arguments = match chance.below(9) {
        0 | 1 => vec!["edit", name, "--regex", "two$", "--new", &text],
        2 => vec!["mv", name, new],
        3 => vec!["mv", folder, new],
        4 => vec!["rm", name],
        5 => vec!["rm", folder],
        6 => vec!["write", new, "--content", &text],
        7 => vec!["undo"],
        _ => vec!["redo"],
    };
    stage.run(&[&arguments[..], &["--yes"]].concat())
}

#[test]
fn an_undo_of_everything_gives_back_the_start_and_a_redo_the_end() {
    for seed in 0..histories() {
        let mut chance = Chance::new(seed);
        let stage = begin();
        let start = read_tree(&stage.project());
        let changes = 3 + chance.below(6);
        for number in 0..changes {
            let run = make_change(&stage, &mut chance, number);
            assert!(matches!(run.code, 0..=2), "history {seed}: {run:?}");
        }
        let end = read_tree(&stage.project());
        let patch = stage.run(&["diff"]);
        assert_eq!(patch.code, 0, "history {seed}: {patch:?}");
        let undone = match chance.below(2) {
            0 => stage.run(&["undo", "--since", "1h", "--yes"]),
            _ => stage.run(&["undo", "-n", "50", "--yes"]),
        };
        let is_nothing = undone.err.contains("nothing to undo");
        assert!(undone.code == 0 || is_nothing, "history {seed}: {undone:?}");
        assert_eq!(read_tree(&stage.project()), start, "history {seed}");
        let verified = stage.run(&["verify"]);
        assert_eq!(verified.code, 0, "history {seed}: {verified:?}");
        if is_nothing || start == end {
            continue;
        }
        let redone = stage.run(&["redo", "--yes"]);
        assert_eq!(redone.code, 0, "history {seed}: {redone:?}");
        let without_folders = |tree: Tree| -> Tree {
            let entries = tree.into_iter();
            let kept = entries.filter(|(_, entry)| *entry != Entry::EmptyFolder);
            kept.collect()
        };
        // A folder that a change made and a later one left empty has no change of its own, so it does not come back.
        let now = without_folders(read_tree(&stage.project()));
        assert_eq!(now, without_folders(end), "history {seed}");
    }
}
