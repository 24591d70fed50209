//! The entries that an agent's settings must have so that it uses lancet.

use serde_json::{Value, json};

/// The form of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON, with comments and trailing commas, or JSON5.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
    /// Plain text for a model: a memory file, or a file that only lancet writes.
    Text,
}

/// One thing that a settings file must have.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A member of a table, inside all the tables that lead to it.
    Member {
        /// The path of names that leads to it; the last one is its own.
        path: Vec<String>,
        /// The value of the member.
        value: Value,
    },
    /// An item of a list.
    Item {
        /// The names that lead to the list.
        path: Vec<String>,
        /// The item.
        value: Value,
    },
    /// Lines between two marker lines, in a text that belongs to the user.
    Block {
        /// The lines.
        text: String,
    },
    /// The whole file.
    Whole {
        /// Its text.
        text: String,
    },
}

impl Entry {
    /// Returns a member of a table.
    pub fn member(path: &[&str], value: Value) -> Self {
        Entry::Member {
            path: owned_names(path),
            value,
        }
    }

    /// Returns an item of a list.
    pub fn item(path: &[&str], value: &str) -> Self {
        Entry::Item {
            path: owned_names(path),
            value: json!(value),
        }
    }

    /// Returns the entry as JSON, for the record of what was installed.
    pub fn to_json(&self) -> Value {
        match self {
            Entry::Member { path, value } => json!({ "member": path, "value": value }),
            Entry::Item { path, value } => json!({ "item": path, "value": value }),
            Entry::Block { text } => json!({ "block": text }),
            Entry::Whole { text } => json!({ "whole": text }),
        }
    }

    /// Reads an entry from JSON.
    pub fn from_object(object: &Value) -> Option<Self> {
        let path = |key: &str| -> Option<Vec<String>> {
            let names = object.get(key)?.as_array()?.iter();
            names.map(|name| Some(name.as_str()?.to_owned())).collect()
        };
        let text = |key: &str| Some(object.get(key)?.as_str()?.to_owned());
        let value = || object.get("value").cloned();
        if let Some(path) = path("member") {
            return Some(Entry::Member {
                path,
                value: value()?,
            });
        }
        if let Some(path) = path("item") {
            return Some(Entry::Item {
                path,
                value: value()?,
            });
        }
        if let Some(text) = text("block") {
            return Some(Entry::Block { text });
        }
        Some(Entry::Whole {
            text: text("whole")?,
        })
    }
}

fn owned_names(path: &[&str]) -> Vec<String> {
    path.iter().map(|name| (*name).to_owned()).collect()
}

/// Whether a file has an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The entry is in the file, with the wanted value.
    Same,
    /// Something else is in its place.
    Other,
    /// The file lacks the entry.
    Missing,
}

/// The reason why a settings file is not edited. The file stays unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The file is not valid in its form.
    #[error("it is not valid {form}{}: {words}", line.map(|line| format!(" (line {line})")).unwrap_or_default())]
    Damaged {
        /// The name of the form.
        form: &'static str,
        /// The line, from 1.
        line: Option<usize>,
        /// The parser's message.
        words: String,
    },
    /// Something of another kind is where a table or list should be.
    #[error("{key} is {found}, not {wanted}")]
    Kind {
        /// The key.
        key: String,
        /// The kind of value that the file has there.
        found: &'static str,
        /// The kind of value that the entry needs.
        wanted: &'static str,
    },
    /// The text could be changed, but the result would not have the intended meaning.
    #[error("{0}")]
    Unsure(String),
}
