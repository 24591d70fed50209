//! Settings that consist of several tables, each of which configures a program: `[[format]]`.

use toml_edit::{Item, TableLike};

use super::Layer;
use super::by_path::PathRule;
use super::error::SettingsError;
use super::fields::ListedTable;
use super::items::{describe_item, texts_with_offsets};
use super::keys::Key;
use super::pattern_rule::pattern_rule;
use crate::programs::Formatter;

/// A table that configures a program, with the byte offsets of its values.
#[derive(Debug)]
pub(super) struct NamedProgram {
    /// The patterns of the files.
    pub(super) files: Vec<(String, usize)>,
    /// The program and its arguments.
    pub(super) command: Vec<String>,
}

/// Returns the tables of a key.
pub(super) fn tables_of_key<'t>(
    layer: &'t Layer,
    key: &'static Key,
    item: &'t Item,
    key_at: usize,
) -> Result<Vec<ListedTable<'t>>, SettingsError> {
    let name = key.name;
    let listed = |table: &'t dyn TableLike, span: Option<std::ops::Range<usize>>| ListedTable {
        layer,
        key: name,
        table,
        at: span.map_or(key_at, |span| span.start),
    };
    if let Some(tables) = item.as_array_of_tables() {
        let tables = tables.iter();
        return Ok(tables.map(|table| listed(table, table.span())).collect());
    }
    let wrong = || {
        let message = format!(
            "{name} must be tables, each begun by [[{name}]], not {}",
            describe_item(item)
        );
        SettingsError::at(layer, key_at, message).with_suggestion(Some(&format!("[[{name}]]")))
    };
    let inline = item.as_array().ok_or_else(wrong)?.iter();
    let tables = inline.map(|value| {
        let table = value.as_inline_table().ok_or_else(wrong)?;
        Ok(listed(table, value.span()))
    });
    tables.collect()
}

/// Reads a table of `[[format]]`.
pub(super) fn parse_program(table: ListedTable<'_>) -> Result<NamedProgram, SettingsError> {
    let (mut files, mut command) = (Vec::new(), None);
    for field in table.fields() {
        match field.name {
            "files" => {
                files = match field.item.as_str() {
                    Some(text) => vec![(text.to_owned(), field.value_at)],
                    None => texts_with_offsets(field.item, field.value_at)
                        .ok_or_else(|| field.wrong_value_error("a list of file patterns"))?,
                };
            }
            "run" => command = Some(field.parse_command()?),
            _ => return Err(field.unknown_field_error(&["files", "run"])),
        }
    }
    if files.is_empty() {
        return Err(table.missing_field_error("files", "[\"*.py\"]"));
    }
    Ok(NamedProgram {
        files,
        command: command
            .ok_or_else(|| table.missing_field_error("run", "[\"ruff\", \"format\", \"-\"]"))?,
    })
}

/// Returns the rules of a formatter, one for each pattern.
pub(super) fn formatter_rules(
    layer: &Layer,
    entry: NamedProgram,
) -> Result<Vec<PathRule<Formatter>>, SettingsError> {
    let formatter = Formatter {
        files: entry.files.iter().map(|(text, _)| text.clone()).collect(),
        command: entry.command,
    };
    let word = format!("{:?}", formatter.command);
    let rules = entry.files.into_iter().map(|(pattern, at)| {
        pattern_rule(
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
