//! What an ordinary user may not write. Root may write anything, so under root the tests run on a thread that has
//! become `nobody`: permissions belong to threads, and the thread ends with the test.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::Path;

use lancet_testing::user::{NOBODY, is_root, set_mode};
use lancet_workspace::{CommitError, ReadOnlyReason, WriteWarning};
use rustix::fs::{Gid, Uid};

use crate::ground::Ground;

pub(crate) fn as_nobody(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            if is_root() {
                let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
                rustix::thread::set_thread_groups(&[]).unwrap();
                rustix::thread::set_thread_res_gid(group, group, group).unwrap();
                rustix::thread::set_thread_res_uid(user, user, user).unwrap();
            }
            work();
        });
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Under root, gives the root, the state folder and all files to `nobody`, and lets every user enter the folder around
/// them.
pub(crate) fn give_away(ground: &Ground) {
    if !is_root() {
        return;
    }
    set_mode(&ground.around, 0o755);
    fs::create_dir_all(&ground.state).unwrap();
    for path in [&ground.root, &ground.state]
        .into_iter()
        .chain(&files(&ground.root))
    {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

#[test]
fn a_folder_without_write_permission_takes_no_new_file_but_its_own_are_rewritten() {
    let ground = Ground::with(&[("a", "one")]);
    give_away(&ground);
    set_mode(&ground.root, 0o555);
    as_nobody(|| {
        // The file itself may be written, though no file can be created next to it.
        let written = ground.replace("a", "one and a half").unwrap();
        assert_eq!(written.guarantee.name(), "in-place-leased");
        for name in ["new", "d/new"] {
            let refused = ground.create(name, "two");
            assert!(
                matches!(
                    refused,
                    Err(CommitError::ReadOnly {
                        reason: ReadOnlyReason::Folder,
                        ..
                    })
                ),
                "{refused:?}"
            );
        }
    });
    assert_eq!(ground.text("a"), "one and a half");
    assert_eq!(ground.tree().len(), 1);
    set_mode(&ground.root, 0o755);
    as_nobody(|| {
        assert_eq!(
            ground.replace("a", "two").unwrap().guarantee.name(),
            "exchange+lease"
        )
    });
    assert_eq!(ground.text("a"), "two");
}

#[test]
fn a_file_without_write_permission_is_refused_though_its_folder_has_it() {
    let ground = Ground::with(&[("own", "one"), ("roots", "one")]);
    give_away(&ground);
    if is_root() {
        chown(ground.root.join("roots"), Some(0), Some(0)).unwrap();
    }
    set_mode(ground.root.join("own"), 0o466);
    set_mode(ground.root.join("roots"), 0o444);
    as_nobody(|| {
        for name in ["own", "roots"] {
            let refused = ground.replace(name, "two");
            assert!(
                matches!(
                    refused,
                    Err(CommitError::ReadOnly {
                        reason: ReadOnlyReason::File,
                        ..
                    })
                ),
                "{refused:?}"
            );
            assert_eq!(ground.text(name), "one");
        }
    });
    assert_eq!(ground.tree().len(), 2);
}

#[test]
fn a_file_of_another_owner_is_rewritten_in_place_and_stays_theirs() {
    if !is_root() {
        return;
    }
    let ground = Ground::with(&[("theirs", "one")]);
    give_away(&ground);
    let path = ground.root.join("theirs");
    chown(&path, Some(0), Some(0)).unwrap();
    set_mode(&path, 0o666);
    as_nobody(|| {
        assert_eq!(
            ground.replace("theirs", "two").unwrap().guarantee.name(),
            "in-place"
        )
    });
    assert_eq!(ground.text("theirs"), "two");
    let now = fs::metadata(&path).unwrap();
    assert_eq!((now.uid(), now.mode() & 0o777), (0, 0o666));
    assert_eq!(ground.tree().len(), 1);
}

#[test]
fn what_may_not_be_read_is_the_systems_error() {
    let ground = Ground::with(&[("shut", "SECRET"), ("d/in", "SECRET")]);
    give_away(&ground);
    set_mode(ground.root.join("shut"), 0o000);
    set_mode(ground.root.join("d"), 0o000);
    as_nobody(|| {
        let read = ground.locate("shut").read_snapshot(100);
        let Err(lancet_workspace::ReadError::Io(error)) = read else {
            panic!("{read:?}")
        };
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
        let found = ground.workspace.locate(&ground.root.join("d/in"));
        let Err(lancet_workspace::LocateError::Io(error)) = found else {
            panic!("{found:?}")
        };
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    });
    set_mode(ground.root.join("d"), 0o755);
}

#[test]
fn a_folder_that_may_be_entered_but_not_listed_serves() {
    let ground = Ground::with(&[("d/in", "one")]);
    give_away(&ground);
    let folder = ground.root.join("d");
    if is_root() {
        chown(folder.join("in"), Some(NOBODY), Some(NOBODY)).unwrap();
        chown(&folder, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    set_mode(&folder, 0o300);
    as_nobody(|| {
        let written = ground.replace("d/in", "two").unwrap();
        assert_eq!(written.guarantee.name(), "exchange+lease");
        assert!(
            !written.durable,
            "a folder that cannot be opened for reading cannot be flushed"
        );
    });
    set_mode(&folder, 0o755);
    assert_eq!(ground.text("d/in"), "two");
    assert_eq!(ground.tree().len(), 2);
}

#[test]
fn a_state_folder_that_cannot_be_made_is_told_and_nothing_is_written() {
    let ground = Ground::with(&[("a", "one")]);
    give_away(&ground);
    if is_root() {
        chown(&ground.state, Some(0), Some(0)).unwrap();
    }
    fs::create_dir_all(&ground.state).unwrap();
    set_mode(&ground.state, 0o555);
    as_nobody(|| {
        let refused = ground.replace("a", "two");
        assert!(
            matches!(
                refused,
                Err(CommitError::Io {
                    step: "state folder",
                    ..
                })
            ),
            "{refused:?}"
        );
    });
    set_mode(&ground.state, 0o755);
    assert_eq!(ground.text("a"), "one");
}

/// Only the administrator may set capabilities: the new file of an ordinary user lacks them, and a warning says so.
#[test]
fn attributes_that_are_not_ours_to_set_are_told() {
    let ground = Ground::with(&[("a", "one")]);
    give_away(&ground);
    // The capability to bind low ports, in version 2 of the binary form.
    let capability = [1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let path = ground.root.join("a");
    let set = rustix::fs::setxattr(
        &path,
        "security.capability",
        &capability,
        rustix::fs::XattrFlags::empty(),
    );
    if set.is_err() || !is_root() {
        return lancet_testing::judges::skipped("only root can give a file capabilities");
    }
    as_nobody(|| {
        let written = ground.replace("a", "two").unwrap();
        assert!(
            written.warnings.contains(&WriteWarning::AttributesLost),
            "{:?}",
            written.warnings
        );
    });
    assert_eq!(ground.text("a"), "two");
}
