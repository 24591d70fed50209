//! The fields of one table of a list such as `[[format]]`, with their places in the text, and the errors about them.

use toml_edit::{Item, TableLike};

use super::Layer;
use super::commands::{REQUIRED_COMMAND_FORM, is_command};
use super::error::SettingsError;
use super::items::{describe_item, exact_texts};
use lancet_model::closest::find_closest;

/// One table of a list.
#[derive(Clone, Copy)]
pub(super) struct ListedTable<'t> {
    pub(super) layer: &'t Layer,
    /// The key of the list.
    pub(super) key: &'static str,
    pub(super) table: &'t dyn TableLike,
    /// Byte offset of the table in the text.
    pub(super) at: usize,
}

/// A field of a table.
pub(super) struct TableField<'t> {
    of: ListedTable<'t>,
    pub(super) name: &'t str,
    pub(super) item: &'t Item,
    at: usize,
    /// Byte offset of the value in the text.
    pub(super) value_at: usize,
}

impl<'t> ListedTable<'t> {
    /// Returns the fields in the order in which they are written.
    pub(super) fn fields(self) -> impl Iterator<Item = TableField<'t>> {
        self.table.iter().map(move |(name, item)| {
            let span = self.table.key(name).and_then(toml_edit::Key::span);
            let at = span.map_or(self.at, |span| span.start);
            TableField {
                of: self,
                name,
                item,
                at,
                value_at: item.span().map_or(at, |span| span.start),
            }
        })
    }

    /// Returns the error for a missing field.
    pub(super) fn missing_field_error(&self, field: &str, example: &str) -> SettingsError {
        let message = format!(
            "[[{}]] needs {field}, for instance {field} = {example}",
            self.key
        );
        SettingsError::at(self.layer, self.at, message)
    }
}

impl TableField<'_> {
    /// Returns the error for a value that should be something else.
    pub(super) fn wrong_value_error(&self, wanted: &str) -> SettingsError {
        let (key, name) = (self.of.key, self.name);
        let message = format!(
            "{key}.{name} must be {wanted}, not {}",
            describe_item(self.item)
        );
        SettingsError::at(self.of.layer, self.value_at, message)
    }

    /// Returns the error for an unknown field, with the known ones.
    pub(super) fn unknown_field_error(&self, known: &[&str]) -> SettingsError {
        let shown: String = self.name.chars().take(60).collect();
        let message = format!("[[{}]] has no key {shown}", self.of.key);
        let meant = find_closest(self.name, known.iter().copied());
        SettingsError::at(self.of.layer, self.at, message).with_suggestion(meant)
    }

    /// Returns the value as a program with its arguments.
    pub(super) fn parse_command(&self) -> Result<Vec<String>, SettingsError> {
        let words = self.item.as_array().and_then(exact_texts);
        let words = words.ok_or_else(|| {
            self.wrong_value_error("a list of texts, the program and its arguments")
        })?;
        match is_command(&words) {
            true => Ok(words),
            false => {
                let message = format!("{}.{} {REQUIRED_COMMAND_FORM}", self.of.key, self.name);
                Err(SettingsError::at(self.of.layer, self.value_at, message))
            }
        }
    }
}
