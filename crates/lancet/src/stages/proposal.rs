//! Converts the proposal of a host's tool to a request; afterwards it is treated like any call.

use super::context::CallContext;
use super::tool_refusals::not_listed;
use crate::builtin::multi_edit::file_requests;
use crate::host_tool::Proposal;
use crate::refusal::Refusal;
use crate::request::{Asked, Request};

/// Converts a proposal. A tool that is declared read-only may not propose a change.
pub(super) fn host_call(context: &CallContext<'_>, proposal: Proposal) -> Result<Asked, Refusal> {
    let request = match proposal {
        Proposal::Answer { text, data } => return Ok(Asked::Answer { text, data }),
        Proposal::Edits(edits) => Request::new(file_requests(edits, None)),
        Proposal::Write(arguments) => arguments.into(),
        Proposal::Change(request) => request,
    };
    let declaration = context.engine().declaration(&context.tool);
    if declaration.is_none_or(|declaration| declaration.read_only) {
        return Err(not_listed(context));
    }
    Ok(request.into())
}
