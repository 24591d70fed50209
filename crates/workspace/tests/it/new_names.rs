//! New names: hard links, of files that no other program has written since, and names that something else has or is in
//! the way of.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, symlink};
use std::path::Path;

use lancet_workspace::{CommitError, FileType, FileWrite, NewBytes, WriteOptions, WriteWarning};

use crate::faults::hard_link;
use crate::ground::{Ground, creation, single};

const OLD: &str = "old bytes\n";

/// What another program does to a file.
type ForeignAct = (&'static str, fn(&Path));

const FOREIGN_ACTS: [ForeignAct; 3] = [
    ("written", |path| {
        // Where a lease protects the file, the program would have to wait for the commit.
        let nonblock = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let mut options = OpenOptions::new();
        options.write(true).truncate(true).custom_flags(nonblock);
        if let Ok(mut file) = options.open(path) {
            file.write_all(b"their bytes\n").unwrap();
        }
    }),
    ("replaced", |path| {
        let beside = path.with_file_name("beside");
        fs::write(&beside, "their bytes\n").unwrap();
        fs::rename(beside, path).unwrap();
    }),
    ("replaced by an equal file", |path| {
        let beside = path.with_file_name("beside");
        fs::write(&beside, OLD).unwrap();
        fs::rename(beside, path).unwrap();
    }),
];

#[test]
fn a_hard_link_has_the_inode_of_the_file() {
    let ground = Ground::with(&[("a", OLD)]);
    let (a, new) = (ground.seen("a"), ground.locate("n/new"));
    let written = single(ground.workspace.commit(vec![hard_link(&new, &a)])).unwrap();
    let (file, link) = ["a", "n/new"]
        .map(|name| fs::metadata(ground.root.join(name)).unwrap())
        .into();
    assert_eq!((file.ino(), file.nlink()), (link.ino(), 2));
    assert_eq!(written.stamp.inode, file.ino());
    assert_eq!(written.created_folders, [ground.root.join("n")]);
    assert_eq!(file.mtime(), a.snapshot.stamp.mtime.0);
}

#[test]
fn a_file_that_another_program_changes_before_any_call_gets_no_new_name() {
    for (name, act) in FOREIGN_ACTS {
        for number in 1.. {
            let ground = Ground::with(&[("a", OLD)]).without_patience();
            let (a, new) = (ground.seen("a"), ground.locate("new"));
            let begun = ground.disk.call_count();
            let path = ground.root.join("a");
            ground.disk.set_hook(move |call| {
                // Before the link is made: afterwards both names are of one file.
                if call.number - begun == number {
                    act(&path);
                }
            });
            let outcome = ground.workspace.commit(vec![hard_link(&new, &a)]);
            ground.disk.clear_hook();
            if ground.disk.call_count() - begun < number {
                break;
            }
            let what = format!("{name} before call {number}: {outcome:?}");
            let linked = ground.root.join("new");
            if outcome.is_err() {
                assert!(!linked.exists(), "{what}");
            } else if name == "written" {
                // The file was written after it had got its new name.
                assert_eq!(ground.text("a"), ground.text("new"), "{what}");
            } else {
                assert_eq!(ground.text("new"), OLD, "{what}");
            }
        }
    }
}

#[test]
fn a_name_that_is_taken_is_not_linked() {
    let ground = Ground::with(&[("a", OLD), ("b", "theirs")]);
    let a = ground.seen("a");
    let b = ground
        .workspace
        .locate_as_free(&ground.root.join("b"))
        .unwrap();
    let refused = ground.workspace.commit(vec![hard_link(&b, &a)]);
    assert!(
        matches!(refused, Err(CommitError::Exists { index: 0 })),
        "{refused:?}"
    );
    assert_eq!(ground.text("b"), "theirs");
}

#[test]
fn a_name_below_a_file_or_a_link_is_free_once_that_is_gone() {
    let ground = Ground::with(&[("file", OLD), ("folder/x", OLD), ("full/y", OLD)]);
    symlink("folder", ground.root.join("link")).unwrap();
    let locate = |name: &str| {
        ground
            .workspace
            .locate_as_free(&ground.root.join(name))
            .unwrap()
    };
    let names = ["file/d/a", "link/x", "full"];
    let before = ground.tree();
    for name in names {
        let located = locate(name);
        assert_eq!(located.kind(), FileType::Missing, "{name}");
        assert_eq!(
            located.path(),
            ground.root.join(name),
            "no link is followed"
        );
        let refused = ground.workspace.commit(vec![creation(&located, b"new")]);
        assert!(refused.is_err(), "{name}: {refused:?}");
        assert_eq!(ground.tree(), before, "{name}");
    }
    let located = names.map(locate);
    fs::remove_file(ground.root.join("file")).unwrap();
    fs::remove_file(ground.root.join("link")).unwrap();
    fs::remove_dir_all(ground.root.join("full")).unwrap();
    let writes = located.iter().map(|located| creation(located, b"new"));
    ground.workspace.commit(writes.collect()).unwrap();
    assert_eq!(names.map(|name| ground.text(name)), ["new"; 3]);
    assert_eq!(ground.text("folder/x"), OLD);
}

#[test]
fn a_new_file_belongs_to_the_wanted_owner_or_that_is_reported() {
    let ground = Ground::new();
    let new = ground.locate("new");
    let write = |owner| FileWrite {
        options: WriteOptions {
            mode: Some(0o4755),
            owner: Some(owner),
            ..WriteOptions::default()
        },
        new: NewBytes::Whole(b"text"),
        ..creation(&new, b"")
    };
    let own = rustix::process::geteuid().as_raw();
    let written = single(ground.workspace.commit(vec![write((1234, 2345))])).unwrap();
    let found = fs::metadata(ground.root.join("new")).unwrap();
    let is_lost = written.warnings.contains(&WriteWarning::OwnerLost);
    if own == 0 {
        assert_eq!((found.uid(), found.gid(), is_lost), (1234, 2345, false));
        assert_eq!(found.mode() & 0o7777, 0o4755);
    } else {
        assert_eq!((found.uid(), is_lost), (own, true));
        assert_eq!(
            found.mode() & 0o7777,
            0o755,
            "it does not act in this user's name"
        );
    }
}
