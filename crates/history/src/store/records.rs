//! The rows of an operation: inserted, completed, marked as undone, removed. Each function runs in a transaction of
//! its caller.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, params};

use super::facts::Facts;
use super::made_folders::FolderClaim;
use super::paths::path_bytes;
use super::transaction::WriteTransaction;
use super::{contents, log, made_folders, recorded_calls};
use crate::operation::{FileDraft, OperationDraft, OperationState};

/// The file index in `taken_back` if the file already had its old content and the operation did not write it.
pub(super) const NO_FILE: i64 = -1;

/// Inserts the rows of an operation with its place in the order of recording. The caller marks an operation that is
/// only announced by a row in `begun`; its state counts once that row is removed.
pub(super) fn insert_operation(
    transaction: &WriteTransaction<'_>,
    state: &Path,
    draft: &OperationDraft<'_>,
    sequence: i64,
    facts: &mut Facts,
) -> rusqlite::Result<()> {
    let author = &draft.author;
    transaction
        .prepare_cached(
            "INSERT INTO operations (id, time, kind, state, session, client, version, turn, call, tool, rungs, approved, sequence, parent)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
                     ?13, ?14)",
        )?
        .execute(params![
            draft.id,
            draft.time,
            draft.kind.database_number(),
            OperationState::Done.database_number(),
            author.session,
            author.client,
            author.version,
            author.turn,
            author.call,
            draft.tool,
            draft.rungs.join(","),
            draft.approved,
            sequence,
            draft.parent
        ])?;
    for (at, file) in draft.files.iter().enumerate() {
        insert_file(transaction, state, (draft.id, at), file, facts)?;
    }
    for taken in &draft.takes_back {
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO taken_back (operation, file, earlier, at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                draft.id,
                taken.by.map_or(NO_FILE, |by| by as i64),
                taken.operation,
                taken.at as i64
            ])?;
    }
    for taken in &draft.takes_part_of {
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO parts_taken_back (operation, file, earlier, at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                draft.id,
                taken.by.map_or(NO_FILE, |by| by as i64),
                taken.operation,
                taken.at as i64
            ])?;
    }
    Ok(())
}

/// The expression for the highest sequence number assigned so far; see [`newest_sequence`].
macro_rules! newest_sequence_sql {
    () => {
        "max(coalesce((SELECT max(sequence) FROM operations), 0),
             coalesce((SELECT sequence FROM marks ORDER BY id DESC LIMIT 1), 0),
             coalesce((SELECT max(sequence) FROM looks), 0),
             coalesce((SELECT sequence FROM first_look), 0))"
    };
}
pub(super) use newest_sequence_sql;

/// Returns the highest sequence number assigned so far; 0 if there is none. A mark and a look have the number of an
/// operation that may have been removed since. If such a number were assigned again, the new operation would count as
/// before that mark, or as seen. Each mark has at least the number of the mark before it.
pub(super) fn newest_sequence(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(concat!("SELECT ", newest_sequence_sql!()))?
        .query_row([], |row| row.get(0))
}

fn insert_file(
    transaction: &WriteTransaction<'_>,
    state: &Path,
    (id, at): (&str, usize),
    file: &FileDraft<'_>,
    facts: &mut Facts,
) -> rusqlite::Result<()> {
    let mut put = |kept: &Option<crate::operation::DraftState<'_>>| {
        kept.as_ref()
            .map(|kept| facts.content(transaction, state, kept))
            .transpose()
    };
    let (before, after) = (put(&file.before)?, put(&file.after)?);
    let workspace = file.workspace.as_ref();
    let workspace = workspace.map(|found| facts.workspace(transaction, found));
    let workspace = workspace.transpose()?;
    let mode =
        |kept: &Option<crate::operation::DraftState<'_>>| kept.as_ref().map_or(0, |kept| kept.mode);
    let inode = |kept: &Option<crate::operation::DraftState<'_>>| {
        let kept = kept.as_ref()?;
        kept.inode.map(u64::cast_signed)
    };
    transaction
        .prepare_cached(
            "INSERT INTO files (operation, at, path, kind, moved_from, before, before_mode, before_link,
                                after, after_mode, after_link, added, removed, folders, workspace,
                                before_inode, inode)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?
        .execute(params![
            id,
            at as i64,
            path_bytes(file.path),
            file.kind.database_number(),
            file.moved_from.map(path_bytes),
            before,
            mode(&file.before),
            file.before.as_ref().and_then(|kept| kept.link).map(path_bytes),
            after,
            mode(&file.after),
            file.after.as_ref().and_then(|kept| kept.link).map(path_bytes),
            file.added as i64,
            file.removed as i64,
            made_folders::encode_paths(&file.folders),
            workspace,
            inode(&file.before),
            inode(&file.after)
        ])?;
    Ok(())
}

/// Records that the file of an operation at an index is changed: the number of its event, and the inode number of the
/// file that the change left, if it is known now.
pub(super) fn note_change(
    transaction: &WriteTransaction<'_>,
    operation: &str,
    at: usize,
    event: Option<i64>,
    inode: Option<u64>,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE files SET event = ?3, inode = coalesce(?4, inode) WHERE operation = ?1 AND at = ?2",
        )?
        .execute(params![
            operation,
            at as i64,
            event,
            inode.map(u64::cast_signed)
        ])?;
    Ok(())
}

/// Records the inode number of the file that an operation left at an index.
pub(super) fn record_inode(
    transaction: &WriteTransaction<'_>,
    operation: &str,
    at: usize,
    inode: u64,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE files SET inode = ?3 WHERE operation = ?1 AND at = ?2")?
        .execute(params![operation, at as i64, inode.cast_signed()])?;
    Ok(())
}

/// Updates the rows with what is known only after the write: modes, folders, and the content of a streamed write.
/// Then marks the changes that the operation reverses. Returns those of their folders in which no change has a file.
pub(super) fn complete_operation(
    transaction: &WriteTransaction<'_>,
    state: &Path,
    draft: &OperationDraft<'_>,
) -> rusqlite::Result<Vec<PathBuf>> {
    for (at, file) in draft.files.iter().enumerate() {
        let Some(after) = &file.after else {
            continue;
        };
        let content = contents::store_content(transaction, state, after)?;
        transaction
            .prepare_cached(
                // Recovery may have added folders that a dead process had made.
                "UPDATE files SET after = ?3, after_mode = ?4,
                     folders = CASE folders WHEN ?5 THEN folders ELSE CAST(folders || ?5 AS BLOB) END
                 WHERE operation = ?1 AND at = ?2
                 AND (after IS NOT ?3 OR after_mode <> ?4 OR folders <> ?5)",
            )?
            .execute(params![
                draft.id,
                at as i64,
                content,
                after.mode,
                made_folders::encode_paths(&file.folders)
            ])?;
        if let Some(inode) = after.inode {
            record_inode(transaction, draft.id, at, inode)?;
        }
    }
    let mut unclaimed = Vec::new();
    for taken in &draft.takes_back {
        let (operation, by) = (&taken.operation, Some(draft.id));
        mark_undone(transaction, operation, taken.at, by, 0, &mut unclaimed)?;
    }
    let mut reversed = draft.takes_back.iter();
    let is_by_program = reversed.try_fold(false, |found, taken| {
        Ok::<_, rusqlite::Error>(
            found || recorded_calls::is_recorded(transaction, &taken.operation)?,
        )
    })?;
    if !draft.takes_back.is_empty() && !is_by_program {
        // An undo of a removal created them again. The undo of the change that had created the file removes them. A
        // command may also have removed folders that were there before any change, and those stay.
        for file in &draft.files {
            made_folders::pass_on_folders(transaction, &file.folders)?;
        }
    }
    Ok(unclaimed)
}

/// Marks one file change of an operation as undone by `by`, or as in effect again if `by` is none. The changes that
/// this operation had itself reversed then get the opposite mark, recursively. Folders of undone changes in which no
/// change has a file are added to `unclaimed`.
pub(super) fn mark_undone(
    transaction: &WriteTransaction<'_>,
    operation: &str,
    at: usize,
    by: Option<&str>,
    depth: usize,
    unclaimed: &mut Vec<PathBuf>,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE files SET undone = ?3 WHERE operation = ?1 AND at = ?2")?
        .execute(params![operation, at as i64, by])?;
    if by.is_some() {
        let folders = made_folders::created_folders(transaction, operation, at)?;
        // Other rows with this path are about the same file, which no longer exists.
        let path = made_folders::path_of_file(transaction, operation, at)?;
        for folder in folders {
            if made_folders::assign_folder_except(transaction, &folder, &path)? == FolderClaim::No {
                unclaimed.push(folder);
            }
        }
    }
    // The depth is the number of operations in a chain of undo and redo. The bound stops a cycle in a damaged database.
    if depth > 1_000 {
        return Ok(());
    }
    for taken in log::reversed_changes(transaction, operation)? {
        if taken.by == Some(at) {
            let by = by.is_none().then_some(operation);
            let depth = depth + 1;
            mark_undone(
                transaction,
                &taken.operation,
                taken.at,
                by,
                depth,
                unclaimed,
            )?;
        }
    }
    Ok(())
}

pub(super) fn remove_operation(
    transaction: &WriteTransaction<'_>,
    id: &str,
) -> rusqlite::Result<()> {
    for statement in [
        "DELETE FROM begun WHERE id = ?1",
        "DELETE FROM taken_back WHERE operation = ?1",
        "DELETE FROM operations WHERE id = ?1",
    ] {
        transaction.prepare_cached(statement)?.execute([id])?;
    }
    Ok(())
}

/// Records that an operation replaced one of several hard links of a file.
pub(super) fn record_broken_link(
    connection: &Connection,
    operation: &str,
    at: usize,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO parted (operation, file) VALUES (?1, ?2)")?
        .execute(params![operation, at as i64])?;
    Ok(())
}

/// Returns the indexes of the files for which a broken hard link was recorded.
pub(super) fn broken_links(
    connection: &Connection,
    operation: &str,
) -> rusqlite::Result<Vec<usize>> {
    let mut statement =
        connection.prepare_cached("SELECT file FROM parted WHERE operation = ?1 ORDER BY file")?;
    let rows = statement.query_map([operation], |row| Ok(row.get::<_, i64>(0)? as usize))?;
    rows.collect()
}

pub(super) fn operation_exists(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM operations WHERE id = ?1)")?
        .query_row([id], |row| row.get(0))
}

pub(super) fn is_id_taken(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}
