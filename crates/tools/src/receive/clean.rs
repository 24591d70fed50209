//! Validates arguments against an input schema: repairs slips of notation and refuses other faults by field. It
//! supports the narrow form of JSON schema that declarations have. It depends on no tool, only on the field names of
//! [`MEANINGFUL_WHEN_EMPTY`]: for any other optional field, also of a host's tool, an empty string counts as absent.

use serde_json::{Map, Value};

use super::invalid::{
    InvalidArguments, Repair, field_name, format_value, join_with_and, json_type_name,
};
use super::names::closest_field;
use super::scalar;

/// The maximum number of unknown fields in one message.
const MAX_LISTED_FIELDS: usize = 5;

/// Optional fields whose empty string differs from an absent field: a text to insert, or the name of an operation.
const MEANINGFUL_WHEN_EMPTY: [&str; 5] = [
    "new_source",
    "new_str",
    "insert_text",
    "file_text",
    "operation",
];

/// Validates the arguments of any declared tool against its input schema and returns them with the slips repaired.
/// Fields with an empty value (null; in an optional field an empty string, or 0 if the minimum is 1) are dropped, which
/// is not listed as a repair.
pub fn clean_arguments(
    tool: &str,
    schema: &Value,
    arguments: Value,
) -> Result<(Value, Vec<Repair>), InvalidArguments> {
    let mut repairs = Vec::new();
    let fields = arguments_as_object(tool, arguments, &mut repairs)?;
    let fields = self::clean_top_level_fields(tool, schema, fields, &mut repairs)?;
    Ok((Value::Object(fields), repairs))
}

/// Returns the arguments as an object: some callers send none at all, or the object as a JSON string. A field that is
/// null counts as absent, so it is dropped before any field decides which tool is meant or how another field is
/// interpreted.
pub(super) fn arguments_as_object(
    tool: &str,
    arguments: Value,
    repairs: &mut Vec<Repair>,
) -> Result<Map<String, Value>, InvalidArguments> {
    let kind = json_type_name(&arguments);
    match arguments {
        Value::Object(fields) => return Ok(without_nulls(fields)),
        Value::Null => return Ok(Map::new()),
        Value::String(text) => {
            if let Ok(Value::Object(fields)) = serde_json::from_str(&text) {
                repairs.push(Repair {
                    field: String::new(),
                    what: "JSON text read as an object".into(),
                });
                return Ok(without_nulls(fields));
            }
        }
        _ => {}
    }
    Err(InvalidArguments::new(
        None,
        format!("{tool}: the arguments must be one JSON object, not {kind}."),
    ))
}

fn without_nulls(mut fields: Map<String, Value>) -> Map<String, Value> {
    fields.retain(|_, value| !value.is_null());
    fields
}

/// Validates the top-level fields of the call, and through them the nested ones.
pub(super) fn clean_top_level_fields(
    tool: &str,
    schema: &Value,
    fields: Map<String, Value>,
    repairs: &mut Vec<Repair>,
) -> Result<Map<String, Value>, InvalidArguments> {
    clean_object(
        &CallPlace {
            words: field_name(tool),
            path: String::new(),
        },
        schema,
        fields,
        repairs,
    )
}

/// A place in the call: as text for the model (`MultiEdit, edit 2`), and as a path for programs (`edits[1]`).
struct CallPlace {
    words: String,
    path: String,
}

impl CallPlace {
    fn field(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    fn item(&self, list: &str, index: usize) -> CallPlace {
        let one = list.strip_suffix('s').unwrap_or(list);
        CallPlace {
            words: format!("{}, {one} {}", self.words, index + 1),
            path: format!("{}[{index}]", self.field(list)),
        }
    }
}

/// Validates the fields of one object, none of which is null.
fn clean_object(
    place: &CallPlace,
    schema: &Value,
    mut fields: Map<String, Value>,
    repairs: &mut Vec<Repair>,
) -> Result<Map<String, Value>, InvalidArguments> {
    let nothing = Map::new();
    let known = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&nothing);
    let open = schema
        .get("additionalProperties")
        .is_none_or(|more| *more != Value::Bool(false));
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    // The fields are changed in place: collecting them into new maps took 7,000 instructions of an Edit.
    fields.retain(|name, value| {
        let absent = |schema| counts_as_absent(name, schema, value);
        required.contains(&name.as_str()) || !known.get(name).is_some_and(absent)
    });
    let unknown: Vec<&str> = if open {
        Vec::new()
    } else {
        fields
            .keys()
            .map(String::as_str)
            .filter(|name| !known.contains_key(*name))
            .collect()
    };
    let missing: Vec<&str> = required
        .into_iter()
        .filter(|name| !fields.contains_key(*name))
        .collect();
    if !unknown.is_empty() {
        return Err(unknown_fields_error(place, known, &unknown, &missing));
    }
    if let Some(first) = missing.first() {
        let are = if missing.len() == 1 { "is" } else { "are" };
        return Err(InvalidArguments::new(
            Some(&place.field(first)),
            format!(
                "{}: {} {are} missing; the call was probably cut off. Send the whole call again.",
                place.words,
                join_with_and(&missing)
            ),
        ));
    }
    for (name, value) in &mut fields {
        if let Some(schema) = known.get(name) {
            *value = clean_value(place, name, schema, value.take(), repairs)?;
        }
    }
    Ok(fields)
}

/// Returns whether the value of an optional field means the same as an absent field. Agents that must fill every field
/// of a schema send an empty string, or 0 if the minimum is 1.
fn counts_as_absent(name: &str, schema: &Value, value: &Value) -> bool {
    if MEANINGFUL_WHEN_EMPTY.contains(&name) {
        return false;
    }
    if value.as_str().is_some_and(str::is_empty) {
        return true;
    }
    let counts_from_one = schema.get("type").is_some_and(|kind| kind == "integer")
        && schema.get("minimum").is_some_and(|least| *least == 1);
    counts_from_one && scalar::parse_whole_number(value) == Some(0)
}

fn unknown_fields_error(
    place: &CallPlace,
    known: &Map<String, Value>,
    unknown: &[&str],
    missing: &[&str],
) -> InvalidArguments {
    let mut message = format!("{}:", place.words);
    let mut first_suggestion = None;
    let mut suggested = Vec::new();
    for (index, name) in unknown.iter().take(MAX_LISTED_FIELDS).enumerate() {
        let meant = closest_field(name, known);
        let separator = if index == 0 { "" } else { ";" };
        message.push_str(&format!(
            "{separator} there is no field {}",
            field_name(name)
        ));
        if let Some(meant) = meant {
            message.push_str(&format!(", did you mean {meant}?"));
            suggested.push(meant);
        }
        if index == 0 {
            first_suggestion = meant;
        }
    }
    if unknown.len() > MAX_LISTED_FIELDS {
        message.push_str(&format!(
            "; and {} more unknown fields",
            unknown.len() - MAX_LISTED_FIELDS
        ));
    }
    if !message.ends_with('?') {
        message.push('.');
    }
    let fields: Vec<&str> = known.keys().map(String::as_str).collect();
    message.push_str(&format!(" Its fields are {}.", join_with_and(&fields)));
    let missing: Vec<&str> = missing
        .iter()
        .copied()
        .filter(|name| !suggested.contains(name))
        .collect();
    if !missing.is_empty() {
        let are = if missing.len() == 1 { "is" } else { "are" };
        message.push_str(&format!(" {} {are} missing.", join_with_and(&missing)));
    }
    InvalidArguments::new(
        unknown.first().map(|name| place.field(name)).as_deref(),
        message,
    )
    .with_suggestion(first_suggestion)
}

fn clean_value(
    place: &CallPlace,
    name: &str,
    schema: &Value,
    value: Value,
    repairs: &mut Vec<Repair>,
) -> Result<Value, InvalidArguments> {
    match (schema.get("type").and_then(Value::as_str), value) {
        (Some("array"), value) => clean_list(place, name, schema, value, repairs),
        (Some("object"), Value::Object(fields)) => {
            let inner = CallPlace {
                words: format!("{}, {name}", place.words),
                path: place.field(name),
            };
            clean_object(&inner, schema, without_nulls(fields), repairs).map(Value::Object)
        }
        (kind, value) => match scalar::clean_scalar(kind, schema, value) {
            Ok(scalar::Cleaned::AsSent(value)) => Ok(value),
            Ok(scalar::Cleaned::Repaired(value, what)) => {
                repairs.push(Repair {
                    field: place.field(name),
                    what,
                });
                Ok(value)
            }
            Err(wrong) => Err(InvalidArguments::new(
                Some(&place.field(name)),
                format!(
                    "{}: {name} must be {}.",
                    place.words, wrong.wanted_not_given
                ),
            )
            .with_suggestion(wrong.meant.as_deref())),
        },
    }
}

fn clean_list(
    place: &CallPlace,
    name: &str,
    schema: &Value,
    value: Value,
    repairs: &mut Vec<Repair>,
) -> Result<Value, InvalidArguments> {
    let of_objects = schema
        .pointer("/items/type")
        .is_some_and(|kind| kind == "object");
    let invalid = |what: String| {
        InvalidArguments::new(
            Some(&place.field(name)),
            format!("{}: {name} {what}.", place.words),
        )
    };
    let wanted = if of_objects {
        "must be a list of JSON objects"
    } else {
        "must be a list"
    };
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Array(items)) => {
                repairs.push(Repair {
                    field: place.field(name),
                    what: "JSON text read as a list".into(),
                });
                items
            }
            Ok(_) => return Err(invalid(format!("{wanted}, not text"))),
            Err(error) => {
                let (line, column) = (error.line(), error.column());
                return Err(invalid(format!(
                    "{wanted}, not text; as JSON it is not valid at line {line}, column {column}"
                )));
            }
        },
        other => return Err(invalid(format!("{wanted}, not {}", json_type_name(&other)))),
    };
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    if (items.len() as u64) < least {
        return Err(invalid(format!(
            "needs at least {least}; it has {}",
            items.len()
        )));
    }
    let Some(item_schema) = schema.get("items") else {
        return Ok(Value::Array(items));
    };
    let mut cleaned = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        cleaned.push(match item {
            Value::Object(fields) if of_objects => Value::Object(clean_object(
                &place.item(name, index),
                item_schema,
                without_nulls(fields),
                repairs,
            )?),
            item if of_objects => {
                let inner = place.item(name, index);
                let message = format!(
                    "{}: must be a JSON object, not {}.",
                    inner.words,
                    format_value(&item)
                );
                return Err(InvalidArguments::new(Some(&inner.path), message));
            }
            item => clean_value(place, name, item_schema, item, repairs)?,
        });
    }
    Ok(Value::Array(cleaned))
}
