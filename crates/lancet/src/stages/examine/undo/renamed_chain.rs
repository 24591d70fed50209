//! Groups the changes of files that were moved, by following each file through its names.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::RecordedState;

use super::select::FileRow;

/// The changes of one file that was moved, newest first.
pub(super) struct RenamedChain<'r> {
    pub(super) rows: Vec<&'r FileRow>,
    /// The name of the file before the oldest change.
    pub(super) first_name: PathBuf,
    /// Whether older changes of that name belong to another file.
    closed: bool,
}

/// Splits the rows into those of files that one of the rows moved, and the others.
pub(super) fn split_renamed_files(rows: &[FileRow]) -> (Vec<&FileRow>, Vec<&FileRow>) {
    let moves = rows.iter().filter(|row| row.change.moved_from.is_some());
    let names: HashSet<&Path> = moves.flat_map(FileRow::names).collect();
    rows.iter()
        .partition(|row| names.contains(row.change.path.as_path()))
}

/// Groups the rows, newest first, by file.
pub(super) fn chains<'r>(rows: &[&'r FileRow]) -> Vec<RenamedChain<'r>> {
    let mut chains: Vec<RenamedChain<'r>> = Vec::new();
    for &row in rows {
        let name = &row.change.path;
        let first_name = row.old_name().to_path_buf();
        let known = chains
            .iter()
            .position(|chain| !chain.closed && chain.first_name == *name);
        if row.change.moved_from.is_some() {
            // The file that had the old name before the move is the one that was moved.
            for (at, chain) in chains.iter_mut().enumerate() {
                chain.closed |= Some(at) != known && chain.first_name == first_name;
            }
        }
        match known {
            Some(at) => {
                chains[at].rows.push(row);
                chains[at].first_name = first_name;
            }
            None => chains.push(RenamedChain {
                rows: vec![row],
                first_name,
                closed: false,
            }),
        }
    }
    chains
}

impl RenamedChain<'_> {
    /// Returns the name of the file after the newest change.
    pub(super) fn last_name(&self) -> &Path {
        self.rows
            .first()
            .map_or(&self.first_name, |row| &row.change.path)
    }

    /// Returns the names and states of the file, the latest first; there is one more than there are changes.
    pub(super) fn names_and_states(&self) -> impl Iterator<Item = (&Path, Option<&RecordedState>)> {
        let last = self
            .rows
            .first()
            .map(|row| (row.change.path.as_path(), row.change.after.as_ref()));
        let earlier = self
            .rows
            .iter()
            .map(|row| (row.old_name(), row.change.before.as_ref()));
        last.into_iter().chain(earlier)
    }
}
