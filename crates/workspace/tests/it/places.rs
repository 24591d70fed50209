//! A file that is a mount point, a state folder on another file system, and a workspace without a state folder.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;

use lancet_testing::judges::skipped;
use lancet_workspace::{RealDisk, Revision, Seal, Workspace};
use rustix::mount::UnmountFlags;

use crate::ground::{Ground, Seen, single};

#[test]
fn a_file_that_is_a_mount_point_is_rewritten_in_place() {
    let ground = Ground::with(&[("a", "other"), ("real", "one")]);
    let (real, at) = (ground.root.join("real"), ground.root.join("a"));
    if let Err(error) = rustix::mount::mount_bind(&real, &at) {
        return skipped(&format!("a file cannot be bind-mounted here: {error}"));
    }
    let inode = fs::metadata(&at).unwrap().ino();
    let written = ground.replace("a", "two");
    let now = (ground.text("a"), fs::metadata(&at).unwrap().ino());
    rustix::mount::unmount(&at, UnmountFlags::DETACH).unwrap();
    assert_eq!(written.unwrap().guarantee.name(), "in-place-leased");
    assert_eq!(now, ("two".to_owned(), inode));
    assert_eq!(ground.text("real"), "two");
    assert_eq!(ground.text("a"), "other");
    assert_eq!(ground.tree().len(), 2);
    assert_eq!(ground.displaced_texts(), ["one"]);
}

#[test]
fn a_state_folder_on_another_file_system_gets_a_copy() {
    let ground = Ground::with(&[("a", "one")]);
    let Ok(state) = tempfile::tempdir_in("/dev/shm") else {
        return skipped("there is no file system in memory");
    };
    let device = |path| fs::metadata(path).unwrap().dev();
    if device(state.path()) == device(&ground.root) {
        return skipped("both folders are on one file system");
    }
    let roots = [ground.root.clone()];
    let state = state.path().canonicalize().unwrap();
    let workspace = Workspace::open(&roots, Arc::new(RealDisk), Some(state.clone())).unwrap();
    let located = workspace.locate(&ground.root.join("a")).unwrap();
    let snapshot = located.read_snapshot(100).unwrap();
    let seen = Seen { located, snapshot };
    let written = single(workspace.commit(vec![seen.whole(b"two")])).unwrap();
    let displaced = written.displaced.unwrap();
    assert!(displaced.path.starts_with(&state));
    assert_eq!(fs::read(&displaced.path).unwrap(), b"one");
    assert_eq!(
        (displaced.revision, displaced.seal),
        (Revision::from_content(b"one"), Seal::Sealed)
    );
    assert_eq!((ground.text("a"), ground.tree().len()), ("two".into(), 1));
}

#[test]
fn without_a_state_folder_nothing_is_kept_and_nothing_left() {
    let ground = Ground::with(&[("a", "one")]);
    let roots = [ground.root.clone()];
    let workspace = Workspace::open(&roots, Arc::new(RealDisk), None).unwrap();
    let located = workspace.locate(&ground.root.join("a")).unwrap();
    let snapshot = located.read_snapshot(100).unwrap();
    let seen = Seen { located, snapshot };
    let written = single(workspace.commit(vec![seen.whole(b"two")])).unwrap();
    assert_eq!(written.guarantee.name(), "exchange+lease");
    assert!(written.displaced.is_none());
    assert_eq!((ground.text("a"), ground.tree().len()), ("two".into(), 1));
}
