//! `lancet log --format attribution`: which operation wrote which lines of the files as they are now, and whether a
//! person or an agent made it. The output is one record in the Agent Trace format (0.1.0), with lancet's own details
//! under `metadata`.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use lancet::history::{Attribution, History, Operation};
use serde_json::{Value, json};

use super::access::unreadable_failure;
use super::time;
use crate::failure::{Exit, Failure};
use crate::terminal::print;

/// The client name of lancet's own commands: a person at the shell.
const COMMAND_LINE: &str = "lancet";
/// The tool name under which `lancet apply` is recorded.
const REPLY_TOOL: &str = "ApplyPatch";

/// Prints the record of the files that these operations touched, limited to one folder or file if one is given.
pub(super) fn print_record(
    history: &History,
    operations: &[Operation],
    below: Option<&Path>,
) -> Result<Exit, Failure> {
    let paths: BTreeSet<&PathBuf> = operations
        .iter()
        .flat_map(|operation| &operation.files)
        .map(|file| &file.path)
        .filter(|path| below.is_none_or(|below| path.starts_with(below)))
        .collect();
    let mut files = Vec::new();
    for path in paths {
        // A file that does not exist, or whose text may not be shown, has no lines.
        if let Some(found) = history.attribution(path).map_err(unreadable_failure)? {
            files.push(file_json(history, &found));
        }
    }
    let data = json!({
        "version": "0.1.0",
        "id": random_uuid()?,
        "timestamp": time::format_rfc3339(time::now_in_milliseconds()),
        "tool": { "name": "lancet", "version": env!("CARGO_PKG_VERSION") },
        "files": files,
    });
    print(&format!("{data}\n"))?;
    Ok(Exit::Done)
}

/// Describes one file. Each operation that wrote lines of it is a `conversation`, the format's term for one
/// contribution. They are in the order of their first lines.
fn file_json(history: &History, found: &Attribution) -> Value {
    let mut conversations: Vec<Value> = Vec::new();
    let mut ids: Vec<&str> = Vec::new();
    for written in &found.written {
        let range = json!({ "start_line": written.lines.start(), "end_line": written.lines.end() });
        let id = written.operation.id.as_str();
        let at = ids.iter().position(|known| *known == id);
        let conversation = match at.and_then(|at| conversations.get_mut(at)) {
            Some(conversation) => conversation,
            None => {
                ids.push(id);
                conversations.push(conversation_json(&written.operation));
                let last = conversations.len() - 1;
                &mut conversations[last]
            }
        };
        if let Some(ranges) = conversation["ranges"].as_array_mut() {
            ranges.push(range);
        }
    }
    let by_agents: usize = found
        .written
        .iter()
        .filter(|written| contributor_kind(&written.operation) == "ai")
        .map(|written| written.lines.clone().count())
        .sum();
    json!({
        "path": history.relative_to_root(&found.path).display().to_string(),
        "conversations": conversations,
        "metadata": { "lines": found.lines, "agent_lines": by_agents },
    })
}

fn conversation_json(operation: &Operation) -> Value {
    json!({
        "contributor": { "type": contributor_kind(operation) },
        "ranges": [],
        "metadata": {
            "operation": operation.id,
            "time": time::format_rfc3339(operation.time),
            "session": operation.session,
            "client": operation.client,
            "client_version": operation.version,
            "turn": operation.turn,
            "call": operation.call,
            "tool": operation.tool,
        },
    })
}

/// Returns the author of an operation's text, in the format's terms: a person for lancet's own commands, and a model
/// for the tools of any other client. `lancet apply` also counts as a model, because its text is a model's reply.
/// Without a client's name the author is unknown.
pub(super) fn contributor_kind(operation: &Operation) -> &'static str {
    match operation.client.as_deref() {
        Some(COMMAND_LINE) if operation.tool == REPLY_TOOL => "ai",
        Some(COMMAND_LINE) => "human",
        Some(_) => "ai",
        None => "unknown",
    }
}

/// Makes a UUID of version 4.
fn random_uuid() -> Result<String, Failure> {
    let mut bytes = [0_u8; 16];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(|error| Failure::system(format!("/dev/urandom cannot be read: {error}")))?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    ))
}
