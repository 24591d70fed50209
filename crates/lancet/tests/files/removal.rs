//! Removals.

use std::fs;

use serde_json::json;

use crate::project::{chmod, delete_file, ok, project, read_file, refused, snapshot};

#[test]
fn a_file_that_was_seen_whole_is_removed_and_comes_back_with_its_bits() {
    let project = project();
    project.put("a.txt", "1\n2\n3\n");
    chmod(&project, "a.txt", 0o640);
    let before = snapshot(&project);
    refused(&delete_file(&project, "a.txt"), "not_read");
    ok(&project.call(
        "Read",
        json!({ "file_path": project.path("a.txt"), "limit": 2 }),
    ));
    let text = refused(&delete_file(&project, "a.txt"), "not_read");
    assert!(text.contains("line 3 of 3 lines"), "{text}");
    assert_eq!(snapshot(&project), before);
    read_file(&project, "a.txt");
    let reply = delete_file(&project, "a.txt");
    assert_eq!(ok(&reply).data()["type"], "delete");
    assert_eq!(reply.data()["removed"], 3);
    assert!(snapshot(&project).is_empty());
    refused(&delete_file(&project, "a.txt"), "missing");
    ok(&project.call("Undo", json!({})));
    assert_eq!(snapshot(&project), before);
}

#[test]
fn a_file_that_changed_since_stays_and_the_change_is_shown() {
    let project = project();
    project.put("a.txt", "one\n");
    read_file(&project, "a.txt");
    project.put("a.txt", "mine\n");
    let text = refused(&delete_file(&project, "a.txt"), "stale");
    assert!(text.contains("+mine"), "{text}");
    assert_eq!(
        fs::read_to_string(project.path("a.txt")).expect("there"),
        "mine\n"
    );
    // The change was shown whole: it counts as seen.
    ok(&delete_file(&project, "a.txt"));
}

#[test]
fn a_revision_stands_for_a_read_and_another_one_is_stale() {
    let project = project();
    let path = project.put("a.txt", "one\n");
    let delete = |revision: &str| {
        project.call(
            "DeleteFile",
            json!({ "file_path": path, "revision": revision }),
        )
    };
    refused(&delete("0123456789abcdef"), "stale");
    let reply = project.call("Read", json!({ "file_path": path }));
    let revision = reply.data()["revision"]
        .as_str()
        .expect("a revision")
        .to_owned();
    ok(&delete(&revision));
    assert!(!path.exists());
}

#[test]
fn folders_links_and_what_is_no_text_stay() {
    let project = project();
    project.put("folder/a.txt", "a\n");
    project.put("image.bin", b"\0\x01\x02");
    std::os::unix::fs::symlink("folder/a.txt", project.path("link")).expect("made");
    read_file(&project, "link");
    let before = snapshot(&project);
    refused(&delete_file(&project, "folder"), "special");
    refused(&delete_file(&project, "link"), "special");
    refused(&delete_file(&project, "image.bin"), "binary");
    assert_eq!(snapshot(&project), before);
}

#[test]
fn a_dry_run_removes_nothing_and_shows_the_lines() {
    let project = project();
    let path = project.put("a.txt", "one\n");
    read_file(&project, "a.txt");
    let reply = project.call("DeleteFile", json!({ "file_path": path, "dry_run": true }));
    assert!(ok(&reply).text().contains("-one"), "{}", reply.text());
    assert!(path.exists());
}
