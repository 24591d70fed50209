//! Settings that are several tables, each of which names a program: `[[format]]`.

use toml_edit::{Item, TableLike};

use super::Layer;
use super::by_path::PathRule;
use super::commands::{MUST_BEGIN, is_command};
use super::error::SettingsError;
use super::items::{exact_texts, shown, texts_of};
use super::keys::Key;
use super::pattern_rule::rule;
use crate::closest::closest;
use crate::programs::Formatter;

/// A table that names a program, with the byte offsets of its values.
#[derive(Debug)]
pub(super) struct NamedProgram {
    /// The patterns of the files.
    pub(super) files: Vec<(String, usize)>,
    /// The program and its arguments.
    pub(super) command: Vec<String>,
}

/// The tables of a key, each with its byte offset.
pub(super) fn of<'i>(
    layer: &Layer,
    key: &Key,
    item: &'i Item,
    key_at: usize,
) -> Result<Vec<(&'i dyn TableLike, usize)>, SettingsError> {
    let name = key.name;
    if let Some(tables) = item.as_array_of_tables() {
        let at = |span: Option<std::ops::Range<usize>>| span.map_or(key_at, |span| span.start);
        let tables = tables.iter();
        return Ok(tables
            .map(|table| (table as &dyn TableLike, at(table.span())))
            .collect());
    }
    let wrong = || {
        let message = format!(
            "{name} must be tables, each begun by [[{name}]], not {}",
            shown(item)
        );
        SettingsError::at(layer, key_at, message).suggesting(Some(&format!("[[{name}]]")))
    };
    let inline = item.as_array().ok_or_else(wrong)?.iter();
    let tables = inline.map(|value| {
        let at = value.span().map_or(key_at, |span| span.start);
        let table = value.as_inline_table().ok_or_else(wrong)?;
        Ok((table as &dyn TableLike, at))
    });
    tables.collect()
}

/// Reads a table of `[[format]]`.
pub(super) fn program(
    layer: &Layer,
    key: &Key,
    table: &dyn TableLike,
    at: usize,
) -> Result<NamedProgram, SettingsError> {
    const FIELDS: &[&str] = &["files", "run"];
    let name = key.name;
    let (mut files, mut command) = (Vec::new(), None);
    for (field, item) in table.iter() {
        let field_at = table
            .key(field)
            .and_then(toml_edit::Key::span)
            .map_or(at, |span| span.start);
        let value_at = item.span().map_or(field_at, |span| span.start);
        let wrong = |wanted: &str| {
            let message = format!("{name}.{field} must be {wanted}, not {}", shown(item));
            SettingsError::at(layer, value_at, message)
        };
        match field {
            "files" => {
                files = match item.as_str() {
                    Some(text) => vec![(text.to_owned(), value_at)],
                    None => {
                        texts_of(item, value_at).ok_or_else(|| wrong("a list of file patterns"))?
                    }
                };
            }
            "run" => {
                let words = item.as_array().and_then(exact_texts);
                let words =
                    words.ok_or_else(|| wrong("a list of texts, the program and its arguments"))?;
                if !is_command(&words) {
                    let message = format!("{name}.run {MUST_BEGIN}");
                    return Err(SettingsError::at(layer, value_at, message));
                }
                command = Some(words);
            }
            _ => {
                let shown: String = field.chars().take(60).collect();
                let message = format!("[[{name}]] has no key {shown}");
                let meant = closest(field, FIELDS.iter().copied());
                return Err(SettingsError::at(layer, field_at, message).suggesting(meant));
            }
        }
    }
    let missing = |field: &str, example: &str| {
        let message = format!("[[{name}]] needs {field}, for instance {field} = {example}");
        SettingsError::at(layer, at, message)
    };
    if files.is_empty() {
        return Err(missing("files", "[\"*.py\"]"));
    }
    Ok(NamedProgram {
        files,
        command: command.ok_or_else(|| missing("run", "[\"ruff\", \"format\", \"-\"]"))?,
    })
}

/// The rules of a formatter, one for each pattern.
pub(super) fn formatter(
    layer: &Layer,
    entry: NamedProgram,
) -> Result<Vec<PathRule<Formatter>>, SettingsError> {
    let formatter = Formatter {
        files: entry.files.iter().map(|(text, _)| text.clone()).collect(),
        command: entry.command,
    };
    let word = format!("{:?}", formatter.command);
    let rules = entry.files.into_iter().map(|(pattern, at)| {
        rule(
            layer,
            at,
            "format",
            pattern,
            word.clone(),
            formatter.clone(),
        )
    });
    rules.collect()
}
