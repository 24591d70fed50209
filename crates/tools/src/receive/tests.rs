//! Arguments as models send them: which are accepted, which are refused and how.

use lancet_model::non_exhaustive::NonExhaustive;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::arguments::{GrepArguments, ReadArguments, WriteMode};
use crate::asked::Search;
use lancet_model::request::{
    Action, Change, DryRun, EditRequest, FileRequest, Insist, Request, WriteRequest,
};
use lancet_model::undo::{Selection, UndoRequest};

fn receive_refusal(tool: &str, arguments: Value) -> InvalidArguments {
    match receive(tool, arguments) {
        Err(invalid) => invalid,
        Ok(taken) => panic!("taken: {taken:?}"),
    }
}

fn read_of(asked: &ToolRequest) -> &ReadArguments {
    match asked {
        ToolRequest::Read(read) => read,
        other => panic!("{other:?}"),
    }
}

fn grep_of(asked: &ToolRequest) -> &GrepArguments {
    match asked {
        ToolRequest::Search(Search::Grep(grep)) => grep,
        other => panic!("{other:?}"),
    }
}

fn take_back_of(asked: &ToolRequest) -> &UndoRequest {
    match asked {
        ToolRequest::Change(Change::TakeBack(asked, _)) => asked,
        other => panic!("{other:?}"),
    }
}

fn request_of(asked: &ToolRequest) -> &Request {
    match asked {
        ToolRequest::Change(Change::Files(request)) => request,
        other => panic!("{other:?}"),
    }
}

/// Returns the only edit of a request, with its file.
fn edit_of(asked: &ToolRequest) -> (&str, &EditRequest) {
    match request_of(asked).files.as_slice() {
        [
            FileRequest {
                path,
                action: Action::Edit(edits),
                non_exhaustive: NonExhaustive,
            },
        ] if edits.len() == 1 => (path, &edits[0]),
        other => panic!("{other:?}"),
    }
}

fn write_of(asked: &ToolRequest) -> &WriteRequest {
    match request_of(asked).files.as_slice() {
        [
            FileRequest {
                action: Action::Write(write),
                ..
            },
        ] => write,
        other => panic!("{other:?}"),
    }
}

fn assert_message_contains(invalid: &InvalidArguments, words: &[&str]) {
    for word in words {
        assert!(
            invalid.message.contains(word),
            "{word:?} in {:?}",
            invalid.message
        );
    }
}

#[test]
fn complete_call_needs_no_repairs() {
    let call = json!({"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": true, "expect_count": 2, "revision": "00"});
    let received = receive("Edit", call).unwrap();
    let (_, edit) = edit_of(&received.asked);
    assert_eq!(
        (
            edit.replace_all,
            edit.expect_count,
            edit.revision.as_deref()
        ),
        (true, Some(2), Some("00"))
    );
    let request = request_of(&received.asked);
    assert_eq!((request.insist, request.dry_run), (Insist::No, DryRun::No));
    assert!(received.repairs.is_empty());
}

#[test]
fn names_missing_field_and_suspects_cut_off_call() {
    let invalid = receive_refusal("Edit", json!({"file_path": "/a", "old_string": "one"}));
    assert_eq!(invalid.field.as_deref(), Some("new_string"));
    assert_message_contains(&invalid, &["new_string is missing", "cut off"]);
    assert_message_contains(
        &receive_refusal("Write", json!({"file_path": "/a"})),
        &["content is missing", "cut off"],
    );
    assert_message_contains(
        &receive_refusal("Write", json!({})),
        &["file_path and content are missing"],
    );
    assert_message_contains(
        &receive_refusal("Read", Value::Null),
        &["file_path is missing"],
    );
    assert_message_contains(
        &receive_refusal("Read", json!({"file_path": null})),
        &["file_path is missing"],
    );
}

#[test]
fn names_unknown_field_with_closest_known_one() {
    let call = json!({"file_path": "/a", "old_string": "x", "new_string": "y", "replaceAll": true});
    let invalid = receive_refusal("Edit", call);
    assert_eq!(
        (invalid.field.as_deref(), invalid.suggestion.as_deref()),
        (Some("replaceAll"), Some("replace_all"))
    );
    assert_message_contains(&invalid, &["replaceAll", "replace_all"]);
    let invalid = receive_refusal(
        "Edit",
        json!({"file_path": "/a", "old_str": "x x", "new_str": "y"}),
    );
    assert_message_contains(
        &invalid,
        &[
            "no field old_str,",
            "did you mean old_string",
            "no field new_str,",
            "did you mean new_string",
        ],
    );
    assert!(!invalid.message.contains("missing"), "{invalid}");
    assert_message_contains(
        &receive_refusal("Read", json!({"file_path": "/a", "ofset": 1})),
        &["ofset", "did you mean offset?"],
    );
    assert_message_contains(
        &receive_refusal("Read", json!({"path": "/a"})),
        &["did you mean file_path?"],
    );
    assert_message_contains(
        &receive_refusal("Read", json!({"zzz": 1})),
        &["there is no field zzz.", "file_path is missing"],
    );
}

#[test]
fn repairs_and_names_values_sent_as_text() {
    let received = receive(
        "Read",
        json!({"file_path": "/a", "offset": "3", "limit": 2.0, "force": "true"}),
    )
    .unwrap();
    let read = read_of(&received.asked);
    assert_eq!(
        (read.offset, read.limit, read.force),
        (Some(3), Some(2), true)
    );
    let told: Vec<String> = received.repairs.iter().map(Repair::to_string).collect();
    assert_eq!(
        told,
        [
            "offset: \"3\" read as 3",
            "limit: 2.0 read as 2",
            "force: \"true\" read as true"
        ]
    );
    let call = json!({"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": "False", "expect_count": "2.0"});
    let received = receive("Edit", call).unwrap();
    let (_, edit) = edit_of(&received.asked);
    assert_eq!((edit.replace_all, edit.expect_count), (false, Some(2)));
}

#[test]
fn refuses_wrong_type_with_field_and_type() {
    let edit = |field: &str, value: Value| {
        let mut call = json!({"file_path": "/a", "old_string": "x", "new_string": "y"});
        call[field] = value;
        receive_refusal("Edit", call)
    };
    assert_message_contains(
        &edit("replace_all", json!("banana")),
        &["replace_all must be true or false, not \"banana\""],
    );
    assert_message_contains(
        &edit("replace_all", json!(1)),
        &["replace_all must be true or false, not 1"],
    );
    assert_message_contains(
        &edit("old_string", json!(["x"])),
        &["old_string must be text", "not a list"],
    );
    assert_message_contains(
        &edit("expect_count", json!(-1)),
        &["expect_count must be a whole number, 1 or more, not -1"],
    );
    assert_message_contains(
        &receive_refusal("Read", json!({"file_path": 7})),
        &["file_path must be text", "not 7"],
    );
    for limit in [
        json!("ten"),
        json!(1.5),
        json!("1.5"),
        json!(-1),
        json!("-1"),
        json!(1e300),
        json!(" "),
        json!("99999999999999999999"),
        json!(true),
    ] {
        assert_message_contains(
            &receive_refusal("Read", json!({"file_path": "/a", "limit": limit})),
            &["limit must be a whole number"],
        );
    }
    assert_message_contains(
        &receive_refusal("Write", json!({"file_path": "/a", "content": {"a": 1}})),
        &["content must be text", "not an object"],
    );
    assert_message_contains(
        &receive_refusal("Read", json!([1])),
        &["must be one JSON object, not a list"],
    );
}

#[test]
fn refuses_numbers_outside_limits() {
    assert!(receive("Read", json!({"file_path": "/a", "offset": 0})).is_ok());
    assert_message_contains(
        &receive_refusal("Read", json!({"file_path": "/a", "offset": -1})),
        &["offset", "0 or more", "-1"],
    );
    assert_message_contains(
        &receive_refusal("Read", json!({"file_path": "/a", "limit": -2})),
        &["limit", "1 or more"],
    );
    assert_message_contains(
        &receive_refusal("Read", json!({"file_path": "/a", "column": -2})),
        &["column", "1 or more"],
    );
}

#[test]
fn empty_optional_field_counts_as_absent_in_every_tool() {
    for declaration in crate::builtin::declarations() {
        let tool = declaration.name.as_ref();
        let schema = &declaration.input_schema;
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut plain = Map::new();
        for field in &required {
            let edit = json!([{"file_path": "/a", "old_string": "x", "new_string": "y"}]);
            let choice = schema["properties"][*field]["enum"].get(0).cloned();
            let text = choice.unwrap_or_else(|| json!("/a"));
            let value = match *field {
                "edits" => edit,
                "expect" => json!(["x", "y"]),
                "start_line" | "end_line" | "line" => json!(1),
                "new_name" => json!("b"),
                _ => text,
            };
            plain.insert((*field).to_owned(), value);
        }
        // Which fields NotebookEdit requires depends on the edit mode.
        let meant = match tool {
            "NotebookEdit" => vec![
                ("edit_mode", "insert"),
                ("cell_type", "raw"),
                ("new_source", "x"),
            ],
            _ => Vec::new(),
        };
        for (field, value) in &meant {
            plain.insert((*field).to_owned(), json!(value));
        }
        let wanted = receive(tool, Value::Object(plain.clone())).expect("a plain call");
        for (field, schema) in schema["properties"].as_object().expect("properties") {
            if required.contains(&field.as_str()) {
                let mut call = plain.clone();
                call.insert(field.clone(), Value::Null);
                assert_message_contains(
                    &receive_refusal(tool, Value::Object(call)),
                    &[field, "missing"],
                );
                continue;
            }
            if meant.iter().any(|(meant, _)| meant == field) {
                continue;
            }
            let mut nothing = vec![Value::Null];
            if field != "operation" {
                nothing.push(json!(""));
            }
            // Cells are counted from 0, and head_limit 0 means no limit.
            let counts = !["head_limit", "cell_number"].contains(&field.as_str());
            if schema["type"] == "integer" && counts && !field.starts_with('-') {
                nothing.extend([json!(0), json!("0"), json!(0.0)]);
            }
            for value in nothing {
                let mut call = plain.clone();
                call.insert(field.clone(), value.clone());
                let got = receive(tool, Value::Object(call))
                    .unwrap_or_else(|wrong| panic!("{tool}, {field}: {value}: {wrong}"));
                if field != "offset" {
                    assert_eq!(got.asked, wanted.asked, "{tool}, {field}: {value}");
                }
            }
        }
    }
}

#[test]
fn empty_field_in_list_counts_as_absent() {
    let call = json!({
        "file_path": "/outer",
        "edits": [{"file_path": "", "old_string": "", "new_string": "", "revision": "", "replace_all": ""}],
    });
    let received = receive("MultiEdit", call).expect("absent");
    let (path, edit) = edit_of(&received.asked);
    assert_eq!(path, "/outer");
    assert_eq!(edit.revision, None);
    assert_eq!(edit.old, "");
}

#[test]
fn preserves_meaningful_zero_and_empty_text() {
    let call = json!({"pattern": "x", "head_limit": 0, "-A": 0});
    let received = receive("Grep", call).expect("a call");
    let call = grep_of(&received.asked);
    assert_eq!((call.head_limit, call.after), (Some(0), Some(0)));
    let received = receive("Undo", json!({"operation": ""})).expect("a call");
    let selection = &take_back_of(&received.asked).selection;
    assert_eq!(*selection, Selection::Operation(String::new()));
}

#[test]
fn refuses_empty_paths_and_paths_with_nul() {
    assert_message_contains(
        &receive_refusal("Read", json!({"file_path": ""})),
        &["file_path is empty"],
    );
    assert_message_contains(
        &receive_refusal("Read", json!({"file_path": "/a\0b"})),
        &["file_path", "NUL"],
    );
    let call = json!({"edits": [{"file_path": "/a\0", "old_string": "x", "new_string": "y"}]});
    assert_message_contains(
        &receive_refusal("MultiEdit", call),
        &["edit 1: file_path", "NUL"],
    );
}

#[test]
fn multi_edit_counts_edits_from_one() {
    assert_message_contains(
        &receive_refusal("MultiEdit", json!({"edits": []})),
        &["edits needs at least 1"],
    );
    let call = json!({"edits": [{"file_path": "/a", "old_string": "x", "new_string": "y"}, {"file_path": "/a", "old_string": "1"}]});
    let invalid = receive_refusal("MultiEdit", call);
    assert_message_contains(&invalid, &["edit 2: new_string is missing"]);
    assert_eq!(invalid.field.as_deref(), Some("edits[1].new_string"));
    assert_message_contains(
        &receive_refusal(
            "MultiEdit",
            json!({"edits": [{"old_string": "x", "new_string": "y"}]}),
        ),
        &["edit 1: file_path is missing"],
    );
    assert_message_contains(
        &receive_refusal(
            "MultiEdit",
            json!({"edits": [{"old_str": "x", "new_string": "y"}]}),
        ),
        &["edit 1: there is no field old_str, did you mean old_string?"],
    );
    assert_message_contains(
        &receive_refusal("MultiEdit", json!({"edits": ["x"]})),
        &["edit 1: must be a JSON object"],
    );
    assert_message_contains(
        &receive_refusal("MultiEdit", json!({"edits": {"old_string": "x"}})),
        &["edits must be a list of JSON objects"],
    );
    assert_message_contains(
        &receive_refusal("MultiEdit", json!({"edits": "[{\"old_string\""})),
        &["edits must be a list", "not valid at line 1, column 14"],
    );
}

#[test]
fn repairs_edits_sent_as_json_text() {
    let call = json!({"file_path": "/a", "edits": "[{\"old_string\":\"x\",\"new_string\":\"y\",\"replace_all\":\"true\"}]"});
    let received = receive("MultiEdit", call).unwrap();
    assert!(edit_of(&received.asked).1.replace_all);
    assert_eq!(
        received
            .repairs
            .iter()
            .map(|repair| repair.field.as_str())
            .collect::<Vec<_>>(),
        ["edits", "edits[0].replace_all"]
    );
}

#[test]
fn refusal_of_unknown_mode_lists_known_modes() {
    let invalid = receive_refusal(
        "Write",
        json!({"file_path": "/a", "content": "", "mode": "apend"}),
    );
    assert_message_contains(
        &invalid,
        &["mode must be \"overwrite\", \"append\" or \"create\", not \"apend\""],
    );
    assert_eq!(invalid.suggestion.as_deref(), Some("append"));
    let received = receive(
        "Write",
        json!({"file_path": "/a", "content": "", "mode": "create"}),
    )
    .unwrap();
    assert_eq!(write_of(&received.asked).mode, WriteMode::Create);
}

#[test]
fn refuses_unknown_read_mode_and_ignores_empty_one() {
    assert!(
        receive(
            "Read",
            json!({"file_path": "/a", "mode": "text", "pages": null})
        )
        .is_ok()
    );
    assert!(receive("Read", json!({"file_path": "/a", "mode": "", "pages": ""})).is_ok());
    assert!(receive("Read", json!({"file_path": "/a", "mode": "outline"})).is_ok());
    assert_message_contains(
        &receive_refusal("Read", json!({"file_path": "/a", "mode": "pages"})),
        &["mode can be \"outline\""],
    );
}

#[test]
fn accepts_single_page_or_page_range() {
    for (sent, pages) in [
        (json!("1-3"), Some("1-3")),
        (json!("10-"), Some("10-")),
        (json!(3), Some("3")),
        (json!(""), None),
        (json!(null), None),
    ] {
        let received = receive("Read", json!({"file_path": "/a", "pages": sent})).unwrap();
        assert_eq!(read_of(&received.asked).pages.as_deref(), pages);
    }
    for wrong in [json!("first"), json!("0"), json!("5-1"), json!(1.5)] {
        assert_message_contains(
            &receive_refusal("Read", json!({"file_path": "/a", "pages": wrong})),
            &["pages is", "(1-5)"],
        );
    }
}

#[test]
fn null_field_does_not_select_tool() {
    for (tool, null, call) in [
        (
            "Replace",
            "old_string",
            json!({"file_path": "/a", "content": "x"}),
        ),
        (
            "Replace",
            "old_str",
            json!({"file_path": "/a", "content": "x"}),
        ),
        (
            "write_file",
            "content",
            json!({"path": "/a", "file_text": "x"}),
        ),
        (
            "NotebookEdit",
            "new_source",
            json!({"notebook_path": "/a.ipynb", "cell_id": "c", "source": "x"}),
        ),
        (
            "NotebookEdit",
            "source",
            json!({"notebook_path": "/a.ipynb", "cell_id": "c", "content": "x"}),
        ),
        ("Grep", "no_such_field", json!({"pattern": "x"})),
    ] {
        let meant = normalize(tool, call.clone()).unwrap();
        let mut with_null = call;
        with_null[null] = Value::Null;
        assert_eq!(
            normalize(tool, with_null.clone()).as_ref(),
            Ok(&meant),
            "{with_null}"
        );
        let text = Value::String(with_null.to_string());
        assert_eq!(normalize(tool, text).as_ref(), Ok(&meant), "{with_null}");
    }
}

#[test]
fn other_tool_names_accept_their_own_field_names() {
    let read = |tool: &str, call: Value| receive(tool, call).unwrap();
    assert_eq!(read("View", json!({"file_path": "/a"})).tool(), "Read");
    assert_eq!(read("read_file", json!({"path": "/a"})).tool(), "Read");
    assert_eq!(
        read("write_file", json!({"path": "/a", "content": "x"})).tool(),
        "Write"
    );
    assert_eq!(
        read("Replace", json!({"file_path": "/a", "content": "x"})).tool(),
        "Write"
    );
    assert_eq!(
        read(
            "Replace",
            json!({"file_path": "/a", "old_string": "x", "new_string": "y"})
        )
        .tool(),
        "Edit"
    );
    let received = read(
        "str_replace",
        json!({"path": "/a", "old_str": "x", "new_str": "y"}),
    );
    assert_eq!(
        edit_of(&received.asked),
        ("/a", &EditRequest::new("x", "y"))
    );
    assert_message_contains(
        &receive_refusal("Reed", json!({})),
        &["no tool \"Reed\"", "Did you mean Read?"],
    );
    assert_eq!(closest_tool("edit"), Some("Edit"));
    assert_eq!(closest_tool("multi_edit"), Some("MultiEdit"));
    assert_eq!(closest_tool("writefile"), Some("Write"));
    assert_eq!(closest_tool("banana"), None);
}

#[test]
fn messages_stay_short_for_any_arguments() {
    let long = "x".repeat(1_000_000);
    for invalid in [
        receive_refusal(&long, json!({})),
        receive_refusal("Read", json!({"file_path": "/a", (long.as_str()): 1})),
        receive_refusal("Read", json!({"file_path": "/a", "limit": long})),
        receive_refusal(
            "Write",
            json!({"file_path": "/a", "content": "", "mode": long}),
        ),
        receive_refusal(
            "Read",
            Value::Object(
                (0..10_000)
                    .map(|number| (format!("field{number}"), Value::Null))
                    .chain([("a".to_owned(), json!(1))])
                    .collect(),
            ),
        ),
        receive_refusal(
            "Read",
            Value::Object(
                (0..10_000)
                    .map(|number| (format!("field{number}"), json!(1)))
                    .collect(),
            ),
        ),
    ] {
        assert!(invalid.message.len() < 1_000, "{}", invalid.message.len());
    }
}

#[test]
fn validates_host_tool_against_its_schema() {
    let schema = json!({"type": "object", "properties": {"depth": {"type": "integer"}, "any": {}}, "required": ["depth"]});
    let (cleaned, repairs) = clean_arguments(
        "Tree",
        &schema,
        json!({"depth": "-2", "any": [1], "more": true}),
    )
    .unwrap();
    assert_eq!(cleaned, json!({"depth": -2, "any": [1], "more": true}));
    assert_eq!(repairs.len(), 1);
    assert!(
        clean_arguments("Tree", &schema, json!({}))
            .unwrap_err()
            .message
            .contains("depth is missing")
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop_oneof![
            Just("true"),
            Just("3"),
            Just("3.0"),
            Just("-0"),
            Just("."),
            Just("[{}]"),
            Just("append"),
            Just("/a")
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any_field(), inner), 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn any_field() -> impl Strategy<Value = String> {
    let known = [
        "file_path",
        "path",
        "offset",
        "limit",
        "column",
        "force",
        "mode",
        "pages",
        "old_string",
        "old_str",
        "new_string",
        "replace_all",
        "expect_count",
        "revision",
        "insist",
        "dry_run",
        "edits",
        "content",
    ];
    prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

fn any_tool() -> impl Strategy<Value = String> {
    let known = [
        "Read",
        "Edit",
        "MultiEdit",
        "Write",
        "View",
        "Replace",
        "read_file",
        "write_file",
        "str_replace",
    ];
    prop_oneof![8 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn arguments_never_panic_and_refusals_are_bounded(tool in any_tool(), arguments in any_json()) {
        match receive(&tool, arguments) {
            Err(invalid) => {
                prop_assert!(!invalid.message.is_empty());
                prop_assert!(invalid.message.len() < 2_000);
            }
            Ok(received) => prop_assert!(canonical_tool(received.tool()).is_some()),
        }
    }

    /// Accepted arguments, sent again in their repaired form, are accepted with the same result and need no repair.
    #[test]
    fn repaired_arguments_need_no_further_repair(offset in any::<u64>(), force in any::<bool>(), float in any::<bool>()) {
        let offset = if float { offset >> 12 } else { offset };
        let sent = if float { json!(offset as f64) } else { json!(offset.to_string()) };
        let sent = json!({"file_path": "/a", "offset": sent, "force": force.to_string()});
        let (name, normal) = normalize("View", sent.clone()).unwrap();
        let first = receive("View", sent).unwrap();
        prop_assert_eq!(read_of(&first.asked).offset, Some(offset));
        let second = receive(name, normal).unwrap();
        prop_assert_eq!(&first.asked, &second.asked);
        prop_assert!(second.repairs.is_empty());
    }
}

#[test]
fn preserves_edit_order_and_groups_adjacent_edits_of_one_path() {
    let edit =
        |path: &str, old: &str| json!({"file_path": path, "old_string": old, "new_string": "z"});
    let call =
        json!({"edits": [edit("/a", "1"), edit("/a", "2"), edit("/b", "3"), edit("/a", "4")]});
    let received = receive("MultiEdit", call).unwrap();
    let edits = |olds: &[&str]| olds.iter().map(|old| EditRequest::new(*old, "z")).collect();
    let wanted = [
        FileRequest::edit("/a", edits(&["1", "2"])),
        FileRequest::edit("/b", edits(&["3"])),
        FileRequest::edit("/a", edits(&["4"])),
    ];
    assert_eq!(request_of(&received.asked).files, wanted);
}

#[test]
fn typed_arguments_are_checked_like_json_arguments() {
    use crate::arguments::{EditArguments, GlobArguments, MultiEditArguments, WriteArguments};
    let empty = EditArguments::default().into_request().unwrap_err();
    assert_eq!(
        empty,
        receive_refusal(
            "Edit",
            json!({"file_path": "", "old_string": "", "new_string": ""})
        )
    );
    let nul = WriteArguments {
        file_path: "a\0".into(),
        ..WriteArguments::default()
    };
    let sent = serde_json::to_value(&nul).unwrap();
    assert_eq!(
        nul.into_request().unwrap_err(),
        receive_refusal("Write", sent)
    );
    let none = MultiEditArguments::default().into_request().unwrap_err();
    assert_eq!(none, receive_refusal("MultiEdit", json!({"edits": []})));
    let nothing = GlobArguments {
        pattern: "*".into(),
        path: Some(String::new()),
        limit: Some(0),
        ..GlobArguments::default()
    };
    let sent = serde_json::to_value(&nothing).unwrap();
    assert_eq!(
        nothing.into_request().unwrap(),
        receive("Glob", sent).unwrap().asked
    );
}
