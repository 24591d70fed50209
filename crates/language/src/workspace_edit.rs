//! Parses a server's plan in the protocol's two forms. It is strict: a plan that cannot be applied exactly is refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::position::{Encoding, PositionLines};
use crate::{PlannedSpan, uri};

/// The maximum number of edits in one plan.
const MOST_EDITS: usize = 20_000;

/// A plan's edits of one file, in the server's positions.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct FileStep<'v> {
    /// The versions of the text that the edits claim to apply to.
    pub(crate) versions: Vec<i64>,
    pub(crate) edits: Vec<&'v Value>,
}

/// Why a plan is refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EditFault {
    /// This step is not an edit of text.
    Unsupported(String),
    /// The fault, as the end of a sentence.
    Malformed(String),
}

/// Parses a plan. The requested move may be one of its steps.
pub(crate) fn parse_plan<'v>(
    plan: &'v Value,
    moved: Option<(&Path, &Path)>,
) -> Result<BTreeMap<PathBuf, FileStep<'v>>, EditFault> {
    let mut files = BTreeMap::<PathBuf, FileStep<'v>>::new();
    let mut add = |uri: &Value, version: &Value, edits: &'v Value| {
        let path = local_path(uri)?;
        let Some(edits) = edits.as_array() else {
            return Err(EditFault::Malformed("it has no list of edits".to_owned()));
        };
        let file = files.entry(path).or_default();
        file.versions.extend(version.as_i64());
        file.edits.extend(edits);
        Ok(())
    };
    // If both forms are present, the protocol prefers this one.
    if let Some(steps) = plan["documentChanges"].as_array() {
        for step in steps {
            match step["kind"].as_str() {
                None => {
                    let document = &step["textDocument"];
                    add(&document["uri"], &document["version"], &step["edits"])?;
                }
                Some(kind) => check_file_operation(kind, step, moved)?,
            }
        }
    } else if let Some(changes) = plan["changes"].as_object() {
        for (uri, edits) in changes {
            add(&Value::from(uri.as_str()), &Value::Null, edits)?;
        }
    } else if !plan.is_object() {
        return Err(EditFault::Malformed("it is no plan".to_owned()));
    }
    if files.values().map(|file| file.edits.len()).sum::<usize>() > MOST_EDITS {
        let why = format!("it has more than {MOST_EDITS} edits");
        return Err(EditFault::Malformed(why));
    }
    files.retain(|_, file| !file.edits.is_empty());
    Ok(files)
}

/// Permits the requested move, and no other step.
fn check_file_operation(
    kind: &str,
    step: &Value,
    moved: Option<(&Path, &Path)>,
) -> Result<(), EditFault> {
    let told = |name: &str| local_path(&step[name]);
    let step = match kind {
        "rename" => {
            let (from, to) = (told("oldUri")?, told("newUri")?);
            if moved == Some((&from, &to)) {
                return Ok(());
            }
            format!("rename {} to {}", from.display(), to.display())
        }
        "create" | "delete" => format!("{kind} {}", told("uri")?.display()),
        _ => "a step of an unknown kind".to_owned(),
    };
    Err(EditFault::Unsupported(step))
}

fn local_path(uri: &Value) -> Result<PathBuf, EditFault> {
    let path = uri.as_str().and_then(uri::path_from_uri);
    path.ok_or_else(|| EditFault::Malformed("it names something that is no local file".to_owned()))
}

/// Returns the edits of a file as spans of its text, in order; those that change nothing are left out.
pub(crate) fn edit_spans(
    edits: &[&Value],
    text: &str,
    encoding: Encoding,
) -> Result<Vec<PlannedSpan>, EditFault> {
    let malformed = |why: &str| Err(EditFault::Malformed(why.to_owned()));
    let lines = PositionLines::new(text);
    let mut spans = Vec::with_capacity(edits.len());
    for edit in edits {
        let Some(new) = edit["newText"].as_str() else {
            return match edit.get("snippet") {
                Some(_) => Err(EditFault::Unsupported("a snippet".to_owned())),
                None => malformed("one of its edits has no text"),
            };
        };
        let place = |which: &str| {
            let position = &edit["range"][which];
            let line = u32::try_from(position["line"].as_u64()?).ok()?;
            let units = u32::try_from(position["character"].as_u64()?).ok()?;
            lines.offset(line, units, encoding)
        };
        let (Some(start), Some(end)) = (place("start"), place("end")) else {
            return malformed("one of its edits is at a place that the file does not have");
        };
        if end < start {
            return malformed("one of its edits ends before it begins");
        }
        spans.push(PlannedSpan {
            range: start..end,
            new: new.to_owned(),
        });
    }
    // Stable: insertions at one place stay in the order of the list, as the protocol says.
    spans.sort_by_key(|span| (span.range.start, span.range.end));
    if spans
        .windows(2)
        .any(|pair| pair[1].range.start < pair[0].range.end)
    {
        return malformed("two of its edits overlap");
    }
    spans.retain(|span| text[span.range.clone()] != *span.new);
    Ok(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn edit_json(start: (u32, u32), end: (u32, u32), new: &str) -> Value {
        json!({
            "range": {
                "start": { "line": start.0, "character": start.1 },
                "end": { "line": end.0, "character": end.1 },
            },
            "newText": new,
        })
    }

    fn edit_ranges(edits: &[Value], text: &str) -> Result<Vec<(usize, usize)>, String> {
        let edits: Vec<&Value> = edits.iter().collect();
        match edit_spans(&edits, text, Encoding::Utf16) {
            Ok(spans) => Ok(spans
                .iter()
                .map(|span| (span.range.start, span.range.end))
                .collect()),
            Err(EditFault::Malformed(why) | EditFault::Unsupported(why)) => Err(why),
        }
    }

    #[test]
    fn prefers_document_changes_over_changes() {
        let one = edit_json((0, 0), (0, 1), "x");
        let old = json!({ "changes": { "file:///a": [one], "file:///b": [] } });
        let files = parse_plan(&old, None).expect("a plan");
        assert_eq!(files.keys().collect::<Vec<_>>(), [Path::new("/a")]);
        let new = json!({
            "changes": { "file:///other": [one] },
            "documentChanges": [
                { "textDocument": { "uri": "file:///a", "version": 7 }, "edits": [one] },
                { "textDocument": { "uri": "file:///a", "version": null }, "edits": [one] },
            ],
        });
        let files = parse_plan(&new, None).expect("a plan");
        let file = &files[Path::new("/a")];
        assert_eq!((file.versions.as_slice(), file.edits.len()), (&[7][..], 2));
        assert_eq!(parse_plan(&json!({}), None).expect("a plan").len(), 0);
        assert!(parse_plan(&json!("x"), None).is_err());
        assert!(parse_plan(&json!({ "changes": { "untitled:1": [one] } }), None).is_err());
    }

    #[test]
    fn allows_only_the_requested_file_operation() {
        let step = json!({ "kind": "rename", "oldUri": "file:///a", "newUri": "file:///b" });
        let plan = json!({ "documentChanges": [step] });
        let moved = (Path::new("/a"), Path::new("/b"));
        assert_eq!(parse_plan(&plan, Some(moved)).expect("a plan").len(), 0);
        let fault = parse_plan(&plan, None).expect_err("a step");
        assert_eq!(fault, EditFault::Unsupported("rename /a to /b".to_owned()));
        for kind in ["create", "delete", "odd"] {
            let plan = json!({ "documentChanges": [{ "kind": kind, "uri": "file:///a" }] });
            assert!(matches!(
                parse_plan(&plan, Some(moved)),
                Err(EditFault::Unsupported(_))
            ));
        }
    }

    #[test]
    fn refuses_inexact_positions() {
        let text = "a😀b\r\ncd";
        assert_eq!(
            edit_ranges(
                &[
                    edit_json((1, 0), (1, 2), "x"),
                    edit_json((0, 3), (0, 4), "y")
                ],
                text
            ),
            Ok(vec![(5, 6), (8, 10)])
        );
        for (start, end) in [
            ((0, 2), (0, 3)),
            ((0, 5), (0, 5)),
            ((1, 3), (1, 3)),
            ((2, 0), (2, 0)),
            ((1, 1), (1, 0)),
        ] {
            assert!(edit_ranges(&[edit_json(start, end, "x")], text).is_err());
        }
    }

    #[test]
    fn refuses_overlapping_but_not_adjacent_edits() {
        let first = edit_json((0, 0), (0, 2), "x");
        assert!(edit_ranges(&[edit_json((0, 1), (0, 3), "y"), first.clone()], "abcd").is_err());
        assert!(edit_ranges(&[first.clone(), first.clone()], "abcd").is_err());
        let beside = [
            first,
            edit_json((0, 2), (0, 3), "y"),
            edit_json((0, 3), (0, 3), "z"),
            edit_json((0, 3), (0, 3), "w"),
        ];
        let places = edit_ranges(&beside, "abcd").expect("a plan");
        assert_eq!(places, [(0, 2), (2, 3), (3, 3), (3, 3)]);
    }

    #[test]
    fn omits_edits_without_effect() {
        assert_eq!(
            edit_ranges(&[edit_json((0, 0), (0, 1), "a")], "abc"),
            Ok(Vec::new())
        );
        let snippet = json!({ "range": edit_json((0, 0), (0, 1), "")["range"], "snippet": { "value": "$1" } });
        assert!(edit_ranges(&[snippet], "abc").is_err());
    }
}
