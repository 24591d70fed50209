//! Several threads and several processes increment a number in one file: every successful write must be in the sum.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use lancet_workspace::{
    CommitError, ExpectedState, FileWrite, NewBytes, RealDisk, Workspace, WriteOptions,
};

const TIMES: u64 = 40;

fn count_up(workspace: &Workspace, path: &Path, times: u64) {
    let mut done = 0;
    while done < times {
        let located = workspace.locate(path).unwrap();
        let seen = located.read_snapshot(100).unwrap();
        let count: u64 = std::str::from_utf8(&seen.bytes)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        let new = format!("{}\n", count + 1);
        let expected = ExpectedState::Content {
            revision: seen.revision,
            stamp: seen.stamp,
            bytes: Some(seen.bytes),
        };
        match workspace.commit(vec![FileWrite {
            located: &located,
            expected,
            new: NewBytes::Whole(new.as_bytes()),
            revision: None,
            options: WriteOptions::default(),
        }]) {
            Ok(_) => done += 1,
            // Busy: another process or thread has the file open or holds the lease at this moment.
            Err(CommitError::Changed { .. } | CommitError::Busy { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn open(folder: &Path) -> Workspace {
    Workspace::open(
        &[folder.join("root")],
        Arc::new(RealDisk),
        Some(folder.join("state")),
    )
    .unwrap()
}

/// The other processes run this same test; an environment variable contains the folder to count in.
#[test]
fn counted_by_threads_and_processes_nothing_is_lost() {
    if let Some(folder) = std::env::var_os("LANCET_TEST_COUNT_IN") {
        let folder = Path::new(&folder);
        return count_up(&open(folder), &folder.join("root/count.txt"), TIMES);
    }
    for names in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("root/count.txt");
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(&path, "0\n").unwrap();
        if names == 2 {
            fs::hard_link(&path, path.with_file_name("twin.txt")).unwrap();
        }
        let mut children: Vec<_> = (0..2)
            .map(|_| {
                Command::new(std::env::current_exe().unwrap())
                    .args([
                        "--exact",
                        "counting::counted_by_threads_and_processes_nothing_is_lost",
                    ])
                    .env("LANCET_TEST_COUNT_IN", folder.path())
                    .stdout(std::process::Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let workspace = open(folder.path());
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| count_up(&workspace, &path, TIMES));
            }
        });
        for child in &mut children {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!("{}\n", 4 * TIMES)
        );
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), names);
    }
}
