//! Files that had several names (hard links) when a recorded call removed one of them. The name comes back as a hard link
//! if another name still has the recorded file, and as a file of its own otherwise.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::mem;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use lancet_history::{CheckpointEntryKind, KnownWorkspace, OperationStore, RecordedState};
use lancet_recording::had_attributes;
use lancet_workspace::{ExpectedState, FileType, Revision, Stamp};

use super::current_file::read_current;
use super::kept::unreadable_refusal;
use super::recorded_names::reversed_call;
use super::select::FileRow;
use crate::ledger::stamp_from_record;
use crate::message::{Message, message, verbatim};
use crate::refusal::Refusal;
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate_recorded};
use crate::stages::plan::{FilePlan, NewContent, PlannedHardLink};
use crate::wording::{format_count, quote_path};

/// A file that a recorded call removed, and that a plan creates again.
pub(super) struct RemovedFile<'r> {
    /// The oldest change, which has the state that is restored.
    row: &'r FileRow,
    before: &'r RecordedState,
    /// The number of the checkpoint before the call.
    since: i64,
    workspace: &'r KnownWorkspace,
    /// The stat of the file at that checkpoint.
    then: Stamp,
    /// Whether the file had extended attributes or an access control list.
    had_attributes: bool,
}

impl RemovedFile<'_> {
    /// Returns the user and group that the file belonged to.
    pub(super) fn owner(&self) -> (u32, u32) {
        (self.then.uid, self.then.gid)
    }

    /// Returns the notice that a file which is created again does not have its attributes; none if it had none, or is the
    /// old file under one more name.
    pub(super) fn attributes_notice(&self, plan: &FilePlan) -> Option<Message> {
        let is_new = !matches!(plan.new, NewContent::HardLink(_));
        (self.had_attributes && is_new).then(|| {
            message!(
                "{}",
                "it had extended attributes or an access list, which were not recorded and do not come back"
            )
        })
    }
}

/// A checkpoint: the root, and the number.
type CheckpointKey = ([u8; 32], i64);

/// The names of files at some checkpoints, read once a file with several is restored.
#[derive(Default)]
pub(super) struct OtherNames {
    by_checkpoint: HashMap<CheckpointKey, NamesByInode>,
    /// The checkpoint before the call that each undo or redo reversed, by its id.
    reversed: HashMap<String, Option<i64>>,
}

/// The names of each file, by its device and inode.
type NamesByInode = HashMap<(u64, u64), Vec<PathBuf>>;

impl OtherNames {
    /// Returns the removed file that a plan creates again; none if the plan does something else, or the checkpoint does
    /// not have the file any more.
    pub(super) fn removed_file<'r>(
        &mut self,
        store: &dyn OperationStore,
        rows: &[&'r FileRow],
        plan: &FilePlan,
    ) -> Result<Option<RemovedFile<'r>>, Refusal> {
        let is_file = matches!(
            plan.new,
            NewContent::Restored { .. } | NewContent::Copied { .. }
        );
        let is_created = is_file && matches!(plan.expected, ExpectedState::Missing);
        let Some(&row) = rows.last().filter(|_| is_created) else {
            return Ok(None);
        };
        let change = &row.change;
        let since = self.checkpoint_before(store, row)?;
        let (Some(since), Some(workspace), Some(before)) =
            (since, &change.workspace, &change.before)
        else {
            return Ok(None);
        };
        let Ok(name) = row.old_name().strip_prefix(&workspace.root) else {
            return Ok(None);
        };
        let entry = store
            .checkpoint_entry(&workspace.id, since, name.as_os_str().as_bytes())
            .map_err(unreadable_refusal)?;
        let entry = entry.filter(|entry| entry.kind == CheckpointEntryKind::File);
        Ok(entry.map(|entry| RemovedFile {
            row,
            before,
            since,
            workspace,
            then: stamp_from_record(&entry.stamp),
            had_attributes: had_attributes(&entry.stamp),
        }))
    }

    /// Returns the checkpoint before the recorded call of a change, or of what an undo or redo reversed.
    fn checkpoint_before(
        &mut self,
        store: &dyn OperationStore,
        row: &FileRow,
    ) -> Result<Option<i64>, Refusal> {
        if row.since.is_some() {
            return Ok(row.since);
        }
        if let Some(known) = self.reversed.get(&row.operation) {
            return Ok(*known);
        }
        let call = reversed_call(store, row)?;
        let since = call.and_then(|call| call.since);
        self.reversed.insert(row.operation.clone(), since);
        Ok(since)
    }

    /// Turns the plan for a removed name of a file with several into a hard link, if another name still has the recorded
    /// file, and adds a notice in either case. `all` are the changes that are undone: the names in them are not as
    /// recorded.
    pub(super) fn link_again(
        &mut self,
        context: &CallContext<'_>,
        attempt: &mut Attempt,
        store: &dyn OperationStore,
        (file, all): (&RemovedFile<'_>, &[FileRow]),
        plan: &mut FilePlan,
    ) -> Result<(), Refusal> {
        let RemovedFile {
            row,
            before,
            since,
            workspace,
            then,
            ..
        } = *file;
        if then.links <= 1 {
            return Ok(());
        }
        let names = self.names_of((workspace.id, since), &workspace.root, &then, store)?;
        let is_undone = |name: &Path| all.iter().any(|row| row.names().any(|own| own == name));
        let revision = plan.new_revision(context.engine());
        let same = names
            .iter()
            .filter(|_| revision.is_some_and(|new| *new.as_bytes() == before.revision))
            .filter(|name| *name != row.old_name() && !is_undone(name))
            .find_map(|name| recorded_file(context, attempt, name, (&then, before)));
        let notice = match (same, revision) {
            (Some(to), Some(revision)) => {
                let notice = message!(
                    "{} is a hard link to {} again",
                    quote_path(row.old_name()),
                    quote_path(to.path())
                );
                let nothing = NewContent::Whole(Vec::new());
                let otherwise = mem::replace(&mut plan.new, nothing);
                plan.new = NewContent::HardLink(Box::new(PlannedHardLink {
                    to,
                    revision,
                    otherwise,
                }));
                notice
            }
            _ => {
                let others = usize::try_from(then.links - 1).unwrap_or(usize::MAX);
                message!(
                    "{} had {} (hard links); it comes back as a file of its own",
                    quote_path(row.old_name()),
                    verbatim(format_count(others, "other name"))
                )
            }
        };
        plan.view.notices.push(notice);
        Ok(())
    }

    /// Returns the names that a file had at a checkpoint.
    fn names_of(
        &mut self,
        checkpoint: CheckpointKey,
        root: &Path,
        file: &Stamp,
        store: &dyn OperationStore,
    ) -> Result<&[PathBuf], Refusal> {
        let names = match self.by_checkpoint.entry(checkpoint) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(read_names(checkpoint, root, store)?),
        };
        let names = names.get(&(file.device, file.inode));
        Ok(names.map_or(&[], Vec::as_slice))
    }
}

/// Reads the names of all files at a checkpoint.
fn read_names(
    (id, number): CheckpointKey,
    root: &Path,
    store: &dyn OperationStore,
) -> Result<NamesByInode, Refusal> {
    let entries = store
        .checkpoint_entries(&id, number)
        .map_err(unreadable_refusal)?;
    let mut names = NamesByInode::new();
    for entry in entries {
        // A name that the call left has its stat of afterwards, so the number of links says nothing.
        let stamp = stamp_from_record(&entry.stamp);
        if entry.kind == CheckpointEntryKind::File {
            let name = root.join(OsStr::from_bytes(&entry.name));
            let inode = (stamp.device, stamp.inode);
            names.entry(inode).or_default().push(name);
        }
    }
    Ok(names)
}

/// Returns the file at a name if it is the recorded one, and no program has written it since.
fn recorded_file(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    name: &Path,
    (then, before): (&Stamp, &RecordedState),
) -> Option<Target> {
    let target = locate_recorded(context.engine(), name, Intent::Take).ok()?;
    let now = target.located.stat()?;
    let is_it = target.located.kind() == FileType::File
        && target.path() == name
        && !target.is_withheld()
        && now.is_same_file(then)
        && (now.size, now.mtime, now.permissions())
            == (then.size, then.mtime, before.mode & 0o7777);
    let found = match is_it {
        true => read_current(context, attempt, &target).ok()??,
        false => return None,
    };
    (found.revision == Revision::from_bytes(before.revision)).then_some(target)
}

/// The notice for a file whose hard links an undo does not restore.
const LINKS_NOT_RESTORED: &str = "the change had parted the file from its other names (hard links); they stay apart, and the others as they are";

/// Returns the notice where one of these changes separated its file from its hard links.
pub(super) fn parted_notice(
    store: &dyn OperationStore,
    rows: &[&FileRow],
) -> Result<Option<Message>, Refusal> {
    for row in rows {
        let parted = store
            .broken_links(&row.operation)
            .map_err(unreadable_refusal)?;
        if parted.contains(&row.change.at) {
            return Ok(Some(message!("{}", LINKS_NOT_RESTORED)));
        }
    }
    Ok(None)
}
