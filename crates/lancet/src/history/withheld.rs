//! Files whose text may not be shown: their lines are not counted either.

use std::path::PathBuf;

use lancet_history::{HistoryError, Operation, Statistics, StatisticsQuery};

use super::History;

impl History {
    /// Removes the numbers of lines of files whose text may not be shown.
    pub(super) fn withhold_line_counts(&self, operations: &mut [Operation]) {
        let files = operations.iter_mut().flat_map(|found| &mut found.files);
        for file in files.filter(|file| file.added + file.removed > 0) {
            if !self.may_show_change(file) {
                (file.added, file.removed) = (0, 0);
            }
        }
    }

    /// Computes statistics. A query without folders means those below the roots. The lines of files whose text may not
    /// be shown are not counted.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn statistics(&self, query: &StatisticsQuery) -> Result<Statistics, HistoryError> {
        let mut query = query.clone();
        if query.below.is_empty() {
            query.below = self.roots();
            query.without = self.engine.other_workspaces()?.ids();
        }
        let found = self.query_store(|store| store.statistics(&query))?;
        let counted = found.files.iter();
        let counted = counted.filter(|(_, sum)| sum.added + sum.removed > 0);
        let withheld: Vec<PathBuf> = counted
            .filter(|(path, _)| !self.may_show(path))
            .map(|(path, _)| path.clone())
            .collect();
        if withheld.is_empty() {
            return Ok(found);
        }
        query.without_lines.extend(withheld);
        self.query_store(|store| store.statistics(&query))
    }
}
