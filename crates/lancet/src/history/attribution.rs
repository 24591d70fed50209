//! Line attribution (blame): the file's operations are replayed from the oldest to the bytes on the disk, and each line
//! keeps the operation that wrote it. The file is followed through moves. A line has no operation if another program
//! wrote it in between, or if the contents of its operation are no longer stored.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lancet_history::{
    FileChange, HistoryError, LogQuery, Operation, OperationKind, OperationStore, RecordedState,
    Revision,
};
use lancet_text::difference;

/// The longest time for one diff.
const DIFF_BUDGET: Duration = Duration::from_secs(2);

/// The most operations that are replayed. Lines that older operations wrote then have no operation.
const MAX_OPERATIONS: usize = 5_000;

/// The lines of a file that recorded operations wrote.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attribution {
    /// The file's absolute path.
    pub path: PathBuf,
    /// How many lines the file has.
    pub lines: usize,
    /// The ranges of lines that one operation wrote, in order.
    pub written: Vec<WrittenLines>,
    /// The text that the lines are counted in; none where the file is not UTF-8.
    pub text: Option<String>,
}

/// A range of lines that one operation wrote.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WrittenLines {
    /// The lines, counted from 1.
    pub lines: RangeInclusive<usize>,
    /// The operation that wrote the lines.
    pub operation: Arc<Operation>,
}

/// For each line the index of the operation that wrote it; none where no operation is known.
type Owners = Vec<Option<usize>>;

/// A change of a file, under the name that the file had then.
struct FileStep {
    operation: Operation,
    /// The index of the change among the files of the operation.
    at: usize,
}

impl FileStep {
    fn change(&self) -> &FileChange {
        &self.operation.files[self.at]
    }
}

/// Replays the operations of a file up to `now`, the bytes on the disk.
pub(super) fn attribute_lines(
    store: &dyn OperationStore,
    path: &Path,
    now: &[u8],
    without: Vec<[u8; 32]>,
) -> Result<Attribution, HistoryError> {
    let steps = steps_of_file(store, path, without)?;
    let returns = revisions_returned_to(&steps);
    let mut bytes: Vec<u8> = Vec::new();
    let mut owners: Owners = Vec::new();
    // The owners of the lines at each revision that an undo, redo or restore brings back later.
    let mut known: HashMap<Revision, Owners> = HashMap::new();
    let is_returned_to = |kept: &&RecordedState| returns.contains(&kept.revision);
    for (at, step) in steps.iter().enumerate() {
        let change = step.change();
        let content = |kept: &Option<RecordedState>| match kept {
            None => Ok(Some(Vec::new())),
            Some(kept) => store.content(&kept.revision),
        };
        let (Some(before), Some(after)) = (content(&change.before)?, content(&change.after)?)
        else {
            continue;
        };
        owners = carry_over_owners(&bytes, &owners, &before, None);
        if let Some(kept) = change.before.as_ref().filter(is_returned_to) {
            known.insert(kept.revision, owners.clone());
        }
        let again = change
            .after
            .as_ref()
            .filter(|_| step.operation.kind != OperationKind::Change)
            .and_then(|kept| known.get(&kept.revision));
        owners = match again {
            Some(owners) => owners.clone(),
            None => carry_over_owners(&before, &owners, &after, Some(at)),
        };
        if let Some(kept) = change.after.as_ref().filter(is_returned_to) {
            known.insert(kept.revision, owners.clone());
        }
        bytes = after;
    }
    owners = carry_over_owners(&bytes, &owners, now, None);
    let operations = steps.into_iter().map(|step| Arc::new(step.operation));
    let operations: Vec<Arc<Operation>> = operations.collect();
    let mut written: Vec<WrittenLines> = Vec::new();
    for (line, owner) in owners.iter().enumerate() {
        let Some(operation) = owner.and_then(|at| operations.get(at)) else {
            continue;
        };
        let line = line + 1;
        match written.last_mut() {
            Some(last) if *last.lines.end() + 1 == line && last.operation.id == operation.id => {
                last.lines = *last.lines.start()..=line;
            }
            _ => written.push(WrittenLines {
                lines: line..=line,
                operation: Arc::clone(operation),
            }),
        }
    }
    Ok(Attribution {
        path: path.to_owned(),
        lines: owners.len(),
        written,
        text: std::str::from_utf8(now).ok().map(str::to_owned),
    })
}

/// Returns the changes of a file, oldest first. The file is followed back through the moves that are recorded, so that
/// changes under its earlier names count, and those of another file that had one of these names do not.
fn steps_of_file(
    store: &dyn OperationStore,
    path: &Path,
    without: Vec<[u8; 32]>,
) -> Result<Vec<FileStep>, HistoryError> {
    let mut steps: Vec<FileStep> = Vec::new();
    let mut query = LogQuery {
        path: Some(path.to_owned()),
        without,
        ..LogQuery::default()
    };
    loop {
        query.limit = Some(MAX_OPERATIONS.saturating_sub(steps.len()));
        let earlier_name = add_steps_under_name(&mut steps, store.query_log(&query)?, &query);
        let Some((name, sequence)) = earlier_name.filter(|_| steps.len() < MAX_OPERATIONS) else {
            steps.reverse();
            return Ok(steps);
        };
        query.path = Some(name);
        query.before_sequence = Some(sequence);
    }
}

/// Adds the changes of a file under one name, newest first, up to the move that gave it the name. Returns the name
/// before that move and the move's place in the order of recording; none where the file was not moved here. Changes
/// before another file left the name are of that file.
fn add_steps_under_name(
    steps: &mut Vec<FileStep>,
    operations: Vec<Operation>,
    query: &LogQuery,
) -> Option<(PathBuf, i64)> {
    // The bytes of a late writer were never in the file.
    let in_file = |operation: &Operation| operation.kind != OperationKind::Late;
    for operation in operations.into_iter().filter(in_file) {
        let is_own = |file: &FileChange| Some(&file.path) == query.path.as_ref();
        let own: Vec<usize> = (0..operation.files.len())
            .filter(|at| is_own(&operation.files[*at]))
            .collect();
        let leaves = |file: &FileChange| file.moved_from.as_ref() == query.path.as_ref();
        if own.is_empty() && operation.files.iter().any(leaves) {
            return None;
        }
        for at in own.into_iter().rev() {
            let step = FileStep {
                operation: operation.clone(),
                at,
            };
            let earlier_name = step.change().moved_from.clone();
            steps.push(step);
            if let Some(name) = earlier_name {
                return Some((name, operation.sequence));
            }
        }
    }
    None
}

/// Returns the revisions of a file that an operation returned to. The owners of all others are not stored, because a
/// file of many lines that was changed often would take all memory.
fn revisions_returned_to(steps: &[FileStep]) -> HashSet<Revision> {
    let returning = steps
        .iter()
        .filter(|step| step.operation.kind != OperationKind::Change);
    returning
        .filter_map(|step| Some(step.change().after.as_ref()?.revision))
        .collect()
}

/// Carries owners over a change: unchanged lines keep theirs, new lines get `author`.
fn carry_over_owners(
    old: &[u8],
    owners: &[Option<usize>],
    new: &[u8],
    author: Option<usize>,
) -> Owners {
    if old == new {
        return owners.to_vec();
    }
    let mut carried = Vec::with_capacity(owners.len());
    let mut done = 0;
    // Each byte becomes one character (Latin-1), so that any file can be compared as text.
    let text = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| char::from(*byte))
            .collect::<String>()
    };
    for (gone, come) in difference(&text(old), &text(new), 0, DIFF_BUDGET).blocks {
        carried.extend(owners.get(done..gone.start).unwrap_or_default());
        carried.extend(come.map(|_| author));
        done = gone.end;
    }
    carried.extend(owners.get(done..).unwrap_or_default());
    carried
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_lines_keep_their_owner() {
        let owners = [None, Some(1), Some(2)];
        assert_eq!(
            carry_over_owners(b"a\nb\nc\n", &owners, b"a\nx\ny\nc\n", Some(7)),
            [None, Some(7), Some(7), Some(2)]
        );
        assert_eq!(
            carry_over_owners(b"", &[], b"one\r\n\xff", Some(3)),
            [Some(3), Some(3)]
        );
        assert_eq!(
            carry_over_owners(b"a\nb\nc\n", &owners, b"c\n", None),
            [Some(2)]
        );
    }
}
