//! The state of a file at a checkpoint, for restore.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use lancet_git::{ObjectId, ObjectReader, Repository};
use lancet_history::{
    Checkpoint, CheckpointEntry, CheckpointEntryKind, CheckpointQuery, ContentIdentity,
    OperationStore, RecordedState, Revision,
};
use lancet_local_state::git_objects::objects_folder;
use lancet_workspace::Revision as LinkRevision;

use super::kept::{not_kept_refusal, unreadable_refusal};
use crate::ledger::stamp_from_record;
use crate::refusal::Refusal;
use crate::stages::context::CallContext;

/// Finds the checkpoint with exactly this name or id, in the root of a file.
pub(super) fn find_checkpoint(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    path: &Path,
    called: &str,
) -> Result<Option<Checkpoint>, Refusal> {
    let Some(workspace) = context.engine().workspace_of(path) else {
        return Ok(None);
    };
    let query = CheckpointQuery {
        workspace: Some(workspace.id),
        called: Some(called.to_owned()),
        limit: Some(1),
        ..CheckpointQuery::default()
    };
    let found = store.checkpoints(&query).map_err(unreadable_refusal)?;
    Ok(found.into_iter().next())
}

/// Returns whether a checkpoint has an entry of this very name.
pub(super) fn has_entry(
    store: &dyn OperationStore,
    path: &Path,
    checkpoint: &Checkpoint,
) -> Result<bool, Refusal> {
    Ok(entry(store, path, checkpoint)?.is_some())
}

fn entry(
    store: &dyn OperationStore,
    path: &Path,
    checkpoint: &Checkpoint,
) -> Result<Option<CheckpointEntry>, Refusal> {
    let root = &checkpoint.workspace.root;
    let name = path
        .strip_prefix(root)
        .unwrap_or(path)
        .as_os_str()
        .as_bytes();
    store
        .checkpoint_entry(&checkpoint.workspace.id, checkpoint.number, name)
        .map_err(unreadable_refusal)
}

/// Returns the state of a file at a checkpoint, with its bytes in the history; none where there was no file.
pub(super) fn state_at_checkpoint(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    path: &Path,
    checkpoint: &Checkpoint,
) -> Result<Option<RecordedState>, Refusal> {
    let Some(entry) = entry(store, path, checkpoint)? else {
        return Ok(None);
    };
    if let Some(link) = &entry.link {
        let target = OsStr::from_bytes(link);
        let revision = *LinkRevision::from_link(target).as_bytes();
        let state = RecordedState::of_link(revision, target.into(), entry.mode);
        return Ok(Some(state));
    }
    if entry.kind == CheckpointEntryKind::EmptyFolder {
        let revision = *LinkRevision::of_empty_folder().as_bytes();
        return Ok(Some(RecordedState::from_file(revision, 0, entry.mode)));
    }
    let revision = match entry.identity {
        ContentIdentity::Unknown => return Err(not_kept_refusal()),
        ContentIdentity::Revision(revision) => revision,
        ContentIdentity::Blob(id) => copy_blob_to_history(context, store, path, id)?,
    };
    Ok(Some(RecordedState::from_file(
        revision, entry.size, entry.mode,
    )))
}

/// Returns the user and group that a file belonged to at a checkpoint; none where there was no file.
pub(super) fn owner_at_checkpoint(
    store: &dyn OperationStore,
    path: &Path,
    checkpoint: &Checkpoint,
) -> Result<Option<(u32, u32)>, Refusal> {
    let entry = entry(store, path, checkpoint)?;
    let file = entry.filter(|entry| entry.kind == CheckpointEntryKind::File);
    let stamp = file.map(|entry| stamp_from_record(&entry.stamp));
    Ok(stamp.map(|stamp| (stamp.uid, stamp.gid)))
}

/// Copies the bytes of a blob into the history.
fn copy_blob_to_history(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    path: &Path,
    id: [u8; 20],
) -> Result<Revision, Refusal> {
    let disk = &context.engine().base().disk;
    let repository = Repository::find_for_file(path, disk).ok().flatten();
    let own = repository.and_then(|repository| repository.open_objects().ok());
    let state = context.engine().base().state_folder();
    let workspace = context.engine().workspace_of(path);
    let linked = state.zip(workspace).and_then(|(state, workspace)| {
        ObjectReader::open_in_folder(&objects_folder(state, &workspace.id), disk).ok()
    });
    let objects = match (own, linked) {
        (Some(mut own), Some(linked)) => {
            own.append(linked);
            Some(own)
        }
        (own, linked) => own.or(linked),
    };
    let largest = context.engine().settings.checkpoint.max_file;
    let bytes =
        objects.and_then(|mut objects| objects.read_blob(&ObjectId::from_array(id), largest).ok());
    let bytes = bytes.ok_or_else(not_kept_refusal)?;
    let revision = *blake3::hash(&bytes).as_bytes();
    store
        .store_contents(&[(revision, &bytes)])
        .map_err(unreadable_refusal)?;
    Ok(revision)
}
