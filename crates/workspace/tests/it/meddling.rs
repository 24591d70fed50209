//! Somebody else acts just before each call of a creation or a reading in turn. Changes of a file are the explorer's.

use std::fs;

use crate::ground::{Ground, creation};

#[test]
fn a_creation_never_replaces_what_appears_meanwhile() {
    for at in 1.. {
        let ground = Ground::in_memory();
        let located = ground.locate("a");
        let path = ground.root.join("a");
        ground.disk.mend();
        ground.disk.before_each(move |call| {
            if call.number == at {
                fs::write(&path, "theirs").unwrap();
            }
        });
        let result = ground.workspace.commit(vec![creation(&located, b"ours")]);
        if ground.disk.calls() < at {
            break;
        }
        assert_eq!(ground.text("a"), "theirs", "before call {at}: {result:?}");
        assert_eq!(ground.tree().len(), 1);
    }
}

#[test]
fn a_deed_while_reading_gives_one_state_or_an_error() {
    let long: Vec<u8> = vec![b'o'; 600 * 1024];
    for at in 1.. {
        let ground = Ground::in_memory();
        ground.put("a", &long);
        let path = ground.root.join("a");
        let located = ground.locate("a");
        ground.disk.mend();
        ground.disk.before_each(move |call| {
            if call.number == at {
                fs::write(&path, vec![b't'; 600 * 1024]).unwrap();
            }
        });
        let read = located.snapshot(1 << 30).unwrap();
        if ground.disk.calls() < at {
            break;
        }
        let first = read.bytes[0];
        assert!(
            read.bytes.len() == long.len() && read.bytes.iter().all(|&byte| byte == first),
            "torn at call {at}"
        );
    }
}
