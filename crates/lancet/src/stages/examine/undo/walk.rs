//! Undoes the changes of one file, from the newest to the oldest: from the content on the disk to the state before the
//! oldest change.

use std::path::{Path, PathBuf};

use lancet_history::{OperationStore, PartialUndo, RecordedState};
use lancet_workspace::Revision;

use super::chain::Chain;
use super::conflict::{CurrentBytes, OtherFiles, conflict_refusal};
use super::current_file::{CurrentFile, DiskContent, read_current};
use super::kept::{read_content, unreadable_refusal};
use super::select::FileRow;
use super::view::WantedState;
use super::{merge, own_undos, parts, view};
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::MAX_IN_MEMORY_SIZE;
use crate::stages::plan::FilePlan;
use crate::undo::{Direction, Overlap, UndoRequest};
use crate::wording::quote_path;

/// The result of undoing the changes of one file.
pub(super) enum UndoneChain {
    /// The file has to be written or removed. Hunks that were undone earlier are now undone as part of the whole
    /// change.
    To(Box<FilePlan>, Vec<PartialUndo>),
    /// The file already has the state that the undo would give it.
    Already,
}

/// Undoes the changes of one file as one chain, starting at the latest state of the chain that equals the file.
pub(super) fn undo_chain(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    store: &dyn OperationStore,
    chain: Chain<'_>,
    all: &[FileRow],
    asked: &UndoRequest,
) -> Result<UndoneChain, Refusal> {
    if chain.path != chain.target.path() {
        let text = message!(
            "{} is a link by now, to {}. Nothing was changed.",
            &chain.target.given,
            quote_path(chain.target.path())
        );
        let given = chain.target.given.clone();
        return Err(
            Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", given)
        );
    }
    let found = read_current(context, attempt, &chain.target)?;
    let revision = found.as_ref().map(|found| found.revision.as_bytes());
    let undone = count_undone(context, store, &chain, revision, all)?;
    let rows = chain.rows.get(undone..).unwrap_or_default();
    let target = &chain.target;
    let found_now = found.as_ref();
    let own;
    let walked = match walk_back(context, store, target, rows, found_now, all, asked) {
        // The file may differ only by undos of changes that the request covers as well.
        Err(refusal)
            if asked.direction == Direction::Undo && refusal.kind() == RefusalKind::Conflict =>
        {
            own = own_undos::rows_with_undos(context, store, target.path(), asked)?;
            let rows: Vec<&FileRow> = own.iter().flatten().collect();
            let again = match rows.is_empty() {
                true => return Err(refusal),
                false => walk_back(context, store, target, &rows, found_now, all, asked),
            };
            again.map_err(|_| refusal)?
        }
        walked => walked?,
    };
    let Some(wanted) = walked.state.wanted() else {
        return Ok(UndoneChain::Already);
    };
    let (mode, folders, parts) = (walked.mode, walked.folders, walked.parts);
    let plan = view::file_plan(context, store, chain.target, found, wanted, mode, folders)?;
    Ok(plan.map_or(UndoneChain::Already, |plan| {
        UndoneChain::To(Box::new(plan), parts)
    }))
}

/// The state at which a walk through the changes of a file ends.
pub(super) struct WalkEnd<'r> {
    pub(super) state: FileStep<'r>,
    /// The permission bits that the file is to have, where they are known.
    pub(super) mode: Option<u32>,
    /// The folders that were created for the names that the file leaves.
    pub(super) folders: Vec<PathBuf>,
    /// The hunks that were undone earlier, and that the walk passed through.
    pub(super) parts: Vec<PartialUndo>,
}

impl WalkEnd<'_> {
    /// Returns whether content and permission bits of the file stay as they were found.
    pub(super) fn only_moves(&self, found: &CurrentFile) -> bool {
        let mode = self.mode.map(|mode| mode & 0o7777);
        self.state.is_as_found(found) && mode.is_none_or(|mode| mode == found.stamp.permissions())
    }
}

/// Walks through the changes of a file, newest first, starting from the content that was found.
pub(super) fn walk_back<'r>(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    target: &Target,
    rows: &[&'r FileRow],
    found: Option<&CurrentFile>,
    all: &[FileRow],
    asked: &UndoRequest,
) -> Result<WalkEnd<'r>, Refusal> {
    let mut revision = found.map(|found| *found.revision.as_bytes());
    let mut mode = found.map(|found| found.stamp.mode);
    let mut state = FileStep::AsFound;
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut through: Vec<PartialUndo> = Vec::new();
    for row in rows {
        let (before, after) = (&row.change.before, &row.change.after);
        let left = after.as_ref().map(|after| after.revision);
        let mut overlap = asked.overlap;
        if revision != left
            && let Some(found) = parts::hunk_undos_between(store, &row.change.path, revision, left)?
        {
            match parts::are_all_selected(&found, all) {
                // The hunks belong to the changes that are being undone, so this part of them is already undone.
                true => {
                    revision = left;
                    through.extend(found);
                }
                // A person made these changes with lancet, so they are not an unexpected change that must be refused.
                false => overlap = Overlap::Merge,
            }
        }
        if revision == left {
            revision = before.as_ref().map(|before| before.revision);
            state = before.as_ref().map_or(FileStep::Nothing, FileStep::Kept);
        } else if overlap == Overlap::Merge && row.moves_only() && revision.is_some() {
            // A move is undone whatever the file contains by now.
        } else {
            let now = || state.bytes(store, found);
            let merged = match overlap {
                Overlap::Merge => merge_without_change(store, row, now)?,
                _ => None,
            };
            let Some(merged) = merged else {
                let others = other_files(rows, all);
                return Err(conflict_refusal(
                    context,
                    store,
                    target,
                    row,
                    &now()?,
                    asked,
                    others,
                ));
            };
            revision = Some(*Revision::from_content(&merged).as_bytes());
            state = FileStep::Merged(merged);
        }
        // Permission bits that another program has changed since are left alone.
        mode = match (before, after, mode) {
            (Some(before), None, _) => Some(before.mode),
            (Some(before), Some(after), Some(mode)) if after.mode == mode => Some(before.mode),
            (None, _, _) => None,
            (_, _, mode) => mode,
        };
        if before.is_none() || row.change.moved_from.is_some() {
            let made = row.change.folders.iter();
            let new: Vec<PathBuf> = made
                .filter(|made| !folders.contains(made))
                .cloned()
                .collect();
            folders.extend(new);
        }
    }
    Ok(WalkEnd {
        state,
        mode: mode.filter(|mode| *mode != 0),
        folders,
        parts: through,
    })
}

/// Returns the present content without one change, by a merge; none where it cannot be merged.
fn merge_without_change(
    store: &dyn OperationStore,
    row: &FileRow,
    now: impl FnOnce() -> Result<CurrentBytes, Refusal>,
) -> Result<Option<Vec<u8>>, Refusal> {
    let (Some(before), Some(after)) = (&row.change.before, &row.change.after) else {
        return Ok(None);
    };
    if row.concerns_link()
        || row.concerns_folder()
        || before.size.max(after.size) > MAX_IN_MEMORY_SIZE
    {
        return Ok(None);
    }
    Ok(match now()? {
        CurrentBytes::Bytes(now) => merge::merge_three_way(
            &read_content(store, &after.revision)?,
            &now,
            &read_content(store, &before.revision)?,
        ),
        CurrentBytes::Nothing
        | CurrentBytes::Large
        | CurrentBytes::Link
        | CurrentBytes::EmptyFolder => None,
    })
}

/// Returns whether the undone changes also concern other files.
fn other_files(rows: &[&FileRow], all: &[FileRow]) -> OtherFiles {
    let is_own = |name: &Path| rows.iter().any(|own| own.names().any(|own| own == name));
    match all.iter().all(|row| row.names().all(is_own)) {
        true => OtherFiles::None,
        false => OtherFiles::Some,
    }
}

/// Returns how many of the changes are already undone. None counts as undone where a later change that is not part of
/// the request is still in effect: then that change gave the file its content.
fn count_undone(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    chain: &Chain<'_>,
    revision: Option<&[u8; 32]>,
    all: &[FileRow],
) -> Result<usize, Refusal> {
    let Some(start) = chain.already_undone_count(revision) else {
        return Ok(0);
    };
    let Some(oldest) = start.checked_sub(1).and_then(|at| chain.rows.get(at)) else {
        return Ok(0);
    };
    let mut selected: Vec<String> = all.iter().map(|row| row.operation.clone()).collect();
    selected.dedup();
    let others = context
        .other_workspaces()
        .map_err(unreadable_refusal)?
        .ids();
    let changed_later = store
        .has_later_changes(&chain.names, &oldest.operation, &selected, &others)
        .map_err(unreadable_refusal)?;
    Ok(if changed_later { 0 } else { start })
}

/// The state of the file after some of the changes were undone.
pub(super) enum FileStep<'k> {
    /// The content on the disk.
    AsFound,
    /// No file.
    Nothing,
    /// A state in the history.
    Kept(&'k RecordedState),
    /// The content with one change removed by a merge.
    Merged(Vec<u8>),
}

impl<'k> FileStep<'k> {
    /// Returns the state to give the file; none where it stays as it was found.
    pub(super) fn wanted(self) -> Option<WantedState<'k>> {
        Some(match self {
            FileStep::AsFound => return None,
            FileStep::Nothing => WantedState::Nothing,
            FileStep::Kept(kept) => WantedState::Kept(kept),
            FileStep::Merged(bytes) => WantedState::Bytes(bytes),
        })
    }

    /// Returns whether the state has the content that was found.
    pub(super) fn is_as_found(&self, found: &CurrentFile) -> bool {
        match self {
            FileStep::AsFound => true,
            FileStep::Kept(kept) => kept.revision == *found.revision.as_bytes(),
            FileStep::Nothing | FileStep::Merged(_) => false,
        }
    }

    fn bytes(
        &self,
        store: &dyn OperationStore,
        found: Option<&CurrentFile>,
    ) -> Result<CurrentBytes, Refusal> {
        Ok(match (self, found.map(|found| &found.content)) {
            (Self::AsFound, Some(DiskContent::Held(found))) => {
                CurrentBytes::Bytes(found.bytes.to_vec())
            }
            (Self::AsFound, Some(DiskContent::Large(_))) => CurrentBytes::Large,
            (Self::AsFound, Some(DiskContent::Link(_))) => CurrentBytes::Link,
            (Self::Kept(kept), _) if kept.link.is_some() => CurrentBytes::Link,
            (Self::AsFound, Some(DiskContent::EmptyFolder)) => CurrentBytes::EmptyFolder,
            (Self::Kept(kept), _) if kept.is_folder() => CurrentBytes::EmptyFolder,
            (Self::AsFound, None) | (Self::Nothing, _) => CurrentBytes::Nothing,
            (Self::Kept(kept), _) if kept.size > MAX_IN_MEMORY_SIZE => CurrentBytes::Large,
            (Self::Kept(kept), _) => CurrentBytes::Bytes(read_content(store, &kept.revision)?),
            (Self::Merged(bytes), _) => CurrentBytes::Bytes(bytes.clone()),
        })
    }
}
