//! The rows of an operation: inserted, completed, marked as undone, removed. Each function runs in a transaction of its caller.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OptionalExtension as _, params};

use super::paths::{below, bytes_of, path_of};
use super::transaction::WriteTransaction;
use super::{contents, log, workspaces};
use crate::operation::{ChangeKind, Draft, FileDraft, OperationState};

/// The file index in `taken_back` if the file already had its old content and the operation did not write it.
pub(super) const NO_FILE: i64 = -1;

/// Inserts the rows of an operation with its place in the order of recording. The caller marks an operation that is only announced by a row in `begun`; its state
/// counts once that row is removed.
pub(super) fn insert(
    transaction: &WriteTransaction<'_>,
    state: &Path,
    draft: &Draft<'_>,
    sequence: i64,
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
            draft.kind.number(),
            OperationState::Done.number(),
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
        insert_file(transaction, state, draft.id, at, file)?;
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

/// The expression for the highest sequence number that was given; see [`newest_sequence`].
macro_rules! newest_sequence_sql {
    () => {
        "max(coalesce((SELECT max(sequence) FROM operations), 0),
             coalesce((SELECT sequence FROM marks ORDER BY id DESC LIMIT 1), 0),
             coalesce((SELECT max(sequence) FROM looks), 0),
             coalesce((SELECT sequence FROM first_look), 0))"
    };
}
pub(super) use newest_sequence_sql;

/// The highest sequence number that was given; 0 if there is none. A mark and a look have the number of an operation that may
/// be removed since then, and a number that is given twice would count as before that mark, or as seen. Each mark has at least
/// the number of the mark before it.
pub(super) fn newest_sequence(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(concat!("SELECT ", newest_sequence_sql!()))?
        .query_row([], |row| row.get(0))
}

fn insert_file(
    transaction: &WriteTransaction<'_>,
    state: &Path,
    id: &str,
    at: usize,
    file: &FileDraft<'_>,
) -> rusqlite::Result<()> {
    let put = |kept: &Option<crate::operation::State<'_>>| {
        kept.as_ref()
            .map(|kept| contents::put(transaction, state, kept))
            .transpose()
    };
    let (before, after) = (put(&file.before)?, put(&file.after)?);
    let workspace = file.workspace.as_ref();
    let workspace = workspace.map(|found| workspaces::number_of(transaction, found));
    let workspace = workspace.transpose()?;
    let mode =
        |kept: &Option<crate::operation::State<'_>>| kept.as_ref().map_or(0, |kept| kept.mode);
    let inode = |kept: &Option<crate::operation::State<'_>>| {
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
            bytes_of(file.path),
            file.kind.number(),
            file.moved_from.map(bytes_of),
            before,
            mode(&file.before),
            file.before.as_ref().and_then(|kept| kept.link).map(bytes_of),
            after,
            mode(&file.after),
            file.after.as_ref().and_then(|kept| kept.link).map(bytes_of),
            file.added as i64,
            file.removed as i64,
            folders_of(&file.folders),
            workspace,
            inode(&file.before),
            inode(&file.after)
        ])?;
    Ok(())
}

/// Records the inode number of the file that an operation left at an index.
pub(super) fn note_inode(
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

/// Updates the rows with what is known only after the write: modes, folders, and the content of a streamed write. Then marks
/// the changes that the operation takes back.
pub(super) fn complete(
    transaction: &WriteTransaction<'_>,
    state: &Path,
    draft: &Draft<'_>,
) -> rusqlite::Result<()> {
    for (at, file) in draft.files.iter().enumerate() {
        let Some(after) = &file.after else {
            continue;
        };
        let content = contents::put(transaction, state, after)?;
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
                folders_of(&file.folders)
            ])?;
        if let Some(inode) = after.inode {
            note_inode(transaction, draft.id, at, inode)?;
        }
    }
    for taken in &draft.takes_back {
        mark(transaction, &taken.operation, taken.at, Some(draft.id), 0)?;
    }
    if !draft.takes_back.is_empty() {
        // An undo of a removal made them again. The undo of the change that had created the file removes them.
        for file in &draft.files {
            hand_on_folders(transaction, &file.folders)?;
        }
    }
    Ok(())
}

/// Marks one file change of an operation as undone by `by`, or as in effect again if `by` is none. The changes that this
/// operation had itself taken back then get the opposite mark, recursively.
pub(super) fn mark(
    transaction: &WriteTransaction<'_>,
    operation: &str,
    at: usize,
    by: Option<&str>,
    depth: usize,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE files SET undone = ?3 WHERE operation = ?1 AND at = ?2")?
        .execute(params![operation, at as i64, by])?;
    if by.is_some() {
        hand_on_folders(transaction, &made_folders(transaction, operation, at)?)?;
    }
    // The depth is the number of operations in a chain of undo and redo. The bound stops a cycle in a damaged database.
    if depth > 1_000 {
        return Ok(());
    }
    for taken in log::taken_back(transaction, operation)? {
        if taken.by == Some(at) {
            let by = by.is_none().then_some(operation);
            mark(transaction, &taken.operation, taken.at, by, depth + 1)?;
        }
    }
    Ok(())
}

pub(super) fn remove(transaction: &WriteTransaction<'_>, id: &str) -> rusqlite::Result<()> {
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

/// The indexes of the files for which a broken hard link was recorded.
pub(super) fn broken_links(
    connection: &Connection,
    operation: &str,
) -> rusqlite::Result<Vec<usize>> {
    let mut statement =
        connection.prepare_cached("SELECT file FROM parted WHERE operation = ?1 ORDER BY file")?;
    let rows = statement.query_map([operation], |row| Ok(row.get::<_, i64>(0)? as usize))?;
    rows.collect()
}

pub(super) fn is_there(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM operations WHERE id = ?1)")?
        .query_row([id], |row| row.get(0))
}

pub(super) fn is_taken(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}

/// The folders that were made for one file of an operation.
pub(super) fn made_folders(
    transaction: &Connection,
    operation: &str,
    at: usize,
) -> rusqlite::Result<Vec<PathBuf>> {
    let folders: Option<Vec<u8>> = transaction
        .prepare_cached("SELECT folders FROM files WHERE operation = ?1 AND at = ?2")?
        .query_row(params![operation, at as i64], |row| row.get(0))
        .optional()?;
    Ok(paths_in(&folders.unwrap_or_default()).collect())
}

/// The folders that were made for all files of an operation.
pub(super) fn all_made_folders(
    transaction: &Connection,
    operation: &str,
) -> rusqlite::Result<Vec<PathBuf>> {
    let mut statement = transaction
        .prepare_cached("SELECT folders FROM files WHERE operation = ?1 AND folders <> x''")?;
    let mut rows = statement.query([operation])?;
    let mut folders = Vec::new();
    while let Some(row) = rows.next()? {
        folders.extend(paths_in(&row.get::<_, Vec<u8>>(0)?));
    }
    Ok(folders)
}

fn paths_in(folders: &[u8]) -> impl Iterator<Item = PathBuf> {
    let folders = folders.split(|byte| *byte == 0);
    folders.filter(|folder| !folder.is_empty()).map(path_of)
}

/// Hands the folders of a change that is undone, or was not made, on to changes that have files in them: whichever of these is
/// undone last removes the folders.
pub(super) fn hand_on_folders(
    transaction: &Connection,
    folders: &[PathBuf],
) -> rusqlite::Result<()> {
    folders
        .iter()
        .try_for_each(|folder| add_folder(transaction, folder))
}

/// Adds a folder to those that were made for the oldest change that created a file in it, so that an undo of that change
/// removes it. Nothing is done where the change has it already.
pub(super) fn add_folder(transaction: &Connection, folder: &Path) -> rusqlite::Result<()> {
    let (from, to) = below(folder);
    let oldest: Option<(String, i64, Vec<u8>)> = transaction
        .prepare_cached(
            "SELECT f.operation, f.at, f.folders FROM files f JOIN operations o ON o.id = f.operation
             WHERE f.path > ?1 AND f.path < ?2 AND (f.kind = ?3 OR f.moved_from IS NOT NULL) AND f.undone IS NULL
             ORDER BY o.sequence LIMIT 1",
        )?
        .query_row(params![from, to, ChangeKind::Create.number()], |row| row.try_into())
        .optional()?;
    let Some((operation, at, mut folders)) = oldest else {
        return Ok(());
    };
    let bytes = bytes_of(folder);
    if !folders.split(|byte| *byte == 0).any(|known| known == bytes) {
        folders.extend_from_slice(bytes);
        folders.push(0);
        transaction.execute(
            "UPDATE files SET folders = ?3 WHERE operation = ?1 AND at = ?2",
            params![operation, at, folders],
        )?;
    }
    Ok(())
}

fn folders_of(folders: &[PathBuf]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for folder in folders {
        bytes.extend_from_slice(bytes_of(folder));
        bytes.push(0);
    }
    bytes
}
