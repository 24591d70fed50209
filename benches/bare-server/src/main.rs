//! The baseline that lancet's CPU time is compared with: Read and Edit over stdio on the same protocol library, by
//! `read_to_string`, a count of the matches, `replacen` and `write`, and nothing else. With the argument `raw` an Edit
//! works on bytes instead: `read`, two `memmem` searches, a temporary file and `rename`. There are no roots, no ledger,
//! no staleness check, no encodings and no durable write: never use it on files that matter.

use std::io::Write as _;
use std::{fs, io, sync::Arc};

use memchr::memmem;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::json;

struct Bare {
    edit: fn(&JsonObject) -> io::Result<String>,
}

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![
            Tool::new("Read", "Reads a file.", schema(&["file_path"])),
            Tool::new(
                "Edit",
                "Replaces text in a file.",
                schema(&["file_path", "old_string", "new_string"]),
            ),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let answer = match request.name.as_ref() {
            "Read" => text(&arguments, "file_path").and_then(fs::read_to_string),
            "Edit" => (self.edit)(&arguments),
            other => Err(io::Error::other(format!("no tool {other}"))),
        };
        Ok(match answer {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]).into(),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]).into(),
        })
    }
}

fn edit_text(arguments: &JsonObject) -> io::Result<String> {
    let path = text(arguments, "file_path")?;
    let old = text(arguments, "old_string")?;
    let new = text(arguments, "new_string")?;
    let content = fs::read_to_string(path)?;
    match content.matches(old).count() {
        1 => {}
        count => return Err(io::Error::other(format!("{count} matches"))),
    }
    fs::write(path, content.replacen(old, new, 1))?;
    Ok(format!("Edited {path}"))
}

/// The minimal Edit: bytes are not decoded, and the file is replaced, not rewritten.
fn edit_bytes(arguments: &JsonObject) -> io::Result<String> {
    let path = text(arguments, "file_path")?;
    let old = text(arguments, "old_string")?.as_bytes();
    let new = text(arguments, "new_string")?.as_bytes();
    let content = fs::read(path)?;
    let finder = memmem::Finder::new(old);
    let place = finder
        .find(&content)
        .ok_or_else(|| io::Error::other("0 matches"))?;
    let rest = place + old.len();
    if finder.find(&content[rest..]).is_some() {
        return Err(io::Error::other("several matches"));
    }
    let temp = format!("{path}.tmp");
    let mut file = fs::File::create(&temp)?;
    file.write_all(&content[..place])?;
    file.write_all(new)?;
    file.write_all(&content[rest..])?;
    fs::rename(&temp, path)?;
    Ok(format!("Edited {path}"))
}

fn text<'a>(arguments: &'a JsonObject, name: &str) -> io::Result<&'a str> {
    arguments
        .get(name)
        .and_then(|value| value.as_str())
        .ok_or_else(|| io::Error::other(format!("{name} is missing")))
}

fn schema(fields: &[&str]) -> Arc<JsonObject> {
    let mut properties = JsonObject::new();
    for field in fields {
        properties.insert((*field).to_owned(), json!({ "type": "string" }));
    }
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), json!(fields));
    Arc::new(schema)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let edit = match std::env::args().nth(1).as_deref() {
        Some("raw") => edit_bytes,
        _ => edit_text,
    };
    Bare { edit }
        .serve(rmcp::transport::stdio_pipes())
        .await?
        .waiting()
        .await?;
    Ok(())
}
