//! Groups the changes of a request by file: locates every path, and joins the changes of one file, whatever names the
//! request uses for it. Conflicting changes are refused here.

use std::borrow::Cow;

use super::located_file::{FileChanges, LocatedFile, LocatedMove, LocatedWrite, NumberedEdit};
use crate::engine::EngineView;
use crate::message::message;
use crate::reason::Withheld;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{
    Action, CellRequest, DeleteRequest, DryRun, EditRequest, ExecutableChange, FolderChange,
    MoveRequest, Request, WriteMode, WriteRequest,
};
use crate::stages::approve::consent_to_reveal;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate};

/// Locates the file of every change; the files are in the order of their first change. Every change gets an entry in
/// `failures`.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
pub(super) fn locate_all<'r>(
    context: &CallContext<'_>,
    request: &'r Request,
    failures: &mut Vec<Option<Refusal>>,
) -> Vec<LocatedFile<'r>> {
    let mut gathered = GatheredFiles {
        context,
        dry_run: request.dry_run,
        files: Vec::new(),
    };
    for file in &request.files {
        let path = file.path.as_str();
        let at = failures.len();
        let added = match &file.action {
            Action::Edit(edits) => {
                for edit in edits {
                    let at = failures.len();
                    failures.push(gathered.add_edit(path, (at, edit)).err());
                }
                continue;
            }
            Action::Write(write) => gathered.add_write(path, at, write),
            Action::Delete(delete) => gathered.add_delete(path, at, delete),
            Action::Move(to) => {
                let added = gathered.add_move(path, at, to);
                failures.push(added.err());
                // Edits of a move that could not be located are not refused again.
                failures.extend(to.edits.iter().map(|_| None));
                continue;
            }
            Action::Cell(cell) => gathered.add_cell(path, at, cell),
            Action::Folder(change) => gathered.add_folder(path, at, change),
            Action::SetExecutable(executable) => gathered.set_executable(path, at, *executable),
            _ => Err(Refusal::unknown_request()),
        };
        failures.push(added.err());
    }
    gathered.files
}

/// The files that were located so far.
struct GatheredFiles<'c, 's, 'r> {
    context: &'c CallContext<'s>,
    dry_run: DryRun,
    files: Vec<LocatedFile<'r>>,
}

impl<'r> GatheredFiles<'_, '_, 'r> {
    fn add_edit(&mut self, path: &str, edit: NumberedEdit<'r>) -> Result<(), Refusal> {
        let target = locate_for_edit(self.context.engine(), path, edit.1)?;
        match self.file_with_name(&target).map(|known| &mut known.work) {
            None => self.push(target, FileChanges::Edits(vec![edit])),
            Some(FileChanges::Edits(edits)) => edits.push(edit),
            Some(FileChanges::Move(moved)) => moved.edits.push(edit),
            Some(work @ FileChanges::Mode) => *work = FileChanges::Edits(vec![edit]),
            Some(FileChanges::Write(..)) => return Err(write_conflict_refusal(&target)),
            Some(FileChanges::Delete(..)) => return Err(delete_conflict_refusal(&target)),
            Some(FileChanges::Cell(..)) => return Err(cell_conflict_refusal(&target)),
            Some(FileChanges::Folder(..)) => return Err(folder_conflict_refusal(&target)),
        }
        Ok(())
    }

    fn add_write(&mut self, path: &str, at: usize, write: &'r WriteRequest) -> Result<(), Refusal> {
        let target = locate(self.context.engine(), path, Intent::Replace)?;
        let withheld = self.require_consent(&target)?;
        let located = |write| LocatedWrite {
            write,
            withheld: withheld.clone(),
        };
        match self.file_with_name(&target).map(|known| &mut known.work) {
            None => self.push(
                target,
                FileChanges::Write(at, located(Cow::Borrowed(write))),
            ),
            Some(work @ FileChanges::Mode) => {
                *work = FileChanges::Write(at, located(Cow::Borrowed(write)))
            }
            // A removal and a new file of the same name are a replacement. A removal that states the lines of the file
            // is not part of a replacement, because nothing would compare the lines.
            Some(work @ FileChanges::Delete(..)) if write.mode != WriteMode::Append => {
                let FileChanges::Delete(_, delete) = work else {
                    return Ok(());
                };
                if delete.lines.is_some() {
                    let mut refusal = delete_conflict_refusal(&target);
                    refusal.withheld = withheld;
                    return Err(refusal);
                }
                let replacement = WriteRequest {
                    mode: WriteMode::Overwrite,
                    revision: write.revision.clone().or(delete.revision.clone()),
                    ..write.clone()
                };
                *work = FileChanges::Write(at, located(Cow::Owned(replacement)));
            }
            Some(_) => {
                let mut refusal = write_conflict_refusal(&target);
                refusal.withheld = withheld;
                return Err(refusal);
            }
        }
        Ok(())
    }

    fn add_delete(
        &mut self,
        path: &str,
        at: usize,
        delete: &'r DeleteRequest,
    ) -> Result<(), Refusal> {
        let target = locate(self.context.engine(), path, Intent::Leave)?;
        if self.file_with_name(&target).is_some() {
            return Err(delete_conflict_refusal(&target));
        }
        self.push(target, FileChanges::Delete(at, delete));
        Ok(())
    }

    fn add_move(&mut self, path: &str, at: usize, request: &'r MoveRequest) -> Result<(), Refusal> {
        let engine = self.context.engine();
        let target = locate(engine, path, Intent::Leave)?;
        let to = locate(engine, &request.to, Intent::Take)?;
        let withheld = self.require_consent(&to)?;
        if let Some(other) = self.file_with_name(&to) {
            let mut refusal = move_conflict_refusal(&to, &other.target);
            refusal.withheld = withheld;
            return Err(refusal);
        }
        let own = request.edits.iter().enumerate();
        let own = own.map(|(index, edit)| (at + 1 + index, edit));
        let mut moved = LocatedMove {
            at,
            request,
            to,
            edits: Vec::new(),
            withheld,
        };
        match self.file_with_name(&target) {
            Some(known) => match &mut known.work {
                work @ (FileChanges::Edits(_) | FileChanges::Mode) => {
                    if let FileChanges::Edits(edits) = work {
                        moved.edits.append(edits);
                    }
                    moved.edits.extend(own);
                    *work = FileChanges::Move(Box::new(moved));
                    // The target keeps the name as given, because the symbolic link itself is meant.
                    known.target = target;
                }
                _ => return Err(move_conflict_refusal(&target, &known.target)),
            },
            None => {
                moved.edits.extend(own);
                self.push(target, FileChanges::Move(Box::new(moved)));
            }
        }
        Ok(())
    }

    /// Adds a change of a cell. A request may change only one cell of a notebook, because a second cell number could
    /// refer to the numbering before or after the first change.
    fn add_cell(&mut self, path: &str, at: usize, cell: &'r CellRequest) -> Result<(), Refusal> {
        let target = locate(self.context.engine(), path, Intent::Edit)?;
        if self.file_with_name(&target).is_some() {
            return Err(cell_conflict_refusal(&target));
        }
        self.push(target, FileChanges::Cell(at, cell));
        Ok(())
    }

    fn add_folder(
        &mut self,
        path: &str,
        at: usize,
        change: &'r FolderChange,
    ) -> Result<(), Refusal> {
        let target = locate(self.context.engine(), path, Intent::Folder)?;
        if self.file_with_name(&target).is_some() {
            return Err(folder_conflict_refusal(&target));
        }
        self.push(target, FileChanges::Folder(at, change));
        Ok(())
    }

    fn set_executable(
        &mut self,
        path: &str,
        at: usize,
        executable: ExecutableChange,
    ) -> Result<(), Refusal> {
        let target = locate(self.context.engine(), path, Intent::Edit)?;
        if let Some(known) = self.file_with_name(&target) {
            if let FileChanges::Delete(..) = known.work {
                return Err(delete_conflict_refusal(&target));
            }
            if let FileChanges::Folder(..) = known.work {
                return Err(folder_conflict_refusal(&target));
            }
            known.executable = Some((at, executable));
            return Ok(());
        }
        self.push(target, FileChanges::Mode);
        if let Some(last) = self.files.last_mut() {
            last.executable = Some((at, executable));
        }
        Ok(())
    }

    /// Returns the file that has this name, or will have it.
    fn file_with_name(&mut self, target: &Target) -> Option<&mut LocatedFile<'r>> {
        let path = target.path();
        self.files
            .iter_mut()
            .find(|known| known.changed_paths().any(|known| known == path))
    }

    fn push(&mut self, target: Target, work: FileChanges<'r>) {
        self.files.push(LocatedFile {
            target,
            work,
            executable: None,
        });
    }

    fn require_consent(&self, target: &Target) -> Result<Option<Box<Withheld>>, Refusal> {
        Ok(consent_to_reveal(self.context, target, self.dry_run)?.map(Box::new))
    }
}

/// Locates the file that an edit refers to. A file that is to be created is located exactly as spelled.
fn locate_for_edit(engine: &EngineView, path: &str, edit: &EditRequest) -> Result<Target, Refusal> {
    let target = locate(engine, path, Intent::Edit)?;
    if edit.creates_or_fills_file() && target.located.is_respelled() {
        return locate(engine, path, Intent::Replace);
    }
    Ok(target)
}

/// Returns the refusal for a file that is written whole and has another change in the same request.
fn write_conflict_refusal(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message!(
        "{} is to be written whole, and another change of the same call is about it, too. Send the content as it is to be in the end, or the edits alone.",
        &path
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}

/// Returns the refusal for a file that is removed and has another change in the same request.
fn delete_conflict_refusal(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message!(
        "{} is to be removed, and another change of the same call is about it, too. Leave one of them out.",
        &path
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}

/// Returns the refusal for an empty folder that has another change in the same request.
fn folder_conflict_refusal(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message!(
        "{} is an empty folder to be made or removed, and another change of the same call is about it, too. Leave one of them out.",
        &path
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}

/// Returns the refusal for a notebook that has another change in the same request besides that of a cell.
fn cell_conflict_refusal(target: &Target) -> Refusal {
    let path = target.display_name();
    let text = message!(
        "A cell of {} is to be changed, and another change of the same call is about it, too. Send them as two calls.",
        &path
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}

/// Returns the refusal for a name that a move of the same request frees or takes.
fn move_conflict_refusal(name: &Target, other: &Target) -> Refusal {
    let path = name.display_name();
    let text = message!(
        "{} is one of the names of a move, and another change of the same call ({}) frees or takes the same name. Send them as two calls.",
        &path,
        other.display_name()
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}
