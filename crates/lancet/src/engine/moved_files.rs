//! Files that another program moved: their records are renamed to the present paths. A file is recognised by its inode
//! number together with the bytes that the last change left. Where only the bytes match, a person decides.
//!
//! Each file of an operation is recorded with its inode number before and after. From these and the revisions, `lives`
//! derives which changes belong to one file. A file that is not at its last name is searched for below the roots
//! (`search`). `tests/history/moved.rs` states the law.

mod lives;
mod recorded;
mod search;

use std::path::{Path, PathBuf};
use std::time::Duration;

use lancet_history::{FilesBelow, HistoryError, LogQuery, OperationStore, RecordRename};
use lancet_workspace::FileType;

use self::lives::{Life, lives_of_files};
use self::search::{WantedFile, search};
use super::EngineView;
use crate::stages::open::MAX_EDITED_SIZE;

/// The most operations whose files are followed, newest first.
const MAX_FOLLOWED_OPERATIONS: usize = 5_000;
/// The smallest file that is recognised by its bytes alone.
const MIN_RECOGNISED_BYTES: u64 = 32;

/// A recorded file that is not under its name, and the files with exactly its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostFile {
    /// The path in the records.
    pub path: PathBuf,
    /// The files below the roots that have the bytes which the last change left, none of them a recorded file.
    pub candidates: Vec<PathBuf>,
}

/// How thoroughly moved files are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thoroughness {
    /// For a list: what can be found in little time.
    Brief,
    /// For an undo: the whole tree, unless it is very large.
    Whole,
}

impl Thoroughness {
    fn limit(self) -> Duration {
        match self {
            Thoroughness::Brief => Duration::from_millis(300),
            Thoroughness::Whole => Duration::from_secs(5),
        }
    }
}

impl EngineView {
    /// Renames the records of files that another program moved to the present paths. Returns the files that are not
    /// under their names and were not found by their inode numbers.
    pub(crate) fn follow_files(&self, how: Thoroughness) -> Result<Vec<LostFile>, HistoryError> {
        let Some(store) = self.history() else {
            return Ok(Vec::new());
        };
        let moment = store.current_point()?;
        let mut all = self.lives(store.as_ref())?;
        let mut absent = self.find_absent(&all);
        if !absent.is_empty() {
            // Other lancet processes are at work. What they change must not be taken for a move by another program.
            let changed = store.paths_changed_since(&moment)?;
            absent.retain(|(at, _)| !changed.contains(all[*at].name()));
        }
        let mut lost = Vec::new();
        if !absent.is_empty() {
            let wanted = absent.iter().filter_map(|(at, absence)| {
                let by_bytes =
                    *absence == AbsenceCertainty::Certain && all[*at].successor.is_none();
                WantedFile::for_life(*at, &all[*at], by_bytes)
            });
            let found = search(self, &wanted.collect::<Vec<_>>(), how.limit());
            for (at, path) in &found.moved {
                all[*at].move_to(path.clone());
            }
            lost = lost_files(&all, &absent, &found.same_bytes);
        }
        follow_successors(&mut all);
        let renames: Vec<RecordRename> = all.iter().flat_map(Life::renames).collect();
        if !renames.is_empty() {
            store.rename_records(&renames, &moment)?;
        }
        Ok(lost)
    }

    /// Renames the records of a file to another path, as a person decides.
    pub(crate) fn follow_file(&self, from: &Path, to: &Path) -> Result<bool, HistoryError> {
        let Some(store) = self.history() else {
            return Ok(false);
        };
        let moment = store.current_point()?;
        let mut all = self.lives(store.as_ref())?;
        let Some(life) = all.iter_mut().rev().find(|life| life.is_at(from)) else {
            return Ok(false);
        };
        life.move_to(to.to_path_buf());
        follow_successors(&mut all);
        let renames: Vec<RecordRename> = all.iter().flat_map(Life::renames).collect();
        store.rename_records(&renames, &moment)?;
        Ok(true)
    }

    fn lives(&self, store: &dyn OperationStore) -> Result<Vec<Life>, HistoryError> {
        let query = LogQuery {
            below: self.roots().to_vec(),
            // A file that was moved into another project must not be searched for here.
            files_below: FilesBelow::Any,
            without: self.other_workspaces()?.ids(),
            ..LogQuery::default()
        };
        Ok(lives_of_files(&recorded::read_operations(
            store,
            &query,
            MAX_FOLLOWED_OPERATIONS,
        )?))
    }

    /// Returns the lives whose file is not at its name, or may not be.
    fn find_absent(&self, all: &[Life]) -> Vec<(usize, AbsenceCertainty)> {
        let at_name = |path: &Path| {
            let located = self.full_workspace().locate_as_spelled(path).ok()?;
            let is_file = located.kind() == FileType::File;
            located.stat().filter(|_| is_file).map(|stamp| stamp.inode)
        };
        let of_others = |inode: u64, own: usize| {
            let mut lives = all.iter().enumerate();
            lives.any(|(at, life)| at != own && life.exists && life.inode == Some(inode))
        };
        let mut absent = Vec::new();
        for (at, life) in all.iter().enumerate() {
            let is_here = self
                .roots()
                .iter()
                .any(|root| life.name().starts_with(root));
            if !life.exists || life.is_link || !is_here {
                continue;
            }
            match at_name(life.name()) {
                Some(inode) if life.inode == Some(inode) => {}
                // The file of another record is at the name now, or a later record has the name.
                Some(inode) if !life.holds_name || of_others(inode, at) => {
                    absent.push((at, AbsenceCertainty::Certain));
                }
                // Another program replaced the file by a new version of it or by another file.
                Some(_)
                    if life.inode.is_some() && !has_revision(self, life.name(), &life.revision) =>
                {
                    absent.push((at, AbsenceCertainty::Possible));
                }
                Some(_) => {}
                None => absent.push((at, AbsenceCertainty::Certain)),
            }
        }
        absent
    }
}

/// How certain it is that a file is not at its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AbsenceCertainty {
    /// The file is not at its name.
    Certain,
    /// Another file is there, which may be a new version of it.
    Possible,
}

/// Continues the lives of files that were not found elsewhere with the new versions that other programs wrote under
/// their names. A successor comes after the life that it succeeds.
fn follow_successors(all: &mut [Life]) {
    for at in (0..all.len()).rev() {
        let Some(successor) = all[at].successor.filter(|_| !all[at].is_moved) else {
            continue;
        };
        let name = all[successor].first_name().to_path_buf();
        all[at].move_to(name);
    }
}

/// Returns the files that are certainly not at their names and were not found, with the files that have their bytes as
/// candidates. A file that has a record is not a candidate.
fn lost_files(
    all: &[Life],
    absent: &[(usize, AbsenceCertainty)],
    same_bytes: &[(usize, PathBuf)],
) -> Vec<LostFile> {
    let is_recorded = |path: &Path| all.iter().any(|life| life.exists && life.is_at(path));
    let lost = absent
        .iter()
        .filter(|(at, absence)| *absence == AbsenceCertainty::Certain && !all[*at].is_moved)
        .filter(|(at, _)| all[*at].successor.is_none());
    let lost = lost.map(|(at, _)| LostFile {
        path: all[*at].name().to_path_buf(),
        candidates: same_bytes
            .iter()
            .filter(|(of, path)| of == at && !is_recorded(path))
            .map(|(_, path)| path.clone())
            .collect(),
    });
    lost.collect()
}

/// Returns whether the bytes of a file are those of a revision.
fn has_revision(engine: &EngineView, path: &Path, revision: &[u8; 32]) -> bool {
    let located = engine.full_workspace().locate_as_spelled(path).ok();
    let snapshot = located.and_then(|located| located.read_snapshot(MAX_EDITED_SIZE).ok());
    snapshot.is_some_and(|snapshot| snapshot.revision.as_bytes() == revision)
}
