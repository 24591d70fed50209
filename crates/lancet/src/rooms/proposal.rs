//! What a host's own tool proposes, in the terms of the built-in tools: from here on it goes the way of all calls.

use super::asked::requests;
use super::plan::DryRun;
use super::request::{Asked, Change, Insist};
use super::{CallContext, tool_refusals};
use crate::host_tool::Proposal;
use crate::refusal::Refusal;

pub(super) fn host_call(context: &CallContext<'_>, proposal: Proposal) -> Result<Asked, Refusal> {
    let writes = !matches!(proposal, Proposal::Answer { .. });
    if writes
        && context
            .engine()
            .declaration(&context.tool)
            .is_none_or(|declaration| declaration.read_only)
    {
        return Err(tool_refusals::not_listed(context));
    }
    Ok(match proposal {
        Proposal::Answer { text, data } => Asked::Answer { text, data },
        Proposal::Edits(edits) => Asked::Change(Change::Edits {
            edits: requests(edits, None),
            insist: Insist::No,
            dry_run: DryRun::No,
        }),
        Proposal::Write(arguments) => Asked::Change(Change::Write(arguments)),
    })
}
