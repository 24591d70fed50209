//! Removals.

use std::fs;

use serde_json::json;

use crate::ground::{Ground, ok, refused};

#[test]
fn a_file_that_was_seen_whole_is_removed_and_comes_back_with_its_bits() {
    let ground = Ground::new();
    ground.put("a.txt", "1\n2\n3\n");
    ground.chmod("a.txt", 0o640);
    let before = ground.tree();
    refused(&ground.delete("a.txt"), "not_read");
    ok(&ground.call(
        "Read",
        json!({ "file_path": ground.path("a.txt"), "limit": 2 }),
    ));
    let text = refused(&ground.delete("a.txt"), "not_read");
    assert!(text.contains("line 3 of 3 lines"), "{text}");
    assert_eq!(ground.tree(), before);
    ground.read("a.txt");
    let reply = ground.delete("a.txt");
    assert_eq!(ok(&reply).data()["type"], "delete");
    assert_eq!(reply.data()["removed"], 3);
    assert!(ground.tree().is_empty());
    refused(&ground.delete("a.txt"), "missing");
    ok(&ground.call("Undo", json!({})));
    assert_eq!(ground.tree(), before);
}

#[test]
fn a_file_that_changed_since_stays_and_the_change_is_shown() {
    let ground = Ground::new();
    ground.put("a.txt", "one\n");
    ground.read("a.txt");
    ground.put("a.txt", "mine\n");
    let text = refused(&ground.delete("a.txt"), "stale");
    assert!(text.contains("+mine"), "{text}");
    assert_eq!(
        fs::read_to_string(ground.path("a.txt")).expect("there"),
        "mine\n"
    );
    // The change was shown whole: it counts as seen.
    ok(&ground.delete("a.txt"));
}

#[test]
fn a_revision_stands_for_a_read_and_another_one_is_stale() {
    let ground = Ground::new();
    let path = ground.put("a.txt", "one\n");
    let delete = |revision: &str| {
        ground.call(
            "DeleteFile",
            json!({ "file_path": path, "revision": revision }),
        )
    };
    refused(&delete("0123456789abcdef"), "stale");
    let reply = ground.call("Read", json!({ "file_path": path }));
    let revision = reply.data()["revision"]
        .as_str()
        .expect("a revision")
        .to_owned();
    ok(&delete(&revision));
    assert!(!path.exists());
}

#[test]
fn folders_links_and_what_is_no_text_stay() {
    let ground = Ground::new();
    ground.put("folder/a.txt", "a\n");
    ground.put("image.bin", b"\0\x01\x02");
    std::os::unix::fs::symlink("folder/a.txt", ground.path("link")).expect("made");
    ground.read("link");
    let before = ground.tree();
    refused(&ground.delete("folder"), "special");
    refused(&ground.delete("link"), "special");
    refused(&ground.delete("image.bin"), "binary");
    assert_eq!(ground.tree(), before);
}

#[test]
fn a_dry_run_removes_nothing_and_shows_the_lines() {
    let ground = Ground::new();
    let path = ground.put("a.txt", "one\n");
    ground.read("a.txt");
    let reply = ground.call("DeleteFile", json!({ "file_path": path, "dry_run": true }));
    assert!(ok(&reply).text().contains("-one"), "{}", reply.text());
    assert!(path.exists());
}
