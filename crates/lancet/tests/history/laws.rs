//! Laws: any sequence of changes undone in reverse restores the same tree, undo then redo changes nothing, and what
//! other programs write in between is never lost.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};

use lancet::history::LogQuery;
use lancet::undo::{Direction, Overlap, Selection};
use lancet_testing::{TestProject, laws};
use proptest::prelude::*;

use crate::project::{Changes as _, Tree, patiently, project, project_in_memory};

#[derive(Clone, Debug)]
enum Step {
    Write(usize, String),
    Edit(usize, String),
    Batch(String),
    /// Another program writes.
    Foreign(usize, String),
    Undo,
    Merge,
    Redo,
}

const NAMES: [&str; 4] = ["a.txt", "deep/er/b.txt", "link.txt", "c.sh"];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-c]{0,2}(\r?\n)", 0..5).prop_map(|lines| lines.concat())
}

fn change() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..NAMES.len(), text()).prop_map(|(at, text)| Step::Write(at, text)),
        3 => (0..NAMES.len(), "[x-z]{1,3}").prop_map(|(at, text)| Step::Edit(at, text)),
        1 => "[x-z]{1,3}".prop_map(Step::Batch),
    ]
}

/// One case in this many is on a disk, the others in memory.
const ON_DISK: usize = 25;

fn filled() -> TestProject {
    static PROJECTS: AtomicUsize = AtomicUsize::new(0);
    let project = match PROJECTS.fetch_add(1, Ordering::Relaxed) % ON_DISK {
        0 => project(),
        _ => project_in_memory(),
    };
    project.put("c.sh", "first\nsecond\n");
    fs::set_permissions(project.path("c.sh"), Permissions::from_mode(0o755)).expect("set");
    project.put("target.txt", "old\r\nlines\n");
    std::os::unix::fs::symlink("target.txt", project.path("link.txt")).expect("linked");
    project
}

/// Performs one step. Returns whether something was changed.
fn act(project: &TestProject, step: &Step) -> bool {
    let reply = match step {
        Step::Write(at, text) => project.write_file(NAMES[*at], text),
        Step::Edit(at, new) => {
            let Ok(text) = fs::read_to_string(project.path(NAMES[*at])) else {
                return false;
            };
            let Some(line) = text.lines().find(|line| !line.is_empty()) else {
                return false;
            };
            project.edit_file(NAMES[*at], line, new)
        }
        Step::Batch(new) => {
            let edits = serde_json::json!({ "insist": true, "edits": [
                { "file_path": project.path("c.sh"), "old_string": "first", "new_string": new },
                { "file_path": project.path(format!("made/{new}.txt")), "old_string": "", "new_string": "made\n" },
            ] });
            let path = project.path("c.sh");
            project.session.call(lancet::RawCall::new(
                "Read",
                serde_json::json!({ "file_path": path, "force": true }),
            ));
            patiently(|| {
                let call = lancet::RawCall::new("MultiEdit", edits.clone());
                project.session.call(call)
            })
        }
        Step::Foreign(at, text) => {
            project.put(NAMES[*at], text);
            return true;
        }
        Step::Undo => project.undo(Selection::Newest),
        Step::Merge => project.take_back(Selection::Newest, Direction::Undo, Overlap::Merge),
        Step::Redo => project.redo(),
    };
    assert_ne!(
        reply.refusal().map(lancet::RefusalKind::name),
        Some("internal"),
        "{}",
        reply.text()
    );
    !reply.is_error()
}

/// The moment at which the process of a change is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Killed {
    Not,
    BeforeTheExchange,
    AfterTheExchange,
}

fn killed() -> impl Strategy<Value = Killed> {
    prop_oneof![
        3 => Just(Killed::Not),
        2 => Just(Killed::BeforeTheExchange),
        2 => Just(Killed::AfterTheExchange),
    ]
}

/// Makes the newest operation look as its process would have left it: announced, and never finished.
fn kill_newest(project: &TestProject) {
    let newest = project.log().first().expect("one").id.clone();
    let database = rusqlite::Connection::open(project.state().join("lancet.db")).expect("opens");
    let announced = "INSERT INTO begun (id, process) VALUES (?1, '00000000000000aa')";
    database.execute(announced, [newest]).expect("announced");
}

/// Restores a tree by hand, as if the last change had not been made.
fn put_back(project: &TestProject, before: &Tree) {
    for path in project.tree().into_keys().rev() {
        if !before.contains_key(&path) {
            let gone = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
            gone.expect("removed");
        }
    }
    for (path, (_, bytes)) in before {
        if path.is_file() && !path.is_symlink() && fs::read(path).ok().as_ref() != Some(bytes) {
            fs::write(path, bytes).expect("written");
        }
    }
}

fn cases() -> ProptestConfig {
    // Each case is some dozens of writes.
    ProptestConfig::with_cases(laws::requested_cases().map_or(400, |cases| (cases / 200).max(400)))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn undone_in_reverse_every_tree_comes_back(steps in prop::collection::vec(change(), 1..12)) {
        let project = filled();
        let mut trees: Vec<Tree> = vec![project.tree()];
        for step in &steps {
            if act(&project, step) {
                trees.push(project.tree());
            }
        }
        for wanted in trees.iter().rev().skip(1) {
            prop_assert!(act(&project, &Step::Undo));
            prop_assert_eq!(&project.tree(), wanted);
        }
        prop_assert!(!act(&project, &Step::Undo), "nothing is left");
        // And forward again.
        for wanted in trees.iter().skip(1) {
            prop_assert!(act(&project, &Step::Redo));
            prop_assert_eq!(&project.tree(), wanted);
        }
    }

    #[test]
    fn a_session_undone_at_once_and_redone_is_the_same(steps in prop::collection::vec(change(), 1..8)) {
        let project = filled();
        let before = project.tree();
        let changed = steps.iter().filter(|step| act(&project, step)).count();
        prop_assume!(changed > 0);
        let after = project.tree();
        let reply = project.undo(Selection::Session("talk".into()));
        // Changes that cancelled each other out leave nothing to undo.
        prop_assume!(reply.refusal().map(lancet::RefusalKind::name) != Some("no_change"));
        prop_assert!(!reply.is_error(), "{}", reply.text());
        prop_assert_eq!(&project.tree(), &before);
        prop_assert!(act(&project, &Step::Redo));
        prop_assert_eq!(&project.tree(), &after);
    }

    #[test]
    fn what_did_not_happen_is_in_no_undos_way(
        steps in prop::collection::vec((change(), killed()), 1..10),
    ) {
        let project = filled();
        let first = project.tree();
        let mut happened = 0;
        for (step, killed) in &steps {
            let before = project.tree();
            if !act(&project, step) {
                continue;
            }
            happened += usize::from(*killed != Killed::BeforeTheExchange);
            if *killed != Killed::Not {
                kill_newest(&project);
            }
            if *killed == Killed::BeforeTheExchange {
                put_back(&project, &before);
            }
        }
        // Another process, because this one considers itself still at work.
        let log = project.reopened().history().expect("kept").log(&LogQuery::default()).expect("read");
        prop_assert_eq!(log.len(), happened, "{:?}", log);
        prop_assert!(log.iter().all(|operation| operation.state.as_str() == "done"), "{:?}", log);
        let reply = project.undo(Selection::Since(0));
        prop_assume!(reply.refusal().map(lancet::RefusalKind::name) != Some("no_change"));
        prop_assert!(happened == 0 || !reply.is_error(), "{}", reply.text());
        prop_assert_eq!(project.tree(), first);
    }

    #[test]
    fn what_others_write_is_never_lost(
        steps in prop::collection::vec(prop_oneof![
            3 => change(),
            2 => (0..2usize, 0..1000u32).prop_map(|(at, number)| Step::Foreign(at, format!("a\nb\nforeign {number}\nc\nd\n"))),
            2 => Just(Step::Undo),
            1 => Just(Step::Merge),
            1 => Just(Step::Redo),
        ], 1..14),
    ) {
        let project = filled();
        let history = |project: &TestProject| project.lancet.history().expect("kept");
        let mut foreign: Vec<Vec<u8>> = Vec::new();
        for step in &steps {
            let standing: Vec<Vec<u8>> = NAMES.iter().filter_map(|name| fs::read(project.path(name)).ok()).collect();
            act(&project, step);
            match step {
                // Overwriting is their own doing, but what they wrote last must be somewhere.
                Step::Foreign(_, text) => foreign.push(text.clone().into_bytes()),
                _ => {
                    let kept = history(&project);
                    for bytes in standing.iter().filter(|bytes| foreign.contains(bytes)) {
                        let stands = NAMES.iter().any(|name| fs::read(project.path(name)).ok().as_ref() == Some(bytes));
                        let revision = *blake3::hash(bytes).as_bytes();
                        let recorded = kept.content(&revision).expect("read").as_ref() == Some(bytes);
                        prop_assert!(stands || recorded, "{:?} lost {:?}", step, String::from_utf8_lossy(bytes));
                    }
                }
            }
        }
    }
}
