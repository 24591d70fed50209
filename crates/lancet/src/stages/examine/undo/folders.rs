//! Undo of the creation and removal of empty folders. A folder that is used by now stays; one that becomes empty because
//! the same undo removes its files is removed after them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::SeenRanges;
use lancet_workspace::{ExecutableChange, ExpectedState, FileType};

use super::ExaminedFiles;
use super::select::FileRow;
use super::view::FORM_OF_BINARY;
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate_recorded};
use crate::stages::plan::{ChangeView, FilePlan, NewContent};
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
        asked: &UndoRequest,
    ) -> Result<(), Refusal> {
        for (path, rows) in folders {
            context.check_time()?;
            match back(context, path, rows) {
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
        Ok(())
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
fn back(context: &CallContext<'_>, path: &Path, rows: &[&FileRow]) -> Result<FolderBack, Refusal> {
    let target = locate_recorded(context.engine(), path, Intent::Folder)?;
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
    let made = rows.iter().filter(|row| row.change.before.is_none());
    let mut folders: Vec<PathBuf> = made.flat_map(|row| row.change.folders.clone()).collect();
    let stamp = target.located.stat();
    Ok(match (stamp, wanted) {
        (None, Some(state)) => FolderBack::To(Box::new(plan(
            target,
            ExpectedState::Missing,
            NewContent::EmptyFolder {
                mode: state.mode & 0o7777,
            },
        ))),
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

fn is_empty(context: &CallContext<'_>, path: &Path) -> bool {
    let located = context.engine().workspace.locate_as_spelled(path);
    located
        .ok()
        .and_then(|folder| folder.entries(1, &|_, _| true).ok())
        .is_some_and(|listing| listing.total == 0)
}

fn plan(target: Target, expected: ExpectedState, new: NewContent) -> FilePlan {
    let mut view = ChangeView::default();
    view.notices.push(message!("it is an empty folder"));
    FilePlan {
        target,
        expected,
        base: None,
        new,
        view,
        encoding: FORM_OF_BINARY.0,
        endings: FORM_OF_BINARY.1,
        seen: SeenRanges::default(),
        executable: ExecutableChange::Keep,
    }
}
