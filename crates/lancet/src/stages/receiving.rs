//! Receives calls: makes typed requests from their arguments, and the context that a model's edits are applied in.

use std::sync::Arc;

use serde_json::Value;

use super::context::CallContext;
use super::proposal;
use super::tool_refusals::{not_listed_refusal, require_listed, tool_names, unusable_refusal};
use crate::builtin;
use crate::dialects::ResponseOptions;
use crate::message::verbatim;
use crate::outcome::Layout;
use crate::receive::{Repair, canonical_tool, clean_arguments, receive};
use crate::refusal::Refusal;
use crate::request::{Change, ResponseRequest, ToolRequest};
use crate::session::Session;

/// Receives the call; afterwards the context has the tool's own name.
pub(super) fn receive_call(
    context: &mut CallContext<'_>,
    arguments: Value,
) -> Result<(ToolRequest, Vec<Repair>), Refusal> {
    let session = context.session;
    let engine = Arc::clone(&context.engine);
    let host_tool = engine
        .base()
        .host_tools()
        .iter()
        .find(|tool| tool.declaration().name == context.tool);
    if let Some(tool) = host_tool {
        let Some(declaration) = engine.declaration(&context.tool) else {
            return Err(not_listed_refusal(context));
        };
        let (arguments, repairs) =
            clean_arguments(&context.tool, &declaration.input_schema, arguments)
                .map_err(|invalid| unusable_refusal(verbatim(invalid.message.clone()), &invalid))?;
        // The model does not see what the tool reads for itself.
        let proposal = tool.propose(&session.for_host(), &arguments)?;
        return Ok((proposal::request_from_proposal(context, proposal)?, repairs));
    }
    let received = receive(&context.tool, arguments);
    let own_name = match &received {
        Ok(received) => Some(received.tool()),
        Err(_) => canonical_tool(&context.tool),
    };
    if let Some(tool) = own_name.and_then(builtin::find_by_name) {
        context.set_tool(tool);
    }
    let received = received.map_err(|invalid| {
        let mut text = invalid.message.clone();
        if invalid.suggestion.is_none() && own_name.is_none() {
            text.push_str(&format!(" The tools are {}.", tool_names(context)));
        }
        unusable_refusal(verbatim(text), &invalid)
    })?;
    require_listed(context)?;
    Ok((received.asked, received.repairs))
}

/// Makes the context and the change of a text with edits.
pub(super) fn reply_call<'s, 'r>(
    session: &'s Session,
    text: &'r str,
    options: ResponseOptions,
) -> (CallContext<'s>, Change<'r>) {
    let mut context = CallContext::new(
        session,
        "ApplyPatch".to_owned(),
        options.caller,
        options.cancel.unwrap_or_default(),
    );
    context.layout = Layout::Files;
    context.applied_by = options.applied_by;
    let request = ResponseRequest {
        text: text.into(),
        format: options.format,
        insist: options.insist,
        dry_run: options.dry_run,
    };
    (context, Change::Response(request))
}

/// Finds the path that a call names, for the answer to a call that could not be parsed.
pub(super) fn first_path(arguments: &Value) -> Option<String> {
    let path = arguments
        .get("file_path")
        .or_else(|| arguments.get("path"))
        .or_else(|| arguments.get("from_path"))
        .or_else(|| arguments.get("edits")?.get(0)?.get("file_path"))?;
    Some(path.as_str()?.to_owned())
}
