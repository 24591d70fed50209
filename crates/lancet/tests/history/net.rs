//! The net difference: what became of the files that changes touched, as a patch that git applies to the older tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lancet::RawCall;
use lancet::history::{ChangeKind, LogQuery, NetChange, NetDifference, Operation};
use lancet::undo::Selection;
use lancet_testing::{TestFolder, TestProject, git, judges, laws};
use proptest::prelude::*;
use serde_json::json;

use crate::project::{Changes as _, Tree, gather, operation, patiently};

const NAMES: [&str; 6] = [
    "a.txt",
    "deep/er/b.txt",
    "c.sh",
    "d é.txt",
    "link.txt",
    "target.txt",
];

#[derive(Clone, Debug)]
enum Step {
    Write(usize, String),
    Edit(usize, String),
    Move(usize, usize),
    Delete(usize),
    Undo,
    Redo,
    /// Another program writes a file, or removes it.
    Foreign(usize, Option<Vec<u8>>),
}

fn step() -> impl Strategy<Value = Step> {
    let name = || 0..NAMES.len();
    let text = prop::collection::vec("[a-c]{0,2}(\r?\n)?", 0..5).prop_map(|lines| lines.concat());
    let bytes = prop::option::weighted(0.8, prop::collection::vec(any::<u8>(), 0..40));
    prop_oneof![
        4 => (name(), text).prop_map(|(at, text)| Step::Write(at, text)),
        3 => (name(), "[x-z]{1,3}").prop_map(|(at, text)| Step::Edit(at, text)),
        3 => (name(), name()).prop_map(|(from, to)| Step::Move(from, to)),
        1 => name().prop_map(Step::Delete),
        2 => Just(Step::Undo),
        1 => Just(Step::Redo),
        2 => (name(), bytes).prop_map(|(at, bytes)| Step::Foreign(at, bytes)),
    ]
}

fn project() -> TestProject {
    let project = TestProject::inside(TestFolder::in_memory(), |builder, around| {
        let builder = builder.state_dir(around.join("state"));
        builder.tools(["default", "MoveFile", "DeleteFile"])
    });
    let script = project.put("c.sh", "first\nsecond\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(script, executable).expect("set");
    project.put("target.txt", "old\r\nlines");
    std::os::unix::fs::symlink("target.txt", project.path("link.txt")).expect("linked");
    project
}

fn call(project: &TestProject, tool: &str, arguments: &serde_json::Value) {
    let reply = patiently(|| project.session.call(RawCall::new(tool, arguments.clone())));
    assert_ne!(
        reply.refusal().map(lancet::RefusalKind::name),
        Some("internal"),
        "{}",
        reply.text()
    );
}

fn act(project: &TestProject, step: &Step) {
    match step {
        Step::Write(at, text) => drop(project.write_file(NAMES[*at], text)),
        Step::Edit(at, new) => {
            let text = fs::read_to_string(project.path(NAMES[*at])).unwrap_or_default();
            if let Some(line) = text.lines().find(|line| !line.is_empty()) {
                project.edit_file(NAMES[*at], line, new);
            }
        }
        Step::Move(from, to) => {
            let [from, to] = [from, to].map(|at| project.path(NAMES[*at]));
            let names = json!({ "from_path": from, "to_path": to });
            call(project, "MoveFile", &names);
        }
        Step::Delete(at) => {
            let path = project.path(NAMES[*at]);
            let read = json!({ "file_path": path, "force": true });
            project.session.call(RawCall::new("Read", read));
            call(project, "DeleteFile", &json!({ "file_path": path }));
        }
        Step::Undo => drop(project.undo(Selection::Newest)),
        Step::Redo => drop(project.redo()),
        Step::Foreign(at, Some(bytes)) => drop(project.put(NAMES[*at], bytes)),
        Step::Foreign(at, None) => drop(fs::remove_file(project.path(NAMES[*at]))),
    }
}

/// Returns the changes since the operation with this number.
fn since(project: &TestProject, sequence: i64) -> Vec<Operation> {
    let query = LogQuery {
        after: Some(sequence),
        ..LogQuery::default()
    };
    let history = project.lancet.history().expect("a state folder");
    history.log(&query).expect("read")
}

fn touched(operations: &[Operation]) -> BTreeSet<PathBuf> {
    let files = operations.iter().flat_map(|operation| &operation.files);
    files
        .flat_map(|file| std::iter::once(file.path.clone()).chain(file.moved_from.clone()))
        .collect()
}

fn net_changes(project: &TestProject, selected: &[Operation]) -> Vec<NetChange> {
    let history = project.lancet.history().expect("a state folder");
    let files = history.net_files(selected).expect("read");
    let files = files.iter().map(|file| history.net_difference(file));
    files
        .filter_map(|difference| match difference.expect("read") {
            NetDifference::Changed(change) => Some(change),
            NetDifference::None => None,
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Applies the changes as one patch in a folder.
fn git_apply(project: &TestProject, changes: &[NetChange], folder: &Path) {
    let patch: Vec<u8> = changes
        .iter()
        .flat_map(|change| &change.patch)
        .copied()
        .collect();
    // git refuses an empty patch.
    if !patch.is_empty() {
        let file = project.around.put("net.patch", &patch);
        let file = file.to_str().expect("UTF-8");
        git::git(project.around.path(), folder, &["apply", file]);
    }
}

/// Returns the files as git has them, by their names in the folder: folders do not count, nor do permission bits except the
/// one to execute.
fn files_of(folder: &Path) -> BTreeMap<PathBuf, (bool, Vec<u8>)> {
    let mut tree = Tree::new();
    gather(folder, &mut tree);
    tree.into_iter()
        .filter(|(path, _)| path.is_symlink() || path.is_file())
        .map(|(path, (mode, bytes))| {
            let name = path.strip_prefix(folder).expect("below").to_path_buf();
            (name, (mode & 0o100 != 0, bytes))
        })
        .collect()
}

fn cases() -> u32 {
    laws::requested_cases().map_or(50, |cases| (cases / 100).max(50))
}

proptest! {
    #![proptest_config(laws::config_of(cases()))]

    #[test]
    fn applied_by_git_to_the_older_tree_it_gives_the_newer_one(
        earlier in prop::collection::vec(step(), 0..6),
        later in prop::collection::vec(step(), 1..12),
    ) {
        if Command::new("git").arg("--version").output().is_err() {
            judges::missing("git");
            return Ok(());
        }
        let project = project();
        earlier.iter().for_each(|step| act(&project, step));
        let newest = project.log().first().map_or(0, |operation| operation.sequence);
        let older = project.around.join("older");
        let copied = Command::new("cp").arg("-a").args([&project.root, &older]).status();
        prop_assert!(copied.expect("cp is there").success());
        for step in &later {
            // What other programs do to files that no change touched is in no difference.
            if let Step::Foreign(at, bytes) = step {
                // A write goes through a symbolic link, a removal is of the link. Through a link that leads nowhere a
                // write makes a file that no change touched.
                let path = project.path(NAMES[*at]);
                let path = match bytes {
                    Some(_) if path.is_symlink() => match path.canonicalize() {
                        Ok(target) => target,
                        Err(_) => continue,
                    },
                    _ => path,
                };
                if !touched(&since(&project, newest)).contains(&path) {
                    continue;
                }
            }
            act(&project, step);
        }
        git_apply(&project, &net_changes(&project, &since(&project, newest)), &older);
        prop_assert_eq!(files_of(&older), files_of(&project.root));
    }
}

#[test]
fn a_moved_file_is_one_file_under_two_names() {
    let project = project();
    project.put("a.txt", "one\ntwo\n");
    let first = operation(&project.edit_file("a.txt", "one", "eins"));
    act(&project, &Step::Move(0, 1));
    project.edit_file(NAMES[1], "two", "zwei");
    // The later changes are not selected, but the file is followed.
    let mut selected = since(&project, 0);
    selected.retain(|operation| operation.id == first);
    let changes = net_changes(&project, &selected);
    let [change] = changes.as_slice() else {
        panic!("{changes:?}");
    };
    assert_eq!(change.kind, ChangeKind::Move);
    assert_eq!(change.moved_from.as_deref(), Some(&*project.path("a.txt")));
    assert_eq!(
        String::from_utf8_lossy(&change.patch),
        "diff --git a/a.txt b/deep/er/b.txt\nrename from a.txt\nrename to deep/er/b.txt\n\
         --- a/a.txt\n+++ b/deep/er/b.txt\n@@ -1,2 +1,2 @@\n-one\n-two\n+eins\n+zwei\n"
    );
}

#[test]
fn a_file_that_another_program_moved_is_followed() {
    let project = project();
    let long = "a line that is long enough to be recognised\n";
    project.put("a.txt", format!("one\n{long}"));
    operation(&project.edit_file("a.txt", "one", "eins"));
    fs::rename(project.path("a.txt"), project.path("b.txt")).expect("moved");
    let history = project.lancet.history().expect("a state folder");
    history.follow_moved_files().expect("followed");
    let changes = net_changes(&project, &since(&project, 0));
    let [change] = changes.as_slice() else {
        panic!("{changes:?}");
    };
    assert_eq!(change.path, project.path("b.txt"));
    assert_eq!(change.moved_from.as_deref(), Some(&*project.path("a.txt")));
}

#[test]
fn what_is_as_it_was_is_no_difference() {
    let project = project();
    project.put("a.txt", "one\n");
    operation(&project.edit_file("a.txt", "one", "eins"));
    operation(&project.edit_file("a.txt", "eins", "one"));
    project.write_file("new.txt", "new\n");
    fs::remove_file(project.path("new.txt")).expect("removed");
    assert_eq!(since(&project, 0).len(), 3);
    assert!(net_changes(&project, &since(&project, 0)).is_empty());
}
