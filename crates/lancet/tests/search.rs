//! Glob and Grep in the library: pages, what counts as seen, what is withheld, and bounds.

use std::collections::BTreeSet;
use std::path::Path;

use lancet::outcome::Row;
use lancet::{Lancet, Mode, RawCall, RefusalKind, Reply, Session, SessionName};
use lancet_testing::{TestFolder, TestProject, settings};
use serde_json::{Value, json};

/// Opens a project with these files.
fn project(files: &[(&str, &str)]) -> TestProject {
    with_limit(files, 32_000)
}

/// Opens a project with these files, whose answers have at most so many characters.
fn with_limit(files: &[(&str, &str)], limit: usize) -> TestProject {
    let around = TestFolder::new();
    for (name, text) in files {
        around.put(Path::new("root").join(name), text);
    }
    TestProject::inside(around, |builder, _| {
        builder
            .answer_limit(limit)
            .settings(settings("tools = \"all\"\n"))
    })
}

fn ask(session: &Session, tool: &str, arguments: Value) -> Reply {
    let reply = session.call(RawCall::new(tool, arguments));
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

/// Returns the offset that an answer names for its next page.
fn next(reply: &Reply) -> Option<u64> {
    let (_, call) = reply.text().rsplit_once("next page: ")?;
    let (_, offset) = call.rsplit_once("\"offset\": ")?;
    offset.trim_end_matches(['}', ']']).parse().ok()
}

#[test]
fn pages_together_hold_every_entry_once_whatever_their_size() {
    let project = with_limit(&[], 6_000);
    for number in 0..40 {
        let text = "a needle on a line of its own, and some more words\nno match\n".repeat(10);
        project.put(format!("folder/file{number:02}.txt"), &text);
    }
    for (mode, key) in [
        ("content", "numMatches"),
        ("count", "numFiles"),
        ("files_with_matches", "numFiles"),
    ] {
        let session = project.lancet.new_session();
        let mut seen = BTreeSet::new();
        let mut offset = 0;
        loop {
            let reply = ask(
                &session,
                "Grep",
                json!({ "pattern": "needle", "output_mode": mode, "head_limit": 150, "offset": offset }),
            );
            assert!(reply.text().chars().count() <= 6_000, "{mode}");
            for row in reply.rows() {
                let entry = match row {
                    Row::File { path, .. } => (path.to_string(), None),
                    Row::Line { path, line, .. } => (path.to_string(), Some(*line)),
                    other => panic!("{other:?} is neither"),
                };
                assert!(seen.insert(entry), "{mode}: {row:?} twice");
            }
            assert_eq!(reply.data()["truncated"], next(&reply).is_some(), "{mode}");
            match next(&reply) {
                Some(after) => {
                    assert!(after > offset, "{mode}");
                    offset = after;
                }
                None => {
                    assert_eq!(reply.data()[key], seen.len(), "{mode}");
                    break;
                }
            }
        }
    }
}

#[test]
fn a_later_page_keeps_its_place_and_marks_what_changed() {
    let project = project(&[
        ("a.txt", "needle 1\nneedle 2\n"),
        ("b.txt", "needle 3\n"),
        ("c.txt", "needle 4\n"),
    ]);
    let session = project.lancet.new_session();
    let page = |offset: u64| {
        let arguments = json!({ "pattern": "needle", "output_mode": "content", "head_limit": 2, "offset": offset });
        ask(&session, "Grep", arguments).text().to_owned()
    };
    assert!(page(0).starts_with("a.txt\n1:needle 1\n2:needle 2\n"));
    project.put("a.txt", "");
    project.put("aa.txt", "needle 0\n");
    std::thread::sleep(std::time::Duration::from_millis(20));
    project.put("b.txt", "needle three\n");
    std::fs::remove_file(project.path("c.txt")).expect("removed");
    let second = page(2);
    assert!(second.starts_with("b.txt (changed"), "{second}");
    assert!(second.contains("c.txt (gone"), "{second}");
    assert!(page(0).starts_with("aa.txt\n1:needle 0\n"));
}

#[test]
fn lines_shown_whole_may_be_edited_and_others_not() {
    let long = format!("needle {}", "x".repeat(3_000));
    let project = project(&[
        ("crlf.txt", "one\r\nneedle two\r\nthree\r\n"),
        ("long.txt", &long),
    ]);
    let session = project.lancet.new_session();
    ask(
        &session,
        "Grep",
        json!({ "pattern": "needle", "output_mode": "content" }),
    );
    let edit = |name: &str, old: &str| {
        let path = project.path(name);
        session.call(RawCall::new(
            "Edit",
            json!({ "file_path": path, "old_string": old, "new_string": "pin" }),
        ))
    };
    assert!(!edit("crlf.txt", "needle").is_error());
    let text = std::fs::read_to_string(project.path("crlf.txt")).expect("there");
    assert_eq!(text, "one\r\npin two\r\nthree\r\n");
    assert_eq!(
        edit("long.txt", "needle").refusal(),
        Some(RefusalKind::NotRead)
    );
}

#[test]
fn a_line_counts_as_seen_by_its_place_whatever_the_file_is_encoded_in() {
    let wide = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xFF, 0xFE].into_iter().chain(units).collect()
    };
    let texts: [(&str, Vec<u8>); 7] = [
        ("plain.txt", b"same\nneedle\nsame\nsame".to_vec()),
        ("crlf.txt", b"same\r\nneedle\r\nsame\r\nsame".to_vec()),
        ("mixed.txt", b"same\r\nneedle\nsame\rx\nsame".to_vec()),
        ("mark.txt", b"\xEF\xBB\xBFsame\nneedle\nsame\nsame".to_vec()),
        ("wide.txt", wide("same\nneedle\nsame\nsame")),
        ("latin.txt", b"same\nneedle\ncaf\xe9\nsame".to_vec()),
        ("umlaut.txt", "same\nneedle\nsäme\nsame".into()),
    ];
    let project = project(&[]);
    for (name, bytes) in &texts {
        std::fs::write(project.path(name), bytes).expect("written");
    }
    let session = project.lancet.new_session();
    let edit = |name: &str, start: u64, end: u64, expect: [&str; 2]| {
        let path = project.path(name);
        let call = json!({ "file_path": path, "start_line": start, "end_line": end, "expect": expect, "content": "pin" });
        session.call(RawCall::new("ReplaceLines", call)).refusal()
    };
    for (name, _) in &texts {
        assert_eq!(
            edit(name, 2, 2, ["needle", "needle"]),
            Some(RefusalKind::NotRead)
        );
    }
    ask(
        &session,
        "Grep",
        json!({ "pattern": "needle", "output_mode": "content" }),
    );
    for (name, _) in &texts {
        // The last line has the text of the first, and neither was shown.
        for line in [1, 4] {
            assert_eq!(
                edit(name, line, line, ["same", "same"]),
                Some(RefusalKind::NotRead),
                "{name}"
            );
        }
        assert_eq!(edit(name, 2, 2, ["needle", "needle"]), None, "{name}");
    }
    for (name, _) in &texts {
        let before = json!({ "pattern": "^same$|^same\r$", "path": project.path(name), "output_mode": "content" });
        ask(&session, "Grep", before);
        assert_eq!(edit(name, 4, 4, ["same", "same"]), None, "{name}");
    }
}

#[test]
fn all_lines_of_a_page_are_on_record_when_the_process_ends() {
    let texts: Vec<(String, String)> = (0..20)
        .map(|number| (format!("{number}.txt"), format!("needle {number}\nrest\n")))
        .collect();
    let project = project(&[]);
    for (name, text) in &texts {
        project.put(name, text);
    }
    let state = TestFolder::new();
    let process = || {
        let builder = Lancet::builder()
            .root(&project.root)
            .mode(Mode::AcceptEdits);
        let lancet = builder.state_dir(state.path()).open().expect("opens");
        lancet.session(&SessionName::new("one").expect("a name"))
    };
    let session = process();
    // The second time there is nothing new to record; the third shows lines that were not shown before.
    for pattern in ["needle", "needle", "rest"] {
        let call = json!({ "pattern": pattern, "output_mode": "content" });
        ask(&session, "Grep", call);
    }
    drop(session);
    let session = process();
    for (name, text) in &texts {
        let path = project.path(name);
        let write = json!({ "file_path": path, "content": text.to_uppercase() });
        ask(&session, "Write", write);
    }
}

#[test]
fn a_file_that_became_a_link_since_the_first_page_is_not_followed() {
    let project = project(&[
        ("a.txt", "needle one\n"),
        ("b.txt", "needle two\n"),
        ("other", "needle of another file\n"),
    ]);
    let session = project.lancet.new_session();
    let grep = |offset: u64| {
        let call = json!({ "pattern": "needle", "glob": "*.txt", "output_mode": "content", "head_limit": 1, "offset": offset });
        ask(&session, "Grep", call)
    };
    assert!(grep(0).text().contains("needle one"));
    let place = project.path("b.txt");
    std::fs::remove_file(&place).expect("removed");
    std::os::unix::fs::symlink("other", &place).expect("linked");
    let reply = grep(1);
    assert!(!reply.text().contains("another"), "{}", reply.text());
    assert!(reply.text().contains("gone since"), "{}", reply.text());
}

#[test]
fn a_file_that_was_read_and_changed_is_stale_though_grep_has_shown_it() {
    let project = project(&[("a.txt", "first\nneedle\n")]);
    let session = project.lancet.new_session();
    let path = project.path("a.txt");
    ask(&session, "Read", json!({ "file_path": path }));
    project.put("a.txt", "FIRST\nneedle\n");
    ask(
        &session,
        "Grep",
        json!({ "pattern": "needle", "output_mode": "content" }),
    );
    let edit = json!({ "file_path": path, "old_string": "needle", "new_string": "pin" });
    let reply = session.call(RawCall::new("Edit", edit));
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Stale),
        "{}",
        reply.text()
    );
    assert!(reply.text().contains("FIRST"));
}

#[test]
fn a_secret_file_is_not_told_by_any_of_its_names() {
    let project = project(&[("id_rsa", "needle\n"), ("open.txt", "nothing\n")]);
    std::fs::hard_link(project.path("id_rsa"), project.path("twin.txt")).expect("linked");
    let session = project.lancet.new_session();
    let told = |pattern: &str| {
        let reply = ask(
            &session,
            "Grep",
            json!({ "pattern": pattern, "output_mode": "content" }),
        );
        assert_eq!(reply.data()["numFiles"], 0, "{}", reply.text());
        assert!(!reply.text().contains("id_rsa") && !reply.text().contains("twin"));
        reply.data()["skipped"].clone()
    };
    assert_eq!(told("needle"), told("not there"));
}

#[test]
fn patterns_are_taken_as_agents_write_them() {
    let project = project(&[
        ("app/[id]/page.tsx", ""),
        ("app/i/page.tsx", ""),
        ("src/a b.ts", ""),
        (".github/ci.yml", ""),
    ]);
    let session = project.lancet.new_session();
    let files = |pattern: &str| {
        let reply = ask(&session, "Glob", json!({ "pattern": pattern }));
        let files = reply.data()["files"].as_array().expect("a list").clone();
        let mut files: Vec<String> = files
            .iter()
            .map(|file| file.as_str().expect("text").to_owned())
            .collect();
        files.sort();
        files
    };
    assert_eq!(
        files("app/[id]/*.tsx"),
        ["app/[id]/page.tsx", "app/i/page.tsx"]
    );
    assert_eq!(files("./src/*.ts"), ["src/a b.ts"]);
    assert_eq!(
        files(&format!("{}/src/*", project.root.display())),
        ["src/a b.ts"]
    );
    assert_eq!(files(".github/**"), [".github/ci.yml"]);
    assert_eq!(files("src/"), ["src/a b.ts"]);
    assert_eq!(files("src"), Vec::<String>::new());
    assert_eq!(files("/src/*"), ["src/a b.ts"]);
    assert_eq!(files("src/../.github/*"), [".github/ci.yml"]);
    let root = project.root.display().to_string();
    assert_eq!(files(&root), Vec::<String>::new());
    for pattern in ["../*", "/etc/*", "/etc", "..", "src/../../*", "//server/*"] {
        let reply = session.call(RawCall::new("Glob", json!({ "pattern": pattern })));
        assert_eq!(reply.refusal(), Some(RefusalKind::Outside), "{pattern}");
        assert!(reply.text().contains(&root), "{}", reply.text());
    }
}

#[test]
fn a_cancelled_search_has_no_answer() {
    let project = project(&[("a.txt", "needle\n")]);
    let session = project.lancet.new_session();
    let call = RawCall::new("Grep", json!({ "pattern": "needle" }));
    call.cancel.cancel();
    assert_eq!(session.call(call).refusal(), Some(RefusalKind::Declined));
}

#[test]
fn a_folder_that_may_not_be_listed_is_counted() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = project(&[("a.txt", "needle\n"), ("shut/b.txt", "needle\n")]);
    let shut = project.path("shut");
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o000)).expect("set");
    let can_list = std::fs::read_dir(&shut).is_ok();
    let reply = ask(
        &project.lancet.new_session(),
        "Grep",
        json!({ "pattern": "needle" }),
    );
    let unreadable = reply.data()["skipped"]["unreadable"].clone();
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o755)).expect("set");
    // A superuser may list it all the same.
    assert_eq!(unreadable, u64::from(!can_list), "{}", reply.text());
}

#[test]
fn both_names_of_a_root_inside_a_root_are_one() {
    let project = project(&[("in/a.txt", "needle\n")]);
    let lancet = Lancet::builder()
        .root(&project.root)
        .root(project.path("in"))
        .open()
        .expect("opens");
    let reply = ask(
        &lancet.new_session(),
        "Grep",
        json!({ "pattern": "needle" }),
    );
    assert_eq!(reply.data()["numFiles"], 1);
    assert!(Path::new(reply.data()["file_path"].as_str().expect("a path")).is_dir());
}
