//! What a commit refuses, and that the file is the same afterwards.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use lancet_text::RawChange;
use lancet_workspace::{
    CommitError, ExpectedState, FileType, FileWrite, NewBytes, ReadOnlyReason, WriteOptions,
};

use crate::ground::{Ground, creation};

#[test]
fn any_other_content_is_changed_and_the_same_content_is_not() {
    let ground = Ground::with(&[("a", "one\n")]);
    let path = ground.root.join("a");
    let seen = ground.seen("a");
    let old_times = fs::metadata(&path).unwrap().modified().unwrap();
    for other in ["two\n", "longer\n", ""] {
        fs::write(&path, other).unwrap();
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(old_times)
            .unwrap();
        let refused = ground.workspace.commit(vec![seen.whole(b"mine")]);
        assert!(
            matches!(refused, Err(CommitError::Changed { index: 0 })),
            "{refused:?}"
        );
        assert_eq!(ground.text("a"), other);
    }
    // The file is replaced by one with the same bytes: its content is still the one that was read.
    fs::remove_file(&path).unwrap();
    fs::write(&path, "one\n").unwrap();
    ground.workspace.commit(vec![seen.whole(b"mine")]).unwrap();
    assert_eq!(ground.text("a"), "mine");
}

#[test]
fn a_file_that_went_or_became_something_else_is_changed() {
    let ground = Ground::with(&[("a", "SECRET\n")]);
    let outside = ground.around.join("out.txt");
    fs::write(&outside, "SECRET\n").unwrap();
    let path = ground.root.join("a");
    let seen = ground.seen("a");
    let turns: [&dyn Fn(); 4] = [
        &|| {},
        &|| symlink(&outside, &path).unwrap(),
        &|| rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o666.into()).unwrap(),
        &|| fs::create_dir(&path).unwrap(),
    ];
    for turn in turns {
        let _ = fs::remove_file(&path);
        turn();
        let refused = ground.workspace.commit(vec![seen.whole(b"mine")]);
        assert!(
            matches!(refused, Err(CommitError::Changed { .. })),
            "{refused:?}"
        );
        let streamed = ground.workspace.commit(vec![seen.streamed(&[])]);
        assert!(
            matches!(streamed, Err(CommitError::Changed { .. })),
            "{streamed:?}"
        );
    }
    assert_eq!(fs::read(&outside).unwrap(), b"SECRET\n");
    assert_eq!(ground.tree().len(), 1);
}

#[test]
fn a_creation_replaces_nothing() {
    let ground = Ground::new();
    let located = ground.locate("new/a.txt");
    assert_eq!(located.kind(), FileType::Missing);
    ground.put("new/a.txt", "theirs");
    let refused = ground.workspace.commit(vec![creation(&located, b"mine")]);
    assert!(
        matches!(refused, Err(CommitError::Exists { index: 0 })),
        "{refused:?}"
    );
    let located = ground.locate("new/a.txt");
    let refused = ground.workspace.commit(vec![creation(&located, b"mine")]);
    assert!(
        matches!(refused, Err(CommitError::Exists { index: 0 })),
        "{refused:?}"
    );
    // A creation does not replace a dangling link either.
    let located = ground.locate("l.txt");
    symlink(ground.around.join("new.txt"), ground.root.join("l.txt")).unwrap();
    let refused = ground.workspace.commit(vec![creation(&located, b"mine")]);
    assert!(
        matches!(refused, Err(CommitError::Exists { index: 0 })),
        "{refused:?}"
    );
    assert!(!ground.around.join("new.txt").exists());
    assert_eq!(ground.text("new/a.txt"), "theirs");
}

#[test]
fn a_folder_that_became_a_link_is_not_written_through() {
    let ground = Ground::new();
    fs::create_dir(ground.around.join("away")).unwrap();
    let located = ground.locate("new/er/a.txt");
    symlink(ground.around.join("away"), ground.root.join("new")).unwrap();
    let refused = ground.workspace.commit(vec![creation(&located, b"mine")]);
    assert!(
        matches!(refused, Err(CommitError::Io { .. })),
        "{refused:?}"
    );
    assert_eq!(fs::read_dir(ground.around.join("away")).unwrap().count(), 0);
    assert!(ground.root.join("new").is_symlink());
}

#[test]
fn a_file_without_any_write_bit_is_refused_and_keeps_its_mode() {
    let ground = Ground::with(&[("a", "one")]);
    fs::set_permissions(ground.root.join("a"), fs::Permissions::from_mode(0o444)).unwrap();
    let refused = ground.replace("a", "two");
    assert!(
        matches!(
            refused,
            Err(CommitError::ReadOnly {
                index: 0,
                reason: ReadOnlyReason::File
            })
        ),
        "{refused:?}"
    );
    assert_eq!(ground.text("a"), "one");
    assert_eq!(
        fs::metadata(ground.root.join("a")).unwrap().mode() & 0o7777,
        0o444
    );
}

#[test]
fn changes_out_of_order_or_out_of_the_file_are_refused() {
    let ground = Ground::with(&[("a", "0123456789")]);
    let change = |range: std::ops::Range<u64>| RawChange {
        range,
        bytes: b"x".to_vec(),
    };
    let seen = ground.seen("a");
    #[allow(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let wrong = [
        vec![change(4..6), change(2..3)],
        vec![change(2..5), change(4..6)],
        vec![change(9..11)],
        vec![change(5..3)],
    ];
    for changes in wrong {
        for write in [seen.spliced(&changes), seen.streamed(&changes)] {
            let refused = ground.workspace.commit(vec![write]);
            assert!(
                matches!(refused, Err(CommitError::Io { .. })),
                "{changes:?}: {refused:?}"
            );
        }
    }
    let located = ground.locate("new");
    let nothing = FileWrite {
        located: &located,
        expected: ExpectedState::Missing,
        new: NewBytes::Streamed { changes: &[] },
        revision: None,
        options: WriteOptions::default(),
    };
    assert!(matches!(
        ground.workspace.commit(vec![nothing]),
        Err(CommitError::Io { .. })
    ));
    assert_eq!(ground.tree().len(), 1);
    assert_eq!(ground.text("a"), "0123456789");
}

#[test]
fn a_file_being_written_by_somebody_else_is_busy() {
    use std::os::fd::AsFd as _;
    let ground = Ground::with(&[("a", "one")]);
    // A lock through another handle simulates that of another process.
    let held = fs::File::open(&ground.root).unwrap();
    rustix::fs::flock(held.as_fd(), rustix::fs::FlockOperation::LockExclusive).unwrap();
    let Ground { workspace, .. } = &ground;
    let patience = std::time::Duration::from_millis(30);
    let hasty = lancet_workspace::Workspace::open(
        workspace.roots(),
        ground.disk.clone(),
        Some(ground.state.clone()),
    )
    .unwrap()
    .with_patience(patience);
    let seen = ground.seen("a");
    let refused = hasty.commit(vec![seen.whole(b"three")]);
    assert!(
        matches!(refused, Err(CommitError::Busy { waited, .. }) if waited == patience),
        "{refused:?}"
    );
    assert_eq!((ground.text("a").as_str(), ground.tree().len()), ("one", 1));
    drop(held);
    hasty.commit(vec![seen.whole(b"three")]).unwrap();
    assert_eq!(ground.text("a"), "three");
}

/// A lease detects a program that has the file open for writing or mapped, even if it has not written yet.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_somebody_has_open_for_writing_is_busy() {
    let ground = Ground::with(&[("a", "one")]);
    let theirs = fs::File::options()
        .write(true)
        .open(ground.root.join("a"))
        .unwrap();
    let refused = ground.replace("a", "two");
    assert!(
        matches!(refused, Err(CommitError::Busy { index: 0, .. })),
        "{refused:?}"
    );
    assert_eq!((ground.text("a").as_str(), ground.tree().len()), ("one", 1));
    drop(theirs);
    ground.replace("a", "two").unwrap();
    // A reader does not prevent the write.
    let _theirs = fs::File::open(ground.root.join("a")).unwrap();
    ground.replace("a", "three").unwrap();
    assert_eq!(ground.text("a"), "three");
}
