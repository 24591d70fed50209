//! Reads a table of `[[language.server]]`: a language server that the person names.

use lancet_language::ServerEntry;
use serde_json::{Map, Value};
use toml_edit::{Item, TableLike};

use super::Layer;
use super::commands::{MUST_BEGIN, is_command};
use super::error::SettingsError;
use super::items::{exact_texts, shown, texts_of};
use super::keys::Key;
use crate::closest::closest;

const FIELDS: &[&str] = &["name", "files", "run", "root", "settings"];

/// Reads a table.
pub(super) fn entry(
    layer: &Layer,
    key: &Key,
    table: &dyn TableLike,
    at: usize,
) -> Result<ServerEntry, SettingsError> {
    let name = key.name;
    let mut entry = ServerEntry::new("", &[], &[]);
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
        let texts = || texts_of(item, value_at).map(|all| all.into_iter().map(|(text, _)| text));
        match field {
            "name" => {
                let text = item.as_str().filter(|text| !text.is_empty());
                text.ok_or_else(|| wrong("a text"))?
                    .clone_into(&mut entry.name);
            }
            "files" => {
                let files = texts().ok_or_else(|| wrong("a list of file patterns"))?;
                entry.files = files.collect();
            }
            "run" => {
                let words = item.as_array().and_then(exact_texts);
                entry.run =
                    words.ok_or_else(|| wrong("a list of texts, the program and its arguments"))?;
                if !is_command(&entry.run) {
                    let message = format!("{name}.run {MUST_BEGIN}");
                    return Err(SettingsError::at(layer, value_at, message));
                }
            }
            "root" => {
                let root = texts().ok_or_else(|| wrong("a list of file names"))?;
                entry.root = root.collect();
            }
            "settings" => {
                let table = item.as_table_like().ok_or_else(|| wrong("a table"))?;
                entry.settings = object(table);
            }
            _ => {
                let shown: String = field.chars().take(60).collect();
                let message = format!("[[{name}]] has no key {shown}");
                let meant = closest(field, FIELDS.iter().copied());
                return Err(SettingsError::at(layer, field_at, message).suggesting(meant));
            }
        }
    }
    let is_missing = [
        ("name", entry.name.is_empty(), "\"ty\""),
        ("files", entry.files.is_empty(), "[\"*.py\"]"),
        ("run", entry.run.is_empty(), "[\"ty\", \"server\"]"),
    ];
    if let Some((field, _, example)) = is_missing.iter().find(|(_, missing, _)| *missing) {
        let message = format!("[[{name}]] needs {field}, for instance {field} = {example}");
        return Err(SettingsError::at(layer, at, message));
    }
    Ok(entry)
}

/// A table as JSON, in which servers take their settings.
fn object(table: &dyn TableLike) -> Value {
    let fields = table.iter();
    let fields = fields.map(|(name, item)| (name.to_owned(), value(item)));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn value(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return object(table);
    }
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().map(|table| object(table)).collect();
    }
    if let Some(list) = item.as_array() {
        return list
            .iter()
            .map(|one| value(&Item::Value(one.clone())))
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
        // A date has no form in JSON but that of a text.
        None => item.to_string().trim().into(),
    }
}
