//! Whole, spliced and streamed writes give the same bytes, and a streamed write checks the content that it is based on.

use std::fs;

use lancet_text::{RawChange, apply_raw};
use lancet_workspace::{CommitError, KnownContent, Revision};
use proptest::prelude::*;

use crate::ground::{Ground, single};

/// Files whose sizes are near those at which reading and writing take several calls, and changes of them.
fn file_and_changes() -> impl Strategy<Value = (Vec<u8>, Vec<RawChange>)> {
    let length = prop_oneof![
        0..40_usize,
        262_100..262_200_usize,
        1_048_500..1_048_700_usize
    ];
    (length, any::<u8>()).prop_flat_map(|(length, seed)| {
        let borders = prop::collection::vec(0..=length as u64, 0..12);
        let text = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 6);
        (borders, text).prop_map(move |(mut borders, text)| {
            borders.sort_unstable();
            let file: Vec<u8> = (0..length)
                .map(|at| (at as u8).wrapping_mul(31) ^ seed ^ (at >> 8) as u8)
                .collect();
            let changes = borders
                .chunks_exact(2)
                .zip(text)
                .map(|(border, bytes)| RawChange {
                    range: border[0]..border[1],
                    bytes,
                })
                .collect();
            (file, changes)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn three_ways_give_the_same_file((file, changes) in file_and_changes()) {
        let expected = apply_raw(&file, &changes);
        let ground = Ground::in_memory();
        for names in [1, 2] {
            for way in 0..3 {
                ground.put("a", &file);
                if names == 2 && way == 0 {
                    fs::hard_link(ground.root.join("a"), ground.root.join("b")).unwrap();
                }
                let seen = ground.seen("a");
                let write = match way {
                    0 => seen.whole(&expected),
                    1 => seen.spliced(&changes),
                    _ => seen.streamed(&changes),
                };
                let written = single(ground.workspace.commit(vec![write])).unwrap();
                prop_assert!(fs::read(ground.root.join("a")).unwrap() == expected, "way {way}, {names} names");
                prop_assert_eq!(written.revision, Revision::from_content(&expected));
                prop_assert_eq!(written.stamp.size, expected.len() as u64);
            }
        }
    }
}

#[test]
fn a_streamed_write_over_other_bytes_is_refused_whatever_the_stamp_says() {
    let ground = Ground::new();
    let old = vec![b'o'; 3 << 20];
    ground.put("a", &old);
    let mut seen = ground.seen("a");
    let mut other = old.clone();
    other[2_000_000] = b'x';
    ground.put("a", &other);
    // The stamp is the one of the changed file, as if nothing had changed since.
    seen.snapshot.stamp = ground.locate("a").stat().unwrap();
    seen.snapshot.stamp.taken.0 += 100;
    let changes = [RawChange {
        range: 0..1,
        bytes: b"n".to_vec(),
    }];
    let refused = ground.workspace.commit(vec![seen.streamed(&changes)]);
    assert!(
        matches!(refused, Err(CommitError::Changed { index: 0 })),
        "{refused:?}"
    );
    assert!(fs::read(ground.root.join("a")).unwrap() == other);
    assert_eq!(ground.tree().len(), 1);
}

#[test]
fn a_file_is_unchanged_as_long_as_its_bytes_are() {
    let ground = Ground::with(&[("a", "one\n")]);
    let path = ground.root.join("a");
    let seen = ground.seen("a");
    let (stamp, revision) = (
        seen.snapshot.stamp,
        KnownContent::Revision(seen.snapshot.revision),
    );
    assert!(stamp.is_racy(), "just written");
    let located = &seen.located;
    assert!(
        located
            .check_unchanged_since(&stamp, revision)
            .unwrap()
            .is_some()
    );
    // The file has the same bytes and a new stamp.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(later)
        .unwrap();
    let now = located
        .check_unchanged_since(&stamp, KnownContent::Bytes(b"one\n"))
        .unwrap()
        .unwrap();
    assert_ne!(now.mtime, stamp.mtime);
    fs::write(&path, "two\n").unwrap();
    for known in [revision, KnownContent::Bytes(b"one\n")] {
        assert!(
            located
                .check_unchanged_since(&stamp, known)
                .unwrap()
                .is_none()
        );
    }
    fs::remove_file(&path).unwrap();
    assert!(
        located
            .check_unchanged_since(&stamp, revision)
            .unwrap()
            .is_none()
    );
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
    assert!(
        located
            .check_unchanged_since(&stamp, revision)
            .unwrap()
            .is_none()
    );
}

#[test]
fn a_stamp_that_proves_it_saves_the_reading() {
    let ground = Ground::with(&[("a", "one\n")]);
    let mut stamp = ground.seen("a").snapshot.stamp;
    stamp.taken.0 += 100;
    let located = ground.locate("a");
    ground.disk.clear_faults();
    assert!(
        located
            .check_unchanged_since(&stamp, KnownContent::Bytes(b"never looked at"))
            .unwrap()
            .is_some()
    );
    assert_eq!(ground.disk.call_count(), 1);
}

#[test]
fn parts_and_passes_are_read_without_the_whole() {
    use std::ops::ControlFlow;
    let ground = Ground::new();
    let file: Vec<u8> = (0..700_000_u32).map(|at| (at % 251) as u8).collect();
    ground.put("a", &file);
    let located = ground.locate("a");
    for (offset, length) in [
        (0, 10),
        (299_000, 100_000),
        (699_990, 100),
        (700_000, 5),
        (u64::MAX, 5),
        (0, 0),
    ] {
        let (part, stamp) = located.read_at(offset, length).unwrap();
        let start = usize::try_from(offset).unwrap().min(file.len());
        let end = start.saturating_add(length).min(file.len());
        assert!(part == file[start..end], "{offset} {length}");
        assert_eq!(stamp.size, 700_000);
    }
    let mut all = Vec::new();
    located
        .scan_content(&mut |piece| {
            all.extend_from_slice(piece);
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(all == file);
    let mut pieces = 0;
    located
        .scan_content(&mut |_| {
            pieces += 1;
            ControlFlow::Break(())
        })
        .unwrap();
    assert_eq!(pieces, 1);
    let read = located.read_snapshot(699_999);
    assert!(matches!(
        read,
        Err(lancet_workspace::ReadError::TooLarge {
            size: 700_000,
            most: 699_999
        })
    ));
    assert!(matches!(
        ground.locate("nothing").read_snapshot(1),
        Err(lancet_workspace::ReadError::Missing)
    ));
}

#[test]
fn a_one_line_edit_costs_few_calls() {
    let ground = Ground::new();
    ground.put("a", vec![b'x'; 10_000]);
    ground.replace("a", "warm").unwrap();
    ground.put("a", vec![b'x'; 10_000]);
    ground.disk.clear_faults();
    let seen = ground.seen("a");
    let reading = ground.disk.call_count();
    let changes = [RawChange {
        range: 5000..5003,
        bytes: b"new".to_vec(),
    }];
    ground
        .workspace
        .commit(vec![seen.spliced(&changes)])
        .unwrap();
    let writing = ground.disk.call_count() - reading;
    // One of them checks that the root is still at its path.
    assert!(reading <= 7, "{reading} calls to locate and read");
    // Two of them check that the path still leads to the folder, before the swap and after it, and one looks for
    // commits that dead processes left half done.
    assert!(writing <= 31, "{writing} calls to write");
}
