//! The folders of an engine, and which of them the confined process (Landlock) may write.

use std::path::{Path, PathBuf};

use lancet_serving::wall::WritableFolders;

use super::{ApproverKind, FolderCreation, Lifetime};
use crate::arguments::WorkArguments;
use crate::failure::Failure;
use crate::surroundings::{RootHint, Surroundings, resolve_read_roots, resolve_roots};

/// The folders that an engine works in.
pub(super) struct WorkFolders {
    /// The roots; there is at least one.
    pub(super) roots: Vec<PathBuf>,
    /// The folders outside the roots that may be read.
    pub(super) read_roots: Vec<PathBuf>,
    /// The state folder; none without a home.
    pub(super) state: Option<PathBuf>,
}

impl WorkFolders {
    /// Resolves the folders from the command's flags and the environment.
    pub(super) fn resolve(
        place: &WorkArguments,
        reach: RootHint<'_>,
        around: &Surroundings,
    ) -> Result<Self, Failure> {
        Ok(Self {
            roots: resolve_roots(&place.root, reach, around)?,
            state: around.state_dir(place.state_dir.as_deref())?,
            read_roots: resolve_read_roots(&place.read_root, around)?,
        })
    }

    /// Returns the folders that stay writable: the roots, the state folder, and the folder of the user's settings.
    pub(super) fn writable(
        &self,
        footprint: FolderCreation,
        approver: &ApproverKind,
        lifetime: Lifetime,
        around: &Surroundings,
    ) -> WritableFolders {
        let state = self.state.as_deref();
        let mut writable = WritableFolders {
            folders: self.roots.clone(),
            made: Vec::new(),
        };
        // A person is prompted at the terminal, which is a device and not a file.
        writable.folders.push("/dev/tty".into());
        let settings = around.user_settings();
        let settings = settings.as_deref().and_then(Path::parent);
        // The settings are written only after a person's answer.
        let asks = !matches!(approver, ApproverKind::Nobody);
        for (folder, is_needed) in [(state, true), (settings, asks)] {
            let list = match is_needed && footprint == FolderCreation::Made {
                true => &mut writable.made,
                false => &mut writable.folders,
            };
            list.extend(folder.map(Path::to_path_buf));
        }
        if lifetime.is_long() {
            let parent = state.and_then(Path::parent);
            let parent = parent.filter(|parent| self.may_write_parent(parent, around));
            writable.folders.extend(parent.map(Path::to_path_buf));
        }
        writable
    }

    /// Reports whether the parent of the state folder may be writable as well. Landlock rules apply to folders and not
    /// to names, so a state folder that is removed and created again would be closed to a long-lived process. The
    /// parent stays closed if it is the home folder or above it, the folder of temporary files, or contains a read
    /// root.
    fn may_write_parent(&self, parent: &Path, around: &Surroundings) -> bool {
        let mut closed = around.home.iter().chain(&self.read_roots);
        let is_wide = closed.any(|closed| closed.starts_with(parent));
        parent.parent().is_some() && !is_wide && parent != std::env::temp_dir()
    }
}
