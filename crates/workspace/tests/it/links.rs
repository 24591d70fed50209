//! Symbolic links that a commit makes, replaces and removes: nothing is written through a link, and another program
//! that puts something else at the name right before any call of the commit loses nothing.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::{Arc, Mutex};

use lancet_workspace::{CommitError, ExpectedState, FileWrite, NewBytes};

use crate::faults::{CommitKind, KINDS};
use crate::ground::{Ground, creation, single};

const THEIRS: &str = "theirs";

/// Something that another program does to a name.
type ForeignAct = (&'static str, fn(&Path));

const FOREIGN_ACTS: [ForeignAct; 3] = [
    ("a link renamed over", |path| {
        let beside = path.with_file_name("beside");
        symlink(THEIRS, &beside).unwrap();
        fs::rename(beside, path).unwrap();
    }),
    ("a file renamed over", |path| {
        let beside = path.with_file_name("beside");
        fs::write(&beside, THEIRS).unwrap();
        fs::rename(beside, path).unwrap();
    }),
    ("removed", |path| {
        let _ = fs::remove_file(path);
    }),
];

fn kind(name: &str) -> &'static CommitKind {
    KINDS.iter().find(|kind| kind.name == name).unwrap()
}

#[test]
fn what_another_program_puts_at_the_name_is_not_lost() {
    let kinds = [
        ("creation of a link", "n/e/w"),
        ("removal of a link", "link"),
        ("link for a link", "link"),
        ("link for a link, aside", "link"),
        ("file for a link", "link"),
        ("link for a file", "a"),
    ];
    for (name, file) in kinds {
        let kind = kind(name);
        for (act_name, act) in FOREIGN_ACTS {
            for number in 1.. {
                let ground = Ground::in_memory().without_patience();
                (kind.prepare)(&ground);
                let path = ground.root.join(file);
                let acted = Arc::new(Mutex::new(false));
                let (at, done) = (path.clone(), Arc::clone(&acted));
                let outcome = (kind.act)(&ground, &|batch| {
                    let begun = ground.disk.call_count();
                    let (at, done) = (at.clone(), Arc::clone(&done));
                    ground.disk.set_hook(move |call| {
                        let is_due = call.number - begun >= number;
                        let mut done = done.lock().unwrap();
                        if is_due && !*done && at.parent().is_some_and(Path::is_dir) {
                            act(&at);
                            *done = true;
                        }
                    });
                    ground.refuse_what_is_lacking();
                    let outcome = ground.workspace.commit(batch);
                    ground.disk.clear_hook();
                    outcome
                });
                if !*acted.lock().unwrap() {
                    break;
                }
                let what = format!("{name}, {act_name} before call {number}: {outcome:?}");
                let tree = ground.tree();
                let mut texts = ground.displaced_texts();
                let there = tree.get(file).cloned().flatten();
                texts.extend(there.map(|text| String::from_utf8(text).unwrap()));
                if act_name != "removed" {
                    assert!(texts.iter().any(|text| text == THEIRS), "{what}: {tree:?}");
                }
                let left = tree.keys().find(|name| name.contains(".lancet-"));
                assert_eq!(left, None, "{what}");
            }
        }
    }
}

#[test]
fn a_link_that_leads_outside_is_replaced_and_not_followed() {
    let ground = Ground::with(&[("in", "inside")]);
    let outside = ground.around.join("outside");
    fs::write(&outside, "outside").unwrap();
    symlink(&outside, ground.root.join("link")).unwrap();
    let (link, expected) = ground.link("link");
    let over = FileWrite {
        expected,
        ..creation(&link, b"a file")
    };
    single(ground.workspace.commit(vec![over])).unwrap();
    assert_eq!(ground.text("link"), "a file");
    assert_eq!(fs::read(&outside).unwrap(), b"outside");

    let seen = ground.seen("link");
    let target = outside.as_os_str();
    single(
        ground
            .workspace
            .commit(vec![seen.becomes(NewBytes::Link(target))]),
    )
    .unwrap();
    assert_eq!(fs::read_link(ground.root.join("link")).unwrap(), outside);
    assert_eq!(fs::read(&outside).unwrap(), b"outside");
}

#[test]
fn another_link_than_the_expected_one_stays() {
    let ground = Ground::with(&[]);
    symlink("one", ground.root.join("link")).unwrap();
    let (link, expected) = ground.link("link");
    fs::remove_file(ground.root.join("link")).unwrap();
    symlink("another", ground.root.join("link")).unwrap();
    for new in [NewBytes::Nothing, NewBytes::Link(OsStr::new("ours"))] {
        let write = FileWrite {
            expected: expected.clone(),
            new,
            ..creation(&link, b"")
        };
        let refused = ground.workspace.commit(vec![write]);
        let is_changed = matches!(refused, Err(CommitError::Changed { .. }));
        assert!(is_changed, "{refused:?}");
    }
    let free = FileWrite {
        expected: ExpectedState::Missing,
        new: NewBytes::Link(OsStr::new("ours")),
        ..creation(&link, b"")
    };
    let refused = ground.workspace.commit(vec![free]);
    let is_there = matches!(refused, Err(CommitError::Exists { .. }));
    assert!(is_there, "{refused:?}");
    let target = fs::read_link(ground.root.join("link")).unwrap();
    assert_eq!(target, Path::new("another"));
    assert_eq!(ground.tree().len(), 1);
}
