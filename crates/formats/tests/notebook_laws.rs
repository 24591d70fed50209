//! Properties of a change of one cell in any notebook: the notebook contains the requested change, and every character
//! outside of the cell stays. `serde_json` parses the result as an independent check.

use lancet_formats::notebook::{CellType, NewCell, Notebook, Splice};
use lancet_testing::laws::config;
use proptest::prelude::*;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Value, json};

/// How a notebook is formatted.
#[derive(Clone, Debug)]
enum Style {
    Compact,
    Indented(String),
}

fn source() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "x", "\n", "é", "\"", "\\", "\t", "🚀", "a b", "\u{7}", "\u{2028}", "/", "{", "]", ",",
        ]),
        0..12,
    )
    .prop_map(|parts| parts.concat())
}

fn cell() -> impl Strategy<Value = Value> {
    let kinds = prop::sample::select(vec!["code", "markdown", "raw"]);
    (kinds, source(), any::<bool>(), any::<bool>(), 0..4_usize).prop_map(
        |(kind, source, as_list, has_id, odd)| {
            let mut cell = serde_json::Map::new();
            cell.insert("cell_type".into(), json!(kind));
            if kind == "code" {
                cell.insert("execution_count".into(), json!(7));
                let output = json!({"output_type": "stream", "name": "stdout", "text": ["1\n"]});
                cell.insert("outputs".into(), json!([output]));
            } else if odd == 1 {
                cell.insert(
                    "attachments".into(),
                    json!({"a.png": {"image/png": "eA=="}}),
                );
            }
            if has_id {
                cell.insert("id".into(), json!(format!("id-{}", source.len())));
            }
            cell.insert(
                "metadata".into(),
                json!({"source": ["not this"], "n": 1.5e300}),
            );
            let source = if as_list {
                json!(source.split_inclusive('\n').collect::<Vec<_>>())
            } else {
                json!(source)
            };
            if odd != 2 {
                cell.insert("source".into(), source);
            }
            Value::Object(cell)
        },
    )
}

fn notebook() -> impl Strategy<Value = (Value, String)> {
    let styles = prop_oneof![
        Just(Style::Compact),
        prop::sample::select(vec![" ", "  ", "    ", "\t"])
            .prop_map(|indent| Style::Indented(indent.to_owned())),
    ];
    let ends = prop::sample::select(vec!["", "\n", "\n\n"]);
    (prop::collection::vec(cell(), 0..5), styles, ends).prop_map(|(cells, style, end)| {
        let value =
            json!({"cells": cells, "metadata": {"cells": []}, "nbformat": 4, "nbformat_minor": 5});
        let text = match style {
            Style::Compact => value.to_string(),
            Style::Indented(indent) => {
                let mut bytes = Vec::new();
                let format = PrettyFormatter::with_indent(indent.as_bytes());
                let mut serializer = Serializer::with_formatter(&mut bytes, format);
                serde::Serialize::serialize(&value, &mut serializer).unwrap();
                String::from_utf8(bytes).unwrap()
            }
        };
        (value, text + end)
    })
}

fn apply(text: &str, splices: &[Splice]) -> String {
    let mut result = String::new();
    let mut at = 0;
    for splice in splices {
        assert!(
            at <= splice.range.start,
            "splices are sorted and apart: {splices:?}"
        );
        result += &text[at..splice.range.start];
        result += &splice.text;
        at = splice.range.end;
    }
    result + &text[at..]
}

fn source_of(cell: &Value) -> String {
    match &cell["source"] {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().map(|line| line.as_str().unwrap()).collect(),
        _ => String::new(),
    }
}

/// Asserts that a cell has the new source and type, and that dependent members are right.
fn assert_changed(new: &Value, old: Option<&Value>, source: &str, cell_type: &CellType) {
    assert_eq!(source_of(new), source);
    assert_eq!(new["cell_type"], cell_type.name());
    let is_code = *cell_type == CellType::Code;
    assert_eq!(new.get("outputs"), is_code.then_some(&json!([])));
    assert_eq!(new.get("execution_count"), is_code.then_some(&json!(null)));
    if is_code {
        assert_eq!(new.get("attachments"), None);
    }
    if let Some(old) = old {
        assert_eq!(new["metadata"], old["metadata"]);
        assert_eq!(new.get("id"), old.get("id"));
        if old.get("source").is_some() {
            assert_eq!(new["source"].is_array(), old["source"].is_array());
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_replaced_cell_is_the_only_one_that_differs(
        (value, text) in notebook(),
        at in any::<prop::sample::Index>(),
        source in source(),
        cell_type in prop::option::of(prop::sample::select(vec![
            CellType::Code, CellType::Markdown, CellType::Raw,
        ])),
    ) {
        let notebook = Notebook::parse(&text).unwrap();
        if notebook.cells().is_empty() {
            return Ok(());
        }
        let at = at.index(notebook.cells().len());
        let cell = &notebook.cells()[at];
        let new_type = cell_type.clone().unwrap_or(cell.cell_type().clone());
        let splices = notebook.replace(at, &source, cell_type.as_ref());
        let changed = apply(&text, &splices);
        if cell.source() == source && new_type == *cell.cell_type() {
            prop_assert!(splices.is_empty());
            return Ok(());
        }
        for splice in &splices {
            prop_assert!(cell.range().start < splice.range.start && splice.range.end < cell.range().end);
        }
        let result: Value = serde_json::from_str(&changed).unwrap();
        for (number, old) in value["cells"].as_array().unwrap().iter().enumerate() {
            if number == at {
                assert_changed(&result["cells"][at], Some(old), &source, &new_type);
            } else {
                prop_assert_eq!(&result["cells"][number], old);
            }
        }
        prop_assert_eq!(&result["metadata"], &value["metadata"]);
    }

    #[test]
    fn an_inserted_cell_stands_where_it_was_asked_for_and_goes_without_a_trace(
        (value, text) in notebook(),
        at in 0..6_usize,
        source in source(),
        cell_type in prop::sample::select(vec![CellType::Code, CellType::Markdown, CellType::Raw]),
    ) {
        let notebook = Notebook::parse(&text).unwrap();
        let at = at.min(notebook.cells().len());
        let id = notebook.unused_id(&source);
        let cell = NewCell::new(cell_type.clone(), &source).with_id(&id);
        let changed = apply(&text, &notebook.insert(at, &cell));
        let result: Value = serde_json::from_str(&changed).unwrap();
        let mut cells = result["cells"].as_array().unwrap().clone();
        let inserted = cells.remove(at);
        assert_changed(&inserted, None, &source, &cell_type);
        prop_assert_eq!(&inserted["id"], &json!(id));
        prop_assert_eq!(&Value::Array(cells), &value["cells"]);
        let again = Notebook::parse(&changed).unwrap();
        prop_assert_eq!(apply(&changed, &again.delete(at)), text.clone());
    }

    #[test]
    fn a_deleted_cell_takes_no_other_along((value, text) in notebook(), at in any::<prop::sample::Index>()) {
        let notebook = Notebook::parse(&text).unwrap();
        if notebook.cells().is_empty() {
            return Ok(());
        }
        let at = at.index(notebook.cells().len());
        let changed = apply(&text, &notebook.delete(at));
        let result: Value = serde_json::from_str(&changed).unwrap();
        let mut cells = value["cells"].as_array().unwrap().clone();
        cells.remove(at);
        prop_assert_eq!(&result["cells"], &Value::Array(cells));
    }

    #[test]
    fn any_text_is_read_or_refused_as_serde_does(text in "[\\[\\]{},:\"a1.eE+\\-0 \n\\\\utrfalsenul]{0,24}") {
        let ours = Notebook::parse(&text);
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text);
        let is_json = !matches!(ours, Err(lancet_formats::notebook::NotebookError::NotJson(_)));
        prop_assert_eq!(is_json, theirs.is_ok(), "{:?} {:?}", ours.err(), theirs.err());
    }
}

#[test]
fn what_python_writes_beside_json_is_no_damage() {
    let text = r#"{"cells": [{"cell_type": "code", "metadata": {"a": NaN, "b": [Infinity, -Infinity]}, "source": "x"}], "nbformat": 4}"#;
    let notebook = Notebook::parse(text).unwrap();
    let changed = apply(text, &notebook.replace(0, "y", None));
    assert_eq!(changed, text.replace("\"x\"", "\"y\""));
}

#[test]
fn of_duplicate_names_the_last_one_counts_and_the_others_stay() {
    let text = r#"{"nbformat": 4, "cells": [], "cells": [{"source": "a", "cell_type": "raw", "source": "b"}]}"#;
    let notebook = Notebook::parse(text).unwrap();
    assert_eq!(notebook.cells()[0].source(), "b");
    let changed = apply(text, &notebook.replace(0, "c", None));
    assert_eq!(changed, text.replace("\"b\"", "\"c\""));
}

#[test]
fn escapes_of_text_that_stays_are_kept() {
    let text = r#"{"nbformat": 4, "cells": [{"cell_type": "raw", "source": "caf\u00e9 \/ old \ud83d\ude80"}]}"#;
    let notebook = Notebook::parse(text).unwrap();
    let changed = apply(text, &notebook.replace(0, "café / new 🚀", None));
    assert_eq!(changed, text.replace("old", "new"));
}

#[test]
fn nesting_of_any_depth_ends_in_an_error() {
    let text = "[".repeat(1_000_000);
    assert!(Notebook::parse(&text).is_err());
}
