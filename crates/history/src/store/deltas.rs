//! Stores the content that a recorded change left as a delta to the one before it. Other programs say nothing about what
//! they changed in a file, so the two contents are compared: they have the same beginning and the same end.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::contents::{
    self, FORM_BYTES, FORM_SPANS, INCOMPRESSIBLE, MAX_DELTA_CHAIN, MIN_COMPRESSED_BYTES,
};
use super::spans;
use crate::content::RawChange;

/// Replaces the contents that the files of an operation were left with by deltas, where that saves more than half.
pub(super) fn store_as_deltas(
    connection: &Connection,
    state: &Path,
    operation: &str,
) -> rusqlite::Result<()> {
    // A delta is younger than its base, so that no two contents are based on each other.
    let pairs: Vec<(i64, i64)> = {
        let mut statement = connection.prepare_cached(
            "SELECT before, after FROM files WHERE operation = ?1 AND before < after",
        )?;
        let rows = statement.query_map([operation], |row| row.try_into())?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    for (before, after) in pairs {
        store_as_delta(connection, state, before, after)?;
    }
    Ok(())
}

fn store_as_delta(
    connection: &Connection,
    state: &Path,
    before: i64,
    after: i64,
) -> rusqlite::Result<()> {
    let depth: Option<i64> = connection
        .prepare_cached("SELECT depth FROM contents WHERE id = ?1")?
        .query_row([before], |row| row.get(0))
        .optional()?;
    let is_base: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM contents WHERE base = ?1)")?
        .query_row([after], |row| row.get(0))?;
    let row = contents::find_row(connection, after)?;
    let whole = row.filter(|row| row.form == FORM_BYTES && !is_base);
    let (Some(depth), Some(new)) = (depth, whole.and_then(|row| row.data)) else {
        return Ok(());
    };
    if depth >= MAX_DELTA_CHAIN {
        return Ok(());
    }
    let Some(old) = contents::read_row(connection, state, before)? else {
        return Ok(());
    };
    let encoded = spans::encode_changes(&[changed_middle(&old, &new)]);
    if encoded.len() >= new.len() / 2 {
        return Ok(());
    }
    let form = match (encoded.len() as u64) < MIN_COMPRESSED_BYTES {
        true => FORM_SPANS | INCOMPRESSIBLE,
        false => FORM_SPANS,
    };
    connection
        .prepare_cached(
            "UPDATE contents SET form = ?2, base = ?3, depth = ?4, stored = ?5, data = ?6 WHERE id = ?1",
        )?
        .execute(params![
            after,
            form,
            before,
            depth + 1,
            encoded.len() as i64,
            encoded
        ])?;
    Ok(())
}

/// Returns the range in which two contents differ between their common beginning and end, with the new bytes.
fn changed_middle<'n>(old: &[u8], new: &'n [u8]) -> RawChange<'n> {
    let same = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let start = same(&mut old.iter().zip(new));
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end = same(&mut old_rest.iter().rev().zip(new_rest.iter().rev()));
    let (from, to) = (start as u64, (old.len() - end) as u64);
    (from..to, &new_rest[..new_rest.len() - end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_changed_middle_makes_the_new_content_of_the_old_one(
            (start, end) in (prop::collection::vec(0..3_u8, 0..20), prop::collection::vec(0..3_u8, 0..20)),
            (old, new) in (prop::collection::vec(0..3_u8, 0..9), prop::collection::vec(0..3_u8, 0..9)),
        ) {
            let old = [start.as_slice(), &old, &end].concat();
            let new = [start.as_slice(), &new, &end].concat();
            let encoded = spans::encode_changes(&[changed_middle(&old, &new)]);
            prop_assert_eq!(spans::apply_encoded(old, &encoded), Some(new));
        }
    }
}
