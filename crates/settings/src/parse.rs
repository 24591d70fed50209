//! Parses a settings file into keys and values with their positions, and checks the form of each value. `apply`
//! interprets the values.

use lancet_language::ServerEntry;
use toml_edit::{Document, Item, TableLike};

use super::Layer;
use super::error::SettingsError;
use super::fields::ListedTable;
use super::flaw::{self, FlawEffect, SettingsFlaw};
use super::hook_tables::{self, NamedHook};
use super::items::{describe, exact_texts, texts_with_offsets};
use super::keys::{Form, Key, Unit, keys};
use super::server;
use super::tables::{self, NamedProgram};
use lancet_model::closest::closest;

/// A key with its value.
#[derive(Debug)]
pub(super) struct FoundKey {
    pub(super) key: &'static Key,
    pub(super) given: Given,
    /// Byte offset of the key in the text.
    pub(super) key_at: usize,
    /// Byte offset of the value in the text.
    pub(super) value_at: usize,
}

/// A value of the form that its key has.
#[derive(Debug)]
pub(super) enum Given {
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
    Hook(NamedHook),
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
        Ok(document) => reader.walk("", document.as_table(), 0),
        Err(error) => {
            let offset = error.span().map_or(0, |span| span.start);
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            let error = SettingsError::at(layer, offset, format!("not valid TOML: {message}"));
            reader.flaw(error, FlawEffect::ReadingDenied);
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
    fn flaw(&mut self, error: SettingsError, effect: FlawEffect) {
        self.flaws.push(SettingsFlaw {
            error,
            origin: self.layer.origin,
            effect,
        });
    }

    fn walk(&mut self, table_name: &str, table: &dyn TableLike, table_at: usize) {
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
                if let Err(error) = value.read() {
                    wrong.push(error);
                }
                for error in wrong {
                    self.flaw(error, flaw::of_key(key.name));
                }
            } else if keys().any(|key| key.name.starts_with(&format!("{full}."))) {
                if let Some(inner) = item.as_table_like() {
                    self.walk(&full, inner, key_at);
                    continue;
                }
                let message = format!("{full} must be a table, [{full}]");
                let error = SettingsError::at(self.layer, key_at, message);
                self.flaw(
                    error,
                    flaw::of_key(&full).max(flaw::of_unknown(&full, item, None)),
                );
            } else {
                let error = unknown(self.layer, key_at, &full, name, item);
                let effect = flaw::of_unknown(&full, item, error.suggestion.as_deref());
                self.flaw(error, effect);
            }
        }
    }
}

fn unknown(layer: &Layer, key_at: usize, full: &str, name: &str, item: &Item) -> SettingsError {
    // A table is compared with table names first, and with keys only if no table's name is close.
    let table = item.as_table_like().and_then(|_| {
        let tables = keys().filter_map(|key| match key.form {
            form if form.is_table() || form.is_list_of_tables() => Some(key.name),
            _ => key.name.rsplit_once('.').map(|(table, _)| table),
        });
        closest(full, tables)
    });
    // The key itself may be right and only its table wrong or missing.
    let meant = table
        .or_else(|| closest(full, keys().map(|key| key.name)))
        .or_else(|| {
            let last = |key: &'static Key| key.name.rsplit('.').next().unwrap_or(key.name);
            let word = closest(name, keys().map(last))?;
            keys().find(|key| last(key) == word).map(|key| key.name)
        });
    let shown: String = full.chars().take(80).collect();
    SettingsError::at(layer, key_at, format!("there is no setting {shown}")).suggesting(meant)
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
    fn read(&mut self) -> Result<(), SettingsError> {
        let given = match self.key.form {
            Form::Formatters => {
                return self.read_tables(|table| tables::program(table).map(Given::Program));
            }
            Form::Servers => {
                return self.read_tables(|table| {
                    server::entry(table).map(|entry| Given::Server(Box::new(entry)))
                });
            }
            Form::Hooks => {
                return self.read_tables(|table| hook_tables::hook(table).map(Given::Hook));
            }
            Form::Clients { least, most } => {
                let wanted = format!("a whole number from {least} to {most}");
                return self.read_entries("a table of numbers", &wanted, |name, item| {
                    let number = number_of(item).filter(|number| (least..=most).contains(number));
                    Some(Given::Entry(name.to_owned(), number?))
                });
            }
            Form::Converters => {
                let wanted = "a list of texts, the program and its arguments";
                return self.read_entries("a table of lists", wanted, |name, item| {
                    let command = item.as_array().and_then(exact_texts)?;
                    Some(Given::List(name.to_owned(), command))
                });
            }
            Form::Encodings | Form::Strategies | Form::Abbreviations => {
                return self.read_entries("a table of texts", "a text", |name, item| {
                    Some(Given::Pair(name.to_owned(), item.as_str()?.to_owned()))
                });
            }
            Form::Choice(words) => self.choice(words)?,
            Form::Number { least, most } => {
                let wanted = format!("a whole number from {least} to {most}");
                let number = number_of(self.item).filter(|number| (least..=most).contains(number));
                Given::Number(number.ok_or_else(|| self.wrong(&wanted))?)
            }
            Form::Measured { least, most, unit } => self.measured(least, most, unit)?,
            Form::Program => {
                let wanted = "a list of texts, the program and its arguments";
                let words = self.item.as_array().and_then(exact_texts);
                let words = words.ok_or_else(|| self.wrong(wanted))?.into_iter();
                Given::Words(words.map(|word| (word, self.value_at())).collect())
            }
            Form::Switch => {
                let switch = self.item.as_bool();
                Given::Switch(switch.ok_or_else(|| self.wrong("true or false"))?)
            }
            Form::Tools | Form::Askers => {
                let words = words_of(self.item, self.value_at());
                Given::Words(
                    words.ok_or_else(|| self.wrong("a list of names, or one text with commas"))?,
                )
            }
            Form::Rules | Form::Scopes | Form::Guards | Form::Folders | Form::Patterns => {
                // A comma may be part of a pattern, so a single string is one entry.
                let words = match self.item.as_str() {
                    Some(text) => Some(vec![(text.to_owned(), self.value_at())]),
                    None => texts_with_offsets(self.item, self.value_at()),
                };
                Given::Words(words.ok_or_else(|| self.wrong("a list of texts"))?)
            }
        };
        self.push(given, self.key_at, self.value_at());
        Ok(())
    }

    fn push(&mut self, given: Given, key_at: usize, value_at: usize) {
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

    fn wrong(&self, wanted: &str) -> SettingsError {
        let message = format!(
            "{} must be {wanted}, not {}",
            self.key.name,
            describe(self.item)
        );
        SettingsError::at(self.layer, self.value_at(), message)
    }

    fn choice(&self, words: &'static [&'static str]) -> Result<Given, SettingsError> {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let wanted = quoted.join(" or ");
        let text = self.item.as_str().ok_or_else(|| self.wrong(&wanted))?;
        let word = words.iter().find(|word| **word == text);
        let word = word.ok_or_else(|| {
            let meant = closest(text, words.iter().copied()).map(|word| format!("\"{word}\""));
            self.wrong(&wanted).suggesting(meant.as_deref())
        })?;
        Ok(Given::Word(word))
    }

    fn measured(&self, least: u64, most: u64, unit: Unit) -> Result<Given, SettingsError> {
        let number = match self.item.as_str() {
            Some(text) => unit.read(text),
            None => number_of(self.item),
        };
        let number = number.filter(|number| (least..=most).contains(number));
        let number = number.ok_or_else(|| {
            let units = unit.unit_names();
            self.wrong(&format!(
                "a whole number from {least} to {most}, or a text with a unit ({units})"
            ))
        })?;
        Ok(Given::Number(number))
    }

    /// Reads each of the tables that the key begins in double brackets.
    fn read_tables(
        &mut self,
        entry: impl Fn(ListedTable<'_>) -> Result<Given, SettingsError>,
    ) -> Result<(), SettingsError> {
        for table in tables::list(self.layer, self.key, self.item, self.key_at)? {
            let at = table.at;
            match entry(table) {
                Ok(given) => self.push(given, at, at),
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
        entry: impl Fn(&str, &Item) -> Option<Given>,
    ) -> Result<(), SettingsError> {
        let table = self
            .item
            .as_table_like()
            .ok_or_else(|| self.wrong(wanted))?;
        for (name, item) in table.iter() {
            let key_at = table
                .key(name)
                .and_then(toml_edit::Key::span)
                .map_or(self.key_at, |span| span.start);
            let value_at = item.span().map_or(key_at, |span| span.start);
            match entry(name, item) {
                Some(given) => self.push(given, key_at, value_at),
                None => {
                    let message = format!(
                        "{}.{name:?} must be {wanted_of_entry}, not {}",
                        self.key.name,
                        describe(item)
                    );
                    self.errors
                        .push(SettingsError::at(self.layer, value_at, message));
                }
            }
        }
        Ok(())
    }
}

fn number_of(item: &Item) -> Option<u64> {
    u64::try_from(item.as_integer()?).ok()
}

fn words_of(item: &Item, at: usize) -> Option<Vec<(String, usize)>> {
    if let Some(text) = item.as_str() {
        let words = text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty());
        return Some(words.map(|word| (word.to_owned(), at)).collect());
    }
    texts_with_offsets(item, at)
}
