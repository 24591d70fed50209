//! The suite's tools that query the client: by requests in the first generation, by results in the second.

use rmcp::model::*;
use rmcp::service::{PeerRequestOptions, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::{complete, parse_value, text_content};

/// The beginning of every state; its checksum follows.
const STATE: &str = "round";

fn elicit(message: &str, properties: Value, required: Value) -> Value {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

fn ask_for(message: &str, field: &str) -> Value {
    elicit(message, json!({field: {"type": "string"}}), json!([field]))
}

fn sample(text: &str, most: u32) -> Value {
    json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}], "maxTokens": most}})
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

/// Returns a state that becomes invalid if any character is changed.
fn sealed(round: u32) -> String {
    let text = format!("{STATE}{round}");
    let sum: u64 = text.bytes().fold(17, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    format!("{text}.{sum:016x}")
}

fn required(requests: Value, state: Option<String>) -> Result<InputRequiredResult, ErrorData> {
    let mut result = json!({"resultType": "input_required", "inputRequests": requests});
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    parse_value(result)
}

/// Returns the parts of a question that the client declares it can answer.
fn possible(requests: Value, context: &RequestContext<RoleServer>) -> Value {
    let offers = context.client_capabilities().unwrap_or_default();
    let offers = serde_json::to_value(offers).unwrap_or_default();
    let mut requests = requests;
    if let Some(all) = requests.as_object_mut() {
        all.retain(|_, request| {
            let needs = match request["method"].as_str() {
                Some("elicitation/create") => "elicitation",
                Some("sampling/createMessage") => "sampling",
                _ => "roots",
            };
            offers.get(needs).is_some()
        });
    }
    requests
}

/// Carries out a tool that queries the client.
pub(crate) async fn call(
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let answers = serde_json::to_value(&request.input_responses).unwrap_or_default();
    let state = request.request_state.as_deref();
    let ask =
        |requests: Value, state| required(requests, state).map(CallToolResponse::InputRequired);
    let done = |text: &str| complete(text_content(text)).map(CallToolResponse::Complete);
    let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
    match request.name.as_ref() {
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            match answers["user_name"]["content"]["name"].as_str() {
                Some(name) => done(&format!("Hello, {name}!")),
                None => ask(
                    json!({"user_name": ask_for("What is your name?", "name")}),
                    None,
                ),
            }
        }
        "test_input_required_result_sampling" => match &answers["capital_question"] {
            Value::Null => ask(
                json!({"capital_question": sample("What is the capital of France?", 100)}),
                None,
            ),
            answer => done(&format!("The answer: {answer}")),
        },
        "test_input_required_result_list_roots" => match &answers["client_roots"]["roots"] {
            Value::Null => ask(json!({"client_roots": roots()}), None),
            told => done(&format!("The roots: {told}")),
        },
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => {
            let confirm = elicit(
                "Please confirm",
                json!({"ok": {"type": "boolean"}}),
                json!(["ok"]),
            );
            match state {
                None => ask(json!({"confirm": confirm}), Some(sealed(1))),
                Some(state) if state == sealed(1) => done("state-ok"),
                Some(_) => Err(ErrorData::invalid_params(
                    "the state is not one of this server",
                    None,
                )),
            }
        }
        "test_input_required_result_multiple_inputs" => match state {
            Some(state) if state == sealed(1) => done(&format!("Everything: {answers}")),
            _ => ask(
                json!({"user_name": ask_for("What is your name?", "name"), "greeting": sample("Generate a greeting", 50), "client_roots": roots()}),
                Some(sealed(1)),
            ),
        },
        "test_input_required_result_multi_round" => match state {
            Some(state) if state == sealed(2) => done(&format!("Both rounds: {answers}")),
            Some(state) if state == sealed(1) => ask(
                json!({"step2": ask_for("Step 2: What is your favorite color?", "color")}),
                Some(sealed(2)),
            ),
            _ => ask(
                json!({"step1": ask_for("Step 1: What is your name?", "name")}),
                Some(sealed(1)),
            ),
        },
        "test_input_required_result_capabilities" => {
            let all = json!({"user_name": ask_for("What is your name?", "name"), "greeting": sample("Generate a greeting", 50), "client_roots": roots()});
            match answers.is_null() {
                true => ask(possible(all, &context), None),
                false => done(&format!("Everything: {answers}")),
            }
        }
        "test_missing_capability" => {
            let offers = context.client_capabilities().unwrap_or_default();
            match serde_json::to_value(offers)
                .unwrap_or_default()
                .get("sampling")
            {
                Some(_) => done("the client offers sampling"),
                None => {
                    let needed = parse_value(json!({"sampling": {}}))?;
                    Err(ErrorData::missing_required_client_capability(needed))
                }
            }
        }
        "test_sampling" => {
            let prompt = arguments["prompt"].as_str().unwrap_or_default();
            let answer = sent(sample(prompt, 100), &context).await?;
            let text = answer["content"]["text"].as_str().unwrap_or_default();
            done(&format!("LLM response: {text}"))
        }
        "test_elicitation" => {
            let message = arguments["message"].as_str().unwrap_or_default();
            let field = |what: &str| json!({"type": "string", "description": what});
            let properties = json!({"username": field("User's response"), "email": field("User's email address")});
            let answer = sent(
                elicit(message, properties, json!(["username", "email"])),
                &context,
            )
            .await?;
            done(&format!("User response: {answer}"))
        }
        "test_elicitation_sep1034_defaults" => {
            let properties = json!({
                "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                "verified": {"type": "boolean", "default": true},
            });
            let answer = sent(elicit("Please fill in", properties, json!([])), &context).await?;
            done(&completed(&answer))
        }
        "test_elicitation_sep1330_enums" => {
            let titled = |word: &str| json!([{"const": "value1", "title": format!("First {word}")}, {"const": "value2", "title": format!("Second {word}")}, {"const": "value3", "title": format!("Third {word}")}]);
            let plain = json!(["option1", "option2", "option3"]);
            let properties = json!({
                "untitledSingle": {"type": "string", "enum": plain},
                "titledSingle": {"type": "string", "oneOf": titled("Option")},
                "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
                "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
            });
            let answer = sent(elicit("Please choose", properties, json!([])), &context).await?;
            done(&completed(&answer))
        }
        name => Err(ErrorData::invalid_params(
            format!("there is no tool {name}"),
            None,
        )),
    }
}

fn completed(answer: &Value) -> String {
    let action = answer["action"].as_str().unwrap_or_default();
    format!(
        "Elicitation completed: action={action}, content={}",
        answer["content"]
    )
}

/// Sends a request to the client and returns the JSON of its answer.
async fn sent(request: Value, context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    let request: ServerRequest = parse_value(request)?;
    let failed = |error: String| ErrorData::internal_error(error, None);
    let options = PeerRequestOptions::no_options();
    let handle = context
        .peer
        .send_cancellable_request(request, options)
        .await;
    let handle = handle.map_err(|error| failed(error.to_string()))?;
    let answer = handle.rx.await.map_err(|error| failed(error.to_string()))?;
    let answer = answer.map_err(|error| failed(error.to_string()))?;
    serde_json::to_value(answer).map_err(|error| failed(error.to_string()))
}

/// Returns the prompt that queries the client.
pub(crate) fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let answers = serde_json::to_value(&request.input_responses).unwrap_or_default();
    match &answers["user_context"] {
        Value::Null => {
            let requests =
                json!({"user_context": ask_for("What context should the prompt use?", "context")});
            required(requests, None).map(GetPromptResponse::InputRequired)
        }
        answer => {
            let text = format!("The context: {answer}");
            let message = json!({"role": "user", "content": {"type": "text", "text": text}});
            complete(json!({"messages": [message]})).map(GetPromptResponse::Complete)
        }
    }
}
