//! Tests of the commit.

use std::path::PathBuf;

use super::*;
use crate::RealDisk;

fn open(root: &std::path::Path) -> Workspace {
    Workspace::open(
        &[root.to_owned()],
        Arc::new(RealDisk),
        Some(root.join("state")),
    )
    .unwrap()
}

#[test]
fn a_read_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("a.txt");
    std::fs::write(&path, "one\n").unwrap();
    let workspace = open(folder.path());
    let located = workspace.locate(&path).unwrap();
    let seen = located.snapshot(1 << 20).unwrap();
    let changes = [RawChange {
        range: 0..3,
        bytes: b"two".to_vec(),
    }];
    let written = workspace
        .commit(vec![Write {
            located: &located,
            expected: Expected::Content {
                revision: seen.revision,
                stamp: seen.stamp,
                bytes: Some(seen.bytes.clone()),
            },
            new: NewBytes::Spliced {
                base: &seen.bytes,
                changes: &changes,
            },
        }])
        .unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"two\n");
    assert_eq!(written[0].revision, Revision::of(b"two\n"));
    assert_eq!(written[0].guarantee, "rename");
    assert!(written[0].durable);
}
