//! Bad input of every kind: a clear refusal with the right code, the file intact, nothing left next to it, and the next
//! call works.

mod ordinary_user;
mod small_disk;

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use lancet::{Mode, Reply, Session};
use lancet_testing::{TestFolder, make_pipe};
use serde_json::{Value, json};

use crate::ground::{Ground, done, is_refused, refused, settings};

/// Asserts that a call was refused under this name, with the numbers of both tables.
#[track_caller]
pub(crate) fn is_error(reply: &Reply, name: &str, edit: u64, write: u64) {
    is_refused(reply, name);
    let code = reply.data()["error"]["code"].as_u64().unwrap();
    assert!(code == edit || code == write, "{code}: {}", reply.text());
    assert_eq!(reply.data()["error"]["name"], json!(name));
    assert!(!reply.text().is_empty());
}

/// Returns a call of each tool about one file.
pub(crate) fn calls_of(path: &str) -> [(&'static str, Value); 4] {
    let edit = json!({ "file_path": path, "old_string": "one", "new_string": "two" });
    [
        ("Read", json!({ "file_path": path })),
        ("Edit", edit.clone()),
        ("MultiEdit", json!({ "edits": [edit] })),
        ("Write", json!({ "file_path": path, "content": "two\n" })),
    ]
}

/// Asserts that a file next to the faulty one is still read and edited.
#[track_caller]
pub(crate) fn next_call_works(ground: &Ground, session: &Session) {
    ground.put("next.txt", "one\n");
    done(&ground.read(session, "next.txt"));
    done(&ground.edit(session, "next.txt", "one", "two"));
    assert_eq!(ground.text("next.txt"), "two\n");
    fs::remove_file(ground.path("next.txt")).unwrap();
}

#[test]
fn arguments_that_were_cut_off_are_invalid() {
    let ground = Ground::new();
    ground.put("a.txt", "one\n");
    let session = ground.session();
    done(&ground.read(&session, "a.txt"));
    for (tool, arguments) in calls_of(&ground.path("a.txt").display().to_string()) {
        let text = arguments.to_string();
        for end in 0..text.len() {
            let reply = ground.call(&session, tool, Value::String(text[..end].to_owned()));
            is_error(&reply, "invalid", 20, 20);
        }
        let fields = arguments.as_object().unwrap();
        for left_out in fields.keys() {
            let mut fields = fields.clone();
            fields.remove(left_out);
            let reply = ground.call(&session, tool, Value::Object(fields));
            is_error(&reply, "invalid", 20, 20);
            assert!(reply.text().contains("cut off"), "{}", reply.text());
        }
    }
    next_call_works(&ground, &session);
}

#[test]
fn values_of_the_wrong_type_are_invalid_by_name() {
    let ground = Ground::new();
    ground.put("a.txt", "one\n");
    let session = ground.session();
    done(&ground.read(&session, "a.txt"));
    let wrong = [
        json!([]),
        json!({}),
        json!({ "a": 1 }),
        json!(-1),
        json!(1.5),
        json!(["a"]),
        json!("no such value"),
    ];
    for (tool, arguments) in calls_of(&ground.path("a.txt").display().to_string()) {
        let optional: &[&str] = match tool {
            "Read" => &["offset", "limit", "column", "force"],
            "Edit" => &["replace_all", "expect_count", "insist", "dry_run"],
            "MultiEdit" => &["insist", "dry_run"],
            _ => &["mode", "insist", "dry_run"],
        };
        for field in optional {
            for value in &wrong {
                let mut arguments = arguments.clone();
                arguments[*field] = value.clone();
                let reply = ground.call(&session, tool, arguments);
                is_error(&reply, "invalid", 20, 20);
                assert!(reply.text().contains(field), "{field}: {}", reply.text());
            }
        }
        for value in [json!([]), json!({}), json!(true), json!(7)] {
            let mut arguments = arguments.clone();
            if tool == "MultiEdit" {
                arguments["edits"][0]["old_string"] = value;
            } else {
                arguments["file_path"] = value;
            }
            let reply = ground.call(&session, tool, arguments);
            assert!(
                matches!(refused(&reply), "invalid" | "missing" | "not_found" | ""),
                "{}",
                reply.text()
            );
        }
    }
}

#[test]
fn a_path_with_nul_is_invalid() {
    let ground = Ground::new();
    let session = ground.session();
    for path in ["a\0.txt", "\0", "/\0", "d/\0/e"] {
        let path = format!("{}/{path}", ground.root.display());
        for (tool, arguments) in calls_of(&path) {
            is_error(&ground.call(&session, tool, arguments), "invalid", 20, 20);
        }
    }
    next_call_works(&ground, &session);
}

#[test]
fn what_is_no_regular_file_is_special_and_never_waited_for() {
    let ground = Ground::new();
    make_pipe(ground.path("pipe"));
    fs::create_dir(ground.path("folder")).unwrap();
    symlink("loop", ground.path("loop")).unwrap();
    symlink("pipe", ground.path("link")).unwrap();
    ground.put("file", "text\n");
    // Sockets have short paths only. If the folder's path is too long, there is none.
    let socket = UnixListener::bind(ground.path("s")).ok();
    let session = ground.session();
    for name in ["pipe", "folder", "loop", "link", "file/below", "s"] {
        if name == "s" && socket.is_none() {
            continue;
        }
        for (tool, arguments) in calls_of(&ground.path(name).display().to_string()) {
            is_error(&ground.call(&session, tool, arguments), "special", 22, 22);
        }
    }
    for outside in [
        "/dev/null",
        "/dev/zero",
        "/proc/self/fd/0",
        "/proc/self/environ",
        "//server/share",
        "\\\\server\\share",
    ] {
        for (tool, arguments) in calls_of(outside) {
            is_error(&ground.call(&session, tool, arguments), "outside", 21, 21);
        }
    }
    next_call_works(&ground, &session);
}

#[test]
fn a_path_that_becomes_a_link_is_another_file() {
    let ground = Ground::new();
    let session = ground.session();
    let begin = || {
        ground.clear();
        ground.put("a.txt", "one\n");
        ground.put("b.txt", "one\n");
        done(&ground.read(&session, "a.txt"));
        fs::remove_file(ground.path("a.txt")).unwrap();
    };
    let outside = TestFolder::in_memory();
    fs::write(outside.path().join("theirs.txt"), "one\n").unwrap();
    let targets = [
        ("b.txt".into(), "not_read"),
        (outside.path().join("theirs.txt"), "outside"),
        ("nowhere".into(), "missing"),
        ("a.txt".into(), "special"),
        (ground.root.clone(), "special"),
    ];
    for (target, name) in targets {
        begin();
        symlink(&target, ground.path("a.txt")).unwrap();
        is_refused(&ground.edit(&session, "a.txt", "one", "two"), name);
        is_refused(&ground.write(&session, "a.txt", "two\n"), name);
        assert_eq!(fs::read_link(ground.path("a.txt")).unwrap(), target);
        assert_eq!(
            fs::read_to_string(outside.path().join("theirs.txt")).unwrap(),
            "one\n"
        );
        next_call_works(&ground, &session);
    }
    // A folder in the path becomes a link out of the root.
    ground.clear();
    fs::create_dir(ground.path("d")).unwrap();
    ground.put("d/theirs.txt", "one\n");
    done(&ground.read(&session, "d/theirs.txt"));
    fs::rename(ground.path("d"), ground.path("e")).unwrap();
    symlink(outside.path(), ground.path("d")).unwrap();
    is_refused(
        &ground.edit(&session, "d/theirs.txt", "one", "two"),
        "outside",
    );
    assert_eq!(
        fs::read_to_string(outside.path().join("theirs.txt")).unwrap(),
        "one\n"
    );
}

#[test]
fn where_several_refusals_apply_the_first_of_the_order_is_told() {
    let ground = Ground::new();
    let session = ground.session();
    let edit = |name: &str, old: &str, new: &str, more: Value| {
        let mut call =
            json!({ "file_path": ground.path(name), "old_string": old, "new_string": new });
        for (key, value) in more.as_object().unwrap() {
            call[key] = value.clone();
        }
        ground.call(&session, "Edit", call)
    };
    let none = || json!({});
    ground.put("binary", b"\0\x01\x02");
    ground.put("unread.txt", "one\n");
    ground.put(
        "full.ipynb",
        r#"{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"#,
    );
    is_error(
        &ground_edit_outside(&ground, &session, json!({ "replace_all": [] })),
        "invalid",
        20,
        20,
    );
    is_error(
        &ground_edit_outside(&ground, &session, none()),
        "outside",
        21,
        21,
    );
    is_error(&edit("full.ipynb", "", "x", none()), "exists", 3, 12);
    is_error(&edit("full.ipynb", "x", "x", none()), "notebook", 5, 14);
    // A sparse file is all NUL bytes, but the limit is checked first.
    let wide = Ground::new();
    let large = wide.path("large.bin");
    fs::File::create(&large)
        .unwrap()
        .set_len((1 << 30) + 1)
        .unwrap();
    for (tool, arguments) in calls_of(&large.display().to_string()) {
        if tool != "Read" {
            let reply = wide.session().call(lancet::RawCall::new(tool, arguments));
            is_error(&reply, "too_large", 10, 10);
        }
    }
    fs::remove_file(large).unwrap();
    is_error(&edit("binary", "x", "x", none()), "binary", 23, 23);
    is_error(&edit("unread.txt", "x", "x", none()), "no_change", 1, 11);
    is_error(
        &edit("unread.txt", "not there", "x", none()),
        "not_read",
        6,
        2,
    );

    ground.put("a.txt", "one\none\ntwo\nthree\n");
    done(&ground.call(
        &session,
        "Read",
        json!({ "file_path": ground.path("a.txt"), "offset": 1, "limit": 2 }),
    ));
    ground.put("a.txt", "one\none\ntwo\nthree\nfour\n");
    is_error(&edit("a.txt", "not there", "x", none()), "stale", 7, 3);
    ground.put("a.txt", "one\none\ntwo\nthree\n");
    done(&ground.call(
        &session,
        "Read",
        json!({ "file_path": ground.path("a.txt"), "offset": 1, "limit": 2 }),
    ));
    is_error(
        &edit("a.txt", "not there", "1→x\n2→y", none()),
        "not_found",
        8,
        8,
    );
    is_error(
        &edit("a.txt", "one", "x", json!({ "expect_count": 1 })),
        "ambiguous",
        9,
        9,
    );
    is_error(
        &edit(
            "a.txt",
            "two",
            "x",
            json!({ "expect_count": 2, "replace_all": true }),
        ),
        "count",
        26,
        26,
    );
    is_error(&edit("a.txt", "two", "1→x\n2→y", none()), "not_read", 6, 2);

    let latin = Ground::with(|builder| {
        builder.settings(settings("[encoding]\n\"*\" = \"windows-1252\"\n"))
    });
    latin.put("a.txt", b"one \xE9\ntwo\n");
    let session = latin.session();
    done(&latin.read(&session, "a.txt"));
    let edits = |list: Value| {
        latin.call(
            &session,
            "MultiEdit",
            json!({ "file_path": latin.path("a.txt"), "edits": list }),
        )
    };
    let crossing = json!([{ "old_string": "one", "new_string": "uno" }, { "old_string": "no é\ntwo", "new_string": "1→\u{2603}\n2→y" }]);
    is_error(&edits(crossing), "conflict", 28, 28);
    is_error(
        &edits(json!([{ "old_string": "two", "new_string": "1→\u{2603}\n2→y" }])),
        "leaked",
        27,
        27,
    );
    is_error(
        &edits(json!([{ "old_string": "two", "new_string": "\u{2603}" }])),
        "unencodable",
        24,
        24,
    );

    let asking = Ground::with(|builder| builder.mode(Mode::Ask));
    asking.put("a.txt", "one\n");
    let session = asking.session();
    is_error(
        &asking.edit(&session, "a.txt", "one", "two"),
        "not_read",
        6,
        2,
    );
    done(&asking.read(&session, "a.txt"));
    is_error(
        &asking.edit(&session, "a.txt", "six", "two"),
        "not_found",
        8,
        8,
    );
    is_error(
        &asking.edit(&session, "a.txt", "one", "two"),
        "declined",
        25,
        25,
    );
}

fn ground_edit_outside(ground: &Ground, session: &Session, more: Value) -> Reply {
    let mut call = json!({ "file_path": "/etc/.env", "old_string": "x", "new_string": "x" });
    for (key, value) in more.as_object().unwrap() {
        call[key] = value.clone();
    }
    ground.call(session, "Edit", call)
}
