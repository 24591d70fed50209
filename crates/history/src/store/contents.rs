//! Contents by hash: small ones in the database, large ones as files, the state after an edit as its spans against the
//! one before. What is read back is checked against its name.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use super::{blobs, spans};
use crate::entry::Revision;
use crate::operation::{Content, Draft, State};

/// Contents up to this size are in the database.
pub(super) const INLINE: u64 = 64 * 1024;
/// Larger contents are never put together only to be kept.
const IN_MEMORY: u64 = 32 << 20;
/// So many spans may lie between a content and whole bytes.
const DEEPEST: i64 = 32;

/// The forms of a row.
pub(super) const BYTES: i64 = 0;
pub(super) const FILE: i64 = 1;
pub(super) const SPANS: i64 = 2;
pub(super) const FORM: i64 = 15;
pub(super) const COMPRESSED: i64 = 16;
/// Not compressed and not to be: too small to be worth it, or tried and found not to be smaller.
pub(super) const INCOMPRESSIBLE: i64 = 32;
/// Smaller contents are not worth compressing.
const LEAST: u64 = 256;

/// A row of the table.
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) revision: Revision,
    pub(super) form: i64,
    pub(super) base: Option<i64>,
    pub(super) data: Option<Vec<u8>>,
}

/// Writes the files of a draft's large contents, before its transaction.
/// Those that `is_known` knows are kept already, in whatever form.
pub(super) fn put_files(
    state: &Path,
    draft: &Draft<'_>,
    is_known: &dyn Fn(&Revision) -> bool,
) -> std::io::Result<()> {
    let states = draft
        .files
        .iter()
        .flat_map(|file| [&file.before, &file.after])
        .flatten();
    for kept in states {
        // Of the others nothing is written: nobody needs to be asked whether they are known.
        let Content::Whole(bytes) = &kept.content else {
            continue;
        };
        if kept.size > INLINE && !is_known(&kept.revision) {
            blobs::put(state, &kept.revision, &|file| file.write_all(bytes))?;
        }
    }
    Ok(())
}

/// Whether a content is kept.
pub(super) fn id_of(connection: &Connection, revision: &Revision) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM contents WHERE revision = ?1")?
        .query_row([revision], |row| row.get(0))
        .optional()
}

/// The form that a content is kept in.
pub(super) fn form_of(
    connection: &Connection,
    revision: &Revision,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT form FROM contents WHERE revision = ?1")?
        .query_row([revision], |row| row.get(0))
        .optional()
}

/// Whether a content can be given out: its row is there, and its file where it is in one.
pub(super) fn is_kept(
    connection: &Connection,
    state: &Path,
    revision: &Revision,
) -> rusqlite::Result<bool> {
    let form = form_of(connection, revision)?;
    Ok(form.is_some_and(|form| form & FORM != FILE || blobs::path_of(state, revision).exists()))
}

/// Keeps a content; its number.
pub(super) fn put(
    connection: &Connection,
    state: &Path,
    kept: &State<'_>,
) -> rusqlite::Result<i64> {
    if let Some(id) = id_of(connection, &kept.revision)? {
        return Ok(id);
    }
    match &kept.content {
        Content::Whole(bytes) if bytes.len() as u64 <= INLINE => {
            insert(connection, kept, BYTES, None, 0, Some(bytes))
        }
        Content::Whole(_) | Content::Displaced => insert(connection, kept, FILE, None, 0, None),
        Content::Spans { base, changes } => put_spans(connection, state, kept, base, changes),
    }
}

fn put_spans(
    connection: &Connection,
    state: &Path,
    kept: &State<'_>,
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
    let encoded = spans::encode(changes);
    // Spans that carry most of the content save nothing, and a long chain is slow to follow.
    let worth_it = (encoded.len() as u64) < kept.size / 2;
    if kept.size > IN_MEMORY || (worth_it && depth < DEEPEST) {
        return insert(connection, kept, SPANS, Some(id), depth + 1, Some(&encoded));
    }
    let Some(bytes) = get_row(connection, state, id)?.and_then(|base| spans::apply(base, &encoded))
    else {
        return insert(connection, kept, SPANS, Some(id), depth + 1, Some(&encoded));
    };
    if bytes.len() as u64 <= INLINE {
        return insert(connection, kept, BYTES, None, 0, Some(&bytes));
    }
    match blobs::put(state, &kept.revision, &|file| file.write_all(&bytes)) {
        Ok(()) => insert(connection, kept, FILE, None, 0, None),
        Err(_) => insert(connection, kept, SPANS, Some(id), depth + 1, Some(&encoded)),
    }
}

fn insert(
    connection: &Connection,
    kept: &State<'_>,
    form: i64,
    base: Option<i64>,
    depth: i64,
    data: Option<&[u8]>,
) -> rusqlite::Result<i64> {
    let stored = data.map_or(kept.size, |data| data.len() as u64);
    let form = if stored < LEAST {
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

/// The bytes of a content, if they are kept and still what their hash says.
pub(super) fn get(
    connection: &Connection,
    state: &Path,
    revision: &Revision,
) -> rusqlite::Result<Option<Vec<u8>>> {
    let Some(id) = id_of(connection, revision)? else {
        return Ok(None);
    };
    let bytes = get_row(connection, state, id)?;
    Ok(bytes.filter(|bytes| *blake3::hash(bytes).as_bytes() == *revision))
}

/// The bytes of a row: back to whole bytes, then forward through the spans.
pub(super) fn get_row(
    connection: &Connection,
    state: &Path,
    id: i64,
) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut waiting: Vec<Vec<u8>> = Vec::new();
    let mut next = id;
    let mut bytes = loop {
        let Some(row) = row(connection, next)? else {
            return Ok(None);
        };
        let Some(data) = unpacked(state, &row) else {
            return Ok(None);
        };
        match (row.form & FORM, row.base) {
            (SPANS, Some(base)) if waiting.len() < 10_000 => {
                waiting.push(data);
                next = base;
            }
            (SPANS, _) => return Ok(None),
            _ => break data,
        }
    };
    for changes in waiting.iter().rev() {
        match spans::apply(bytes, changes) {
            Some(changed) => bytes = changed,
            None => return Ok(None),
        }
    }
    Ok(Some(bytes))
}

pub(super) fn row(connection: &Connection, id: i64) -> rusqlite::Result<Option<Row>> {
    connection
        .prepare_cached("SELECT id, revision, form, base, data FROM contents WHERE id = ?1")?
        .query_row([id], |row| {
            Ok(Row {
                id: row.get(0)?,
                revision: row.get(1)?,
                form: row.get(2)?,
                base: row.get(3)?,
                data: row.get(4)?,
            })
        })
        .optional()
}

/// What a row holds, from its file where it is in one, unpacked.
pub(super) fn unpacked(state: &Path, row: &Row) -> Option<Vec<u8>> {
    let data = match row.form & FORM {
        FILE => blobs::get(state, &row.revision).ok()?,
        _ => row.data.clone()?,
    };
    if row.form & FORM == FILE {
        // A file is replaced by its compressed form before its row says so, and a user's file may be a compressed one
        // itself: the hash tells which it is.
        let is_plain = !data.starts_with(MAGIC) || *blake3::hash(&data).as_bytes() == row.revision;
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

/// How compressed bytes begin.
pub(super) const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
