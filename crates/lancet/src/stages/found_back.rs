//! Changes that are already undone because a person or program edited the file back, checked it out or removed it.
//! Nothing is written; the history records them as undone, so that the next undo continues with the change before.

use lancet_history::ReversedChange;

use super::context::CallContext;
use super::plan::{DryRun, Plan};
use super::{empty_folders, reply};
use crate::message::{message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::reply::Reply;

/// Records the changes of a plan that writes no file as undone, and answers.
pub(super) fn record_as_undone(context: &CallContext<'_>, plan: Plan) -> Result<Reply, Refusal> {
    if plan.dry_run == DryRun::No
        && let Some(store) = context.engine().history()
    {
        let files: Vec<(String, usize)> = plan
            .origin
            .takes_back
            .iter()
            .map(|ReversedChange { operation, at, .. }| (operation.clone(), *at))
            .collect();
        store.mark_already_undone(&files).map_err(|error| {
            let text = message!("The history could not record that this is undone already: {}. Nothing was changed; `lancet doctor` says more.", verbatim(error));
            Refusal::from_message(RefusalKind::Io, text)
        })?;
        empty_folders::remove_empty_folders(context, &plan);
    }
    Ok(reply::reply_without_write(context, &plan))
}
