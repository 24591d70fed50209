//! The list of tools in the shape that each model API takes, as the value of its `tools` field.

use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::closest::closest;

use super::declaration::Declaration;

/// The model API whose shape the list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `tools/list` of the Model Context Protocol.
    Mcp,
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's Chat Completions API and those compatible with it.
    OpenAi,
    /// Google's Gemini API.
    Gemini,
}

impl Format {
    /// All formats, in the order in which help texts name them.
    pub const ALL: [Format; 4] = [
        Format::Mcp,
        Format::Anthropic,
        Format::OpenAi,
        Format::Gemini,
    ];

    /// Gives the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Mcp => "mcp",
            Format::Anthropic => "anthropic",
            Format::OpenAi => "openai",
            Format::Gemini => "gemini",
        }
    }
}

/// The error for a name that is none of [`Format::ALL`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no format {given:?}; the formats are mcp, anthropic, openai and gemini{}", hint(.closest))]
#[non_exhaustive]
pub struct UnknownFormat {
    /// The name as given.
    pub given: String,
    /// The format that was probably meant.
    pub closest: Option<&'static str>,
}

fn hint(closest: &Option<&'static str>) -> String {
    closest
        .map(|name| format!(", did you mean {name}?"))
        .unwrap_or_default()
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| UnknownFormat {
                given: text.to_owned(),
                closest: closest(text, Format::ALL.map(Format::name)),
            })
    }
}

/// Which text describes a tool in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Length {
    /// The short form, which leaves room for other tools in the model's context.
    Short,
    /// The whole prompt.
    Long,
}

/// Makes the value of an API's `tools` field for these tools, in their order.
pub fn tool_list<'d>(
    declarations: impl IntoIterator<Item = &'d Declaration>,
    format: Format,
    length: Length,
) -> Value {
    let tools: Vec<Value> = declarations
        .into_iter()
        .map(|declaration| one_tool(declaration, format, length))
        .collect();
    match format {
        // Gemini takes a list of groups of functions.
        Format::Gemini => json!([{ "functionDeclarations": tools }]),
        _ => Value::Array(tools),
    }
}

fn one_tool(declaration: &Declaration, format: Format, length: Length) -> Value {
    let name = &declaration.name;
    let description = description(declaration, length);
    let schema = &declaration.input_schema;
    match format {
        Format::Mcp => mcp_tool(declaration, length, declaration.answer_limit_mcp),
        Format::Anthropic => {
            json!({ "name": name, "description": description, "input_schema": schema })
        }
        Format::OpenAi => json!({
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": schema,
                // OpenAI's strict mode would make every field required.
                "strict": false,
            },
        }),
        Format::Gemini => {
            json!({ "name": name, "description": description, "parameters": gemini_schema(schema) })
        }
    }
}

/// Makes one entry of MCP's tool list, without output schema; `answer_limit` is the limit in force.
pub fn mcp_tool(declaration: &Declaration, length: Length, answer_limit: usize) -> Value {
    let mut hints = Map::new();
    hints.insert(
        "anthropic/searchHint".into(),
        json!(declaration.search_hint),
    );
    if declaration.always_load {
        hints.insert("anthropic/alwaysLoad".into(), json!(true));
    }
    hints.insert("anthropic/maxResultSizeChars".into(), json!(answer_limit));
    json!({
        "name": declaration.name,
        "title": declaration.title,
        "description": description(declaration, length),
        "inputSchema": declaration.input_schema,
        "annotations": {
            "readOnlyHint": declaration.read_only,
            "destructiveHint": declaration.destructive,
            "idempotentHint": declaration.idempotent,
            "openWorldHint": false,
        },
        "_meta": hints,
    })
}

fn description(declaration: &Declaration, length: Length) -> &str {
    match length {
        Length::Short => &declaration.description,
        Length::Long => &declaration.prompt,
    }
}

/// Converts a schema for Gemini, which reads a subset of OpenAPI's schema object with its own spelling of types and
/// refuses unknown fields.
fn gemini_schema(schema: &Value) -> Value {
    let Value::Object(map) = schema else {
        return json!({ "type": "OBJECT" });
    };
    let mut kept = Map::new();
    for (key, value) in map {
        let value = match key.as_str() {
            "type" => Value::String(value.as_str().unwrap_or("string").to_ascii_uppercase()),
            "description" | "enum" | "required" | "minimum" | "maximum" => value.clone(),
            // Gemini takes 64-bit numbers as text.
            "minItems" | "maxItems" => Value::String(value.to_string()),
            "items" => gemini_schema(value),
            "properties" => match value {
                Value::Object(properties) => properties
                    .iter()
                    .map(|(name, property)| (name.clone(), gemini_schema(property)))
                    .collect::<Map<_, _>>()
                    .into(),
                _ => continue,
            },
            _ => continue,
        };
        kept.insert(key.clone(), value);
    }
    Value::Object(kept)
}
