//! Contents by hash. Small ones are stored in the database, large ones as files, and the content after an edit as a
//! delta (spans) to the one before. Contents are verified against their hash when they are read.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use super::{blobs, spans};
use crate::entry::Revision;
use crate::operation::{ContentDraft, DraftState, OperationDraft};

/// Contents up to this size are stored in the database; larger ones are files of the state folder.
pub const INLINE_LIMIT: u64 = 64 * 1024;
/// A delta to a content larger than this is stored as it is, without building the whole content in memory.
const MAX_IN_MEMORY: u64 = 32 << 20;
/// The longest chain of deltas down to a whole content.
pub(super) const MAX_DELTA_CHAIN: i64 = 32;

/// The encodings of a row, in the lowest four bits of its form: bytes in the row, a file, or spans that change
/// another row.
pub(super) const FORM_BYTES: i64 = 0;
pub(super) const FORM_FILE: i64 = 1;
pub(super) const FORM_SPANS: i64 = 2;
pub(super) const FORM_MASK: i64 = 15;
pub(super) const COMPRESSED: i64 = 16;
/// The row is not compressed and will not be: it is too small, or compression did not make it smaller.
pub(super) const INCOMPRESSIBLE: i64 = 32;
/// Contents smaller than this are not compressed.
pub(super) const MIN_COMPRESSED_BYTES: u64 = 256;

/// A row of the table of contents.
pub(super) struct ContentRow {
    pub(super) id: i64,
    pub(super) revision: Revision,
    pub(super) form: i64,
    pub(super) base: Option<i64>,
    pub(super) data: Option<Vec<u8>>,
}

/// Writes the files of a draft's large contents, before its transaction. Contents for which `is_known` is true are
/// stored already.
pub(super) fn write_content_files(
    state: &Path,
    draft: &OperationDraft<'_>,
    is_known: &dyn Fn(&Revision) -> bool,
) -> std::io::Result<()> {
    let states = draft
        .files
        .iter()
        .flat_map(|file| [&file.before, &file.after])
        .flatten();
    for kept in states {
        // Only whole contents are written to files here.
        let ContentDraft::Whole(bytes) = &kept.content else {
            continue;
        };
        if kept.size > INLINE_LIMIT && !is_known(&kept.revision) {
            blobs::write_content(state, &kept.revision, &|file| file.write_all(bytes))?;
        }
    }
    Ok(())
}

/// Returns the row id of a content, if it is stored.
pub(super) fn content_id(
    connection: &Connection,
    revision: &Revision,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM contents WHERE revision = ?1")?
        .query_row([revision], |row| row.get(0))
        .optional()
}

/// Returns the encoding of a content, if it is stored.
pub(super) fn content_form(
    connection: &Connection,
    revision: &Revision,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT form FROM contents WHERE revision = ?1")?
        .query_row([revision], |row| row.get(0))
        .optional()
}

/// Returns whether a content can be read: its row exists, and so does its file if it is stored in one.
pub(super) fn is_readable(
    connection: &Connection,
    state: &Path,
    revision: &Revision,
) -> rusqlite::Result<bool> {
    let form = content_form(connection, revision)?;
    Ok(form.is_some_and(|form| {
        form & FORM_MASK != FORM_FILE || blobs::content_path(state, revision).exists()
    }))
}

/// Stores a content unless it is stored already; returns its row id.
pub(super) fn store_content(
    connection: &Connection,
    state: &Path,
    kept: &DraftState<'_>,
) -> rusqlite::Result<i64> {
    if let Some(id) = content_id(connection, &kept.revision)? {
        return Ok(id);
    }
    match &kept.content {
        ContentDraft::Whole(bytes) if bytes.len() as u64 <= INLINE_LIMIT => {
            insert_row(connection, kept, FORM_BYTES, None, 0, Some(bytes))
        }
        ContentDraft::Whole(_) | ContentDraft::Displaced => {
            insert_row(connection, kept, FORM_FILE, None, 0, None)
        }
        ContentDraft::Spans { base, changes } => {
            store_spans(connection, state, kept, base, changes)
        }
    }
}

fn store_spans(
    connection: &Connection,
    state: &Path,
    kept: &DraftState<'_>,
    base: &Revision,
    changes: &[crate::content::RawChange<'_>],
) -> rusqlite::Result<i64> {
    let found = connection
        .prepare_cached("SELECT id, depth FROM contents WHERE revision = ?1")?
        .query_row([base], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        })
        .optional()?;
    let Some((id, depth)) = found else {
        return Err(rusqlite::Error::InvalidParameterName(
            "spans without their base".into(),
        ));
    };
    let encoded = spans::encode_changes(changes);
    // A delta with most of the content saves nothing, and a long chain is slow to resolve.
    let worth_it = (encoded.len() as u64) < kept.size / 2;
    if kept.size > MAX_IN_MEMORY || (worth_it && depth < MAX_DELTA_CHAIN) {
        return insert_row(
            connection,
            kept,
            FORM_SPANS,
            Some(id),
            depth + 1,
            Some(&encoded),
        );
    }
    let Some(bytes) =
        read_row(connection, state, id)?.and_then(|base| spans::apply_encoded(base, &encoded))
    else {
        return insert_row(
            connection,
            kept,
            FORM_SPANS,
            Some(id),
            depth + 1,
            Some(&encoded),
        );
    };
    if bytes.len() as u64 <= INLINE_LIMIT {
        return insert_row(connection, kept, FORM_BYTES, None, 0, Some(&bytes));
    }
    match blobs::write_content(state, &kept.revision, &|file| file.write_all(&bytes)) {
        Ok(()) => insert_row(connection, kept, FORM_FILE, None, 0, None),
        Err(_) => insert_row(
            connection,
            kept,
            FORM_SPANS,
            Some(id),
            depth + 1,
            Some(&encoded),
        ),
    }
}

fn insert_row(
    connection: &Connection,
    kept: &DraftState<'_>,
    form: i64,
    base: Option<i64>,
    depth: i64,
    data: Option<&[u8]>,
) -> rusqlite::Result<i64> {
    let stored = data.map_or(kept.size, |data| data.len() as u64);
    let form = if stored < MIN_COMPRESSED_BYTES {
        form | INCOMPRESSIBLE
    } else {
        form
    };
    connection
        .prepare_cached(
            "INSERT INTO contents (revision, size, form, base, depth, stored, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            kept.revision,
            kept.size as i64,
            form,
            base,
            depth,
            stored as i64,
            data
        ])?;
    Ok(connection.last_insert_rowid())
}

/// Returns the bytes of a content, if it is stored and still has its hash.
pub(super) fn read_content(
    connection: &Connection,
    state: &Path,
    revision: &Revision,
) -> rusqlite::Result<Option<Vec<u8>>> {
    let Some(id) = content_id(connection, revision)? else {
        return Ok(None);
    };
    let bytes = read_row(connection, state, id)?;
    Ok(bytes.filter(|bytes| *blake3::hash(bytes).as_bytes() == *revision))
}

/// Returns the bytes of a row: follows the chain of deltas to a whole content, then applies them in reverse order.
pub(super) fn read_row(
    connection: &Connection,
    state: &Path,
    id: i64,
) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut waiting: Vec<Vec<u8>> = Vec::new();
    let mut next = id;
    let mut bytes = loop {
        let Some(row) = find_row(connection, next)? else {
            return Ok(None);
        };
        let Some(data) = unpack_row(state, &row) else {
            return Ok(None);
        };
        match (row.form & FORM_MASK, row.base) {
            (FORM_SPANS, Some(base)) if waiting.len() < 10_000 => {
                waiting.push(data);
                next = base;
            }
            (FORM_SPANS, _) => return Ok(None),
            _ => break data,
        }
    };
    for changes in waiting.iter().rev() {
        match spans::apply_encoded(bytes, changes) {
            Some(changed) => bytes = changed,
            None => return Ok(None),
        }
    }
    Ok(Some(bytes))
}

pub(super) fn find_row(connection: &Connection, id: i64) -> rusqlite::Result<Option<ContentRow>> {
    connection
        .prepare_cached("SELECT id, revision, form, base, data FROM contents WHERE id = ?1")?
        .query_row([id], |row| {
            Ok(ContentRow {
                id: row.get(0)?,
                revision: row.get(1)?,
                form: row.get(2)?,
                base: row.get(3)?,
                data: row.get(4)?,
            })
        })
        .optional()
}

/// Returns the decompressed data of a row, read from its file if it is stored in one.
pub(super) fn unpack_row(state: &Path, row: &ContentRow) -> Option<Vec<u8>> {
    let data = match row.form & FORM_MASK {
        FORM_FILE => blobs::read_content(state, &row.revision).ok()?,
        _ => row.data.clone()?,
    };
    if row.form & FORM_MASK == FORM_FILE {
        // The file is replaced by its compressed form before its row is updated, and the user's file may itself be a
        // zstd file: the hash decides which it is.
        let is_plain =
            !data.starts_with(ZSTD_MAGIC) || *blake3::hash(&data).as_bytes() == row.revision;
        return if is_plain {
            Some(data)
        } else {
            zstd::stream::decode_all(data.as_slice()).ok()
        };
    }
    if row.form & COMPRESSED != 0 {
        return zstd::stream::decode_all(data.as_slice()).ok();
    }
    Some(data)
}

/// The magic number of a zstd frame.
pub(super) const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
