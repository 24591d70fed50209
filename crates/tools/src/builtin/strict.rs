//! Input schemas in the form that a model API enforces while its model writes a call ("strict"). A call in this form
//! is accepted like any other, because a field that is null counts as absent.

use serde_json::{Map, Value, json};

/// Whether an API should enforce the schemas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strictness {
    /// The schemas are as declared; optional fields may be left out.
    #[default]
    Loose,
    /// The schemas are in the form that the API can enforce. A tool whose schema has no such form is listed as loose.
    Strict,
}

/// How a strict schema expresses that a field may be absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AbsentFieldForm {
    /// Every field is required, and an optional one may be null.
    Null,
    /// An optional field is not required.
    LeftOut,
}

/// The keywords that an API supports in a strict schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SupportedBounds {
    /// Bounds of numbers and of lists' lengths.
    All,
    /// No bounds, except that a list is not empty.
    NotEmpty,
}

/// The rules of one strict form.
#[derive(Debug, Clone, Copy)]
struct StrictRules {
    absence: AbsentFieldForm,
    bounds: SupportedBounds,
    /// The treatment of an optional boolean.
    booleans: OptionalBooleans,
}

/// The treatment of an optional boolean in a strict schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptionalBooleans {
    /// It may be null, like any other optional field.
    Nullable,
    /// It is required, because one of its two values means the same as its absence.
    Required,
}

/// Converts a schema to OpenAI's strict form: every field is required, optional ones may be null. Returns none if the
/// schema has parts that the form does not support.
pub(super) fn to_openai_strict(schema: &Value) -> Option<Value> {
    let rules = StrictRules {
        absence: AbsentFieldForm::Null,
        bounds: SupportedBounds::All,
        booleans: OptionalBooleans::Nullable,
    };
    convert_to_strict(schema, rules)
}

/// The remainder of the limits that Anthropic's API sets for all strict tools of a request together.
#[derive(Debug)]
pub(super) struct AnthropicLimits {
    tools: usize,
    optional: usize,
    unions: usize,
}

impl Default for AnthropicLimits {
    fn default() -> Self {
        Self {
            tools: 20,
            optional: 24,
            unions: 16,
        }
    }
}

impl AnthropicLimits {
    /// Converts a schema to Anthropic's strict form. Its optional fields are left out of `required` while the limit of
    /// those lasts, and otherwise may be null. Returns none if neither limit suffices, or the schema has parts that the
    /// form does not support.
    pub(super) fn convert_to_strict(&mut self, schema: &Value) -> Option<Value> {
        let optional = optional_fields(schema);
        let fits_left_out = optional <= self.optional;
        if self.tools == 0 || (!fits_left_out && optional > self.unions) {
            return None;
        }
        let rules = StrictRules {
            absence: match fits_left_out {
                true => AbsentFieldForm::LeftOut,
                false => AbsentFieldForm::Null,
            },
            bounds: SupportedBounds::NotEmpty,
            booleans: OptionalBooleans::Required,
        };
        let converted = convert_to_strict(schema, rules)?;
        self.tools -= 1;
        match fits_left_out {
            true => self.optional -= optional,
            false => self.unions -= optional,
        }
        Some(converted)
    }
}

/// Counts the optional fields of a schema, including nested ones, without booleans.
fn optional_fields(schema: &Value) -> usize {
    let nested = schema.get("items").map_or(0, optional_fields);
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else {
        return nested;
    };
    let own = fields
        .iter()
        .filter(|(name, field)| !is_required(schema, name) && !is_boolean(field))
        .count();
    nested + own + fields.values().map(optional_fields).sum::<usize>()
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|field| field == name))
}

fn is_boolean(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "boolean")
}

fn convert_to_strict(schema: &Value, rules: StrictRules) -> Option<Value> {
    let given = schema.as_object()?;
    let kind = given.get("type")?.as_str()?;
    let mut strict = Map::new();
    for (key, value) in given {
        let kept = match key.as_str() {
            "type" | "description" | "enum" => value.clone(),
            "items" => convert_to_strict(value, rules)?,
            "minimum" | "maximum" | "maxItems" if rules.bounds == SupportedBounds::NotEmpty => {
                continue;
            }
            "minItems" if rules.bounds == SupportedBounds::NotEmpty && value.as_u64()? > 1 => {
                json!(1)
            }
            "minimum" | "maximum" | "minItems" | "maxItems" => value.clone(),
            "properties" | "required" => continue,
            "additionalProperties" if *value == Value::Bool(false) => continue,
            _ => return None,
        };
        strict.insert(key.clone(), kept);
    }
    if kind == "object" {
        let (mut fields, mut required) = (Map::new(), Vec::new());
        for (name, field) in given.get("properties")?.as_object()? {
            let mut converted = convert_to_strict(field, rules)?;
            let is_plain = is_required(schema, name)
                || (is_boolean(field) && rules.booleans == OptionalBooleans::Required);
            if !is_plain && rules.absence == AbsentFieldForm::Null {
                allow_null(&mut converted);
            }
            if is_plain || rules.absence == AbsentFieldForm::Null {
                required.push(name.clone());
            }
            fields.insert(name.clone(), converted);
        }
        strict.insert("properties".into(), Value::Object(fields));
        strict.insert("required".into(), json!(required));
        strict.insert("additionalProperties".into(), Value::Bool(false));
    }
    Some(Value::Object(strict))
}

/// Adds null to a field's values.
fn allow_null(field: &mut Value) {
    let Value::Object(field) = field else { return };
    if let Some(kind) = field.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    }
    if let Some(Value::Array(values)) = field.get_mut("enum") {
        values.push(Value::Null);
    }
}
