//! The counts of refusals, and the totals of the history.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use super::clock::now;
use super::paths::bounds_below;
use super::paths::{path_bytes, path_from_bytes};
use super::sql_filter::SqlFilter;
use super::workspaces;
use crate::operation::{Statistics, StatisticsQuery, Totals, TotalsByName};

const HOUR_SECONDS: i64 = 60 * 60;

/// Adds one to the refusals of that name in this hour and folder.
pub(super) fn count_refusal(
    connection: &Connection,
    session: &str,
    tool: &str,
    name: &str,
    folder: &Path,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO refusals (hour, session, tool, name, folder, count) VALUES (?1, ?2, ?3, ?4, ?5, 1)
             ON CONFLICT DO UPDATE SET count = count + 1",
        )?
        .execute(params![now() / HOUR_SECONDS, session, tool, name, path_bytes(folder)])?;
    Ok(())
}

/// Returns the operations and files that a query counts.
fn operations_filter(
    connection: &Connection,
    query: &StatisticsQuery,
) -> rusqlite::Result<SqlFilter> {
    let mut filter = SqlFilter::default();
    filter.add("o.id NOT IN (SELECT id FROM begun)", []);
    if let Some(session) = &query.session {
        filter.add("o.session = ?", [Value::Text(session.clone())]);
    }
    if let Some(client) = &query.client {
        filter.add("o.client = ?", [Value::Text(client.clone())]);
    }
    if let Some(since) = query.since {
        filter.add("o.time >= ?", [Value::Integer(since)]);
    }
    filter.restrict_rows_to_folders(&query.below);
    filter.exclude_roots(&workspaces::find_workspace_numbers(
        connection,
        &query.without,
    )?);
    if let Some(path) = &query.path {
        let (from, to) = bounds_below(path);
        let path = path_bytes(path).to_vec();
        filter.add(
            "(f.path = ? OR (f.path > ? AND f.path < ?)
              OR f.moved_from = ? OR (f.moved_from > ? AND f.moved_from < ?))",
            [path.clone(), from.clone(), to.clone(), path, from, to].map(Value::Blob),
        );
    }
    Ok(filter)
}

/// Computes all totals in one pass over the operations.
pub(super) fn compute_statistics(
    connection: &Connection,
    query: &StatisticsQuery,
) -> rusqlite::Result<Statistics> {
    let filter = operations_filter(connection, query)?;
    let mut statement = connection.prepare(&format!(
        "SELECT o.id, o.session, o.client, o.tool, o.rungs, f.path, f.added, f.removed
         FROM operations o JOIN files f ON f.operation = o.id WHERE {} ORDER BY o.id",
        filter.sql
    ))?;
    let mut rows = statement.query(params_from_iter(filter.values))?;
    let mut last = String::new();
    let mut total = Totals::default();
    let mut files: HashMap<PathBuf, Totals> = HashMap::new();
    let mut tools: BTreeMap<String, Totals> = BTreeMap::new();
    let mut sessions: BTreeMap<String, Totals> = BTreeMap::new();
    let mut clients: BTreeMap<String, Totals> = BTreeMap::new();
    let mut rungs: BTreeMap<String, u64> = BTreeMap::new();
    let withheld: HashSet<&PathBuf> = query.without_lines.iter().collect();
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        let is_first = id != last;
        let path = path_from_bytes(&row.get::<_, Vec<u8>>(5)?);
        let (added, removed) = match withheld.contains(&path) {
            true => (0, 0),
            false => (row.get::<_, i64>(6)? as u64, row.get::<_, i64>(7)? as u64),
        };
        let count = |sum: &mut Totals, operations: bool| {
            sum.operations += u64::from(operations);
            sum.added += added;
            sum.removed += removed;
        };
        count(&mut total, is_first);
        count(files.entry(path).or_default(), true);
        count(sessions.entry(row.get(1)?).or_default(), is_first);
        if let Some(client) = row.get::<_, Option<String>>(2)? {
            count(clients.entry(client).or_default(), is_first);
        }
        count(tools.entry(row.get(3)?).or_default(), is_first);
        if is_first {
            let used: String = row.get(4)?;
            for rung in used.split(',').filter(|rung| !rung.is_empty()) {
                *rungs.entry(rung.to_owned()).or_default() += 1;
            }
            last = id;
        }
    }
    Ok(Statistics {
        total,
        files: files_by_weight(files),
        tools: sort_by_weight(tools),
        sessions: sort_by_weight(sessions),
        clients: sort_by_weight(clients),
        rungs: sort_by_count(rungs.into_iter().collect()),
        refusals: match query.path {
            Some(_) => Vec::new(),
            None => refusal_counts(connection, query)?,
        },
    })
}

fn files_by_weight(files: HashMap<PathBuf, Totals>) -> Vec<(PathBuf, Totals)> {
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by(|one, other| {
        sort_weight(&other.1)
            .cmp(&sort_weight(&one.1))
            .then(one.0.cmp(&other.0))
    });
    files
}

fn refusal_counts(
    connection: &Connection,
    query: &StatisticsQuery,
) -> rusqlite::Result<Vec<(String, u64)>> {
    let since = query.since.map_or(0, |since| since / 1000 / HOUR_SECONDS);
    let mut filter = SqlFilter::default();
    filter.add("hour >= ?", [Value::Integer(since)]);
    if let Some(session) = &query.session {
        filter.add("session = ?", [Value::Text(session.clone())]);
    }
    if let Some(client) = &query.client {
        // Refusals are recorded with their session only, so the client is matched through its sessions.
        filter.add(
            "session IN (SELECT session FROM operations WHERE client = ?)",
            [Value::Text(client.clone())],
        );
    }
    if !query.below.is_empty() {
        let one = vec!["folder = ? OR (folder > ? AND folder < ?)"; query.below.len()];
        let values = query.below.iter().flat_map(|root| {
            let (from, to) = bounds_below(root);
            [path_bytes(root).to_vec(), from, to].map(Value::Blob)
        });
        filter.add(&format!("({})", one.join(" OR ")), values);
    }
    let mut statement = connection.prepare(&format!(
        "SELECT name, sum(count) FROM refusals WHERE {} GROUP BY name",
        filter.sql
    ))?;
    let rows = statement.query_map(params_from_iter(filter.values), |row| {
        Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))
    })?;
    Ok(sort_by_count(rows.collect::<rusqlite::Result<_>>()?))
}

fn sort_weight(sum: &Totals) -> (u64, u64) {
    (sum.operations, sum.added + sum.removed)
}

fn sort_by_weight(sums: BTreeMap<String, Totals>) -> TotalsByName {
    let mut sums: TotalsByName = sums.into_iter().collect();
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sort_weight(sum)));
    sums
}

fn sort_by_count(mut counts: Vec<(String, u64)>) -> Vec<(String, u64)> {
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
