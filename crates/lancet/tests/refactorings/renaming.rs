//! A symbol gets another name in every file: one operation, shown, recorded and undone as one.

use lancet_testing::replies::{done, is_refused};
use serde_json::json;

use crate::project::{A, B, assert_untouched, open, patiently, read_all, rename};

#[test]
fn every_file_is_changed_in_one_operation_and_one_undo_takes_all_back() {
    let project = open("versions");
    read_all(&project, &["a.txt"]);
    let reply = rename(&project, 2, "name", "other");
    done(&reply);
    let (a, b) = (A.replace("name", "other"), B.replace(" name", " other"));
    assert_eq!((project.text("a.txt"), project.text("b.txt")), (a, b));
    let text = reply.text();
    let told: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("revision"))
        .collect();
    assert_eq!(
        told,
        [
            "`name` to `other`, planned by planner: 4 places in 2 files. Lines of the other files are named, not shown: read such a file before you edit it.",
            "Edited a.txt: 3 replacements, 2 lines added, 2 removed.",
            "1→one",
            "2→the other",
            "3→other and other",
            "Edited b.txt: 1 replacement, 1 line added, 1 removed.",
            "changed: line 1",
        ],
        "{text}"
    );
    let files = reply.data()["files"].as_array().expect("files").len();
    assert_eq!(files, 2, "{}", reply.data());

    let edit = |name: &str| {
        let path = project.path(name);
        project.edit(&path, "other", "third")
    };
    is_refused(&edit("b.txt"), "not_read");
    done(&project.call("Undo", json!({})));
    assert_untouched(&project);
}

#[test]
fn what_was_read_of_another_file_no_longer_counts() {
    let project = open("well");
    read_all(&project, &["a.txt", "b.txt"]);
    done(&rename(&project, 2, "name", "other"));
    let path = project.path("b.txt");
    let edit = || project.edit(&path, "names", "NAMES");
    is_refused(&edit(), "not_read");
    let shown = project.read(&path);
    assert!(shown.text().contains("other"), "{}", shown.text());
    done(&edit());
    // The lines around the change in the named file were shown.
    let path = project.path("a.txt");
    done(&project.edit(&path, "the other", "an other"));
}

#[test]
fn a_dry_run_shows_every_file_and_writes_nothing() {
    let project = open("well");
    read_all(&project, &["a.txt"]);
    let reply = patiently(
        &project,
        "Rename",
        &json!({
            "file_path": project.path("a.txt"), "line": 2, "symbol": "name", "new_name": "other", "dry_run": true,
        }),
    );
    done(&reply);
    let text = reply.text();
    assert!(
        text.contains("+the other") && text.contains("+😀 other"),
        "{text}"
    );
    assert_untouched(&project);
}

#[test]
fn a_file_that_another_program_changed_is_renamed_as_it_is_now() {
    let project = open("versions");
    read_all(&project, &["a.txt"]);
    let theirs = "their line\nname\n";
    std::fs::write(project.path("b.txt"), theirs).expect("a write");
    done(&rename(&project, 2, "name", "other"));
    assert_eq!(project.text("b.txt"), "their line\nother\n");
}

#[test]
fn the_line_must_have_been_shown_with_its_number() {
    let project = open("well");
    is_refused(&rename(&project, 2, "name", "other"), "not_read");
    let path = project.path("a.txt");
    done(&project.call(
        "Read",
        json!({ "file_path": path, "offset": 1, "limit": 2 }),
    ));
    is_refused(&rename(&project, 3, "name", "other"), "not_read");
    std::fs::write(&path, A.replace("one", "uno")).expect("a write");
    let reply = rename(&project, 2, "name", "other");
    is_refused(&reply, "stale");
    // That diff was shown, so the call goes through now.
    done(&rename(&project, 2, "name", "other"));
}

#[test]
fn the_symbol_must_stand_on_the_line_as_a_whole_word() {
    let project = open("well");
    read_all(&project, &["a.txt"]);
    let reply = rename(&project, 2, "nam", "other");
    is_refused(&reply, "not_found");
    assert!(reply.text().contains("\"the name\""), "{}", reply.text());
    is_refused(&rename(&project, 9, "name", "other"), "invalid");
    for (symbol, new_name) in [
        ("name", "1x"),
        ("name", "a b"),
        ("name", ""),
        ("name", "name"),
        ("the name", "x"),
    ] {
        is_refused(&rename(&project, 2, symbol, new_name), "invalid");
    }
    // Twice on one line, and the server renames both.
    done(&rename(&project, 3, "name", "other"));
    assert_eq!(project.text("a.txt"), A.replace("name", "other"));
}

#[test]
fn without_servers_nothing_is_renamed() {
    let project = lancet_testing::TestProject::with(|builder| {
        builder.settings(lancet_testing::settings(
            "tools = [\"all\"]\nmode = \"accept-edits\"\n",
        ))
    });
    let path = project.put("a.txt", A);
    done(&project.read(&path));
    let asked = json!({ "file_path": path, "line": 2, "symbol": "name", "new_name": "other" });
    let reply = project.call("Rename", asked);
    is_refused(&reply, "invalid");
    assert!(reply.text().contains("lancet trust"), "{}", reply.text());
    assert_eq!(project.text("a.txt"), A);
}

#[test]
fn places_on_one_line_that_do_not_mean_the_same_are_ambiguous() {
    let project = open("first");
    read_all(&project, &["a.txt"]);
    let reply = rename(&project, 3, "name", "other");
    is_refused(&reply, "ambiguous");
    assert!(reply.text().contains("columns 1, 10"), "{}", reply.text());
    assert_eq!(reply.data()["error"]["columns"], json!([1, 10]));
    assert_untouched(&project);
}

#[test]
fn a_file_that_came_after_the_server_began_is_renamed_too() {
    let project = open("well");
    read_all(&project, &["a.txt"]);
    done(&patiently(
        &project,
        "Rename",
        &json!({
            "file_path": project.path("a.txt"), "line": 2, "symbol": "name", "new_name": "other", "dry_run": true,
        }),
    ));
    project.put("new.txt", "a name\n");
    let reply = rename(&project, 2, "name", "other");
    done(&reply);
    assert_eq!(project.text("new.txt"), "a other\n", "{}", reply.text());
}

#[test]
fn a_revision_stands_for_a_read() {
    let project = open("well");
    let path = project.put("a.txt", "\u{feff}name 😀 name\n");
    let shown = project.read(&path);
    let text = shown.text();
    let revision = text.rsplit("revision ").next().expect("a revision");
    let revision = revision.trim_end_matches([']', '\n']).to_owned();
    let fresh = project.lancet.new_session();
    let asked = |revision: &str| {
        json!({
            "file_path": path, "line": 1, "symbol": "name", "new_name": "other", "revision": revision,
        })
    };
    let call = |revision: &str| lancet_testing::project::call(&fresh, "Rename", asked(revision));
    is_refused(&call(""), "not_read");
    is_refused(&call("0123456789abcdef"), "stale");
    // The server has been notified by now.
    done(&rename(&project, 1, "name", "third"));
    let text = project.text("a.txt");
    assert_eq!(text, "\u{feff}third 😀 third\n");
    done(&project.call("Undo", json!({})));
    let reply = call(&revision);
    done(&reply);
    assert_eq!(project.text("a.txt"), "\u{feff}other 😀 other\n");
}
