//! The list of tools in the form that each model API accepts, as the value of its `tools` field.

use std::str::FromStr;

use serde_json::{Map, Value, json};

use lancet_model::closest::find_closest;
use lancet_model::tool_prefix::ToolPrefix;

use super::strict::{AnthropicLimits, Strictness, to_openai_strict};
use lancet_model::declaration::Declaration;

/// The model API that determines the form of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `tools/list` of the Model Context Protocol.
    Mcp,
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's Chat Completions API and those compatible with it.
    OpenAi,
    /// OpenAI's Responses API.
    Responses,
    /// Google's Gemini API.
    Gemini,
}

impl Format {
    /// All formats, in the order in which help texts name them.
    pub const ALL: [Format; 5] = [
        Format::Mcp,
        Format::Anthropic,
        Format::OpenAi,
        Format::Responses,
        Format::Gemini,
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Mcp => "mcp",
            Format::Anthropic => "anthropic",
            Format::OpenAi => "openai",
            Format::Responses => "responses",
            Format::Gemini => "gemini",
        }
    }
}

/// The error for a name that is not in [`Format::ALL`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no format {given:?}; the formats are mcp, anthropic, openai, responses and gemini{}", closest_format_hint(.closest))]
#[non_exhaustive]
pub struct UnknownFormat {
    /// The name as given.
    pub given: String,
    /// The format that was probably meant.
    pub closest: Option<&'static str>,
}

fn closest_format_hint(closest: &Option<&'static str>) -> String {
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
                closest: find_closest(text, Format::ALL.map(Format::name)),
            })
    }
}

/// The text that describes a tool in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DescriptionLength {
    /// The short form, which leaves space for other tools in the model's context.
    Short,
    /// The whole prompt.
    Long,
}

/// The form of a list of tools.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListForm {
    /// The API that determines the form of the list.
    pub format: Format,
    /// The text that describes a tool.
    pub length: DescriptionLength,
    /// Whether the API should enforce the schemas.
    pub strictness: Strictness,
    /// The prefix of the tools' names.
    pub prefix: ToolPrefix,
}

impl ListForm {
    /// Creates the form for an API with loose schemas, short descriptions and unprefixed names.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            length: DescriptionLength::Short,
            strictness: Strictness::Loose,
            prefix: ToolPrefix::default(),
        }
    }
}

/// Returns the value of an API's `tools` field for these tools, in their order.
pub fn tool_list<'d>(
    declarations: impl IntoIterator<Item = &'d Declaration>,
    form: &ListForm,
) -> Value {
    let mut limits = AnthropicLimits::default();
    let tools: Vec<Value> = declarations
        .into_iter()
        .map(|declaration| one_tool(declaration, form, &mut limits))
        .collect();
    match form.format {
        // Gemini expects a list of groups of functions.
        Format::Gemini => json!([{ "functionDeclarations": tools }]),
        _ => Value::Array(tools),
    }
}

fn one_tool(declaration: &Declaration, form: &ListForm, limits: &mut AnthropicLimits) -> Value {
    let strict = match (form.strictness, form.format) {
        (Strictness::Loose, _) => None,
        (Strictness::Strict, Format::Anthropic) => {
            limits.convert_to_strict(&declaration.input_schema)
        }
        (Strictness::Strict, _) => to_openai_strict(&declaration.input_schema),
    };
    let is_strict = strict.is_some();
    let schema = strict.unwrap_or_else(|| declaration.input_schema.clone());
    let named = form.prefix.prefix_declaration(declaration);
    let (name, description) = (&named.name, description(&named, form.length));
    match form.format {
        Format::Mcp => {
            let mut tool = mcp_tool(&named, form.length, declaration.answer_limit_mcp);
            tool["inputSchema"] = schema;
            tool
        }
        Format::Anthropic => {
            let mut tool =
                json!({ "name": name, "description": description, "input_schema": schema });
            if is_strict {
                tool["strict"] = json!(true);
            }
            tool
        }
        // OpenAI's Responses API treats a missing `strict` as true.
        Format::OpenAi => json!({
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": schema,
                "strict": is_strict,
            },
        }),
        Format::Responses => json!({
            "type": "function",
            "name": name,
            "description": description,
            "parameters": schema,
            "strict": is_strict,
        }),
        Format::Gemini => {
            let words = super::find_by_name(&declaration.name)
                .map_or(&[][..], |tool| tool.alternative_field_names());
            let parameters = gemini_schema(&schema, words);
            json!({ "name": name, "description": description, "parameters": parameters })
        }
    }
}

/// Returns one entry of MCP's tool list, without output schema; `answer_limit` is the limit in force.
pub fn mcp_tool(
    declaration: &Declaration,
    length: DescriptionLength,
    answer_limit: usize,
) -> Value {
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

fn description(declaration: &Declaration, length: DescriptionLength) -> &str {
    match length {
        DescriptionLength::Short => &declaration.description,
        DescriptionLength::Long => &declaration.prompt,
    }
}

/// Converts a schema for Gemini, which accepts a subset of OpenAPI's schema object with its own spelling of types and
/// refuses unknown fields. `words` are substitutes for field names that contain a character which Gemini does not
/// allow.
fn gemini_schema(schema: &Value, words: &[(&str, &str)]) -> Value {
    let Value::Object(map) = schema else {
        return json!({ "type": "OBJECT" });
    };
    let word = |name: &str| -> String {
        let known = words.iter().find(|(field, _)| *field == name);
        known.map_or(name, |(_, word)| word).to_owned()
    };
    let mut kept = Map::new();
    for (key, value) in map {
        let value = match key.as_str() {
            "type" => {
                let (kind, nullable) = match value {
                    Value::Array(kinds) => (kinds.first().unwrap_or(&Value::Null), true),
                    kind => (kind, false),
                };
                if nullable {
                    kept.insert("nullable".into(), json!(true));
                }
                Value::String(kind.as_str().unwrap_or("string").to_ascii_uppercase())
            }
            "enum" => match value {
                Value::Array(values) => values
                    .iter()
                    .filter(|one| one.is_string())
                    .cloned()
                    .collect(),
                _ => continue,
            },
            "required" => match value {
                Value::Array(names) => names.iter().filter_map(Value::as_str).map(word).collect(),
                _ => continue,
            },
            "description" | "minimum" | "maximum" => value.clone(),
            // Gemini expects 64-bit numbers as strings.
            "minItems" | "maxItems" => Value::String(value.to_string()),
            "items" => gemini_schema(value, words),
            "properties" => match value {
                Value::Object(properties) => properties
                    .iter()
                    .map(|(name, property)| (word(name), gemini_schema(property, words)))
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
