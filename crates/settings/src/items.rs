//! Reads TOML values as strings.

use toml_edit::{Item, Value};

/// Returns the strings of a list, with their byte offsets.
pub(super) fn texts_with_offsets(item: &Item, at: usize) -> Option<Vec<(String, usize)>> {
    let one = |value: &Value| {
        Some((
            value.as_str()?.trim().to_owned(),
            value.span().map_or(at, |span| span.start),
        ))
    };
    item.as_array()?.iter().map(one).collect()
}

/// Returns the strings of a list as they are written; none if it contains anything else.
pub(super) fn exact_texts(list: &toml_edit::Array) -> Option<Vec<String>> {
    let one = |value: &Value| value.as_str().map(str::to_owned);
    list.iter().map(one).collect()
}

pub(super) fn describe_item(item: &Item) -> String {
    match item {
        Item::Value(Value::String(text)) => {
            format!("{:?}", text.value().chars().take(60).collect::<String>())
        }
        Item::Value(Value::Integer(number)) => number.value().to_string(),
        Item::Value(Value::Float(number)) => number.value().to_string(),
        Item::Value(Value::Boolean(switch)) => switch.value().to_string(),
        Item::Value(Value::Datetime(_)) => "a date".to_owned(),
        Item::Value(Value::Array(_)) => "a list".to_owned(),
        _ => "a table".to_owned(),
    }
}
