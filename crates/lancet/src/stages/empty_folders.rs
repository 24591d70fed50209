//! Folders that lancet created for files which a change removes, or which are already gone: an undo removes the folders
//! where they are empty.

use std::path::PathBuf;

use super::context::CallContext;
use super::plan::Plan;
use crate::engine::EngineView;

/// Returns the folders that a plan leaves behind, each once. A folder comes before those in it: they are removed in
/// reverse order, and one file's folder may be in another's.
pub(super) fn folders_left_behind(plan: &Plan) -> Vec<PathBuf> {
    let leaving = plan
        .files
        .iter()
        .flat_map(|file| file.new.folders_to_remove());
    let gone = plan.origin.found_back.iter().flat_map(|file| &file.folders);
    let mut folders: Vec<PathBuf> = leaving.chain(gone).cloned().collect();
    folders.sort();
    folders.dedup();
    folders
}

/// Removes the folders that were created for files which are gone by now, where they are empty. A folder that remains
/// needs no notice: another program uses it.
pub(super) fn remove_empty_folders(context: &CallContext<'_>, plan: &Plan) {
    let folders = folders_left_behind(plan);
    if !folders.is_empty() {
        let workspace = &context.engine().workspace;
        let _ = workspace.plan_folder_removal(&folders).remove();
    }
}

/// Removes the empty folders that were recorded with a change that was not made, and in which no other change has a
/// file. A process that died may have created them, and the change was to remove them with its own file.
pub(super) fn remove_unclaimed(engine: &EngineView, mut folders: Vec<PathBuf>) {
    folders.sort();
    folders.dedup();
    if !folders.is_empty() {
        let _ = engine
            .full_workspace()
            .plan_folder_removal(&folders)
            .remove();
    }
}
