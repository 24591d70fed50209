//! A tree that is kept current has the entries that a scan finds, whatever happened in between.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_search::{AllowAll, WatchAllowance};
use lancet_testing::{TestFolder, laws};
use lancet_workspace::{RealDisk, Workspace};
use proptest::prelude::*;

use super::*;
use crate::coverage::ScanCoverage;

/// Calls `work` with the scope of a folder.
fn with_scope<T>(root: &Path, work: impl FnOnce(&ScanScope<'_>) -> T) -> T {
    let coverage = ScanCoverage {
        excludes: None,
        gate: &AllowAll,
        leaves_out: &|_| false,
        takes_in: &|path| path.ends_with("taken.log"),
        may_take_in_below: &|_| false,
        largest_file: u64::MAX,
        most_bytes: u64::MAX,
        fingerprint: &|| [0; 32],
    };
    let disk = Arc::new(RealDisk);
    let workspace = Workspace::open(&[root.to_path_buf()], disk, None).expect("opened");
    let located = workspace.locate_as_spelled(root).expect("located");
    let handle = located.open_folder().expect("opened");
    work(&ScanScope {
        root: &handle,
        path: root,
        coverage: &coverage,
        tracked: None,
    })
}

fn read(root: &Path) -> WatchedTree {
    let allowance = WatchAllowance::for_process(1 << 20);
    with_scope(root, |scope| WatchedTree::read(scope, None, &allowance)).expect("watched")
}

fn refresh(tree: &mut WatchedTree, root: &Path) {
    with_scope(root, |scope| tree.refresh(scope, None)).expect("refreshed");
}

type Described = Vec<(Vec<u8>, CheckpointEntryKind, u64, u32, Option<Vec<u8>>)>;

fn describe<'e>(entries: impl Iterator<Item = &'e ScannedEntry>) -> Described {
    entries
        .map(|entry| {
            let size = match entry.kind {
                CheckpointEntryKind::EmptyFolder => 0,
                _ => entry.stamp.size,
            };
            let link = entry.link.clone();
            (entry.name.clone(), entry.kind, size, entry.stamp.mode, link)
        })
        .collect()
}

fn assert_is_current(tree: &WatchedTree, root: &Path) {
    let found = with_scope(root, |scope| scope.scan_all(&mut ())).expect("scanned");
    assert_eq!(describe(tree.entries.values()), describe(found.iter()));
}

/// Returns the names that changed since a checkpoint.
fn changed(tree: &WatchedTree, number: i64) -> Vec<String> {
    let changes = tree.report_changes(Some(number)).changes.expect("known");
    let names = changes.iter().map(|change| &change.name);
    names
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

#[test]
fn changes_are_reported_by_name() {
    let folder = TestFolder::new();
    let root = folder.path().to_path_buf();
    for name in ["a.txt", "b.txt", "in/c.txt", "in/deep/d.txt", "old/e.txt"] {
        folder.put(name, "one\n");
    }
    let mut tree = read(&root);
    tree.note_checkpoint(1, tree.position());
    refresh(&mut tree, &root);
    assert_eq!(changed(&tree, 1), Vec::<String>::new());

    folder.put("in/c.txt", "another\n");
    fs::rename(root.join("in/deep"), root.join("deeper")).expect("moved");
    fs::remove_dir_all(root.join("old")).expect("removed");
    fs::create_dir_all(root.join("new/empty")).expect("made");
    refresh(&mut tree, &root);
    let all = [
        "deeper/d.txt",
        "in/c.txt",
        "in/deep/d.txt",
        "new/empty",
        "old/e.txt",
    ];
    assert_eq!(changed(&tree, 1), all);
    tree.note_checkpoint(2, tree.position());
    // A folder that was moved is watched at its new place.
    folder.put("deeper/d.txt", "another\n");
    folder.put("new/empty/f.txt", "no longer empty\n");
    refresh(&mut tree, &root);
    assert_eq!(
        changed(&tree, 2),
        ["deeper/d.txt", "new/empty", "new/empty/f.txt"]
    );
    assert!(tree.report_changes(Some(3)).changes.is_none());
    assert_is_current(&tree, &root);
}

#[test]
fn ignore_files_take_effect_in_their_folder_and_below() {
    let folder = TestFolder::new();
    let root = folder.path().to_path_buf();
    for name in ["in/a.log", "in/deep/b.log", "c.log", "in/build/d.txt"] {
        folder.put(name, "x".repeat(200_000));
    }
    let mut tree = read(&root);
    tree.note_checkpoint(1, tree.position());
    folder.put("in/.gitignore", "*.log\nbuild/\n");
    refresh(&mut tree, &root);
    assert_eq!(
        changed(&tree, 1),
        [
            "in/.gitignore",
            "in/a.log",
            "in/build/d.txt",
            "in/deep/b.log"
        ]
    );
    assert_is_current(&tree, &root);
    fs::remove_file(root.join("in/.gitignore")).expect("removed");
    refresh(&mut tree, &root);
    assert_is_current(&tree, &root);
    assert_eq!(tree.report_changes(None).files, 4);
}

#[test]
fn root_that_is_removed_ends_the_tree() {
    let folder = TestFolder::new();
    let root = folder.path().join("root");
    fs::create_dir(&root).expect("made");
    let mut tree = read(&root);
    fs::remove_dir(&root).expect("removed");
    assert!(matches!(tree.take_reports(), Err(TreeError::Unreadable(_))));
}

/// One step of a random history of a folder.
#[derive(Clone, Debug)]
enum Step {
    Write(usize, usize),
    Remove(usize),
    Rename(usize, usize),
    Link(usize, usize),
    Folder(usize),
    Mode(usize, u32),
    Ignore(usize, usize),
    Refresh,
}

const PLACES: [&str; 12] = [
    "a",
    "b.log",
    "in",
    "in/c",
    "in/d.log",
    "in/deep",
    "in/deep/e",
    "in/deep/taken.log",
    "x",
    "x/y",
    "x/y/z",
    "x/y/z/f.log",
];

fn step() -> impl Strategy<Value = Step> {
    let place = || 0..PLACES.len();
    prop_oneof![
        4 => (place(), 0_usize..50).prop_map(|(at, size)| Step::Write(at, size)),
        2 => place().prop_map(Step::Remove),
        3 => (place(), place()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => (place(), place()).prop_map(|(at, to)| Step::Link(at, to)),
        2 => place().prop_map(Step::Folder),
        1 => (place(), prop_oneof![Just(0o600), Just(0o644), Just(0o755)]).prop_map(|(at, mode)| Step::Mode(at, mode)),
        1 => (place(), 0_usize..3).prop_map(|(at, rules)| Step::Ignore(at, rules)),
        2 => Just(Step::Refresh),
    ]
}

/// Takes a step as far as the file system allows it.
fn take_step(root: &Path, step: &Step) {
    let path = |at: usize| -> PathBuf { root.join(PLACES[at]) };
    let _ = match step {
        Step::Write(at, size) => {
            let _ = path(*at).parent().map(fs::create_dir_all);
            fs::write(path(*at), "x".repeat(*size))
        }
        Step::Remove(at) => fs::remove_file(path(*at)).or_else(|_| fs::remove_dir_all(path(*at))),
        Step::Rename(from, to) => fs::rename(path(*from), path(*to)),
        Step::Link(at, to) => symlink(PLACES[*to], path(*at)),
        Step::Folder(at) => fs::create_dir_all(path(*at)),
        Step::Mode(at, mode) if path(*at).is_file() && !path(*at).is_symlink() => {
            fs::set_permissions(path(*at), fs::Permissions::from_mode(*mode))
        }
        Step::Ignore(at, rules) => {
            let rules = ["", "*.log\n", "deep/\ny/\n"][*rules];
            fs::write(path(*at).join(".gitignore"), rules)
        }
        Step::Mode(..) | Step::Refresh => Ok(()),
    };
}

proptest! {
    #![proptest_config(laws::config_of(laws::limited(laws::cases(), 200)))]

    #[test]
    fn refreshed_tree_has_what_a_scan_finds(steps in prop::collection::vec(step(), 1..40)) {
        let folder = TestFolder::new();
        let root = folder.path().to_path_buf();
        let mut tree = read(&root);
        let first = tree.position();
        tree.note_checkpoint(1, first);
        let before = describe(tree.entries.values());
        for step in &steps {
            take_step(&root, step);
            if matches!(step, Step::Refresh) {
                refresh(&mut tree, &root);
                assert_is_current(&tree, &root);
            }
        }
        refresh(&mut tree, &root);
        assert_is_current(&tree, &root);
        // A name that is not reported is as it was.
        let reported = changed(&tree, 1);
        let after = describe(tree.entries.values());
        for entry in before.iter().filter(|entry| !after.contains(entry)) {
            prop_assert!(reported.contains(&String::from_utf8_lossy(&entry.0).into_owned()));
        }
        for entry in after.iter().filter(|entry| !before.contains(entry)) {
            prop_assert!(reported.contains(&String::from_utf8_lossy(&entry.0).into_owned()));
        }
    }
}
