//! Folders that lancet made for files which are gone by now: an undo removes them where they are empty.

use super::CallContext;
use super::plan::Plan;

/// Removes the folders that were made for files which are gone by now, where they are empty. A folder that stays is no reason
/// for a notice: somebody uses it.
pub(super) fn remove(context: &CallContext<'_>, plan: &Plan) {
    for file in &plan.origin.found_back {
        if !file.folders.is_empty() {
            let workspace = &context.engine().workspace;
            let _ = workspace.plan_folder_removal(&file.folders).remove();
        }
    }
}
