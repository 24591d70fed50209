//! Builds what is sent to a client: results of calls, refusals by the server itself, and the instructions.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lancet::{Block, Lancet, Mode, Refusal, RefusalKind, Reply};
use lancet_serving::pool::JobProgress;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject, MetaObject,
    ServerCapabilities, ServerConfig,
};
use serde_json::Value;

use crate::clients::ClientProfile;
use crate::options::AnswerFormat;
use crate::roots::RootsOrigin;
use crate::sandbox;

/// The key of the data in a result's `_meta`.
const RESULT_KEY: &str = "lancet/result";

/// How many roots the instructions name.
const NAMED_ROOTS: usize = 5;

/// The shell commands that each tool replaces. Some agents show their model the instructions before any tool.
const REPLACED_SHELL_COMMANDS: [(&str, &str); 8] = [
    ("Read", "cat, head and sed -n"),
    ("Edit", "apply_patch and sed -i"),
    ("MultiEdit", "apply_patch over several places or files"),
    ("Write", "cat or echo into a file"),
    ("Glob", "find and ls"),
    ("Grep", "grep and rg"),
    ("ApplyPatch", "apply_patch and patch"),
    (TEXT_EDITOR, "cat, apply_patch and sed"),
];
/// The tool that both views and edits files.
const TEXT_EDITOR: &str = "str_replace_based_edit_tool";

/// Converts a reply to an MCP result: text for the model, data for programs.
pub(crate) fn into_mcp_result(
    reply: Reply,
    answers: AnswerFormat,
    client: &ClientProfile,
) -> CallToolResult {
    let mut result = CallToolResult::default();
    if reply.is_error() {
        result.is_error = Some(true);
    }
    if answers == AnswerFormat::Structured && !client.accepts_only_text() {
        result.structured_content = Some(structured_content(&reply));
    }
    let (blocks, data) = reply.into_parts();
    result.content = blocks.into_iter().filter_map(into_mcp_content).collect();
    let mut meta = JsonObject::new();
    meta.insert(RESULT_KEY.to_owned(), client.filter_data(data));
    result.meta = Some(MetaObject(meta));
    result
}

/// Converts a block of an answer to MCP content.
fn into_mcp_content(block: Block) -> Option<ContentBlock> {
    match block {
        Block::Text(text) => Some(ContentBlock::text(text)),
        Block::Picture { media_type, bytes } => {
            Some(ContentBlock::image(STANDARD.encode(&*bytes), media_type))
        }
        _ => None,
    }
}

/// Returns the outcome of a call in one word, for the log.
pub(crate) fn outcome_for_log(response: &CallToolResponse) -> String {
    let CallToolResponse::Complete(result) = response else {
        return "asks".to_owned();
    };
    let name = result
        .meta
        .as_ref()
        .and_then(|meta| meta.0.get(RESULT_KEY)?.get("error")?.get("name")?.as_str());
    name.unwrap_or("done").to_owned()
}

/// Returns the data together with the text, because some clients show their model only the structured content.
fn structured_content(reply: &Reply) -> Value {
    let mut all = JsonObject::new();
    all.insert("text".to_owned(), reply.text().into());
    if let Value::Object(data) = reply.data() {
        all.extend(data.clone());
    }
    Value::Object(all)
}

/// Makes the reply for a refusal by the server itself.
pub(crate) fn refusal_reply(refusal: &Refusal, tool: &str) -> Reply {
    Reply::from_host_refusal(tool, refusal)
}

/// Returns the refusal of a writing tool for a client with the read-only token.
pub(crate) fn read_only_refusal(tool: &str) -> Refusal {
    let words = format!(
        "{tool} is not open to this client: it has the read-only token of `lancet serve`, which opens the tools that only read. \
         Nothing was done. The user can give the client the other token (`serve-token` in lancet's state folder)."
    );
    Refusal::new(RefusalKind::Denied, words)
}

/// Returns the answer to a call that did not stop at its time limit.
pub(crate) fn timeout_reply(tool: &str, limit: Duration, progress: &JobProgress) -> Reply {
    let seconds = limit.as_secs();
    let words = if progress.has_begun() {
        format!(
            "{tool} did not come to an end within {seconds} s and could not be stopped: the file system does not answer. \
             Whether the file was changed is not known; read it before going on."
        )
    } else {
        format!(
            "{tool} was not started within {seconds} s: other calls are still at work. Nothing was done; send the call again \
             when they are answered."
        )
    };
    refusal_reply(&Refusal::new(RefusalKind::Timeout, words), tool)
}

/// Describes the server and its capabilities.
pub(crate) fn server_config(instructions: String) -> ServerConfig {
    let experimental = [(sandbox::CAPABILITY.to_owned(), JsonObject::new())];
    let capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_resources()
        .enable_resources_subscribe()
        .enable_completions()
        .enable_tasks()
        .enable_experimental_with(experimental.into())
        .build();
    let server = Implementation::new("lancet", env!("CARGO_PKG_VERSION")).with_title("lancet");
    ServerConfig::new(capabilities)
        .with_server_info(server)
        .with_instructions(instructions)
}

/// Returns the instructions that a client gives its model about the server as a whole.
pub(crate) fn instructions(lancet: &Lancet, origin: &RootsOrigin) -> String {
    let mut roots: Vec<String> = lancet
        .roots()
        .iter()
        .take(NAMED_ROOTS)
        .map(|root| root.display().to_string())
        .collect();
    if lancet.roots().len() > NAMED_ROOTS {
        roots.push(format!("and {} more", lancet.roots().len() - NAMED_ROOTS));
    }
    let place = match origin {
        RootsOrigin::Named | RootsOrigin::Found => roots.join(", "),
        RootsOrigin::Wanted(_) => "the folders that the client names as its roots".to_owned(),
    };
    let prefix = lancet.tool_prefix();
    let mut words =
        format!("Tools that read, search and edit files below {place}. Paths are absolute.\n");
    let is_listed = |tool: &str| lancet.offers(tool);
    let uses: Vec<String> = REPLACED_SHELL_COMMANDS
        .iter()
        .filter(|(tool, _)| is_listed(tool))
        .map(|(tool, commands)| format!("{} instead of {commands}", prefix.listed_name(tool)))
        .collect();
    if !uses.is_empty() {
        words.push_str(&format!("Use {}.\n", uses.join("; ")));
    }
    if lancet.mode() == Mode::Plan {
        words.push_str("This is plan mode: files can be read, nothing is written.");
        return words;
    }
    let read = match !is_listed("Read") && is_listed(TEXT_EDITOR) {
        true => "View".to_owned(),
        false => prefix.listed_name("Read"),
    };
    words.push_str(&format!(
        "{read} a file, or the lines in question, before editing or overwriting it; line numbers in its answer are not part of the text.\n\
         An edit lands exactly at its one place or is refused and leaves the file untouched. A refusal says why and what to \
         send next: correct that call rather than working around it.",
    ));
    words
}
