//! Undo of the changes of empty folders: made, removed, or with other permission bits. A folder that is used by now stays; one that becomes empty because
//! the same undo removes its files is removed after them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::RecordedState;
use lancet_workspace::{ExpectedState, FileType, Stamp};

use super::ExaminedFiles;
use super::current_file::is_empty;
use super::empty_folder::{made, plan};
use super::obstacles::Obstacles;
use super::select::FileRow;
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate_recorded};
use crate::stages::plan::{FilePlan, NewContent};
use crate::undo::UndoRequest;
use crate::wording::quote_path;

/// A folder and its changes, newest first.
type FolderRows<'r> = (PathBuf, Vec<&'r FileRow>);

/// Splits off the changes of names whose changes are all of empty folders.
pub(super) fn split<'r>(rows: &[&'r FileRow]) -> (Vec<FolderRows<'r>>, Vec<&'r FileRow>) {
    let mut folders: Vec<FolderRows<'_>> = Vec::new();
    for &row in rows {
        let path = &row.change.path;
        match folders.iter_mut().find(|(name, _)| name == path) {
            Some((_, own)) => own.push(row),
            None => folders.push((path.clone(), vec![row])),
        }
    }
    folders.retain(|(_, rows)| rows.iter().all(|row| row.is_of_folder()));
    let names: HashSet<&Path> = folders.iter().map(|(path, _)| path.as_path()).collect();
    let others = rows.iter().copied();
    let others = others.filter(|row| !names.contains(row.change.path.as_path()));
    let others = others.collect();
    (folders, others)
}

impl ExaminedFiles {
    /// Works out the empty folders.
    pub(super) fn take_folders(
        &mut self,
        context: &CallContext<'_>,
        folders: &[FolderRows<'_>],
        obstacles: &Obstacles,
        asked: &UndoRequest,
    ) -> Result<(), Refusal> {
        let mut made = Vec::new();
        for (path, rows) in folders {
            context.check_time()?;
            let intent = obstacles.intent_for(path, Intent::Folder);
            let target = locate_recorded(context.engine(), path, intent)?;
            match back(context, target, path, rows) {
                Ok(FolderBack::To(plan)) if plan.creates() => made.push((path, rows, plan)),
                Ok(FolderBack::To(plan)) => {
                    self.files.push(*plan);
                    self.record_undone(rows, Some(self.files.len() - 1));
                }
                Ok(FolderBack::Already(leaving)) => {
                    self.add_already_undone(path.clone(), rows);
                    if let Some(found) = self.found_back.last_mut() {
                        found.folders = leaving;
                    }
                    self.record_undone(rows, None);
                }
                Err(refusal) => self.leave_out(path.clone(), rows, refusal, asked)?,
            }
        }
        self.make_folders(made);
        Ok(())
    }

    /// Adds the folders that are made. A folder around another name that gets a file or folder is made with it.
    fn make_folders(&mut self, made: Vec<(&PathBuf, &Vec<&FileRow>, Box<FilePlan>)>) {
        let mut paths: Vec<PathBuf> = made.iter().map(|(path, ..)| (*path).clone()).collect();
        let files = self.files.iter().filter(|file| !file.removes());
        paths.extend(files.map(|file| file.target.path().to_path_buf()));
        let is_inside = |inner: &Path, path: &Path| inner != path && inner.starts_with(path);
        let mut outer = Vec::new();
        for (path, rows, plan) in made {
            if paths.iter().any(|inner| is_inside(inner, path)) {
                outer.push((path, rows));
                continue;
            }
            self.files.push(*plan);
            self.record_undone(rows, Some(self.files.len() - 1));
        }
        for (path, rows) in outer {
            let mut files = self.files.iter();
            let by = files.position(|file| !file.removes() && is_inside(file.target.path(), path));
            self.record_undone(rows, by);
        }
    }
}

/// The result of undoing the changes of a folder.
enum FolderBack {
    /// The folder has to be made or removed.
    To(Box<FilePlan>),
    /// It has the state that the undo would give it, or another program uses it. These folders are removed if they are
    /// empty then, outermost first.
    Already(Vec<PathBuf>),
}

/// Undoes the changes of one folder, newest first.
fn back(
    context: &CallContext<'_>,
    target: Target,
    path: &Path,
    rows: &[&FileRow],
) -> Result<FolderBack, Refusal> {
    let wanted = rows.last().and_then(|row| row.change.before.as_ref());
    let kind = target.located.kind();
    if target.path() != path || !matches!(kind, FileType::Missing | FileType::Directory) {
        let text = message!(
            "{} was an empty folder, and something else is there now. Nothing was changed.",
            quote_path(path)
        );
        return Err(Refusal::from_message(RefusalKind::Conflict, text)
            .with_field("file_path", quote_path(path)));
    }
    let creations = rows.iter().filter(|row| row.change.before.is_none());
    let mut folders: Vec<PathBuf> = creations
        .flat_map(|row| row.change.folders.clone())
        .collect();
    let stamp = target.located.stat();
    let left = rows.first().and_then(|row| row.change.after.as_ref());
    let has_mode = |stamp: Stamp, state: &RecordedState| stamp.mode & 0o7777 == state.mode & 0o7777;
    Ok(match (stamp, wanted) {
        (None, Some(state)) => {
            let plan = made(target, ExpectedState::Missing, None, state.mode);
            FolderBack::To(Box::new(plan))
        }
        // Permission bits that another program has changed since are left alone.
        (Some(stamp), Some(state))
            if !has_mode(stamp, state)
                && left.is_some_and(|left| has_mode(stamp, left))
                && is_empty(context, path) =>
        {
            let expected = ExpectedState::EmptyFolder { stamp };
            FolderBack::To(Box::new(made(target, expected, None, state.mode)))
        }
        (Some(stamp), None) if is_empty(context, path) => FolderBack::To(Box::new(plan(
            target,
            ExpectedState::EmptyFolder { stamp },
            NewContent::Removed { folders },
        ))),
        (Some(_), None) => {
            folders.push(path.to_path_buf());
            FolderBack::Already(folders)
        }
        (None, None) | (Some(_), Some(_)) => FolderBack::Already(Vec::new()),
    })
}
