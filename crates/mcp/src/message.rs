//! Parses one line of the client into a message of the protocol library, or into the error that answers it. Calls of
//! tools are parsed here and not by the library: their arguments stay as they were sent, whatever their form, and a
//! call that cannot be parsed still gets an answer under its id.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, InputResponses, JsonObject,
    JsonRpcMessage, RequestId, RequestMetaObject,
};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Value, json};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMETERS: i32 = -32602;

/// The result of parsing a line.
pub(crate) enum ParsedLine {
    /// A message for the protocol library.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// The line is not a message; this error answers it at once.
    Fault(MessageError),
    /// The line needs no answer.
    Nothing,
}

/// A JSON-RPC error for a line that is not a message.
#[derive(Debug, PartialEq)]
pub(crate) struct MessageError {
    code: i32,
    id: Value,
    words: String,
}

impl MessageError {
    /// Makes the error for a line over the limit; its request id cannot be known.
    pub(crate) fn too_long(limit: usize) -> Self {
        let words =
            format!("a message may have at most {limit} bytes; this one was dropped unread");
        Self {
            code: INVALID_REQUEST,
            id: Value::Null,
            words,
        }
    }

    /// Makes the error for a request that has the id of an unanswered one. The request is not carried out.
    pub(crate) fn id_in_use(id: RequestId) -> Self {
        Self {
            code: INVALID_REQUEST,
            id: id.into_json_value(),
            words: "this id is in use by a request that has no answer yet; this one was not carried out. Send it again under a new id".to_owned(),
        }
    }

    /// Returns the line to send. JSON-RPC requires an id, null where it is unknown.
    pub(crate) fn to_json_line(&self) -> Vec<u8> {
        let error = json!({"code": self.code, "message": self.words});
        json!({"jsonrpc": "2.0", "id": self.id, "error": error})
            .to_string()
            .into_bytes()
    }

    /// Returns the text for the log, which never contains a part of the message itself.
    pub(crate) fn log_message(&self) -> &str {
        &self.words
    }
}

/// The arguments of a call that are not a JSON object, as they were sent.
#[derive(Clone, Debug)]
pub(crate) struct OtherArguments(pub(crate) Arc<Value>);

/// The reason why the arguments of a call cannot be parsed.
#[derive(Clone, Debug)]
pub(crate) struct UnreadableArguments(pub(crate) Arc<str>);

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default, borrow)]
    id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CallParameters {
    name: String,
    #[serde(default)]
    arguments: Option<Value>,
    #[serde(default, rename = "_meta")]
    meta: Option<JsonObject>,
    /// The fields of a repeated call: the user's answers, and the state from which the call continues.
    #[serde(default, rename = "inputResponses")]
    answers: Option<InputResponses>,
    #[serde(default, rename = "requestState")]
    state: Option<String>,
}

#[derive(Deserialize)]
struct CalledName<'a> {
    name: String,
    #[serde(default, rename = "arguments")]
    _arguments: Option<IgnoredAny>,
    /// It names the session and, in the second generation, the version of the protocol.
    #[serde(default, borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// Parses one line, without its end.
pub(crate) fn parse_line(line: &[u8]) -> ParsedLine {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.iter().all(u8::is_ascii_whitespace) {
        return ParsedLine::Nothing;
    }
    match std::str::from_utf8(line) {
        Ok(text) => parse_text(text, None),
        // Invalid characters (half of a surrogate pair as bytes, for example) make the line invalid JSON. The id is
        // still looked for, because otherwise the caller would wait for its answer until its own time limit.
        Err(_) => parse_text(
            &String::from_utf8_lossy(line),
            Some("the message is not valid UTF-8"),
        ),
    }
}

fn parse_text(text: &str, damage: Option<&str>) -> ParsedLine {
    let envelope: Envelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) => envelope,
        Err(error) => {
            let (code, words) = match error.classify() {
                Category::Data => (INVALID_REQUEST, "this is no JSON-RPC message".to_owned()),
                _ => (PARSE_ERROR, format!("this line is no JSON: {error}")),
            };
            return ParsedLine::Fault(MessageError {
                code,
                id: Value::Null,
                words,
            });
        }
    };
    let id = envelope
        .id
        .and_then(|raw| serde_json::from_str::<RequestId>(raw.get()).ok());
    if let (Some("tools/call"), Some(id)) = (envelope.method.as_deref(), &id) {
        return parse_call(id, envelope.params, damage);
    }
    if let Some(damage) = damage {
        return ParsedLine::Fault(MessageError {
            code: PARSE_ERROR,
            id: id_or_null(id),
            words: damage.to_owned(),
        });
    }
    match serde_json::from_str::<RxJsonRpcMessage<RoleServer>>(text) {
        Ok(message) => ParsedLine::Message(Box::new(message)),
        // A notification is never answered, not even one that cannot be parsed.
        Err(_) if envelope.id.is_none() && envelope.method.is_some() => ParsedLine::Nothing,
        Err(error) => {
            let (code, words) = match error.classify() {
                Category::Data => (
                    INVALID_REQUEST,
                    "this is no message of the Model Context Protocol".to_owned(),
                ),
                _ => (PARSE_ERROR, format!("this line is no JSON: {error}")),
            };
            ParsedLine::Fault(MessageError {
                code,
                id: id_or_null(id),
                words,
            })
        }
    }
}

fn parse_call(id: &RequestId, parameters: Option<&RawValue>, damage: Option<&str>) -> ParsedLine {
    let text = parameters.map_or("{}", RawValue::get);
    let error = match serde_json::from_str::<CallParameters>(text) {
        Ok(parameters) => return call_message(id, parameters, damage.map(Into::into)),
        Err(error) => error,
    };
    // Unusable arguments are no reason for an answer that does not name the tool.
    if error.classify() != Category::Data
        && let Ok(named) = serde_json::from_str::<CalledName<'_>>(text)
    {
        let meta = named
            .meta
            .and_then(|raw| serde_json::from_str(raw.get()).ok());
        let parameters = CallParameters {
            name: named.name,
            arguments: None,
            meta,
            answers: None,
            state: None,
        };
        return call_message(id, parameters, Some(explain_unreadable(&error).into()));
    }
    let words =
        "tools/call needs params with `name`, a string, and `arguments`, an object".to_owned();
    ParsedLine::Fault(MessageError {
        code: INVALID_PARAMETERS,
        id: id_or_null(Some(id.clone())),
        words,
    })
}

fn explain_unreadable(error: &serde_json::Error) -> String {
    let said = error.to_string();
    if said.contains("surrogate") || said.contains("hex escape") {
        "a \\u escape in them is cut short or one half of a surrogate pair; a character beyond U+FFFF is sent as it is, or as both halves".to_owned()
    } else if said.contains("recursion") {
        "they are nested too deeply".to_owned()
    } else {
        "they are no valid JSON".to_owned()
    }
}

fn call_message(
    id: &RequestId,
    parameters: CallParameters,
    unreadable: Option<Arc<str>>,
) -> ParsedLine {
    let mut request = CallToolRequest::new(CallToolRequestParams::new(parameters.name));
    request.params.input_responses = parameters.answers;
    request.params.request_state = parameters.state;
    match parameters.arguments {
        None => {}
        Some(Value::Object(arguments)) => request.params.arguments = Some(arguments),
        Some(other) => {
            request.extensions.insert(OtherArguments(Arc::new(other)));
        }
    }
    if let Some(reason) = unreadable {
        request.extensions.insert(UnreadableArguments(reason));
    }
    request
        .extensions
        .insert(RequestMetaObject::from(parameters.meta.unwrap_or_default()));
    let request = ClientRequest::CallToolRequest(request);
    ParsedLine::Message(Box::new(JsonRpcMessage::request(request, id.clone())))
}

fn id_or_null(id: Option<RequestId>) -> Value {
    id.map_or(Value::Null, RequestId::into_json_value)
}

#[cfg(test)]
mod tests;
