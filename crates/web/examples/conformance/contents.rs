//! The lists and contents of the suite's server.

use serde_json::{Value, json};

/// A PNG image of one red pixel.
pub(crate) const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A recording without a sample.
pub(crate) const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/// The names of tools without arguments.
const PLAIN: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

fn tool(name: &str, properties: Value, required: Value) -> Value {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"name": name, "description": format!("The tool {name} of the suite."), "inputSchema": schema})
}

/// Returns the list of tools.
pub(crate) fn tools() -> Value {
    let mut tools: Vec<Value> = PLAIN
        .iter()
        .map(|name| tool(name, json!({}), json!([])))
        .collect();
    tools.push(tool(
        "test_sampling",
        json!({"prompt": {"type": "string"}}),
        json!(["prompt"]),
    ));
    tools.push(tool(
        "test_elicitation",
        json!({"message": {"type": "string"}}),
        json!(["message"]),
    ));
    Value::Array(tools)
}

/// Returns the list of resources.
pub(crate) fn resources() -> Value {
    json!([
        {"uri": "test://static-text", "name": "text", "description": "A text.", "mimeType": "text/plain"},
        {"uri": "test://static-binary", "name": "binary", "description": "A picture.", "mimeType": "image/png"},
        {"uri": "test://watched-resource", "name": "watched", "description": "A text.", "mimeType": "text/plain"},
    ])
}

/// Returns the list of templates.
pub(crate) fn templates() -> Value {
    json!([{"uriTemplate": "test://template/{id}/data", "name": "template", "description": "Data.", "mimeType": "application/json"}])
}

/// Returns the content of a resource.
pub(crate) fn resource(uri: &str) -> Option<Value> {
    let text = |text: &str| json!({"uri": uri, "mimeType": "text/plain", "text": text});
    Some(match uri {
        "test://static-text" => text("This is the content of the static text resource."),
        "test://watched-resource" => text("Watched."),
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PIXEL}),
        _ => {
            let id = uri
                .strip_prefix("test://template/")?
                .strip_suffix("/data")?;
            let data =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
        }
    })
}

/// Returns the list of prompts.
pub(crate) fn prompts() -> Value {
    let argument =
        |name: &str| json!({"name": name, "description": "An argument.", "required": true});
    json!([
        {"name": "test_simple_prompt", "description": "A prompt."},
        {"name": "test_prompt_with_arguments", "description": "A prompt.", "arguments": [argument("arg1"), argument("arg2")]},
        {"name": "test_prompt_with_embedded_resource", "description": "A prompt.", "arguments": [argument("resourceUri")]},
        {"name": "test_prompt_with_image", "description": "A prompt."},
        {"name": "test_input_required_result_prompt", "description": "A prompt."},
    ])
}
