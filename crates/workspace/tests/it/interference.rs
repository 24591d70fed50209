//! Another program acts right before each call of a creation or a read in turn, and opens a file that is being
//! replaced. `explorer.rs` covers the other writers of a file that is replaced.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex};

use lancet_workspace::CommitError;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::ground::{Ground, creation};

#[test]
fn a_creation_never_replaces_what_appears_meanwhile() {
    for at in 1.. {
        let ground = Ground::in_memory();
        let located = ground.locate("a");
        let path = ground.root.join("a");
        ground.disk.clear_faults();
        ground.disk.set_hook(move |call| {
            if call.number == at {
                fs::write(&path, "theirs").unwrap();
            }
        });
        let result = ground.workspace.commit(vec![creation(&located, b"ours")]);
        if ground.disk.call_count() < at {
            break;
        }
        assert_eq!(ground.text("a"), "theirs", "before call {at}: {result:?}");
        assert_eq!(ground.tree().len(), 1);
    }
}

#[test]
fn a_write_while_reading_gives_one_state_or_an_error() {
    let long: Vec<u8> = vec![b'o'; 600 * 1024];
    for at in 1.. {
        let ground = Ground::in_memory();
        ground.put("a", &long);
        let path = ground.root.join("a");
        let located = ground.locate("a");
        ground.disk.clear_faults();
        ground.disk.set_hook(move |call| {
            if call.number == at {
                fs::write(&path, vec![b't'; 600 * 1024]).unwrap();
            }
        });
        let read = located.read_snapshot(1 << 30).unwrap();
        if ground.disk.call_count() < at {
            break;
        }
        let first = read.bytes[0];
        assert!(
            read.bytes.len() == long.len() && read.bytes.iter().all(|&byte| byte == first),
            "torn at call {at}"
        );
    }
}

/// A program that opens the file for writing waits for the lease. When it gets the file, the file must have its name
/// again: on FUSE a handle that was opened under another name shows its writes late to readers of the right one.
#[test]
#[cfg(target_os = "linux")]
fn a_writer_that_waits_for_the_lease_gets_the_file_only_at_its_name() {
    for lacking in [None, Some("exchange_at")] {
        let ground = Ground::in_memory().without_patience();
        ground.put("a", "one");
        if let Some(method) = lacking {
            ground.disk.fail_method(method, Errno::INVAL.raw_os_error());
        }
        let seen = ground.seen("a");
        let tries = Arc::new(Mutex::new(Vec::new()));
        let (root, inode, all) = (
            ground.root.clone(),
            seen.snapshot.stamp.inode,
            Arc::clone(&tries),
        );
        ground.disk.set_hook(move |_| {
            let mut entries = fs::read_dir(&root).unwrap().map(Result::unwrap);
            let old = entries.find(|entry| entry.metadata().unwrap().ino() == inode);
            let path = old.unwrap().path();
            let opened = rustix::fs::open(
                &path,
                OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC,
                Mode::empty(),
            );
            let name = path.file_name().unwrap().to_owned();
            all.lock().unwrap().push((name, opened.map(drop)));
        });
        let result = ground.workspace.commit(vec![seen.whole(b"two")]);
        ground.disk.clear_hook();
        assert!(
            matches!(result, Err(CommitError::Busy { .. })),
            "{result:?}"
        );
        assert_eq!(ground.text("a"), "one");
        let tries = tries.lock().unwrap();
        let elsewhere = || tries.iter().filter(|(name, _)| name != "a");
        assert!(elsewhere().count() > 0, "the file was never away");
        for (name, opened) in elsewhere() {
            assert_eq!(*opened, Err(Errno::WOULDBLOCK), "{lacking:?}: {name:?}");
        }
    }
}
