//! A preview of pruning, computed from one read transaction: nothing is written, and no writer has to wait.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::age::{AgeLimit, OperationAge};
use super::log::enum_from_column;
use super::prune::{active_sessions, database_size};
use crate::operation::{HistoryLimits, OperationKind, PruneResult};

/// The time limit of the computation.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// An operation with its files, as the preview needs it.
struct ForecastRow {
    id: String,
    sequence: i64,
    age: OperationAge,
    session: String,
    kind: OperationKind,
    files: Vec<ForecastFile>,
}

/// A file of an operation: its name, the root that it was recorded with, and its contents before and after.
struct ForecastFile {
    path: Vec<u8>,
    workspace: Option<i64>,
    contents: [Option<i64>; 2],
}

/// The newest operation of each file, by its name and root. A record without a root counts for every file of that name.
#[derive(Default)]
struct NewestOperations<'f> {
    of_name: HashMap<&'f [u8], i64>,
    of_file: HashMap<(&'f [u8], Option<i64>), i64>,
}

impl<'f> NewestOperations<'f> {
    fn record_operation(&mut self, file: &'f ForecastFile, sequence: i64) {
        self.of_name.insert(&file.path, sequence);
        self.of_file.insert((&file.path, file.workspace), sequence);
    }

    /// Returns whether the file has an operation after this one.
    fn has_later_operation(&self, file: &ForecastFile, sequence: i64) -> bool {
        let path = file.path.as_slice();
        let later = match file.workspace {
            None => self.of_name.get(path),
            Some(_) => self
                .of_file
                .get(&(path, file.workspace))
                .max(self.of_file.get(&(path, None))),
        };
        later.is_some_and(|later| *later > sequence)
    }
}

/// Returns the result that a prune with these limits would have. Deltas whose base would be removed become whole
/// contents, so the history would take somewhat more bytes than the preview says.
pub(super) fn forecast_prune(
    connection: &mut Connection,
    limits: &HistoryLimits,
) -> rusqlite::Result<PruneResult> {
    let deadline = Instant::now() + TIME_LIMIT;
    let transaction = connection.transaction()?;
    let at_work = active_sessions(&transaction)?;
    let begun: HashSet<String> = {
        let mut statement = transaction.prepare("SELECT id FROM begun")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let operations = list_operations(&transaction, &AgeLimit::from_limits(limits))?;
    let mut newest = NewestOperations::default();
    let mut uses: HashMap<i64, usize> = HashMap::new();
    for found in &operations {
        for file in &found.files {
            if found.kind != OperationKind::Late {
                newest.record_operation(file, found.sequence);
            }
            for content in file.contents.iter().flatten() {
                *uses.entry(*content).or_default() += 1;
            }
        }
    }
    let stored: HashMap<i64, i64> = {
        let mut statement = transaction.prepare("SELECT id, stored FROM contents")?;
        let rows = statement.query_map([], |row| row.try_into())?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut removed = PruneResult {
        left: database_size(&transaction)?,
        ..PruneResult::default()
    };
    let mut begins: HashSet<(&str, &[u8], Option<i64>)> = HashSet::new();
    for found in &operations {
        // The first operation of an active session on a file leads back to how the session found it.
        let is_first = at_work.contains(&found.session)
            && found
                .files
                .iter()
                .filter(|file| begins.insert((&found.session, &file.path, file.workspace)))
                .count()
                > 0;
        if Instant::now() >= deadline {
            removed.unfinished = true;
            break;
        }
        let over = removed.left > limits.size;
        let beyond = (over || found.age != OperationAge::Young)
            && !begun.contains(&found.id)
            && found
                .files
                .iter()
                .all(|file| newest.has_later_operation(file, found.sequence));
        if !beyond {
            continue;
        }
        if !over && found.age != OperationAge::Overdue {
            removed.waiting += 1;
            continue;
        }
        if is_first {
            removed.spared += 1;
            continue;
        }
        removed.operations += 1;
        subtract_contents(found, &mut uses, &stored, &mut removed);
    }
    Ok(removed)
}

/// Subtracts the contents of a removed operation from the uses, and counts those that no operation uses any more as
/// removed. `stored` are the sizes of the contents.
fn subtract_contents(
    operation: &ForecastRow,
    uses: &mut HashMap<i64, usize>,
    stored: &HashMap<i64, i64>,
    removed: &mut PruneResult,
) {
    let files = operation.files.iter();
    for content in files.flat_map(|file| file.contents).flatten() {
        let left = uses.entry(content).or_default();
        *left = left.saturating_sub(1);
        if *left == 0 {
            let bytes = stored
                .get(&content)
                .map_or(0, |stored| stored.unsigned_abs());
            removed.contents += 1;
            removed.bytes += bytes;
            removed.left = removed.left.saturating_sub(bytes);
        }
    }
}

/// Returns all operations with their files, in the order of recording.
fn list_operations(
    connection: &Connection,
    limit: &AgeLimit,
) -> rusqlite::Result<Vec<ForecastRow>> {
    let mut statement = connection.prepare(
        "SELECT o.id, o.time, o.session, f.path, f.before, f.after, o.kind,
                o.sequence, o.overdue, f.workspace
         FROM operations o JOIN files f ON f.operation = o.id ORDER BY o.sequence, f.at",
    )?;
    let mut rows = statement.query([])?;
    let mut all: Vec<ForecastRow> = Vec::new();
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        let file = ForecastFile {
            path: row.get(3)?,
            workspace: row.get(9)?,
            contents: [row.get(4)?, row.get(5)?],
        };
        match all.last_mut() {
            Some(last) if last.id == id => last.files.push(file),
            _ => all.push(ForecastRow {
                id,
                sequence: row.get(7)?,
                age: limit.classify_age(row.get(1)?, row.get(8)?),
                session: row.get(2)?,
                kind: enum_from_column(OperationKind::from_number, row, 6)?,
                files: vec![file],
            }),
        }
    }
    Ok(all)
}
