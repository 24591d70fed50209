//! Determines which folder a record is about. Two containers that share a state folder may each have a `/workspace`,
//! and a folder may be removed and recreated: such folders have one path and different ids. Undo never crosses from one
//! to the other, unless a recorded call removed the folder: then the history has what came in between.
//!
//! Each file of an operation is recorded with its root (`workspaces`). A query leaves out the roots at, below or above
//! the engine's own whose path now leads to another folder, or to none. Settling unfinished operations leaves them out,
//! too. Records without a root, from earlier versions, match by path.

use std::path::Path;

use lancet_history::{
    CheckpointKind, CheckpointQuery, HistoryError, IdMatch, KnownWorkspace, Operation,
    OperationStore, WorkspaceRef,
};
use lancet_workspace::WorkspaceId;

use super::EngineView;

/// The roots in the history whose paths lead elsewhere now.
#[derive(Clone, Debug, Default)]
pub(crate) struct OtherWorkspaces {
    /// The roots whose path now has another folder than the one that was recorded.
    replaced: Vec<[u8; 32]>,
    /// The roots whose path has no folder now: it was removed, or it is in another container.
    gone: Vec<[u8; 32]>,
}

impl OtherWorkspaces {
    /// Returns the ids of all of them.
    pub(crate) fn ids(&self) -> Vec<[u8; 32]> {
        [self.replaced.as_slice(), &self.gone].concat()
    }

    /// Returns whether an operation changed a file below one of them.
    pub(crate) fn include_changes_of(&self, operation: &Operation) -> bool {
        let mut workspaces = operation
            .files
            .iter()
            .filter_map(|file| file.workspace.as_ref());
        workspaces.any(|known| self.replaced.contains(&known.id) || self.gone.contains(&known.id))
    }

    /// Returns the first path of an operation that now leads to another folder's file.
    pub(crate) fn first_replaced<'o>(&self, operation: &'o Operation) -> Option<&'o Path> {
        let mut files = operation.files.iter();
        let file = files.find(|file| {
            let workspace = file.workspace.as_ref();
            workspace.is_some_and(|workspace| self.replaced.contains(&workspace.id))
        });
        file.map(|file| file.path.as_path())
    }
}

/// Returns the root that was recorded for a file of an operation, or `None` if the history has none.
pub(crate) fn recorded_workspace(
    store: &dyn OperationStore,
    operation: &str,
    path: &Path,
) -> Result<Option<KnownWorkspace>, HistoryError> {
    if operation.is_empty() {
        return Ok(None);
    }
    let IdMatch::One(found) = store.find(operation, &[])? else {
        return Ok(None);
    };
    let mut files = found.files.into_iter();
    let file = files.find(|file| file.path == path);
    Ok(file.and_then(|file| file.workspace))
}

/// Returns whether the last that is known of a root is that a recorded call removed it, with everything in it.
pub(crate) fn is_removal_recorded(
    store: &dyn OperationStore,
    workspace: &[u8; 32],
) -> Result<bool, HistoryError> {
    let newest = store.checkpoints(&CheckpointQuery {
        workspace: Some(*workspace),
        limit: Some(1),
        ..CheckpointQuery::default()
    })?;
    Ok(newest
        .first()
        .is_some_and(|newest| newest.kind == CheckpointKind::RootRemoved))
}

impl EngineView {
    /// Returns the ids of the roots as names of files.
    pub(crate) fn workspace_names(&self) -> Vec<String> {
        let roots = self.roots().iter();
        let ids = roots.filter_map(|root| self.full_workspace().root_of(root));
        let name = |(_, id): (&Path, WorkspaceId)| {
            let hash = blake3::Hash::from_bytes(*id.as_bytes());
            hash.to_hex()[..32].to_owned()
        };
        let mut names: Vec<String> = ids.map(name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the root that a file is recorded with: the innermost of those that lancet was opened on, whatever a
    /// client narrows its roots to.
    pub(crate) fn workspace_of(&self, path: &Path) -> Option<WorkspaceRef<'_>> {
        let (root, id) = self.full_workspace().root_of(path)?;
        Some(WorkspaceRef {
            id: *id.as_bytes(),
            root,
        })
    }

    /// Compares the roots in the history that are at, below or above the roots of this engine with the folders that are
    /// at their paths now.
    pub(crate) fn other_workspaces(&self) -> Result<OtherWorkspaces, HistoryError> {
        self.follow_roots();
        let mut others = OtherWorkspaces::default();
        let Some(store) = self.history() else {
            return Ok(others);
        };
        for known in store.recorded_workspaces(self.full_workspace().roots())? {
            let own = self.full_workspace().root_of(&known.root);
            let now = match own {
                Some((root, id)) if root == known.root => Some(id),
                _ => match WorkspaceId::id_at_path(&*self.base().disk, &known.root) {
                    Ok(found) => found,
                    // A path that cannot be inspected is matched by its text.
                    Err(_) => continue,
                },
            };
            match now {
                Some(now) if *now.as_bytes() == known.id => {}
                // What is at its path now continues its history.
                _ if is_removal_recorded(&**store, &known.id)? => {}
                Some(_) => others.replaced.push(known.id),
                None => others.gone.push(known.id),
            }
        }
        Ok(others)
    }
}
