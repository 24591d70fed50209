//! Names that an undo restores although something is in their way: a file or link that is where their folder was, or a
//! folder with files that has their own name. The same undo removes what is in the way before it restores the names.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use lancet_workspace::{EntryKind, FileType};

use super::select::FileRow;
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Intent;
use crate::stages::plan::{FilePlan, NewContent, PlannedObstacles};
use crate::wording::quote_path;

/// What is in the way of the names that an undo restores.
#[derive(Default)]
pub(super) struct Obstacles {
    /// The names that are restored, each with what is in its way.
    by_name: HashMap<PathBuf, PathBuf>,
    /// Everything that is in the way of a name.
    all: HashSet<PathBuf>,
}

/// What has a name on the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occupant {
    Nothing,
    Folder,
    /// A file or link.
    Other,
}

impl Obstacles {
    /// Finds what is in the way of the names that some changes had, and that the same changes put there.
    pub(super) fn find(context: &CallContext<'_>, rows: &[FileRow]) -> Obstacles {
        let left = |row: &FileRow| row.change.after.as_ref().map(|state| state.is_folder());
        let left = rows.iter().filter_map(|row| Some((row, left(row)?)));
        let files = left.clone().filter(|(_, is_folder)| !is_folder);
        let files: HashSet<&Path> = files.map(|(row, _)| row.change.path.as_path()).collect();
        let folders: HashSet<&Path> = left
            .flat_map(|(row, _)| row.change.path.ancestors().skip(1))
            .collect();
        let mut found = Obstacles::default();
        for row in rows.iter().filter(|row| row.change.before.is_some()) {
            let name = row.old_name();
            let above = name.ancestors().skip(1).filter(|name| files.contains(name));
            let above = above.filter(|name| occupant(context, name) == Occupant::Other);
            let own = || {
                let is_filled = folders.contains(name);
                (is_filled && occupant(context, name) == Occupant::Folder).then_some(name)
            };
            if let Some(obstacle) = above.last().or_else(own) {
                found.all.insert(obstacle.to_path_buf());
                found
                    .by_name
                    .insert(name.to_path_buf(), obstacle.to_path_buf());
            }
        }
        found
    }

    /// Returns whether a name is restored only once something else is gone.
    pub(super) fn block(&self, name: &Path) -> bool {
        self.by_name.contains_key(name)
    }

    /// Returns whether what has a name is in the way of another name, or in a folder that is.
    pub(super) fn include(&self, name: &Path) -> bool {
        !self.all.is_empty() && name.ancestors().any(|above| self.all.contains(above))
    }

    /// Returns how a name is located, where it would be located as `otherwise` if nothing were in its way.
    pub(super) fn intent_for(&self, name: &Path, otherwise: Intent) -> Intent {
        match self.block(name) {
            true => Intent::Freed,
            false => otherwise,
        }
    }

    /// Returns what a plan has to remove before it restores the other files. `emptied` are the folders that it removes
    /// if they are empty.
    ///
    /// # Errors
    /// The names that cannot be restored, because the plan leaves what is in their way.
    pub(super) fn for_plan(
        &self,
        context: &CallContext<'_>,
        files: &[FilePlan],
        emptied: &HashSet<&Path>,
    ) -> Result<PlannedObstacles, Vec<PathBuf>> {
        let mut planned = PlannedObstacles::default();
        let restored = files.iter().filter(|file| !file.removes());
        let restored = restored.map(|file| file.target.path());
        let restored: Vec<(&Path, &PathBuf)> = restored
            .filter_map(|name| Some((name, self.by_name.get(name)?)))
            .collect();
        if restored.is_empty() {
            return Ok(planned);
        }
        let removal = Removal {
            context,
            leaving: files.iter().filter_map(leaving_name).collect(),
            becoming_folders: files.iter().filter_map(new_folder).collect(),
            emptied,
        };
        let mut staying: HashSet<&Path> = HashSet::new();
        for (_, obstacle) in &restored {
            if planned.names.contains(*obstacle) || staying.contains(obstacle.as_path()) {
                continue;
            }
            let mut folders = Vec::new();
            match removal.covers(obstacle, &mut folders) {
                true => {
                    planned.names.insert(obstacle.to_path_buf());
                    planned.folders.extend(folders);
                }
                false => _ = staying.insert(obstacle),
            }
        }
        let blocked = restored
            .iter()
            .filter(|(_, at)| staying.contains(at.as_path()));
        let blocked: Vec<PathBuf> = blocked.map(|(name, _)| name.to_path_buf()).collect();
        match blocked.is_empty() {
            true => Ok(planned),
            false => Err(blocked),
        }
    }

    /// Returns the refusal for a name that cannot be restored, because the undo leaves what is in its way.
    pub(super) fn refusal(&self, name: &Path) -> Refusal {
        let obstacle = self.by_name.get(name).map_or(name, PathBuf::as_path);
        let text = match obstacle == name {
            true => message!(
                "{} cannot be restored: a folder has its name now, and the undo leaves something in it. Nothing was changed; move the folder away first.",
                quote_path(name)
            ),
            false => message!(
                "{} cannot be restored: {} is where its folder was, and the undo leaves it there. Nothing was changed; move it away first.",
                quote_path(name),
                quote_path(obstacle)
            ),
        };
        Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", quote_path(name))
    }
}

/// Returns the name that a file of a plan leaves.
fn leaving_name(file: &FilePlan) -> Option<&Path> {
    let is_leaving = matches!(file.new, NewContent::Removed { .. } | NewContent::Moved(_));
    is_leaving.then(|| file.source().path())
}

/// Returns the name that a plan gives to an empty folder.
fn new_folder(file: &FilePlan) -> Option<&Path> {
    matches!(file.new, NewContent::EmptyFolder { .. }).then(|| file.target.path())
}

/// What a plan removes.
struct Removal<'r, 'c> {
    context: &'r CallContext<'c>,
    /// The names that files leave.
    leaving: HashSet<&'r Path>,
    /// The names of files and links that empty folders replace.
    becoming_folders: HashSet<&'r Path>,
    /// The folders that are removed if they are empty.
    emptied: &'r HashSet<&'r Path>,
}

impl Removal<'_, '_> {
    /// Returns whether nothing stays at a name. The folders at and below it are added to `folders`, outermost first.
    fn covers(&self, name: &Path, folders: &mut Vec<PathBuf>) -> bool {
        match occupant(self.context, name) {
            Occupant::Nothing => true,
            Occupant::Other => self.leaving.contains(name) || self.becoming_folders.contains(name),
            Occupant::Folder => self.covers_folder(name, folders),
        }
    }

    fn covers_folder(&self, name: &Path, folders: &mut Vec<PathBuf>) -> bool {
        let mut waiting = vec![name.to_path_buf()];
        while let Some(folder) = waiting.pop() {
            let found = self.context.engine().workspace.locate_as_spelled(&folder);
            let listed = found
                .ok()
                .and_then(|folder| folder.entries(usize::MAX, &|_, _| true).ok());
            let Some(listed) = listed else {
                return false;
            };
            let is_known = |name: &Path| self.leaving.contains(name) || self.emptied.contains(name);
            if listed.entries.is_empty() && !is_known(&folder) {
                return false;
            }
            for entry in listed.entries {
                let path = folder.join(&entry.name);
                match entry.kind {
                    EntryKind::Folder => waiting.push(path),
                    _ if self.leaving.contains(path.as_path()) => {}
                    _ => return false,
                }
            }
            folders.push(folder);
        }
        folders.sort();
        true
    }
}

/// Returns what has a name on the disk. A link is not followed.
fn occupant(context: &CallContext<'_>, path: &Path) -> Occupant {
    let workspace = &context.engine().workspace;
    if workspace.locate_link(path).is_ok_and(|link| link.is_some()) {
        return Occupant::Other;
    }
    match workspace.locate_as_spelled(path).map(|found| found.kind()) {
        Ok(FileType::Directory) => Occupant::Folder,
        // A name below a file or a link that leads nowhere does not exist either.
        Ok(FileType::Missing) | Err(_) => Occupant::Nothing,
        Ok(FileType::File | FileType::Special(_)) => Occupant::Other,
    }
}
