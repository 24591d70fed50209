//! Opens contents for reading in parts: a file with whole bytes, and the deltas on top of it.

use std::io::{self, Write as _};
use std::path::Path;

use rusqlite::Connection;

use super::contents::{FILE, FORM, SPANS, id_of, row, unpacked};
use super::{blobs, spans};
use crate::entry::Revision;
use crate::kept::KeptContent;

/// The longest chain of deltas that is followed; a longer one is a cycle in a damaged database.
const LONGEST_CHAIN: usize = 10_000;

/// Opens a content; none if it is not stored, or its deltas do not fit their base.
pub(super) fn open(
    connection: &Connection,
    state: &Path,
    revision: &Revision,
) -> rusqlite::Result<Option<io::Result<KeptContent>>> {
    let Some(mut next) = id_of(connection, revision)? else {
        return Ok(None);
    };
    let mut waiting: Vec<Vec<u8>> = Vec::new();
    let base = loop {
        let Some(row) = row(connection, next)? else {
            return Ok(None);
        };
        match (row.form & FORM, row.base) {
            (SPANS, Some(base)) if waiting.len() < LONGEST_CHAIN => {
                let Some(changes) = unpacked(state, &row) else {
                    return Ok(None);
                };
                waiting.push(changes);
                next = base;
            }
            (SPANS, _) => return Ok(None),
            (FILE, _) => break blobs::open(state, &row.revision),
            _ => {
                let Some(bytes) = unpacked(state, &row) else {
                    return Ok(None);
                };
                break blobs::unnamed(state)
                    .and_then(|mut file| file.write_all(&bytes).map(|()| file));
            }
        }
    };
    let mut content = match base.and_then(KeptContent::of_file) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Ok(Some(Err(error))),
    };
    for encoded in waiting.iter().rev() {
        let changed = spans::decode(encoded).and_then(|changes| content.changed(&changes));
        let Some(changed) = changed else {
            return Ok(None);
        };
        content = changed;
    }
    Ok(Some(Ok(content)))
}
