//! Temporary files that no journal entry names, files of the kernel's virtual file systems, and names on Windows file
//! systems.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use lancet_workspace::{FileSystemKind, FileType, LocateError, RealDisk, Workspace};

use crate::ground::Ground;

fn age(path: &Path) {
    let then = SystemTime::now() - Duration::from_secs(3 * 24 * 3600);
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(then).unwrap();
}

/// The modification time of the file is old, but not its change time, which a program cannot set: the file counts as
/// new.
#[test]
fn a_temporary_file_that_is_not_old_stays() {
    let ground = Ground::with(&[("a", "one")]);
    let left = ground.root.join(".lancet-0123456789abcdef.tmp");
    fs::write(&left, "left").unwrap();
    age(&left);
    ground.replace("a", "two").unwrap();
    assert_eq!(fs::read_to_string(&left).unwrap(), "left");
}

#[test]
fn an_abandoned_temporary_file_of_ours_is_displaced_and_others_are_not() {
    let ground = Ground::with(&[("a", "one")]);
    let names = [
        ".lancet-0123456789abcdef.tmp",
        ".lancet-0123456789abcdef.tmp.old",
        ".lancet-notes.tmp",
    ];
    for name in names {
        fs::write(ground.root.join(name), name).unwrap();
    }
    let foreign = ground.root.join(".lancet-fedcba9876543210.tmp");
    fs::write(&foreign, "foreign").unwrap();
    let is_root = std::os::unix::fs::chown(&foreign, Some(65534), Some(65534)).is_ok();
    ground.disk.set_clock_ahead(2 * 24 * 3600);
    ground.replace("a", "two").unwrap();
    assert_eq!(ground.text("a"), "two");
    let gone = |name: &str| !ground.root.join(name).exists();
    assert!(gone(names[0]) && gone(names[1]) && !gone(names[2]));
    assert_eq!(foreign.exists(), is_root);
    let mut kept = ground.displaced_texts();
    kept.sort();
    assert!(kept.contains(&names[0].to_owned()), "{kept:?}");
    assert!(kept.contains(&names[1].to_owned()), "{kept:?}");
}

/// The second commit locks the folder of the first one and another; only the other is listed.
#[test]
fn a_folder_is_swept_once() {
    let ground = Ground::with(&[("a", "one"), ("sub/b", "one")]);
    ground.replace("a", "two").unwrap();
    let left = [
        ".lancet-0123456789abcdef.tmp",
        "sub/.lancet-0123456789abcdef.tmp",
    ];
    for name in left {
        fs::write(ground.root.join(name), "left").unwrap();
    }
    ground.disk.set_clock_ahead(2 * 24 * 3600);
    let (a, b) = (ground.seen("a"), ground.seen("sub/b"));
    let both = vec![a.whole(b"three"), b.whole(b"three")];
    ground.workspace.commit(both).unwrap();
    assert_eq!(
        (ground.text("a"), ground.text("sub/b")),
        ("three".into(), "three".into())
    );
    assert!(ground.root.join(left[0]).exists(), "swept before");
    assert!(!ground.root.join(left[1]).exists(), "swept now");
}

#[test]
#[allow(clippy::print_stdout, reason = "a skipped part says why")]
fn files_that_the_kernel_makes_up_are_no_files() {
    for (root, name) in [
        ("/proc/sys/kernel", "ostype"),
        ("/sys/kernel", "uevent_seqnum"),
    ] {
        if !Path::new(root).join(name).exists() {
            println!("skipped: there is no {root}/{name}");
            continue;
        }
        let workspace =
            Workspace::open(&[root.into()], std::sync::Arc::new(RealDisk), None).unwrap();
        let located = workspace.locate(&Path::new(root).join(name)).unwrap();
        assert!(
            matches!(located.kind(), FileType::Special(_)),
            "{root}/{name}"
        );
    }
}

#[test]
fn on_a_drive_of_windows_its_aliases_are_refused() {
    let ground = Ground::with(&[("a", "one")]);
    let locate = |name: &str| ground.workspace.locate(&ground.root.join(name));
    for name in ["git~1/config", "a:stream", "aux.c", "sub./x"] {
        assert!(locate(name).is_ok(), "{name} is a name like any other here");
    }
    let ground = Ground::with(&[("a", "one")]);
    ground.disk.pretend_kind(FileSystemKind::Windows);
    let locate = |name: &str| ground.workspace.locate(&ground.root.join(name));
    for name in ["git~1/config", "a:stream", "aux.c", "sub./x"] {
        assert!(
            matches!(locate(name), Err(LocateError::BadName(_))),
            "{name}"
        );
    }
    assert!(locate("a").is_ok() && locate("new/b.txt").is_ok());
}
