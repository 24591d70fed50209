//! Opens contents for reading in parts: a file with whole bytes, and the deltas on top of it.

use std::io::{self, Write as _};
use std::path::Path;

use rusqlite::Connection;

use super::contents::{FORM_FILE, FORM_MASK, FORM_SPANS, content_id, find_row, unpack_row};
use super::{blobs, spans};
use crate::entry::Revision;
use crate::kept::StoredContent;

/// The longest chain of deltas that is followed; a longer one is a cycle in a damaged database.
const MAX_DELTA_CHAIN: usize = 10_000;

/// Opens a content; none if it is not stored, or its deltas do not fit their base.
pub(super) fn open_streamed(
    connection: &Connection,
    state: &Path,
    revision: &Revision,
) -> rusqlite::Result<Option<io::Result<StoredContent>>> {
    let Some(mut next) = content_id(connection, revision)? else {
        return Ok(None);
    };
    let mut waiting: Vec<Vec<u8>> = Vec::new();
    let base = loop {
        let Some(row) = find_row(connection, next)? else {
            return Ok(None);
        };
        match (row.form & FORM_MASK, row.base) {
            (FORM_SPANS, Some(base)) if waiting.len() < MAX_DELTA_CHAIN => {
                let Some(changes) = unpack_row(state, &row) else {
                    return Ok(None);
                };
                waiting.push(changes);
                next = base;
            }
            (FORM_SPANS, _) => return Ok(None),
            (FORM_FILE, _) => break blobs::open_content(state, &row.revision),
            _ => {
                let Some(bytes) = unpack_row(state, &row) else {
                    return Ok(None);
                };
                break blobs::unnamed_temporary(state)
                    .and_then(|mut file| file.write_all(&bytes).map(|()| file));
            }
        }
    };
    let mut content = match base.and_then(StoredContent::from_file) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Ok(Some(Err(error))),
    };
    for encoded in waiting.iter().rev() {
        let changed =
            spans::decode_changes(encoded).and_then(|changes| content.with_changes(&changes));
        let Some(changed) = changed else {
            return Ok(None);
        };
        content = changed;
    }
    Ok(Some(Ok(content)))
}
