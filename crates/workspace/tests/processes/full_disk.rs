//! Writes to a full disk: a small file system in memory, mounted for the test if this process may mount.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use lancet_testing::folder::names;
use lancet_testing::small_disk::SmallDisk;
use lancet_workspace::{
    CommitError, ExpectedState, FileWrite, NewBytes, RealDisk, Workspace, WriteOptions,
};

fn commit(workspace: &Workspace, path: &Path, new: &[u8]) -> Result<(), CommitError> {
    let located = workspace.locate(path).unwrap();
    let expected = match located.read_snapshot(1 << 30) {
        Ok(seen) => ExpectedState::Content {
            revision: seen.revision,
            stamp: seen.stamp,
            bytes: Some(seen.bytes),
        },
        Err(_) => ExpectedState::Missing,
    };
    workspace
        .commit(vec![FileWrite {
            located: &located,
            expected,
            new: NewBytes::Whole(new),
            revision: None,
            options: WriteOptions::default(),
        }])
        .map(|_| ())
}

#[track_caller]
fn is_full(result: Result<(), CommitError>) {
    match result {
        Err(CommitError::Io { source, .. }) => {
            assert_eq!(source.kind(), std::io::ErrorKind::StorageFull);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_room_the_file_stays_and_nothing_is_left() {
    let Some(disk) = SmallDisk::mount(1024) else {
        return;
    };
    let state = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(
        std::slice::from_ref(&disk.at),
        Arc::new(RealDisk),
        Some(state.path().to_owned()),
    )
    .unwrap();
    let old = vec![b'o'; 700 * 1024];
    let file = disk.at.join("large.txt");
    fs::write(&file, &old).unwrap();

    let new = vec![b'n'; 700 * 1024];
    is_full(commit(&workspace, &file, &new));
    assert!(fs::read(&file).unwrap() == old);
    is_full(commit(&workspace, &disk.at.join("d/new.txt"), &new));
    assert_eq!(names(&disk.at), ["large.txt"]);

    // A rewrite in place has space for as many bytes as before and no more.
    fs::hard_link(&file, disk.at.join("twin.txt")).unwrap();
    is_full(commit(&workspace, &file, &vec![b'n'; 1500 * 1024]));
    assert!(fs::read(&file).unwrap() == old);
    commit(&workspace, &file, &new).unwrap();
    assert!(fs::read(disk.at.join("twin.txt")).unwrap() == new);
    assert_eq!(names(&disk.at), ["large.txt", "twin.txt"]);

    commit(&workspace, &disk.at.join("small.txt"), b"fits").unwrap();
    assert_eq!(names(&disk.at), ["large.txt", "small.txt", "twin.txt"]);
}

#[test]
fn a_state_folder_without_room_refuses_the_rewrite_in_place() {
    let Some(disk) = SmallDisk::mount(1024) else {
        return;
    };
    let root = tempfile::tempdir().unwrap();
    let file = root.path().canonicalize().unwrap().join("a.txt");
    let old = vec![b'o'; 2 << 20];
    fs::write(&file, &old).unwrap();
    fs::hard_link(&file, file.with_file_name("b.txt")).unwrap();
    let workspace = Workspace::open(
        &[root.path().to_owned()],
        Arc::new(RealDisk),
        Some(disk.at.join("state")),
    )
    .unwrap();
    is_full(commit(&workspace, &file, b"new"));
    assert!(fs::read(&file).unwrap() == old);
    assert_eq!(names(&disk.at.join("state/displaced")), [""; 0]);
}

/// Each method, with a file that takes most of the disk: the old bytes stay, and no space is used up.
#[test]
fn no_rung_damages_a_file_on_a_full_disk() {
    use lancet_workspace::{FaultyDisk, WriteStrategy};
    use rustix::io::Errno;
    type Lacks = &'static [(&'static str, Errno)];
    let rungs: [(&str, Lacks, WriteStrategy); 5] = [
        ("exchange+lease", &[], WriteStrategy::Auto),
        (
            "exchange",
            &[("take_lease", Errno::ACCESS)],
            WriteStrategy::Auto,
        ),
        (
            "aside",
            &[("exchange_at", Errno::INVAL)],
            WriteStrategy::Auto,
        ),
        ("in-place-leased", &[], WriteStrategy::InPlace),
        (
            "in-place",
            &[("take_lease", Errno::ACCESS)],
            WriteStrategy::InPlace,
        ),
    ];
    let mut refused = Vec::new();
    for (name, lacks, strategy) in rungs {
        // The state folder is on the small disk, or on one with enough space.
        for beside in [true, false] {
            let Some(small) = SmallDisk::mount(1024) else {
                return;
            };
            let elsewhere = tempfile::tempdir().unwrap();
            let root = small.at.join("root");
            fs::create_dir(&root).unwrap();
            let state = match beside {
                true => small.at.join("state"),
                false => elsewhere.path().canonicalize().unwrap(),
            };
            let disk = Arc::new(FaultyDisk::new());
            for (method, error) in lacks {
                disk.fail_method(method, error.raw_os_error());
            }
            let workspace =
                Workspace::open(std::slice::from_ref(&root), disk, Some(state.clone())).unwrap();
            let old: Vec<u8> = (0..700 * 1024).map(|at| (at % 251) as u8).collect();
            let file = root.join("large.txt");
            fs::write(&file, &old).unwrap();
            let located = workspace.locate(&file).unwrap();
            let seen = located.read_snapshot(1 << 30).unwrap();
            let free = || rustix::fs::statvfs(&small.at).unwrap().f_bavail;
            let before = free();
            let result = workspace.commit(vec![FileWrite {
                located: &located,
                expected: ExpectedState::Content {
                    revision: seen.revision,
                    stamp: seen.stamp,
                    bytes: Some(seen.bytes),
                },
                new: NewBytes::Whole(&vec![b'n'; 1100 * 1024]),
                revision: None,
                options: WriteOptions {
                    strategy,
                    ..WriteOptions::default()
                },
            }]);
            is_full(result.map(|_| ()));
            assert!(fs::read(&file).unwrap() == old, "{name}");
            assert_eq!(names(&root), ["large.txt"], "{name}");
            let kept = fs::read_dir(state.join("displaced")).map_or(0, Iterator::count);
            assert_eq!(kept, 0, "{name}");
            // The journal may take a page or two.
            assert!(before - free() <= 4, "{name}: {} pages", before - free());
            refused.push(name);
        }
    }
    lancet_testing::judges::figure(
        8,
        &format!(
            "1 MB tmpfs, 700 KB file, {} rungs, state folder beside it and elsewhere: no space told, byte-identical in {} of {}",
            rungs.len(),
            refused.len(),
            2 * rungs.len()
        ),
    );
}
