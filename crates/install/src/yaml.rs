//! Edits settings in YAML. The parser supplies the positions; the text is spliced.

mod tree;

use serde_json::Value;

use crate::draft::SettingsDraft;
use crate::entry::EditError;
use crate::json;
use crate::layout::{byte_order_mark_length, line_end, line_start, missing_line_end, next_line};
use tree::{Mapping, YamlNode, parse_document};

/// One step of indentation if the file shows none.
const DEFAULT_INDENT: usize = 2;

/// Returns the value of a text; `None` if it has none, or only comments.
pub(crate) fn parse_value(text: &str) -> Result<Option<Value>, EditError> {
    Ok(parse_document(text)?.map(|node| node.value()))
}

/// Sets a member of a mapping, and creates the mappings that lead to it.
pub(crate) fn set_member(
    draft: &mut SettingsDraft,
    path: &[String],
    value: &Value,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let Some(root) = parse_document(&text)? else {
        let added = format!(
            "{}{}",
            missing_line_end(&text),
            format_block(path, value, 0, DEFAULT_INDENT, line_end(&text))
        );
        draft.insert(text.len(), &added);
        return Ok(());
    };
    let mut node = &root;
    let mut unit = DEFAULT_INDENT;
    for (depth, name) in path.iter().enumerate() {
        let mapping = node
            .as_mapping()
            .ok_or_else(|| kind_error(node, &path[..depth]))?;
        let Some(pair) = mapping.pair(name) else {
            return insert_pair(draft, mapping, depth, &path[depth..], value, unit);
        };
        if depth + 1 == path.len() {
            if pair.value.value() == *value {
                return Ok(());
            }
            remove_member(draft, path)?;
            return set_member(draft, path, value);
        }
        if pair.value.is_empty_scalar() {
            // `extensions:` with nothing below it.
            let column = column_at(&text, pair.key.start()) + unit;
            let end_of_line = line_end(&text);
            let at = pair
                .offset_after_colon(&text)
                .ok_or_else(|| unsure_error(name))?;
            let added = format_block(&path[depth + 1..], value, column, unit, end_of_line);
            draft.insert(at, &format!("{end_of_line}{}", added.trim_end()));
            return Ok(());
        }
        if let Some(inner) = pair
            .value
            .as_mapping()
            .and_then(|inner| inner.pairs.first())
        {
            let inner = column_at(&text, inner.key.start());
            let outer = column_at(&text, pair.key.start());
            unit = inner
                .checked_sub(outer)
                .filter(|unit| *unit > 0)
                .unwrap_or(DEFAULT_INDENT);
        }
        node = &pair.value;
    }
    Ok(())
}

/// Adds a pair to a mapping: behind the last one at the top level, before the first one below it.
fn insert_pair(
    draft: &mut SettingsDraft,
    mapping: &Mapping,
    depth: usize,
    path: &[String],
    value: &Value,
    unit: usize,
) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let end_of_line = line_end(&text);
    let (name, rest) = path.split_first().ok_or_else(|| unsure_error(""))?;
    if let Some(open) = mapping.flow_open {
        let value = json::nest_value(rest, value.clone());
        let comma = match mapping.pairs.is_empty() {
            true => "",
            false => ", ",
        };
        let added = format!(
            "{}: {}{comma}",
            format_scalar(name),
            json::format_one_line(&value)
        );
        draft.insert(open, &added);
        return Ok(());
    }
    let first = mapping.pairs.first().ok_or_else(|| unsure_error(name))?;
    let column = column_at(&text, first.key.start());
    let added = format_block(path, value, column, unit, end_of_line);
    match depth {
        0 => draft.insert(text.len(), &format!("{}{added}", missing_line_end(&text))),
        _ => {
            let at = line_start(&text, first.key.start());
            if !text[at..first.key.start()].trim().is_empty() {
                return Err(unsure_error(name));
            }
            draft.insert(at, &added);
        }
    }
    Ok(())
}

/// Removes a member from its mapping. A mapping that is left empty is written as `{}`.
pub(crate) fn remove_member(draft: &mut SettingsDraft, path: &[String]) -> Result<(), EditError> {
    let text = draft.text().to_owned();
    let Some(root) = parse_document(&text)? else {
        return Ok(());
    };
    let mut above = None;
    let mut node = &root;
    for (depth, name) in path.iter().enumerate() {
        let Some(mapping) = node.as_mapping() else {
            return Ok(());
        };
        let Some(index) = mapping.position(name) else {
            return Ok(());
        };
        let pair = &mapping.pairs[index];
        if depth + 1 < path.len() {
            above = Some(pair);
            node = &pair.value;
            continue;
        }
        if mapping.flow_open.is_some() {
            mapping
                .flow_container()
                .ok_or_else(|| unsure_error(name))?
                .remove(draft, index);
            return Ok(());
        }
        let end = text[..pair.end()].trim_end().len();
        let range = line_start(&text, pair.key.start())..next_line(&text, end);
        draft.replace(range, "");
        if let Some(above) = above.filter(|_| mapping.pairs.len() == 1) {
            let at = above
                .offset_after_colon(&text)
                .ok_or_else(|| unsure_error(name))?;
            draft.insert(at, " {}");
        }
    }
    Ok(())
}

fn unsure_error(name: &str) -> EditError {
    EditError::Unsure(format!(
        "what is around {name} is written in an unusual way"
    ))
}

fn kind_error(node: &YamlNode, path: &[String]) -> EditError {
    let key = match path.is_empty() {
        true => "the whole file".to_owned(),
        false => path.join("."),
    };
    EditError::Kind {
        key,
        found: node.kind(),
        wanted: "a mapping",
    }
}

/// Returns the column of an offset, in bytes, from 0.
fn column_at(text: &str, at: usize) -> usize {
    at - line_start(text, at).max(byte_order_mark_length(text))
}

/// Returns a member on separate lines, inside the mappings that lead to it.
fn format_block(
    path: &[String],
    value: &Value,
    column: usize,
    unit: usize,
    end_of_line: &str,
) -> String {
    let Some((name, rest)) = path.split_first() else {
        return String::new();
    };
    let value = json::nest_value(rest, value.clone());
    let mut lines = String::new();
    write_member(&mut lines, name, &value, column, unit, end_of_line);
    lines
}

fn write_member(
    out: &mut String,
    name: &str,
    value: &Value,
    column: usize,
    unit: usize,
    end_of_line: &str,
) {
    let blanks = " ".repeat(column);
    match value {
        Value::Object(members) if !members.is_empty() => {
            *out += &format!("{blanks}{}:{end_of_line}", format_scalar(name));
            for (name, value) in members {
                write_member(out, name, value, column + unit, unit, end_of_line);
            }
        }
        Value::String(text) => {
            *out += &format!(
                "{blanks}{}: {}{end_of_line}",
                format_scalar(name),
                format_scalar(text)
            )
        }
        other => {
            *out += &format!(
                "{blanks}{}: {}{end_of_line}",
                format_scalar(name),
                json::format_one_line(other)
            )
        }
    }
}

/// Returns a text as a plain scalar if no reader takes it for anything else, otherwise in double quotes, as in JSON.
pub(crate) fn format_scalar(text: &str) -> String {
    let is_plain =
        |mark: char| mark.is_ascii_alphanumeric() || matches!(mark, '_' | '-' | '.' | '/');
    let starts = text.starts_with(|mark: char| mark.is_ascii_alphabetic() || mark == '/');
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = words.contains(&text.to_ascii_lowercase().as_str());
    match starts && !is_word && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => Value::from(text).to_string(),
    }
}
