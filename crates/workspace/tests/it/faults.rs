//! Every call of every kind of commit fails once, with each of several errors. Afterwards all files are old or all are
//! new, no temporary file is left, and the next commit works.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::SystemTime;

use lancet_text::RawChange;
use lancet_workspace::{
    CommitError, FaultDuration, FileWrite, HardLinkPolicy, Located, NewBytes, OldFilePermission,
    WriteOptions, WriteOutcome,
};
use rustix::io::Errno;

use crate::ground::{Ground, Seen, creation};

pub(crate) type Tree = BTreeMap<String, Option<Vec<u8>>>;
type Times = BTreeMap<PathBuf, SystemTime>;
pub(crate) type Outcome = Result<Vec<WriteOutcome>, CommitError>;
pub(crate) type Commit<'c> = &'c dyn Fn(Vec<FileWrite<'_>>) -> Outcome;

/// A kind of commit: `prepare` fills the root, and `act` reads the files and commits.
pub(crate) struct CommitKind {
    pub(crate) name: &'static str,
    pub(crate) prepare: fn(&Ground),
    pub(crate) act: fn(&Ground, Commit<'_>) -> Outcome,
}

fn change() -> Vec<RawChange> {
    vec![RawChange {
        range: 2..4,
        bytes: b"<new>".to_vec(),
    }]
}

/// The target of a new link. It does not exist.
fn target() -> &'static OsStr {
    OsStr::new("../nowhere")
}

/// Makes a link whose target does not exist.
fn old_link(ground: &Ground) {
    symlink("0123456789", ground.root.join("link")).unwrap();
}

/// Commits a write to the link `link`.
fn commit_link(ground: &Ground, commit: Commit<'_>, new: NewBytes<'_>) -> Outcome {
    let (link, expected) = ground.link("link");
    commit(vec![FileWrite {
        expected,
        new,
        ..creation(&link, b"")
    }])
}

/// Commits a write to the empty folder `empty`.
fn commit_folder(ground: &Ground, commit: Commit<'_>, new: NewBytes<'_>) -> Outcome {
    let (folder, expected) = ground.empty_folder("empty");
    commit(vec![FileWrite {
        expected,
        new,
        ..creation(&folder, b"")
    }])
}

/// A new folder.
const FOLDER: NewBytes<'static> = NewBytes::EmptyFolder { mode: 0o750 };

pub(crate) const KINDS: [CommitKind; 27] = [
    CommitKind {
        name: "replace",
        prepare: |ground| ground.put("a", "0123456789"),
        act: |ground, commit| commit(vec![ground.seen("a").spliced(&change())]),
    },
    CommitKind {
        name: "create",
        prepare: |_| {},
        act: |ground, commit| commit(vec![creation(&ground.locate("n/e/w"), b"text")]),
    },
    CommitKind {
        name: "in place",
        prepare: |ground| {
            ground.put("a", "0123456789");
            fs::hard_link(ground.root.join("a"), ground.root.join("b")).unwrap();
        },
        act: |ground, commit| commit(vec![ground.seen("a").spliced(&change())]),
    },
    CommitKind {
        name: "remove",
        prepare: |ground| ground.put("a", "0123456789"),
        act: |ground, commit| commit(vec![ground.seen("a").becomes(NewBytes::Nothing)]),
    },
    CommitKind {
        name: "move",
        prepare: |ground| ground.put("a", "0123456789"),
        act: |ground, commit| {
            let to = ground.locate("n/e/w");
            commit(vec![ground.seen("a").becomes(NewBytes::MovedTo(&to))])
        },
    },
    CommitKind {
        name: "move with changes",
        prepare: |ground| ground.put("a", "0123456789"),
        act: |ground, commit| {
            let (from, to, changes) = (ground.seen("a"), ground.locate("n/e/w"), change());
            let copy = NewBytes::CopiedFrom {
                from: &from.located,
                revision: from.snapshot.revision,
                changes: &changes,
            };
            let copy = FileWrite {
                new: copy,
                ..creation(&to, b"")
            };
            commit(vec![copy, from.becomes(NewBytes::Nothing)])
        },
    },
    CommitKind {
        name: "move of a link",
        prepare: |ground| {
            ground.put("b", "0123456789");
            symlink("b", ground.root.join("link")).unwrap();
        },
        act: |ground, commit| {
            let (link, expected) = ground.link("link");
            let to = ground.locate("n/e/w");
            let write = FileWrite {
                expected,
                new: NewBytes::MovedTo(&to),
                ..creation(&link, b"")
            };
            commit(vec![write])
        },
    },
    CommitKind {
        name: "creation of a link",
        prepare: |_| {},
        act: |ground, commit| {
            let to = ground.locate("n/e/w");
            let write = FileWrite {
                new: NewBytes::Link(target()),
                ..creation(&to, b"")
            };
            commit(vec![write])
        },
    },
    CommitKind {
        name: "removal of a link",
        prepare: old_link,
        act: |ground, commit| commit_link(ground, commit, NewBytes::Nothing),
    },
    CommitKind {
        name: "link for a link",
        prepare: old_link,
        act: |ground, commit| commit_link(ground, commit, NewBytes::Link(target())),
    },
    CommitKind {
        name: "file for a link",
        prepare: old_link,
        act: |ground, commit| commit_link(ground, commit, NewBytes::Whole(b"text")),
    },
    CommitKind {
        name: "link for a file",
        prepare: |ground| {
            ground.put("a", "0123456789");
            fs::hard_link(ground.root.join("a"), ground.root.join("b")).unwrap();
        },
        act: |ground, commit| commit(vec![ground.seen("a").becomes(NewBytes::Link(target()))]),
    },
    CommitKind {
        name: "link for a link, aside",
        prepare: |ground| {
            old_link(ground);
            ground
                .lacks_exchange
                .store(true, std::sync::atomic::Ordering::SeqCst);
        },
        act: |ground, commit| commit_link(ground, commit, NewBytes::Link(target())),
    },
    CommitKind {
        name: "creation of a folder",
        prepare: |_| {},
        act: |ground, commit| {
            let to = ground.locate("n/e/w");
            let write = FileWrite {
                new: NewBytes::EmptyFolder { mode: 0o750 },
                ..creation(&to, b"")
            };
            commit(vec![write])
        },
    },
    CommitKind {
        name: "removal of a folder",
        prepare: |ground| fs::create_dir(ground.root.join("empty")).unwrap(),
        act: |ground, commit| {
            let (folder, expected) = ground.empty_folder("empty");
            let write = FileWrite {
                expected,
                new: NewBytes::Nothing,
                ..creation(&folder, b"")
            };
            commit(vec![write])
        },
    },
    CommitKind {
        name: "folder for a file",
        prepare: |ground| ground.put("a", "0123456789"),
        act: |ground, commit| commit(vec![ground.seen("a").becomes(FOLDER)]),
    },
    CommitKind {
        name: "folder for a file, aside",
        prepare: |ground| {
            ground.put("a", "0123456789");
            ground
                .lacks_exchange
                .store(true, std::sync::atomic::Ordering::SeqCst);
        },
        act: |ground, commit| commit(vec![ground.seen("a").becomes(FOLDER)]),
    },
    CommitKind {
        name: "folder for a link",
        prepare: old_link,
        act: |ground, commit| commit_link(ground, commit, FOLDER),
    },
    CommitKind {
        name: "file for a folder",
        prepare: |ground| fs::create_dir(ground.root.join("empty")).unwrap(),
        act: |ground, commit| commit_folder(ground, commit, NewBytes::Whole(b"text")),
    },
    CommitKind {
        name: "file for a folder, aside",
        prepare: |ground| {
            fs::create_dir(ground.root.join("empty")).unwrap();
            ground
                .lacks_exchange
                .store(true, std::sync::atomic::Ordering::SeqCst);
        },
        act: |ground, commit| commit_folder(ground, commit, NewBytes::Whole(b"text")),
    },
    CommitKind {
        name: "several with links and folders",
        prepare: |ground| {
            old_link(ground);
            ground.put("a", "0123456789");
            ground.put("d/b", "0123456789");
            symlink("0123456789", ground.root.join("d/gone")).unwrap();
            fs::create_dir(ground.root.join("d/empty")).unwrap();
        },
        act: |ground, commit| {
            let (a, b) = (ground.seen("a"), ground.seen("d/b"));
            let (link, expected) = ground.link("link");
            let (gone, gone_expected) = ground.link("d/gone");
            let (empty, empty_expected) = ground.empty_folder("d/empty");
            let (new, made) = (ground.locate("n/e/w"), ground.locate("n/made"));
            commit(vec![
                FileWrite {
                    expected: empty_expected,
                    new: NewBytes::Nothing,
                    ..creation(&empty, b"")
                },
                FileWrite {
                    new: NewBytes::EmptyFolder { mode: 0o700 },
                    ..creation(&made, b"")
                },
                a.becomes(NewBytes::Link(target())),
                FileWrite {
                    expected,
                    ..creation(&link, b"text")
                },
                FileWrite {
                    new: NewBytes::Link(target()),
                    ..creation(&new, b"")
                },
                FileWrite {
                    expected: gone_expected,
                    new: NewBytes::Nothing,
                    ..creation(&gone, b"")
                },
                b.whole(b"whole"),
            ])
        },
    },
    CommitKind {
        name: "aside",
        prepare: |ground| {
            ground.put("a", "0123456789");
            ground
                .lacks_exchange
                .store(true, std::sync::atomic::Ordering::SeqCst);
        },
        act: |ground, commit| commit(vec![ground.seen("a").spliced(&change())]),
    },
    CommitKind {
        name: "streamed",
        prepare: |ground| ground.put("a", "0123456789"),
        act: |ground, commit| commit(vec![ground.seen("a").streamed(&change())]),
    },
    CommitKind {
        name: "several",
        prepare: |ground| {
            ground.put("a", "0123456789");
            ground.put("d/b", "0123456789");
            ground.put("c", "0123456789");
            ground.put("gone", "0123456789");
            ground.put("from", "0123456789");
            fs::hard_link(ground.root.join("c"), ground.root.join("c2")).unwrap();
        },
        act: |ground, commit| {
            let (a, b, c) = (ground.seen("a"), ground.seen("d/b"), ground.seen("c"));
            let (new, last) = (ground.locate("n/e/w"), ground.locate("n/last"));
            let (gone, from) = (ground.seen("gone"), ground.seen("from"));
            let to = ground.locate("d/to");
            commit(vec![
                a.spliced(&change()),
                creation(&new, b"text"),
                c.streamed(&change()),
                gone.becomes(NewBytes::Nothing),
                from.becomes(NewBytes::MovedTo(&to)),
                b.whole(b"whole"),
                creation(&last, b"last"),
            ])
        },
    },
    CommitKind {
        name: "hard link",
        prepare: |ground| ground.put("a", "0123456789"),
        act: |ground, commit| {
            let (a, new) = (ground.seen("a"), ground.locate("n/e/w"));
            commit(vec![hard_link(&new, &a)])
        },
    },
    CommitKind {
        name: "several with a hard link",
        prepare: |ground| {
            ground.put("a", "0123456789");
            ground.put("b", "0123456789");
        },
        act: |ground, commit| {
            let (a, b) = (ground.seen("a"), ground.seen("b"));
            let (new, last) = (ground.locate("n/e/w"), ground.locate("n/last"));
            commit(vec![
                b.whole(b"whole"),
                hard_link(&new, &a),
                creation(&last, b"last"),
            ])
        },
    },
    CommitKind {
        name: "two names of a file, each a file of its own",
        prepare: |ground| {
            ground.put("a", "0123456789");
            fs::hard_link(ground.root.join("a"), ground.root.join("b")).unwrap();
        },
        act: |ground, commit| {
            let (a, b) = (ground.seen("a"), ground.seen("b"));
            let apart = |write| FileWrite {
                options: WriteOptions {
                    links: HardLinkPolicy::Break,
                    permission: OldFilePermission::NotNeeded,
                    ..WriteOptions::default()
                },
                ..write
            };
            commit(vec![apart(a.whole(b"one")), apart(b.whole(b"two"))])
        },
    },
];

/// A new name of a file.
pub(crate) fn hard_link<'a>(name: &'a Located, file: &'a Seen) -> FileWrite<'a> {
    FileWrite {
        new: NewBytes::HardLink {
            to: &file.located,
            revision: file.snapshot.revision,
        },
        ..creation(name, b"")
    }
}

/// Returns the files below the root before and after a commit without a fault.
pub(crate) fn undisturbed(kind: &CommitKind) -> (Tree, Tree) {
    let ground = Ground::in_memory();
    (kind.prepare)(&ground);
    let before = ground.tree();
    ground.refuse_what_is_lacking();
    (kind.act)(&ground, &|batch| ground.workspace.commit(batch)).unwrap();
    (before, ground.tree())
}

fn times(ground: &Ground) -> Times {
    let files = ground
        .tree()
        .into_keys()
        .map(|name| ground.root.join(name))
        .filter(|path| path.is_file());
    files
        .map(|path| {
            (
                path.clone(),
                fs::metadata(path).unwrap().modified().unwrap(),
            )
        })
        .collect()
}

/// Returns a ground after a commit whose `number`-th call failed; `None` if the commit has fewer calls.
pub(crate) fn disturbed(
    kind: &CommitKind,
    number: u64,
    error: Errno,
    lasting: FaultDuration,
) -> Option<(Ground, Outcome)> {
    let ground = Ground::in_memory();
    (kind.prepare)(&ground);
    let before = times(&ground);
    let outcome = (kind.act)(&ground, &|batch| {
        ground.disk.fail_call(number, error.raw_os_error(), lasting);
        ground.refuse_what_is_lacking();
        ground.workspace.commit(batch)
    });
    let was_hit = ground.disk.call_count() >= number;
    ground.disk.clear_faults();
    if outcome.is_err() && lasting == FaultDuration::Once {
        assert_eq!(
            times(&ground),
            before,
            "{}: call {number}: a refused write touches no file",
            kind.name
        );
    }
    was_hit.then_some((ground, outcome))
}

#[test]
fn a_fault_at_any_call_leaves_old_or_new() {
    for kind in &KINDS {
        let (before, after) = undisturbed(kind);
        assert_ne!(before, after);
        for error in [
            Errno::IO,
            Errno::NOSPC,
            Errno::PERM,
            Errno::INTR,
            Errno::INVAL,
        ] {
            let mut faults = 0;
            while let Some((ground, outcome)) =
                disturbed(kind, faults + 1, error, FaultDuration::Once)
            {
                faults += 1;
                let what = format!(
                    "{}: call {faults} fails with {error:?}: {outcome:?}",
                    kind.name
                );
                assert_eq!(
                    ground.tree(),
                    if outcome.is_ok() {
                        after.clone()
                    } else {
                        before.clone()
                    },
                    "{what}"
                );
                let kept = ground.displaced_texts();
                assert!(
                    kept.iter().all(|text| text == "0123456789"),
                    "{what}: {kept:?}"
                );
                assert!(outcome.is_ok() || kept.is_empty(), "{what}: {kept:?}");
                if outcome.is_err() {
                    (kind.act)(&ground, &|batch| ground.workspace.commit(batch))
                        .unwrap_or_else(|error| panic!("{what}; then {error}"));
                    assert_eq!(ground.tree(), after, "{what}");
                }
            }
            assert!(faults > 10, "{}: {faults}", kind.name);
        }
    }
}

/// From some call on every call fails. Each file is then whole, old or new; temporary files may be left, because they
/// cannot be removed.
#[test]
fn a_disk_that_fails_for_good_tears_no_replaced_file() {
    for kind in KINDS.iter().filter(|kind| {
        matches!(
            kind.name,
            "replace" | "create" | "streamed" | "remove" | "move"
        )
    }) {
        let (before, after) = undisturbed(kind);
        let mut faults = 0;
        while let Some((ground, outcome)) =
            disturbed(kind, faults + 1, Errno::IO, FaultDuration::FromThereOn)
        {
            faults += 1;
            let tree = ground.tree();
            let files = tree
                .iter()
                .filter(|(name, content)| content.is_some() && !name.contains(".lancet-"));
            for (name, content) in files {
                let whole = before.get(name) == Some(content) || after.get(name) == Some(content);
                assert!(whole, "{}, call {faults}: {name}: {outcome:?}", kind.name);
            }
        }
        assert!(faults > 10);
    }
}

/// If the old bytes cannot be written back, they remain stored, and the error names their path.
#[test]
fn a_rewrite_in_place_that_cannot_be_undone_says_where_the_old_bytes_are() {
    let kind = &KINDS[2];
    let (before, after) = undisturbed(kind);
    let (mut faults, mut told) = (0, 0);
    while let Some((ground, outcome)) =
        disturbed(kind, faults + 1, Errno::IO, FaultDuration::FromThereOn)
    {
        faults += 1;
        match outcome {
            Err(CommitError::Partly { standing, kept, .. }) => {
                told += 1;
                assert_eq!(standing, [0]);
                assert_eq!(kept.len(), 1);
                assert_eq!(fs::read(&kept[0]).unwrap(), b"0123456789");
            }
            Err(_) => assert_eq!(ground.tree(), before, "call {faults}"),
            Ok(_) => assert_eq!(ground.tree(), after, "call {faults}"),
        }
    }
    assert!(told > 0);
}
