//! Removes hard links to git's objects: those of roots without checkpoints, and, beyond the limits, what git has dropped.
//! What git still has takes no space here.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lancet_local_state::git_objects::{self, DroppedObject};
use rusqlite::Connection;

use super::paths::path_from_bytes;
use crate::checkpoint::DroppedObjects;
use crate::operation::{HistoryLimits, PruneResult};

/// Removes what is beyond the limits, longest dropped first. `taken` are the bytes of the rest of the history. Returns the
/// bytes that are left.
pub(super) fn prune_dropped(
    connection: &Connection,
    state: &Path,
    limits: &HistoryLimits,
    taken: u64,
    removed: &mut PruneResult,
) -> rusqlite::Result<u64> {
    let roots = roots_with_checkpoints(connection, state)?;
    let mut left = 0;
    let mut all: Vec<DroppedObject> = Vec::new();
    for folder in list(git_objects::list_folders(state)) {
        if !roots.contains_key(&folder) {
            let _ = git_objects::remove_folder(&folder);
            continue;
        }
        let dropped = list(git_objects::list_dropped(&folder));
        let mut bytes: u64 = dropped.iter().map(|object| object.bytes).sum();
        for object in dropped {
            match bytes > limits.checkpoints {
                true => {
                    bytes -= object.bytes;
                    remove(&object, removed);
                }
                false => all.push(object),
            }
        }
        left += bytes;
    }
    all.sort_by_key(|object| object.since);
    for object in all {
        if taken + left <= limits.size {
            break;
        }
        left -= object.bytes;
        remove(&object, removed);
    }
    Ok(left)
}

/// Returns what git has dropped of the objects of each root.
pub(super) fn list_dropped(
    connection: &Connection,
    state: &Path,
) -> rusqlite::Result<Vec<DroppedObjects>> {
    let mut found = Vec::new();
    for (folder, root) in roots_with_checkpoints(connection, state)? {
        let dropped = list(git_objects::list_dropped(&folder));
        if !dropped.is_empty() {
            found.push(DroppedObjects {
                root,
                objects: dropped.len() as u64,
                bytes: dropped.iter().map(|object| object.bytes).sum(),
            });
        }
    }
    found.sort_by(|one, other| one.root.cmp(&other.root));
    Ok(found)
}

/// Removes what git has dropped of the objects of all roots. Returns the number of bytes.
pub(super) fn remove_dropped(connection: &Connection, state: &Path) -> rusqlite::Result<u64> {
    let mut removed = PruneResult::default();
    for folder in roots_with_checkpoints(connection, state)?.into_keys() {
        for object in list(git_objects::list_dropped(&folder)) {
            remove(&object, &mut removed);
        }
    }
    Ok(removed.bytes)
}

fn remove(object: &DroppedObject, removed: &mut PruneResult) {
    // A file that cannot be removed is counted again at the next prune.
    if object.remove().is_ok() {
        removed.bytes += object.bytes;
    }
}

/// Returns the roots that have checkpoints, by the folders of their links.
fn roots_with_checkpoints(
    connection: &Connection,
    state: &Path,
) -> rusqlite::Result<HashMap<PathBuf, PathBuf>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, root FROM workspaces WHERE number IN (SELECT workspace FROM checkpoints)",
    )?;
    let rows = statement.query_map([], |row| {
        let id: [u8; 32] = row.get(0)?;
        let root = path_from_bytes(&row.get::<_, Vec<u8>>(1)?);
        Ok((git_objects::objects_folder(state, &id), root))
    })?;
    rows.collect()
}

/// Returns what was listed; a folder that cannot be read counts as empty.
fn list<T>(listed: std::io::Result<Vec<T>>) -> Vec<T> {
    listed.unwrap_or_default()
}
