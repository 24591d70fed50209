//! Parses a settings file into keys and values with their positions, and checks the form of each value. `apply`
//! interprets the values.

use lancet_language::ServerEntry;
use toml_edit::{Document, Item, TableLike};

use super::Layer;
use super::error::SettingsError;
use super::fields::ListedTable;
use super::flaw::{self, FlawEffect, SettingsFlaw};
use super::hook_tables::{self, HookTable};
use super::items::{describe_item, exact_texts, texts_with_offsets};
use super::keys::{Key, Unit, ValueForm, keys};
use super::server;
use super::tables::{self, NamedProgram};
use lancet_model::closest::find_closest;

/// A key with its value.
#[derive(Debug)]
pub(super) struct FoundKey {
    pub(super) key: &'static Key,
    pub(super) given: ParsedValue,
    /// Byte offset of the key in the text.
    pub(super) key_at: usize,
    /// Byte offset of the value in the text.
    pub(super) value_at: usize,
}

/// A value of the form that its key has.
#[derive(Debug)]
pub(super) enum ParsedValue {
    Word(&'static str),
    Number(u64),
    Switch(bool),
    /// Words with their byte offsets.
    Words(Vec<(String, usize)>),
    /// One entry of a table of strings.
    Pair(String, String),
    /// One entry of a table of lists.
    List(String, Vec<String>),
    /// One table that names a program.
    Program(NamedProgram),
    /// One table that names a language server.
    Server(Box<ServerEntry>),
    /// One table that names a hook.
    Hook(HookTable),
    /// One entry of a table of numbers.
    Entry(String, u64),
}

/// Parses a layer: returns the usable keys, and the flaws.
pub(super) fn parse(layer: &Layer) -> (Vec<FoundKey>, Vec<SettingsFlaw>) {
    let mut reader = LayerReader {
        layer,
        found: Vec::new(),
        flaws: Vec::new(),
    };
    match Document::parse(layer.text.as_str()) {
        Ok(document) => reader.walk_table("", document.as_table(), 0),
        Err(error) => {
            let offset = error.span().map_or(0, |span| span.start);
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            let error = SettingsError::at(layer, offset, format!("not valid TOML: {message}"));
            reader.add_flaw(error, FlawEffect::ReadingDenied);
        }
    }
    (reader.found, reader.flaws)
}

/// Collects the keys of a layer.
struct LayerReader<'l> {
    layer: &'l Layer,
    found: Vec<FoundKey>,
    flaws: Vec<SettingsFlaw>,
}

impl LayerReader<'_> {
    fn add_flaw(&mut self, error: SettingsError, effect: FlawEffect) {
        self.flaws.push(SettingsFlaw {
            error,
            origin: self.layer.origin,
            effect,
        });
    }

    fn walk_table(&mut self, table_name: &str, table: &dyn TableLike, table_at: usize) {
        for (name, item) in table.iter() {
            let key_at = table
                .key(name)
                .and_then(toml_edit::Key::span)
                .map_or(table_at, |span| span.start);
            let full = if table_name.is_empty() {
                name.to_owned()
            } else {
                format!("{table_name}.{name}")
            };
            if let Some(key) = keys().find(|key| key.name == full) {
                let mut wrong = Vec::new();
                let mut value = ValueReader {
                    layer: self.layer,
                    key,
                    item,
                    key_at,
                    found: &mut self.found,
                    errors: &mut wrong,
                };
                if let Err(error) = value.read_value() {
                    wrong.push(error);
                }
                for error in wrong {
                    self.add_flaw(error, flaw::key_effect(key.name));
                }
            } else if keys().any(|key| key.name.starts_with(&format!("{full}."))) {
                if let Some(inner) = item.as_table_like() {
                    self.walk_table(&full, inner, key_at);
                    continue;
                }
                let message = format!("{full} must be a table, [{full}]");
                let error = SettingsError::at(self.layer, key_at, message);
                self.add_flaw(
                    error,
                    flaw::key_effect(&full).max(flaw::unknown_key_effect(&full, item, None)),
                );
            } else {
                let error = unknown_key_error(self.layer, key_at, &full, name, item);
                let effect = flaw::unknown_key_effect(&full, item, error.suggestion.as_deref());
                self.add_flaw(error, effect);
            }
        }
    }
}

fn unknown_key_error(
    layer: &Layer,
    key_at: usize,
    full: &str,
    name: &str,
    item: &Item,
) -> SettingsError {
    // A table is compared with table names first, and with keys only if no table's name is close.
    let table = item.as_table_like().and_then(|_| {
        let tables = keys().filter_map(|key| match key.form {
            form if form.is_table() || form.is_list_of_tables() => Some(key.name),
            _ => key.name.rsplit_once('.').map(|(table, _)| table),
        });
        find_closest(full, tables)
    });
    // The key itself may be right and only its table wrong or missing.
    let meant = table
        .or_else(|| find_closest(full, keys().map(|key| key.name)))
        .or_else(|| {
            let last = |key: &'static Key| key.name.rsplit('.').next().unwrap_or(key.name);
            let word = find_closest(name, keys().map(last))?;
            keys().find(|key| last(key) == word).map(|key| key.name)
        });
    let shown: String = full.chars().take(80).collect();
    SettingsError::at(layer, key_at, format!("there is no setting {shown}")).with_suggestion(meant)
}

/// Reads the value of a key, in the form that the key has.
struct ValueReader<'l> {
    layer: &'l Layer,
    key: &'static Key,
    item: &'l Item,
    key_at: usize,
    found: &'l mut Vec<FoundKey>,
    /// The faulty entries of a table or a list of tables, which are left out.
    errors: &'l mut Vec<SettingsError>,
}

impl ValueReader<'_> {
    fn read_value(&mut self) -> Result<(), SettingsError> {
        let given = match self.key.form {
            ValueForm::Formatters => {
                return self
                    .read_tables(|table| tables::parse_program(table).map(ParsedValue::Program));
            }
            ValueForm::Servers => {
                return self.read_tables(|table| {
                    server::parse_server_entry(table)
                        .map(|entry| ParsedValue::Server(Box::new(entry)))
                });
            }
            ValueForm::Hooks => {
                return self
                    .read_tables(|table| hook_tables::parse_hook(table).map(ParsedValue::Hook));
            }
            ValueForm::Clients { least, most } => {
                let wanted = format!("a whole number from {least} to {most}");
                return self.read_entries("a table of numbers", &wanted, |name, item| {
                    let number = item_number(item).filter(|number| (least..=most).contains(number));
                    Some(ParsedValue::Entry(name.to_owned(), number?))
                });
            }
            ValueForm::Converters => {
                let wanted = "a list of texts, the program and its arguments";
                return self.read_entries("a table of lists", wanted, |name, item| {
                    let command = item.as_array().and_then(exact_texts)?;
                    Some(ParsedValue::List(name.to_owned(), command))
                });
            }
            ValueForm::Encodings | ValueForm::Strategies | ValueForm::Abbreviations => {
                return self.read_entries("a table of texts", "a text", |name, item| {
                    Some(ParsedValue::Pair(
                        name.to_owned(),
                        item.as_str()?.to_owned(),
                    ))
                });
            }
            ValueForm::Choice(words) => self.read_choice(words)?,
            ValueForm::Number { least, most } => {
                let wanted = format!("a whole number from {least} to {most}");
                let number =
                    item_number(self.item).filter(|number| (least..=most).contains(number));
                ParsedValue::Number(number.ok_or_else(|| self.wrong_value_error(&wanted))?)
            }
            ValueForm::Measured { least, most, unit } => self.read_amount(least, most, unit)?,
            ValueForm::Program => {
                let wanted = "a list of texts, the program and its arguments";
                let words = self.item.as_array().and_then(exact_texts);
                let words = words
                    .ok_or_else(|| self.wrong_value_error(wanted))?
                    .into_iter();
                ParsedValue::Words(words.map(|word| (word, self.value_at())).collect())
            }
            ValueForm::Switch => {
                let switch = self.item.as_bool();
                ParsedValue::Switch(switch.ok_or_else(|| self.wrong_value_error("true or false"))?)
            }
            ValueForm::Tools | ValueForm::Askers => {
                let words = item_texts(self.item, self.value_at());
                ParsedValue::Words(words.ok_or_else(|| {
                    self.wrong_value_error("a list of names, or one text with commas")
                })?)
            }
            ValueForm::Rules
            | ValueForm::Scopes
            | ValueForm::Guards
            | ValueForm::Folders
            | ValueForm::Patterns => {
                // A comma may be part of a pattern, so a single string is one entry.
                let words = match self.item.as_str() {
                    Some(text) => Some(vec![(text.to_owned(), self.value_at())]),
                    None => texts_with_offsets(self.item, self.value_at()),
                };
                ParsedValue::Words(words.ok_or_else(|| self.wrong_value_error("a list of texts"))?)
            }
        };
        self.push_value(given, self.key_at, self.value_at());
        Ok(())
    }

    fn push_value(&mut self, given: ParsedValue, key_at: usize, value_at: usize) {
        self.found.push(FoundKey {
            key: self.key,
            given,
            key_at,
            value_at,
        });
    }

    fn value_at(&self) -> usize {
        self.item.span().map_or(self.key_at, |span| span.start)
    }

    fn wrong_value_error(&self, wanted: &str) -> SettingsError {
        let message = format!(
            "{} must be {wanted}, not {}",
            self.key.name,
            describe_item(self.item)
        );
        SettingsError::at(self.layer, self.value_at(), message)
    }

    fn read_choice(&self, words: &'static [&'static str]) -> Result<ParsedValue, SettingsError> {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let wanted = quoted.join(" or ");
        let text = self
            .item
            .as_str()
            .ok_or_else(|| self.wrong_value_error(&wanted))?;
        let word = words.iter().find(|word| **word == text);
        let word = word.ok_or_else(|| {
            let meant = find_closest(text, words.iter().copied()).map(|word| format!("\"{word}\""));
            self.wrong_value_error(&wanted)
                .with_suggestion(meant.as_deref())
        })?;
        Ok(ParsedValue::Word(word))
    }

    fn read_amount(&self, least: u64, most: u64, unit: Unit) -> Result<ParsedValue, SettingsError> {
        let number = match self.item.as_str() {
            Some(text) => unit.parse_amount(text),
            None => item_number(self.item),
        };
        let number = number.filter(|number| (least..=most).contains(number));
        let number = number.ok_or_else(|| {
            let units = unit.unit_names();
            self.wrong_value_error(&format!(
                "a whole number from {least} to {most}, or a text with a unit ({units})"
            ))
        })?;
        Ok(ParsedValue::Number(number))
    }

    /// Reads each of the tables that the key begins in double brackets.
    fn read_tables(
        &mut self,
        entry: impl Fn(ListedTable<'_>) -> Result<ParsedValue, SettingsError>,
    ) -> Result<(), SettingsError> {
        for table in tables::tables_of_key(self.layer, self.key, self.item, self.key_at)? {
            let at = table.at;
            match entry(table) {
                Ok(given) => self.push_value(given, at, at),
                Err(error) => self.errors.push(error),
            }
        }
        Ok(())
    }

    /// Reads each entry of a table whose keys the user chooses.
    fn read_entries(
        &mut self,
        wanted: &str,
        wanted_of_entry: &str,
        entry: impl Fn(&str, &Item) -> Option<ParsedValue>,
    ) -> Result<(), SettingsError> {
        let table = self
            .item
            .as_table_like()
            .ok_or_else(|| self.wrong_value_error(wanted))?;
        for (name, item) in table.iter() {
            let key_at = table
                .key(name)
                .and_then(toml_edit::Key::span)
                .map_or(self.key_at, |span| span.start);
            let value_at = item.span().map_or(key_at, |span| span.start);
            match entry(name, item) {
                Some(given) => self.push_value(given, key_at, value_at),
                None => {
                    let message = format!(
                        "{}.{name:?} must be {wanted_of_entry}, not {}",
                        self.key.name,
                        describe_item(item)
                    );
                    self.errors
                        .push(SettingsError::at(self.layer, value_at, message));
                }
            }
        }
        Ok(())
    }
}

fn item_number(item: &Item) -> Option<u64> {
    u64::try_from(item.as_integer()?).ok()
}

fn item_texts(item: &Item, at: usize) -> Option<Vec<(String, usize)>> {
    if let Some(text) = item.as_str() {
        let words = text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty());
        return Some(words.map(|word| (word.to_owned(), at)).collect());
    }
    texts_with_offsets(item, at)
}
