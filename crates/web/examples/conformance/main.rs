//! The tools, resources and prompts that the official conformance suite of MCP requires of a server, behind the same
//! endpoint and the same listener as `lancet serve`. This tests the transport of messages, which lancet's own tools
//! cannot exercise completely.
//!
//!     conformance STATE_FOLDER
//!
//! It listens on a port that the system chooses and prints its address; the token is in the folder.

mod contents;
mod questions;

use std::path::PathBuf;
use std::time::Duration;

use lancet_mcp::{Endpoint, MESSAGE_LIMIT};
use lancet_serving::Log;
use lancet_serving::tokens::Tokens;
use lancet_web::{Access, ListenOptions, Listening, Protection};
use rmcp::model::*;
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use contents::{PIXEL, prompts, resource, resources, templates, tools};

/// The notifier of subscription streams that a list has changed.
#[derive(Clone, Copy)]
enum Changed {
    Tools,
    Prompts,
}

/// The server of the suite's tools.
#[derive(Clone)]
struct Fixture {
    changes: broadcast::Sender<Changed>,
}

/// Parses a value of the protocol from JSON.
fn parse_value<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(format!("the fixture is wrong: {error}"), None))
}

/// Returns a complete result; the library omits the mark if the client's version does not know it.
fn complete<T: DeserializeOwned>(mut result: Value) -> Result<T, ErrorData> {
    result["resultType"] = json!("complete");
    parse_value(result)
}

fn text_content(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// Sends a progress report if the client requested it.
async fn report(context: &RequestContext<RoleServer>, progress: f64) {
    if let Some(token) = context.meta.get_progress_token() {
        let report = ProgressNotificationParam::new(token, progress).with_total(100.0);
        let _ = context.peer.notify_progress(report).await;
    }
}

/// Sends a log line. From 2026-07-28 on only requests that name a level want one.
#[expect(
    deprecated,
    reason = "the protocol deprecates logging, and the suite tests it"
)]
async fn log(context: &RequestContext<RoleServer>, line: &str) {
    let version = context.protocol_version();
    let is_modern = version.is_some_and(|version| version.as_str() >= "2026-07-28");
    if !is_modern || context.meta.log_level().is_some() {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
        let _ = context.peer.notify_logging_message(message).await;
    }
}

async fn moment() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true, "listChanged": true},
            "prompts": {"listChanged": true}, "completions": {}, "logging": {}});
        let capabilities = serde_json::from_value(capabilities).unwrap_or_default();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("conformance", "1"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        complete(json!({"tools": tools()}))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = tools();
        let all = tools.as_array()?;
        let found = all.iter().find(|tool| tool["name"] == name)?;
        serde_json::from_value(found.clone()).ok()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let image = json!({"type": "image", "data": PIXEL, "mimeType": "image/png"});
        let result = match request.name.as_ref() {
            "test_simple_text" => text_content("This is a simple text response for testing."),
            "test_image_content" => json!({"content": [image]}),
            "test_audio_content" => {
                json!({"content": [{"type": "audio", "data": contents::SILENCE, "mimeType": "audio/wav"}]})
            }
            "test_embedded_resource" => json!({"content": [{"type": "resource", "resource": {
                "uri": "test://embedded-resource", "mimeType": "text/plain", "text": "This is an embedded resource content."}}]}),
            "test_multiple_content_types" => {
                json!({"content": [{"type": "text", "text": "Multiple content types test:"}, image,
                {"type": "resource", "resource": {"uri": "test://mixed-content-resource", "mimeType": "application/json", "text": "{\"test\":\"data\",\"value\":123}"}}]})
            }
            "test_error_handling" => {
                json!({"isError": true, "content": [{"type": "text", "text": "This tool intentionally returns an error for testing"}]})
            }
            "test_tool_with_logging" | "test_logging_tool" => {
                log(&context, "Tool execution started").await;
                moment().await;
                log(&context, "Tool processing data").await;
                moment().await;
                log(&context, "Tool execution completed").await;
                text_content("logged")
            }
            "test_tool_with_progress" => {
                for progress in [0.0, 50.0, 100.0] {
                    report(&context, progress).await;
                    moment().await;
                }
                text_content("done")
            }
            "json_schema_2020_12_tool" | "test_custom_headers" | "test_custom_headers_null" => {
                text_content("called")
            }
            "test_trigger_tool_change" => {
                let _ = context.peer.notify_tool_list_changed().await;
                let _ = self.changes.send(Changed::Tools);
                text_content("changed")
            }
            "test_trigger_prompt_change" => {
                let _ = context.peer.notify_prompt_list_changed().await;
                let _ = self.changes.send(Changed::Prompts);
                text_content("changed")
            }
            _ => return questions::call(request, context).await,
        };
        Ok(CallToolResponse::Complete(complete(result)?))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        complete(json!({"resources": resources()}))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        complete(json!({"resourceTemplates": templates()}))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(contents) = resource(&request.uri) else {
            let data = Some(json!({"uri": request.uri}));
            return Err(ErrorData::resource_not_found(
                "there is no such resource",
                data,
            ));
        };
        Ok(ReadResourceResponse::Complete(complete(
            json!({"contents": [contents]}),
        )?))
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let changed = tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.recv() => changed,
            };
            // Only requested notifications are sent: the library refuses others.
            let _ = match changed {
                Ok(Changed::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(Changed::Prompts) => context.sink().notify_prompt_list_changed().await,
                Err(_) => return Ok(()),
            };
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        complete(json!({"prompts": prompts()}))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        let argument = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let user = |content: Value| json!({"role": "user", "content": content});
        let text = |text: &str| json!({"type": "text", "text": text});
        let messages = match request.name.as_str() {
            "test_simple_prompt" => vec![user(text("This is a simple prompt for testing."))],
            "test_prompt_with_arguments" => {
                let words = format!(
                    "Prompt with arguments: arg1='{}', arg2='{}'",
                    argument("arg1"),
                    argument("arg2")
                );
                vec![user(text(&words))]
            }
            "test_prompt_with_embedded_resource" => vec![
                user(
                    json!({"type": "resource", "resource": {"uri": argument("resourceUri"), "mimeType": "text/plain", "text": "Embedded resource content for testing."}}),
                ),
                user(text("Please process the embedded resource above.")),
            ],
            "test_prompt_with_image" => vec![
                user(json!({"type": "image", "data": PIXEL, "mimeType": "image/png"})),
                user(text("Please analyze the image above.")),
            ],
            "test_input_required_result_prompt" => return questions::prompt(&request),
            _ => return Err(ErrorData::invalid_params("there is no such prompt", None)),
        };
        Ok(GetPromptResponse::Complete(complete(
            json!({"messages": messages}),
        )?))
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        complete(
            json!({"completion": {"values": ["paris", "park", "party"], "total": 3, "hasMore": false}}),
        )
    }

    #[expect(
        deprecated,
        reason = "the protocol deprecates logging, and the suite tests it"
    )]
    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}

#[expect(clippy::print_stdout, reason = "the caller reads the address")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let state = PathBuf::from(
        std::env::args_os()
            .nth(1)
            .ok_or("usage: conformance STATE_FOLDER")?,
    );
    let options = ListenOptions {
        address: "127.0.0.1:0".to_owned(),
        protection: Protection::None,
    };
    let listening = Listening::new(&options)?;
    let access = Access::new(Tokens::load(&state)?, Vec::new(), Vec::new());
    println!("{}", listening.url());
    let fixture = Fixture {
        changes: broadcast::Sender::new(16),
    };
    let endpoint = move || {
        let handler = move || fixture.clone();
        Ok(Endpoint::with_handler(
            handler,
            MESSAGE_LIMIT,
            Log::discard(),
        ))
    };
    listening.run(access, None, endpoint, Log::discard())?;
    Ok(())
}
