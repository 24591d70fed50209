//! Converts the proposal of a host's tool to a request; afterwards it is treated like any call.

use super::context::CallContext;
use super::tool_refusals::not_listed_refusal;
use crate::builtin::multi_edit::file_requests;
use crate::host_tool::Proposal;
use crate::refusal::Refusal;
use crate::request::{Request, ToolRequest};

/// Converts a proposal. A tool that is declared read-only may not propose a change.
pub(super) fn request_from_proposal(
    context: &CallContext<'_>,
    proposal: Proposal,
) -> Result<ToolRequest, Refusal> {
    let request = match proposal {
        Proposal::Answer { text, data } => return Ok(ToolRequest::Answer { text, data }),
        Proposal::Edits(edits) => Request::new(file_requests(edits, None)),
        Proposal::Write(arguments) => arguments.into(),
        Proposal::Change(request) => request,
    };
    let declaration = context.engine().declaration(&context.tool);
    if declaration.is_none_or(|declaration| declaration.read_only) {
        return Err(not_listed_refusal(context));
    }
    Ok(request.into())
}
