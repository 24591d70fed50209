//! Validates a single value, neither list nor object, against its schema.

use serde_json::Value;

use super::invalid::{format_value, join_with_or};
use lancet_model::closest::find_closest;

/// Whole numbers beyond this (2^53) are not exact as floating point, so a float there is refused.
const MAX_EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

/// A value of the wanted type.
pub(super) enum Cleaned {
    AsSent(Value),
    /// The repaired value, with a description of the sent value and its interpretation.
    Repaired(Value, String),
}

/// A value of another type.
pub(super) struct WrongType {
    /// The message, such as `true or false, not "banana"`.
    pub(super) wanted_not_given: String,
    pub(super) meant: Option<String>,
}

pub(super) fn clean_scalar(
    kind: Option<&str>,
    schema: &Value,
    value: Value,
) -> Result<Cleaned, WrongType> {
    match kind {
        Some("boolean") => parse_boolean(value),
        Some("integer") => parse_integer(schema, value),
        Some("string") => parse_string(schema, value),
        Some("object") => Err(wrong_type("a JSON object", &value)),
        // A host's schema may use more of JSON schema than is supported here; the host's tool then checks the value
        // itself.
        _ => Ok(Cleaned::AsSent(value)),
    }
}

fn parse_boolean(value: Value) -> Result<Cleaned, WrongType> {
    let text = match &value {
        Value::Bool(_) => return Ok(Cleaned::AsSent(value)),
        Value::String(text) => text.trim(),
        _ => return Err(wrong_type("true or false", &value)),
    };
    if text.eq_ignore_ascii_case("true") {
        Ok(as_repaired(Value::Bool(true), &value))
    } else if text.eq_ignore_ascii_case("false") {
        Ok(as_repaired(Value::Bool(false), &value))
    } else {
        Err(wrong_type("true or false", &value))
    }
}

fn parse_integer(schema: &Value, value: Value) -> Result<Cleaned, WrongType> {
    let least = schema.get("minimum").and_then(Value::as_i64);
    let wanted = match least {
        Some(least) => format!("a whole number, {least} or more"),
        None => "a whole number".to_owned(),
    };
    let number = parse_whole_number(&value)
        .filter(|number| least.is_none_or(|least| *number >= i128::from(least)));
    let cleaned = number.and_then(|number| {
        let unsigned = u64::try_from(number).ok().map(Value::from);
        unsigned.or_else(|| i64::try_from(number).ok().map(Value::from))
    });
    match cleaned {
        None => Err(wrong_type(&wanted, &value)),
        Some(cleaned) if cleaned == value => Ok(Cleaned::AsSent(value)),
        Some(cleaned) => Ok(as_repaired(cleaned, &value)),
    }
}

fn parse_string(schema: &Value, value: Value) -> Result<Cleaned, WrongType> {
    match (&value, schema.get("enum").and_then(Value::as_array)) {
        (Value::String(_), None) => Ok(Cleaned::AsSent(value)),
        (Value::String(_), Some(choices)) if choices.contains(&value) => Ok(Cleaned::AsSent(value)),
        (_, None) => Err(wrong_type("text (one JSON string)", &value)),
        (_, Some(choices)) => {
            let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
            let meant = value
                .as_str()
                .and_then(|text| find_closest(text, choices.iter().copied()));
            let mut wrong = wrong_type(&join_with_or(&choices), &value);
            wrong.meant = meant.map(str::to_owned);
            Err(wrong)
        }
    }
}

/// Parses a whole number, also from digits in a string and from a float without fraction.
pub(super) fn parse_whole_number(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => {
            let integer = number
                .as_u64()
                .map(i128::from)
                .or_else(|| number.as_i64().map(i128::from));
            let float = || {
                number
                    .as_f64()
                    .filter(|float| float.fract() == 0.0 && float.abs() < MAX_EXACT_FLOAT)
            };
            integer.or_else(|| float().map(|float| float as i128))
        }
        Value::String(text) => {
            let text = text.trim();
            let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
            let digits = whole.strip_prefix('-').unwrap_or(whole);
            let is_whole = !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0');
            let is_number =
                !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            if is_whole && is_number {
                whole.parse().ok()
            } else {
                None
            }
        }
        _ => None,
    }
}

fn as_repaired(cleaned: Value, sent: &Value) -> Cleaned {
    let what = format!("{} read as {cleaned}", format_value(sent));
    Cleaned::Repaired(cleaned, what)
}

fn wrong_type(wanted: &str, value: &Value) -> WrongType {
    WrongType {
        wanted_not_given: format!("{wanted}, not {}", format_value(value)),
        meant: None,
    }
}
