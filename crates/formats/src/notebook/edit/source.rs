//! The replacement of a cell's source. Lines and characters that stay keep their spelling.

use std::ops::Range;

use super::Splice;
use crate::json::{self, JsonType, text};
use crate::notebook::cell::Cell;
use crate::notebook::spacing::{SourceForm, Spacing, split_source_lines};
use crate::shared_ends::shared_ends;

/// Returns the splices that give a cell this source, in the form of its old source. A cell without a source gets one at
/// its end.
pub(super) fn replace_source(
    notebook: &str,
    cell: &Cell<'_>,
    source: &str,
    form: SourceForm,
) -> Vec<Splice> {
    let spacing = Spacing::from_object(notebook, &cell.range, &cell.members);
    let list = |spacing: &Spacing| spacing.nested().format_list(&split_source_lines(source));
    let Some(member) = cell.member("source") else {
        let spacing = match (&spacing, cell.members.last()) {
            (Some(spacing), Some(_)) => spacing,
            // An empty object: one member on one line.
            _ => {
                return vec![Splice {
                    range: cell.range.clone(),
                    text: format!("{{\"source\": {}}}", text::encode_literal(source)),
                }];
            }
        };
        let value = match form {
            SourceForm::String => text::encode_literal(source),
            SourceForm::List => list(spacing),
        };
        let end = cell
            .members
            .last()
            .map_or(cell.range.end, |last| last.value.end);
        return vec![Splice {
            range: end..end,
            text: format!("{}\"source\"{}{value}", spacing.between, spacing.colon),
        }];
    };
    let value = &member.value;
    match json::type_at(notebook, value.start) {
        JsonType::String => {
            let (range, new) = text::literal_difference(&notebook[value.clone()], source);
            if range.is_empty() && new.is_empty() {
                return Vec::new();
            }
            vec![Splice {
                range: value.start + range.start..value.start + range.end,
                text: new,
            }]
        }
        JsonType::Array => replace_source_lines(notebook, value, source, spacing.as_ref()),
        // A source of another type is damage that the new source repairs.
        _ => vec![Splice {
            range: value.clone(),
            text: match (form, &spacing) {
                (SourceForm::List, Some(spacing)) => list(spacing),
                _ => text::encode_literal(source),
            },
        }],
    }
}

/// Returns the splice that turns a list of lines into that of a new source: only lines between the first and the last
/// one that differ are rewritten.
fn replace_source_lines(
    notebook: &str,
    array: &Range<usize>,
    source: &str,
    cell: Option<&Spacing>,
) -> Vec<Splice> {
    let items = json::array_items(notebook, array);
    let new = split_source_lines(source);
    let whole = |text: String| {
        vec![Splice {
            range: array.clone(),
            text,
        }]
    };
    let Some(spacing) = Spacing::from_array(notebook, array) else {
        if new.is_empty() {
            return Vec::new();
        }
        let spacing = cell.map(Spacing::nested);
        return whole(spacing.map_or_else(
            || text::encode_literal(source),
            |spacing| spacing.format_list(&new),
        ));
    };
    if new.is_empty() {
        return whole("[]".to_owned());
    }
    let (before, after) = shared_ends(&items, &new, |item, line| {
        json::type_at(notebook, item.start) == JsonType::String
            && text::decode_literal(&notebook[item.clone()]) == *line
    });
    let old = &items[before..items.len() - after];
    let lines: Vec<String> = new[before..new.len() - after]
        .iter()
        .map(|line| text::encode_literal(line))
        .collect();
    let joined = lines.join(&spacing.between);
    let splice = match (old.first(), old.last(), lines.is_empty()) {
        (None, _, true) => return Vec::new(),
        (Some(first), Some(last), false) => Splice {
            range: first.start..last.end,
            text: joined,
        },
        (Some(first), Some(last), true) => Splice {
            // At least one line remains, since the new source is not empty.
            range: match before.checked_sub(1) {
                Some(kept) => items[kept].end..last.end,
                None => first.start..items[items.len() - after].start,
            },
            text: String::new(),
        },
        _ => match before.checked_sub(1) {
            Some(kept) => Splice {
                range: items[kept].end..items[kept].end,
                text: format!("{}{joined}", spacing.between),
            },
            None => Splice {
                range: items[0].start..items[0].start,
                text: format!("{joined}{}", spacing.between),
            },
        },
    };
    vec![splice]
}
