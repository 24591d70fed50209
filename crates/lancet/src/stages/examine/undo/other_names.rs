//! The notice for a file that had several names (hard links) when a recorded call removed one of them: it comes back as a
//! file of its own.

use std::os::unix::ffi::OsStrExt as _;

use lancet_history::OperationStore;
use lancet_workspace::ExpectedState;

use super::kept::unreadable_refusal;
use super::select::FileRow;
use crate::ledger::stamp_from_record;
use crate::message::{Message, message, verbatim};
use crate::refusal::Refusal;
use crate::stages::plan::FilePlan;
use crate::wording::format_count;

/// Returns the notice for a file that a plan creates again; none where it had no other name at the checkpoint before the
/// call, or that checkpoint has been removed.
pub(super) fn notice(
    store: &dyn OperationStore,
    rows: &[&FileRow],
    plan: &FilePlan,
) -> Result<Option<Message>, Refusal> {
    let is_created = matches!(plan.expected, ExpectedState::Missing);
    // The oldest change has the state that is restored.
    let Some(row) = rows.last().filter(|_| is_created) else {
        return Ok(None);
    };
    let (Some(since), Some(workspace)) = (row.since, &row.change.workspace) else {
        return Ok(None);
    };
    let Ok(name) = row.old_name().strip_prefix(&workspace.root) else {
        return Ok(None);
    };
    let entry = store
        .checkpoint_entry(&workspace.id, since, name.as_os_str().as_bytes())
        .map_err(unreadable_refusal)?;
    let links = entry.map_or(0, |entry| stamp_from_record(&entry.stamp).links);
    Ok((links > 1).then(|| {
        let others = usize::try_from(links - 1).unwrap_or(usize::MAX);
        message!(
            "it had {} (hard links); it comes back as a file of its own",
            verbatim(format_count(others, "other name"))
        )
    }))
}
