//! The results of *receive* besides the request: the error for unusable arguments, and the list of repairs.

use std::fmt;

use serde_json::Value;

/// The longest piece of a caller's own text that a message repeats.
const MAX_QUOTED_CHARACTERS: usize = 60;

/// Arguments that cannot be used: the field, the reason, and the closest correct form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct InvalidArguments {
    /// One to three sentences for the model, including the next step.
    pub message: String,
    /// The field at fault, `edits[1].new_string` inside a list; none if the call as a whole is at fault.
    pub field: Option<String>,
    /// The name or value that was probably meant.
    pub suggestion: Option<String>,
}

impl InvalidArguments {
    /// Creates the error for a field, or for the call.
    #[doc(hidden)]
    pub fn new(field: Option<&str>, message: String) -> Self {
        InvalidArguments {
            message,
            field: field.map(str::to_owned),
            suggestion: None,
        }
    }

    pub(super) fn with_suggestion(mut self, suggestion: Option<&str>) -> Self {
        self.suggestion = suggestion.map(str::to_owned);
        self
    }

    pub(super) fn unknown_tool(tool: &str, closest: Option<&str>) -> Self {
        let hint = closest
            .map(|name| format!(" Did you mean {name}?"))
            .unwrap_or_default();
        InvalidArguments::new(
            None,
            format!("There is no tool {}.{hint}", quote_caller_text(tool)),
        )
        .with_suggestion(closest)
    }
}

/// A slip of notation that was interpreted as what it clearly means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The field, `edits[1].replace_all` inside a list; empty for the arguments as a whole.
    pub field: String,
    /// The sent value and its interpretation, `"true" read as true`.
    pub what: String,
}

impl fmt::Display for Repair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = if self.field.is_empty() {
            "arguments"
        } else {
            &self.field
        };
        write!(formatter, "{field}: {}", self.what)
    }
}

/// Quotes a caller's text inside a message: control characters escaped, at most a line long.
pub(super) fn quote_caller_text(text: &str) -> String {
    let mut shown = String::from("\"");
    for (count, character) in text.chars().enumerate() {
        if count == MAX_QUOTED_CHARACTERS {
            shown.push('…');
            break;
        }
        shown.extend(character.escape_debug());
    }
    shown.push('"');
    shown
}

/// Formats a caller's field name for a message: unquoted if it is a plain word, as models know it from the schema.
pub(super) fn field_name(name: &str) -> String {
    let plain = !name.is_empty()
        && name.len() <= MAX_QUOTED_CHARACTERS
        && name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || "_-.".contains(character));
    if plain {
        name.to_owned()
    } else {
        quote_caller_text(name)
    }
}

/// Formats a value for a message: the value itself if it is short, else its type.
pub(super) fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => quote_caller_text(text),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        other => json_type_name(other).to_owned(),
    }
}

pub(super) fn json_type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Joins names as `a, b and c`.
pub(super) fn join_with_and(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Joins names as `"a", "b" or "c"`.
pub(super) fn join_with_or(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
