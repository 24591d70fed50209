//! Parses a settings file into keys and values with their positions, and checks the form of each value. `apply` decides
//! what the values mean.

use lancet_language::ServerEntry;
use toml_edit::{Document, Item, TableLike};

use super::Layer;
use super::error::SettingsError;
use super::flaw::{self, FlawEffect, SettingsFlaw};
use super::hook_tables::{self, NamedHook};
use super::items::{exact_texts, shown, texts_of};
use super::keys::{Form, Key, keys};
use super::server;
use super::tables::{self, NamedProgram};
use crate::closest::closest;

/// A key with its value.
#[derive(Debug)]
pub(super) struct Found {
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

/// Parses a layer: the keys that can be used, and what cannot.
pub(super) fn parse(layer: &Layer) -> (Vec<Found>, Vec<SettingsFlaw>) {
    let mut reader = Reader {
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
struct Reader<'l> {
    layer: &'l Layer,
    found: Vec<Found>,
    flaws: Vec<SettingsFlaw>,
}

impl Reader<'_> {
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
                if let Err(error) =
                    take(self.layer, key, item, key_at, (&mut self.found, &mut wrong))
                {
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
    // A table is compared with table names first, and with keys only if no table's name is near.
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

/// Takes the value of a key. Entries of a table or a list of tables that are wrong are left out, each with its error.
fn take(
    layer: &Layer,
    key: &'static Key,
    item: &Item,
    key_at: usize,
    (found, errors): (&mut Vec<Found>, &mut Vec<SettingsError>),
) -> Result<(), SettingsError> {
    let value_at = item.span().map_or(key_at, |span| span.start);
    let mut push = |given, key_at, value_at| {
        found.push(Found {
            key,
            given,
            key_at,
            value_at,
        })
    };
    let wrong = |wanted: &str| {
        Err(SettingsError::at(
            layer,
            value_at,
            format!("{} must be {wanted}, not {}", key.name, shown(item)),
        ))
    };
    match key.form {
        Form::Formatters => {
            for table in tables::of(layer, key, item, key_at)? {
                let at = table.at;
                match tables::program(table) {
                    Ok(entry) => push(Given::Program(entry), at, at),
                    Err(error) => errors.push(error),
                }
            }
        }
        Form::Servers => {
            for table in tables::of(layer, key, item, key_at)? {
                let at = table.at;
                match server::entry(table) {
                    Ok(entry) => push(Given::Server(Box::new(entry)), at, at),
                    Err(error) => errors.push(error),
                }
            }
        }
        Form::Hooks => {
            for table in tables::of(layer, key, item, key_at)? {
                let at = table.at;
                match hook_tables::hook(table) {
                    Ok(entry) => push(Given::Hook(entry), at, at),
                    Err(error) => errors.push(error),
                }
            }
        }
        Form::Choice(words) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            let wanted = quoted.join(" or ");
            let Some(text) = item.as_str() else {
                return wrong(&wanted);
            };
            let Some(word) = words.iter().find(|word| **word == text) else {
                let meant = closest(text, words.iter().copied()).map(|word| format!("\"{word}\""));
                return wrong(&wanted)
                    .map_err(|error: SettingsError| error.suggesting(meant.as_deref()));
            };
            push(Given::Word(word), key_at, value_at);
        }
        Form::Number { least, most } => {
            let number = item
                .as_integer()
                .and_then(|number| u64::try_from(number).ok());
            match number.filter(|number| (least..=most).contains(number)) {
                Some(number) => push(Given::Number(number), key_at, value_at),
                None => return wrong(&format!("a whole number from {least} to {most}")),
            }
        }
        Form::Measured { least, most, unit } => {
            let number = match item.as_str() {
                Some(text) => unit.read(text),
                None => item
                    .as_integer()
                    .and_then(|number| u64::try_from(number).ok()),
            };
            match number.filter(|number| (least..=most).contains(number)) {
                Some(number) => push(Given::Number(number), key_at, value_at),
                None => {
                    let units = unit.words();
                    return wrong(&format!(
                        "a whole number from {least} to {most}, or a text with a unit ({units})"
                    ));
                }
            }
        }
        Form::Program => match item.as_array().and_then(exact_texts) {
            Some(words) => {
                let words = words.into_iter().map(|word| (word, value_at)).collect();
                push(Given::Words(words), key_at, value_at);
            }
            None => return wrong("a list of texts, the program and its arguments"),
        },
        Form::Switch => match item.as_bool() {
            Some(switch) => push(Given::Switch(switch), key_at, value_at),
            None => return wrong("true or false"),
        },
        Form::Tools | Form::Askers => match words_of(item, value_at) {
            Some(words) => push(Given::Words(words), key_at, value_at),
            None => return wrong("a list of names, or one text with commas"),
        },
        Form::Rules | Form::Scopes | Form::Guards | Form::Folders => {
            // A comma may be part of a pattern, so a single string is one entry.
            let words = match item.as_str() {
                Some(text) => Some(vec![(text.to_owned(), value_at)]),
                None => texts_of(item, value_at),
            };
            match words {
                Some(words) => push(Given::Words(words), key_at, value_at),
                None => return wrong("a list of texts"),
            }
        }
        Form::Clients { least, most } => {
            let Some(table) = item.as_table_like() else {
                return wrong("a table of numbers");
            };
            for (name, item) in table.iter() {
                let key_at = table
                    .key(name)
                    .and_then(toml_edit::Key::span)
                    .map_or(key_at, |span| span.start);
                let value_at = item.span().map_or(key_at, |span| span.start);
                let number = item
                    .as_integer()
                    .and_then(|number| u64::try_from(number).ok())
                    .filter(|number| (least..=most).contains(number));
                let Some(number) = number else {
                    let message = format!(
                        "{}.{name:?} must be a whole number from {least} to {most}, not {}",
                        key.name,
                        shown(item)
                    );
                    errors.push(SettingsError::at(layer, value_at, message));
                    continue;
                };
                push(Given::Entry(name.to_owned(), number), key_at, value_at);
            }
        }
        Form::Converters => {
            let Some(table) = item.as_table_like() else {
                return wrong("a table of lists");
            };
            for (name, item) in table.iter() {
                let key_at = table
                    .key(name)
                    .and_then(toml_edit::Key::span)
                    .map_or(key_at, |span| span.start);
                let value_at = item.span().map_or(key_at, |span| span.start);
                let Some(command) = item.as_array().and_then(exact_texts) else {
                    let message = format!(
                        "{}.{name:?} must be a list of texts, the program and its arguments, not {}",
                        key.name,
                        shown(item)
                    );
                    errors.push(SettingsError::at(layer, value_at, message));
                    continue;
                };
                push(Given::List(name.to_owned(), command), key_at, value_at);
            }
        }
        Form::Encodings | Form::Strategies | Form::Abbreviations => {
            let Some(table) = item.as_table_like() else {
                return wrong("a table of texts");
            };
            for (name, item) in table.iter() {
                let key_at = table
                    .key(name)
                    .and_then(toml_edit::Key::span)
                    .map_or(key_at, |span| span.start);
                let value_at = item.span().map_or(key_at, |span| span.start);
                let Some(text) = item.as_str() else {
                    let message =
                        format!("{}.{name:?} must be a text, not {}", key.name, shown(item));
                    errors.push(SettingsError::at(layer, value_at, message));
                    continue;
                };
                push(
                    Given::Pair(name.to_owned(), text.to_owned()),
                    key_at,
                    value_at,
                );
            }
        }
    }
    Ok(())
}

fn words_of(item: &Item, at: usize) -> Option<Vec<(String, usize)>> {
    if let Some(text) = item.as_str() {
        let words = text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty());
        return Some(words.map(|word| (word.to_owned(), at)).collect());
    }
    texts_of(item, at)
}
