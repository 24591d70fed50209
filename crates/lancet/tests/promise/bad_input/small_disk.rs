//! A full disk, and a read-only one: a small file system in memory, mounted where that is allowed.

use std::fs;
use std::path::PathBuf;

use lancet::{Lancet, Mode, RawCall, Reply, Session};
use lancet_testing::folder::names;
use lancet_testing::small_disk::SmallDisk;
use serde_json::json;

use super::is_error;
use crate::ground::done;

fn call(session: &Session, tool: &str, arguments: serde_json::Value) -> Reply {
    session.call(RawCall::new(tool, arguments))
}

#[test]
fn a_full_disk_refuses_and_keeps_what_was_there() {
    let Some(disk) = SmallDisk::mount(256) else {
        return;
    };
    let lancet = Lancet::builder()
        .root(&disk.at)
        .mode(Mode::AcceptEdits)
        .open()
        .unwrap();
    let session = lancet.new_session();
    let path = disk.at.join("a.txt");
    let text = format!("one\n{}", "filler\n".repeat(20_000));
    fs::write(&path, &text).unwrap();
    let small = disk.at.join("b.txt");
    fs::write(&small, "one\n").unwrap();
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    for offset in (1..20_002).step_by(2_000) {
        done(&call(
            &session,
            "Read",
            json!({ "file_path": path, "offset": offset }),
        ));
    }
    // The new file does not fit next to the old one, nor does a larger one.
    let more = "more\n".repeat(40_000);
    let calls = [
        (
            "Edit",
            json!({ "file_path": path, "old_string": "one", "new_string": more }),
        ),
        ("Write", json!({ "file_path": path, "content": more })),
        (
            "Write",
            json!({ "file_path": path, "content": more, "mode": "append" }),
        ),
        (
            "Write",
            json!({ "file_path": disk.at.join("d/e/new.txt"), "content": more }),
        ),
        (
            "MultiEdit",
            json!({ "edits": [
            { "file_path": small, "old_string": "", "new_string": more },
            { "file_path": path, "old_string": "one", "new_string": more },
        ] }),
        ),
    ];
    for (tool, arguments) in calls {
        let reply = call(&session, tool, arguments);
        let name = crate::ground::refused(&reply);
        assert!(
            name == "io" || tool == "MultiEdit",
            "{tool}: {name}: {}",
            reply.text()
        );
        if name == "io" {
            is_error(&reply, "io", 29, 29);
            assert!(reply.text().contains("disk is full"), "{}", reply.text());
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{tool}");
        assert_eq!(
            fs::metadata(&path).unwrap().modified().unwrap(),
            before,
            "{tool}"
        );
        assert_eq!(fs::read_to_string(&small).unwrap(), "one\n");
        assert_eq!(names(&disk.at), ["a.txt", "b.txt"], "{tool}");
    }
    // All or none: the small file is staged first and must not be replaced when there is no space for the large one.
    done(&call(&session, "Read", json!({ "file_path": small })));
    let both = json!({ "edits": [
        { "file_path": small, "old_string": "one", "new_string": "two" },
        { "file_path": path, "old_string": "one", "new_string": more },
    ] });
    is_error(&call(&session, "MultiEdit", both), "io", 29, 29);
    assert_eq!(fs::read_to_string(&small).unwrap(), "one\n");
    // What fits goes through.
    done(&call(
        &session,
        "Edit",
        json!({ "file_path": small, "old_string": "one", "new_string": "two" }),
    ));
    assert_eq!(fs::read_to_string(&small).unwrap(), "two\n");
    assert_eq!(names(&disk.at), ["a.txt", "b.txt"]);
}

#[test]
fn a_disk_that_may_only_be_read_is_read_and_not_written() {
    let Some(disk) = SmallDisk::mount(256) else {
        return;
    };
    let path = disk.at.join("a.txt");
    fs::write(&path, "one\n").unwrap();
    let lancet = Lancet::builder()
        .root(&disk.at)
        .mode(Mode::AcceptEdits)
        .open()
        .unwrap();
    let session = lancet.new_session();
    disk.remount("ro");
    done(&call(&session, "Read", json!({ "file_path": path })));
    let edit = json!({ "file_path": path, "old_string": "one", "new_string": "two" });
    let write = |path: PathBuf| json!({ "file_path": path, "content": "two\n" });
    for (tool, arguments) in [
        ("Edit", edit.clone()),
        ("Write", write(path.clone())),
        ("Write", write(disk.at.join("new.txt"))),
        ("Write", write(disk.at.join("d/new.txt"))),
    ] {
        let reply = call(&session, tool, arguments);
        is_error(&reply, "io", 29, 29);
        assert!(reply.text().contains("read-only"), "{}", reply.text());
        assert!(!reply.text().contains("permission"), "{}", reply.text());
    }
    assert_eq!(names(&disk.at), ["a.txt"]);
    disk.remount("rw");
    done(&call(&session, "Edit", edit));
    assert_eq!(fs::read_to_string(&path).unwrap(), "two\n");
}
