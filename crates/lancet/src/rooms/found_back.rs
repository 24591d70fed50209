//! Changes that are back already: the file was edited back, checked out or removed by somebody. Nothing is written; the
//! history is told, so that the next undo goes on with the change before.

use lancet_history::TakenBack;

use super::plan::{DryRun, Plan};
use super::{CallContext, reply};
use crate::refusal::{Refusal, RefusalKind};
use crate::reply::Reply;

/// Marks the changes of a plan that writes no file, and answers.
pub(super) fn settle(context: &CallContext<'_>, plan: Plan) -> Result<Reply, Refusal> {
    if plan.dry_run == DryRun::No
        && let Some(store) = context.engine().history()
    {
        let files: Vec<(String, usize)> = plan
            .origin
            .takes_back
            .iter()
            .map(|TakenBack { operation, at, .. }| (operation.clone(), *at))
            .collect();
        store.mark_already_undone(&files).map_err(|error| {
            let text = format!(
                "The history cannot be told that this is taken back already: {error}. Nothing was changed; `lancet doctor` says more."
            );
            Refusal::new(RefusalKind::Io, text)
        })?;
    }
    Ok(reply::nothing_written(context, &plan))
}
