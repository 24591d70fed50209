//! Diagnostics of a file, and which of them are new. They are compared as a multiset of code, message and line text, so
//! that moved lines do not produce new ones.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use crate::position::{Encoding, PositionLines};
use crate::{Problem, Severity};

/// The maximum number of diagnostics stored per file.
const MAX_PER_FILE: usize = 1000;

/// The maximum length of a stored message, in bytes.
const LONGEST_MESSAGE: usize = 2000;

/// The maximum length of a line's text that is compared, in bytes.
const LONGEST_LINE: usize = 400;

/// One diagnostic of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    line: u32,
    /// The position in the line in the server's units, until the text is known.
    place: u32,
    column: u32,
    severity: Severity,
    code: Option<String>,
    message: String,
    source: Option<String>,
    line_text: String,
}

impl Diagnostic {
    /// Parses a list of `Diagnostic`s and returns those of at least this severity. Entries that are not diagnostics are
    /// skipped.
    pub(crate) fn parse_list(items: &Value, least: Severity) -> Vec<Diagnostic> {
        let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
        items
            .iter()
            .filter_map(Diagnostic::parse)
            .filter(|diagnosis| diagnosis.severity <= least)
            .take(MAX_PER_FILE)
            .collect()
    }

    /// Parses a `Diagnostic` of the protocol; returns none if a required field is missing or has another type. The
    /// fields are read by hand, because the generated types of the whole protocol are a library of 23 MB, of which only
    /// this one would be used.
    fn parse(item: &Value) -> Option<Diagnostic> {
        let start = item.get("range")?.get("start")?;
        let position = |field: &str| u32::try_from(start.get(field)?.as_u64()?).ok();
        // A plain text, or since version 3.18 `MarkupContent`.
        let message = item.get("message")?;
        let message = message
            .as_str()
            .or_else(|| message.get("value")?.as_str())?;
        let place = position("character")?;
        Some(Diagnostic {
            line: position("line")?,
            place,
            column: place.saturating_add(1),
            severity: match item.get("severity").and_then(Value::as_i64) {
                // The protocol leaves this to the client; most servers mean an error.
                None | Some(1) => Severity::Error,
                Some(2) => Severity::Warning,
                Some(3) => Severity::Information,
                Some(_) => Severity::Hint,
            },
            code: item.get("code").and_then(|code| match code {
                Value::Number(number) => Some(number.to_string()),
                Value::String(text) => Some(text.clone()),
                _ => None,
            }),
            message: truncate_text(message.to_owned(), LONGEST_MESSAGE),
            source: item
                .get("source")
                .and_then(Value::as_str)
                .map(str::to_owned),
            line_text: String::new(),
        })
    }

    /// Fills in what depends on the file's text: the column in characters, and the text of the line.
    pub(crate) fn set_locations(all: &mut [Diagnostic], text: &str, encoding: Encoding) {
        if all.is_empty() {
            return;
        }
        let lines = PositionLines::new(text);
        for diagnosis in all {
            let line = lines.line(diagnosis.line);
            diagnosis.column = encoding.character_column(line, diagnosis.place);
            diagnosis.line_text = truncate_text(line.trim().to_owned(), LONGEST_LINE);
        }
    }

    /// Drops the text of the line, so that it is no longer part of comparisons.
    pub(crate) fn clear_line_text(&mut self) {
        self.line_text.clear();
    }

    /// Converts it to the form that the host receives.
    pub(crate) fn to_problem(&self, path: &Path, server: &str, revision: Option<&str>) -> Problem {
        Problem {
            path: path.to_path_buf(),
            line: self.line.saturating_add(1),
            column: self.column,
            severity: self.severity,
            code: self.code.clone(),
            message: self.message.clone(),
            source: self.source.clone().unwrap_or_else(|| server.to_owned()),
            revision: revision.map(str::to_owned),
        }
    }

    fn comparison_key(&self) -> (&Option<String>, &str, &str) {
        (&self.code, &self.message, &self.line_text)
    }
}

/// Returns the multiset difference: the diagnostics of the first list that the second does not contain as often.
pub(crate) fn subtract(all: &[Diagnostic], known: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut counts: HashMap<_, usize> = HashMap::new();
    for diagnosis in known {
        *counts.entry(diagnosis.comparison_key()).or_default() += 1;
    }
    all.iter()
        .filter(
            |diagnosis| match counts.get_mut(&diagnosis.comparison_key()) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            },
        )
        .cloned()
        .collect()
}

fn truncate_text(mut text: String, longest: usize) -> String {
    if text.len() > longest {
        text.truncate(text.floor_char_boundary(longest));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn diagnostic_at(line: u32, message: &str) -> Value {
        json!({
            "range": { "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 1 } },
            "severity": 1, "code": "E1", "message": message,
        })
    }

    fn located_diagnostics(items: &[Value], text: &str) -> Vec<Diagnostic> {
        let mut all = Diagnostic::parse_list(&json!(items), Severity::Hint);
        Diagnostic::set_locations(&mut all, text, Encoding::Utf16);
        all
    }

    #[test]
    fn reads_severity_and_code() {
        let mut warning = diagnostic_at(0, "w");
        warning["severity"] = json!(2);
        warning["code"] = json!(7);
        let items = json!([warning, diagnostic_at(0, "e"), "nonsense"]);
        assert_eq!(Diagnostic::parse_list(&items, Severity::Error).len(), 1);
        let all = Diagnostic::parse_list(&items, Severity::Warning);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].code.as_deref(), Some("7"));
    }

    #[test]
    fn reads_markup_messages_and_skips_entries_without_position() {
        let mut markup = diagnostic_at(3, "");
        markup["message"] = json!({ "kind": "markdown", "value": "**bad**" });
        let mut without_range = diagnostic_at(0, "lost");
        without_range
            .as_object_mut()
            .expect("an object")
            .remove("range");
        let mut negative = diagnostic_at(0, "lost");
        negative["range"]["start"]["line"] = json!(-1);
        let all = Diagnostic::parse_list(&json!([markup, without_range, negative]), Severity::Hint);
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].message.as_str(), all[0].line), ("**bad**", 3));
    }

    #[test]
    fn second_equal_diagnosis_is_new() {
        let before = located_diagnostics(&[diagnostic_at(0, "bad")], "x\n");
        let after = located_diagnostics(
            &[diagnostic_at(0, "bad"), diagnostic_at(1, "bad")],
            "x\nx\n",
        );
        assert_eq!(subtract(&after, &before).len(), 1);
        assert_eq!(subtract(&before, &after), []);
    }

    #[test]
    fn equal_message_on_another_line_is_new() {
        let before = located_diagnostics(&[diagnostic_at(0, "bad")], "x\ny\n");
        let after = located_diagnostics(&[diagnostic_at(1, "bad")], "x\ny\n");
        assert_eq!(subtract(&after, &before).len(), 1);
    }

    proptest! {
        /// Diagnostics belong to lines. Reordering the lines and inserting others makes none of them new and loses
        /// none.
        #[test]
        fn diagnoses_on_moved_lines_are_not_new(
            lines in proptest::collection::vec(("[a-c]{1,3}", any::<bool>()), 0..12).prop_shuffle(),
            order in any::<prop::sample::Index>(),
            indent in "[ \t]{0,4}",
            more in proptest::collection::vec("[x-z]{0,3}", 0..4),
        ) {
            let state = |lines: &[(String, bool)]| {
                let text: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
                let bad: Vec<Value> = lines.iter().enumerate().filter(|(_, (_, bad))| *bad)
                    .map(|(place, _)| diagnostic_at(u32::try_from(place).expect("small"), "bad")).collect();
                located_diagnostics(&bad, &text)
            };
            let before = state(&lines);
            let mut moved: Vec<(String, bool)> = more.into_iter().map(|line| (line, false)).collect();
            let middle = if lines.is_empty() { 0 } else { order.index(lines.len()) };
            moved.extend(lines[middle..].iter().cloned());
            moved.extend(lines[..middle].iter().map(|(line, bad)| (format!("{indent}{line}"), *bad)));
            let after = state(&moved);
            prop_assert_eq!(subtract(&after, &before), []);
            prop_assert_eq!(subtract(&before, &after), []);
        }

        /// The new and the known diagnostics together are all of them.
        #[test]
        fn difference_counts_equal_diagnoses(
            before in proptest::collection::vec(0_u32..4, 0..8), after in proptest::collection::vec(0_u32..4, 0..8),
        ) {
            let of = |kinds: &[u32]| -> Vec<Diagnostic> {
                let items: Vec<Value> = kinds.iter().map(|kind| diagnostic_at(0, &kind.to_string())).collect();
                located_diagnostics(&items, "x")
            };
            let fresh = subtract(&of(&after), &of(&before));
            for kind in 0..4_u32 {
                let count = |all: &[u32]| all.iter().filter(|one| **one == kind).count();
                let told = fresh.iter().filter(|one| one.message == kind.to_string()).count();
                prop_assert_eq!(told, count(&after).saturating_sub(count(&before)));
            }
        }
    }
}
