//! The journal at the end of a listing: for each look since then the checkpoint before it, its own checkpoint, and the
//! names that it recorded as changed.

use std::collections::BTreeSet;

use super::format::{ListingReader, push_count, push_name};

/// The length of the checksum of a record.
const CHECKSUM_BYTES: usize = 8;

/// Returns the record of a look; none if a name is too long.
pub(crate) fn journal_record<'n>(
    before: &str,
    checkpoint: &str,
    changed: impl Iterator<Item = &'n [u8]>,
) -> Option<Vec<u8>> {
    let mut names = Vec::new();
    let mut count = 0;
    for name in changed {
        count += 1;
        if !push_name(&mut names, name) {
            return None;
        }
    }
    let mut body = Vec::new();
    let are_short =
        push_name(&mut body, before.as_bytes()) && push_name(&mut body, checkpoint.as_bytes());
    push_count(&mut body, count);
    body.extend_from_slice(&names);
    let mut record = Vec::new();
    push_count(&mut record, body.len());
    record.extend_from_slice(&blake3::hash(&body).as_bytes()[..CHECKSUM_BYTES]);
    record.extend_from_slice(&body);
    are_short.then_some(record)
}

/// Follows the looks of a journal from a checkpoint on, and adds the names that they recorded as changed. Returns none if
/// the journal is damaged.
pub(super) fn follow(
    journal: &[u8],
    checkpoint: &mut String,
    changed: &mut BTreeSet<Vec<u8>>,
) -> Option<()> {
    let mut reader = ListingReader::new(journal);
    while reader.left() > 0 {
        let length = usize::try_from(reader.number_32()?).ok()?;
        let checksum = reader.take(CHECKSUM_BYTES)?;
        let body = reader.take(length)?;
        if blake3::hash(body).as_bytes()[..CHECKSUM_BYTES] != *checksum {
            return None;
        }
        let mut record = ListingReader::new(body);
        let (before, now) = (record.text()?, record.text()?);
        // The looks between this record and the last one are missing if it begins elsewhere. The caller asks the history
        // what they changed.
        if before == *checkpoint {
            *checkpoint = now;
            for _ in 0..record.number_32()? {
                changed.insert(record.name()?.to_vec());
            }
        }
    }
    Some(())
}
