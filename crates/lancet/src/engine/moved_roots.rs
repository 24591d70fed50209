//! Roots that were renamed or moved: the records of the folder are renamed to its present path. A copy of a root that
//! has the same inode number and birth time, such as a snapshot, gets none of them.
//!
//! A root is recognised by computing the id that its inode and birth time would have had at each recorded path. If a
//! folder is still at that path on another device, the root is a copy. The former names are stored in `former_roots`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lancet_history::{FormerRoot, HistoryError, WorkspaceRef};
use lancet_workspace::{RootMatch, WorkspaceId};

use super::EngineView;

/// The folders that roots of this engine are copies of, once they were looked up.
#[derive(Debug, Default)]
pub(super) struct Originals(OnceLock<Vec<PathBuf>>);

impl EngineView {
    /// Renames records that were made under earlier paths of the roots to the present paths. It happens once for each
    /// engine, because a root that is moved while the engine is open is refused.
    pub(super) fn follow_roots(&self) {
        let originals = &self.base().originals.0;
        if originals.get().is_none() {
            // If the store cannot be written, its records are read as they are.
            let found = self.find_originals().unwrap_or_default();
            let _ = originals.set(found);
        }
    }

    fn find_originals(&self) -> Result<Vec<PathBuf>, HistoryError> {
        let mut originals = Vec::new();
        let Some(store) = self.history() else {
            return Ok(originals);
        };
        for root in self.full_workspace().roots() {
            let Some((_, id)) = self.full_workspace().root_of(root) else {
                continue;
            };
            let here = WorkspaceRef {
                id: *id.as_bytes(),
                root,
            };
            for known in store.other_roots(root)? {
                let former = (known.root.as_path(), WorkspaceId::from(known.id));
                match self.full_workspace().compare_root(root, former) {
                    RootMatch::Moved => drop(store.move_root(&known, &here)?),
                    RootMatch::Copy => originals.push(known.root),
                    RootMatch::Other => {}
                }
            }
        }
        Ok(originals)
    }

    /// Returns the folders that roots are copies of. Their changes are not listed here.
    pub(crate) fn originals(&self) -> &[PathBuf] {
        self.follow_roots();
        self.base().originals.0.get().map_or(&[], Vec::as_slice)
    }

    /// Returns the earlier paths of a root, latest first.
    pub(crate) fn former_roots(&self, root: &Path) -> Result<Vec<FormerRoot>, HistoryError> {
        self.follow_roots();
        match (self.history(), self.full_workspace().root_of(root)) {
            (Some(store), Some((_, id))) => store.former_roots(id.as_bytes()),
            _ => Ok(Vec::new()),
        }
    }
}
