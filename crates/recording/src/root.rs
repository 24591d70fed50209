//! Opens the root of a recorder, and reads and refreshes a watched tree of it.

use std::sync::Arc;

use lancet_git::Repository;
use lancet_search::WatchAllowance;
use lancet_workspace::{FileType, FolderHandle, Workspace};

use crate::git_view::find_repository;
use crate::look::RecordError;
use crate::recorder::Recorder;
use crate::scan::ScanScope;
use crate::tree::{TreeError, WatchedTree};

impl Recorder<'_> {
    /// Reads the root and watches it from then on.
    ///
    /// # Errors
    /// Returns why the root cannot be watched.
    pub fn watch_tree(&self, allowance: &WatchAllowance) -> Result<WatchedTree, TreeError> {
        let root = self.open_root().map_err(unreadable)?;
        let index = find_repository(self.workspace.root, &self.disk)
            .and_then(|found| found.index().ok().flatten())
            .map(Arc::new);
        let scope = ScanScope {
            root: &root,
            path: self.workspace.root,
            coverage: &self.coverage,
            tracked: index.as_deref(),
        };
        let mut tree = WatchedTree::read(&scope, index.clone(), allowance)?;
        // The newest checkpoint was set before the tree was read, so its changes are known from here on.
        if let Some(newest) = self.newest().ok().flatten() {
            let entries = self
                .store
                .checkpoint_entries(&self.workspace.id, newest.number);
            if let Ok(entries) = entries {
                tree.compare_with_checkpoint(newest.number, &entries);
            }
        }
        Ok(tree)
    }

    /// Compares a watched tree with the disk, as far as the kernel has reported changes.
    ///
    /// # Errors
    /// Returns why the root can no longer be watched.
    pub fn refresh_tree(&self, tree: &mut WatchedTree) -> Result<(), TreeError> {
        let root = self.open_root().map_err(unreadable)?;
        if !tree.is_root(&root) {
            return Err(TreeError::Unreadable(std::io::ErrorKind::NotFound.into()));
        }
        let repository = find_repository(self.workspace.root, &self.disk);
        let stamp = repository.as_ref().and_then(Repository::index_stamp);
        let index = tree.current_index(stamp.as_ref()).unwrap_or_else(|| {
            let index = repository.and_then(|found| found.index().ok().flatten());
            index.map(Arc::new)
        });
        let scope = ScanScope {
            root: &root,
            path: self.workspace.root,
            coverage: &self.coverage,
            tracked: index.as_deref(),
        };
        tree.refresh(&scope, index.clone())
    }

    /// Returns whether the root is the folder that a tree was read from.
    pub fn is_root_of(&self, tree: &WatchedTree) -> bool {
        self.open_root().is_ok_and(|root| tree.is_root(&root))
    }

    /// Returns whether the root can be opened.
    pub fn opens_root(&self) -> bool {
        self.open_root().is_ok()
    }

    /// Opens the root, so that a look after a call recognises that the call removed it; none if it cannot be opened.
    pub fn hold_root(&self) -> Option<FolderHandle> {
        self.open_root().ok()
    }

    /// Returns whether the call that a look is for removed the root.
    pub(crate) fn is_root_removed(&self) -> bool {
        self.held_root.is_some_and(is_removed)
    }

    pub(crate) fn open_root(&self) -> Result<FolderHandle, RecordError> {
        if let Some(held) = self.held_root.filter(|held| is_removed(held)) {
            return Ok(held.clone());
        }
        let root = self.workspace.root;
        let unreadable = |source: std::io::Error| match self.disk.stat_path(root) {
            Ok(found) if found.kind() == FileType::Directory => RecordError::Unreadable {
                root: root.to_path_buf(),
                source,
            },
            _ => RecordError::RootGone {
                root: root.to_path_buf(),
            },
        };
        let workspace = Workspace::open(&[root.to_path_buf()], Arc::clone(&self.disk), None);
        let workspace = workspace.map_err(|error| unreadable(std::io::Error::other(error)))?;
        let located = workspace.locate_as_spelled(root);
        let located = located.map_err(|error| unreadable(std::io::Error::other(error)))?;
        located
            .open_folder()
            .map_err(|error| unreadable(std::io::Error::other(error)))
    }
}

/// Returns whether an open folder was removed: it then has no entries and never gets any.
fn is_removed(folder: &FolderHandle) -> bool {
    folder.stat_folder().is_ok_and(|stamp| stamp.links == 0)
}

fn unreadable(error: RecordError) -> TreeError {
    match error {
        RecordError::Unreadable { source, .. } => TreeError::Unreadable(source),
        error => TreeError::Unreadable(std::io::Error::other(error)),
    }
}
