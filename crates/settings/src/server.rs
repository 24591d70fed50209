//! Reads a table of `[[language.server]]`: a language server that the user configures.

use lancet_language::ServerEntry;
use serde_json::{Map, Value};
use toml_edit::{Item, TableLike};

use super::error::SettingsError;
use super::fields::ListedTable;
use super::items::texts_with_offsets;

/// Reads a table.
pub(super) fn parse_server_entry(table: ListedTable<'_>) -> Result<ServerEntry, SettingsError> {
    let mut entry = ServerEntry::new("", &[], &[]);
    for field in table.fields() {
        let texts = || {
            let texts = texts_with_offsets(field.item, field.value_at)?.into_iter();
            Some(texts.map(|(text, _)| text).collect::<Vec<String>>())
        };
        match field.name {
            "name" => {
                let text = field.item.as_str().filter(|text| !text.is_empty());
                let text = text.ok_or_else(|| field.wrong_value_error("a text"))?;
                text.clone_into(&mut entry.name);
            }
            "files" => {
                entry.files =
                    texts().ok_or_else(|| field.wrong_value_error("a list of file patterns"))?;
            }
            "run" => entry.run = field.parse_command()?,
            "root" => {
                entry.root =
                    texts().ok_or_else(|| field.wrong_value_error("a list of file names"))?
            }
            "settings" => {
                let table = field.item.as_table_like();
                entry.settings =
                    table_to_json(table.ok_or_else(|| field.wrong_value_error("a table"))?);
            }
            _ => {
                return Err(
                    field.unknown_field_error(&["name", "files", "run", "root", "settings"])
                );
            }
        }
    }
    let is_missing = [
        ("name", entry.name.is_empty(), "\"ty\""),
        ("files", entry.files.is_empty(), "[\"*.py\"]"),
        ("run", entry.run.is_empty(), "[\"ty\", \"server\"]"),
    ];
    match is_missing.iter().find(|(_, missing, _)| *missing) {
        Some((field, _, example)) => Err(table.missing_field_error(field, example)),
        None => Ok(entry),
    }
}

/// Converts a table to JSON, the form in which servers receive their settings.
fn table_to_json(table: &dyn TableLike) -> Value {
    let fields = table.iter();
    let fields = fields.map(|(name, item)| (name.to_owned(), item_to_json(item)));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn item_to_json(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return table_to_json(table);
    }
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().map(|table| table_to_json(table)).collect();
    }
    if let Some(list) = item.as_array() {
        return list
            .iter()
            .map(|one| item_to_json(&Item::Value(one.clone())))
            .collect();
    }
    if let Some(text) = item.as_str() {
        return text.into();
    }
    if let Some(number) = item.as_integer() {
        return number.into();
    }
    if let Some(number) = item.as_float() {
        return number.into();
    }
    match item.as_bool() {
        Some(switch) => switch.into(),
        // JSON has no dates, so a date becomes a string.
        None => item.to_string().trim().into(),
    }
}
