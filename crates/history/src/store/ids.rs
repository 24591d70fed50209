//! Ids as people type and see them: finds operations by a part of their id, and computes the shortest ending that no
//! other id has.

use std::path::PathBuf;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::log::find_operation;
use super::sql_filter::SqlFilter;
use crate::operation::IdMatch;

/// The largest number of operations that an ambiguous part of an id returns.
const MAX_CANDIDATES: usize = 10;

/// Finds operations by a part of their id: below the folders first, then everywhere.
pub(super) fn match_id(
    connection: &Connection,
    part: &str,
    below: &[PathBuf],
) -> rusqlite::Result<IdMatch> {
    let mut ids = candidate_ids(connection, part, below)?;
    if ids.is_empty() && !below.is_empty() {
        ids = candidate_ids(connection, part, &[])?;
    }
    match ids.as_slice() {
        [id] => Ok(find_operation(connection, id)?
            .map_or(IdMatch::None, |found| IdMatch::One(Box::new(found)))),
        [] => Ok(IdMatch::None),
        _ => {
            let found = ids.iter().map(|id| find_operation(connection, id));
            let found = found.collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(IdMatch::Several(found.into_iter().flatten().collect()))
        }
    }
}

/// Returns the ids that end with a part; if there are none, those that begin with it. Endings are what is shown, so a
/// part that has become the ending of several never means an id that only begins with it.
fn candidate_ids(
    connection: &Connection,
    part: &str,
    below: &[PathBuf],
) -> rusqlite::Result<Vec<String>> {
    let ending = matching_ids(connection, part, IdPart::Ending, below)?;
    if ending.is_empty() {
        return matching_ids(connection, part, IdPart::Beginning, below);
    }
    Ok(ending)
}

/// The part of an id that is known.
#[derive(Clone, Copy)]
enum IdPart {
    Beginning,
    Ending,
}

fn matching_ids(
    connection: &Connection,
    part: &str,
    which: IdPart,
    below: &[PathBuf],
) -> rusqlite::Result<Vec<String>> {
    let mut filter = SqlFilter::default();
    let part = Value::Text(part.to_owned());
    match which {
        // `{` sorts after every character of an id.
        IdPart::Beginning => filter.add("o.id >= ? AND o.id < ? || '{'", [part.clone(), part]),
        IdPart::Ending => filter.add("substr(o.id, -length(?)) = ?", [part.clone(), part]),
    }
    filter.add("o.id NOT IN (SELECT id FROM begun)", []);
    filter.restrict_to_folders(below);
    let mut statement = connection.prepare_cached(&format!(
        "SELECT o.id FROM operations o WHERE {} ORDER BY o.sequence DESC LIMIT {MAX_CANDIDATES}",
        filter.sql
    ))?;
    let ids = statement.query_map(params_from_iter(filter.values), |row| row.get(0))?;
    ids.collect()
}

/// Returns the length of the shortest unique ending of each id. Ids begin with their time, so those of one day share
/// long beginnings and have distinct short endings.
pub(super) fn unique_ending_lengths(
    connection: &Connection,
    ids: &[&str],
) -> rusqlite::Result<Vec<usize>> {
    let mut statement = connection.prepare_cached("SELECT id FROM operations")?;
    let all = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut all = all
        .map(|id| Ok(id?.into_bytes().into_iter().rev().collect()))
        .collect::<rusqlite::Result<Vec<Vec<u8>>>>()?;
    all.sort_unstable();
    // Of all ids, the neighbours in sorted order have the longest common part.
    let length = |id: &&str| {
        let turned: Vec<u8> = id.bytes().rev().collect();
        let at = all.partition_point(|other| *other < turned);
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        let after = all[at..].iter().find(|other| **other != turned);
        let most = [before, after].into_iter().flatten();
        let most = most.map(|other| common_prefix_length(&turned, other)).max();
        most.map_or(1, |most| most + 1).min(id.len())
    };
    Ok(ids.iter().map(length).collect())
}

/// Returns the length of the common prefix.
fn common_prefix_length(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.take_while(|(one, other)| one == other).count()
}
