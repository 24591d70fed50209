//! No input panics: arguments of any shape for every tool, and files of any bytes.

use lancet::{RawCall, Session};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::ground::{Ground, config, numbered};

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec![
            "true",
            "1",
            "-1",
            "1e9",
            "18446744073709551615",
            "/",
            "~",
            "",
            "\0",
            "a\0b",
            "..",
            "/etc/passwd",
            "a.txt",
            "append",
            "{\"file_path\": \"a.txt\"}"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((field(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["file_path", "old_string", "new_string", "replace_all", "expect_count", "revision", "insist", "dry_run", "edits", "content", "mode", "offset", "limit", "column", "force", "pattern", "path", "glob", "type", "output_mode", "head_limit", "multiline", "-i", "-n", "-A", "-C"]).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ]
}

fn tool() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(vec!["Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "Glob", "Grep"]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["View", "str_replace", "read_file", "Undo", ""]).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ]
}

/// Generates arguments that are mostly right, so that they get past the first checks.
fn near_arguments(path: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let path = prop::sample::select(path.to_vec());
    let text = prop_oneof![
        Just(String::new()),
        Just("a".to_owned()),
        Just("one\n".to_owned()),
        any::<String>(),
        "[ab\\n\\r\\t →…]{0,12}"
    ];
    (path, vec(text, 4), vec((field(), any_value()), 0..3)).prop_map(|(path, texts, more)| {
        let edit = json!({ "file_path": path, "old_string": texts[2], "new_string": texts[3] });
        let mut value = json!({ "file_path": path, "old_string": texts[0], "new_string": texts[1], "content": texts[1], "edits": [edit], "pattern": texts[0] });
        for (key, more) in more {
            value[key] = more;
        }
        value
    })
}

/// Leaves out the fields that a tool does not know, most of the time.
fn fitted(tool: &str, mut arguments: Value, strict: bool) -> Value {
    let known: &[&str] = match tool {
        "Read" => &["file_path", "offset", "limit", "column", "force"],
        "Glob" => &["pattern", "path", "limit", "offset"],
        "Grep" => &[
            "pattern",
            "path",
            "glob",
            "type",
            "output_mode",
            "head_limit",
            "offset",
            "multiline",
            "-i",
            "-n",
            "-A",
            "-C",
        ],
        "Edit" => &[
            "file_path",
            "old_string",
            "new_string",
            "replace_all",
            "expect_count",
            "revision",
            "insist",
            "dry_run",
        ],
        "MultiEdit" => &["file_path", "edits", "insist", "dry_run"],
        "Write" => &[
            "file_path",
            "content",
            "mode",
            "revision",
            "insist",
            "dry_run",
        ],
        _ => return arguments,
    };
    if strict && let Some(fields) = arguments.as_object_mut() {
        fields.retain(|key, _| known.contains(&key.as_str()));
    }
    arguments
}

fn call(ground: &Ground, session: &Session, tool: &str, arguments: Value) {
    let reply = ground.call(session, tool, arguments.clone());
    assert!(!reply.text().is_empty() || !reply.is_error());
    let _ = session.check(RawCall::new(tool, arguments));
}

#[test]
fn any_arguments_are_answered() {
    let ground = Ground::new();
    proptest!(config(), |(calls in vec((tool(), any_value()), 1..4))| {
        ground.clear();
        ground.put("a.txt", "one\ntwo\n");
        let session = ground.session();
        for (tool, arguments) in calls {
            call(&ground, &session, &tool, arguments);
        }
    });
}

#[test]
fn nearly_right_arguments_are_answered() {
    let ground = Ground::new();
    const PATHS: &[&str] = &[
        "a.txt",
        "b.txt",
        "new/n.txt",
        "folder",
        ".",
        "",
        "a.txt/x",
        "no\0name",
        "n.ipynb",
        ".env",
    ];
    proptest!(config(), |(calls in vec((tool(), near_arguments(PATHS), prop::bool::weighted(0.9)), 1..5))| {
        ground.clear();
        ground.put("a.txt", "one\ntwo\n");
        ground.put("b.txt", "one\r\ntwo\rthree\n\u{fffd}");
        std::fs::create_dir(ground.path("folder")).unwrap();
        let session = ground.session();
        for name in ["a.txt", "b.txt"] {
            call(&ground, &session, "Read", json!({ "file_path": name }));
        }
        for (tool, arguments, strict) in calls {
            call(&ground, &session, &tool, fitted(&tool, arguments, strict));
        }
    });
}

/// Generates bytes of all kinds: noise, noise among text, marks, pieces of sequences.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        3 => vec(any::<u8>(), 0..6),
        3 => "[a-c \\n\\r\\t]{0,8}".prop_map(String::into_bytes),
        2 => "\\PC{0,4}".prop_map(String::into_bytes),
        1 => prop::sample::select(vec![
            b"\xEF\xBB\xBF".to_vec(), b"\xFF\xFE".to_vec(), b"\xFE\xFF".to_vec(), b"\xFF\xFE\0\0".to_vec(), b"\x1b$B".to_vec(), b"\0".to_vec(),
            b"a\0b\0".to_vec(), b"\0a\0\n".to_vec(), b"\x93\xFA\x96\x7B".to_vec(), b"\x84\x31\xA4\x37".to_vec(), b"\xD8\x00".to_vec(), b"\r\r\n".to_vec(),
            b"\x89PNG\r\n\x1a\n".to_vec(), b"\x7FELF".to_vec(), "e\u{301}“”".as_bytes().to_vec(),
        ]),
    ];
    vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

#[test]
fn files_of_any_bytes_are_read_and_edited_or_refused() {
    let ground = Ground::new();
    proptest!(config(), |(bytes in any_bytes(), page in (0..6_u64, 1..4_u64, prop::option::of(1..8_u64)), pick in any::<(u8, u8, u8)>(), new in "[a-cé“\\n\\r ]{0,6}", foreign in prop::option::of(any_bytes()))| {
        ground.clear();
        ground.put("a.txt", &bytes);
        let session = ground.session();
        let mut read = json!({ "file_path": "a.txt", "offset": page.0, "limit": page.1 });
        if let Some(column) = page.2 {
            read["column"] = json!(column);
        }
        call(&ground, &session, "Read", read);
        let reply = ground.read(&session, "a.txt");
        let lines: Vec<String> = numbered(reply.text()).into_iter().map(|(_, text)| text.to_owned()).collect();
        let text = lines.join("\n");
        let start = usize::from(pick.0) % (text.chars().count() + 1);
        let old: String = text.chars().skip(start).take(usize::from(pick.1 % 8)).collect();
        if let Some(foreign) = foreign {
            ground.put("a.txt", foreign);
        }
        let edit = json!({ "file_path": "a.txt", "old_string": old, "new_string": new, "replace_all": pick.2 % 4 == 0, "insist": true });
        call(&ground, &session, "Edit", edit.clone());
        call(&ground, &session, "Edit", edit);
        let edits: Vec<Value> = lines.iter().take(3).map(|line| json!({ "old_string": line, "new_string": new })).collect();
        if !edits.is_empty() {
            call(&ground, &session, "MultiEdit", json!({ "file_path": "a.txt", "edits": edits, "insist": true }));
        }
        call(&ground, &session, "Write", json!({ "file_path": "a.txt", "content": new, "mode": "append", "insist": true }));
        call(&ground, &session, "Write", json!({ "file_path": "a.txt", "content": old, "insist": true }));
        let _ = session.note_seen(ground.path("a.txt"), &text);
    });
}
