//! Counts the files to review, for a number that is shown all the time.

use std::collections::HashMap;
use std::path::PathBuf;

use lancet_history::{HistoryError, UnseenQuery};

use super::{Chain, Reviews, file};

/// The largest number that is counted to.
pub const MAX_COUNTED_FILES: usize = 1_000;

/// The results of earlier counts, so that the next count only examines files that were changed since.
#[derive(Debug, Default)]
pub struct ReviewTally {
    known: HashMap<PathBuf, UnseenFile>,
}

/// The result for one file.
#[derive(Debug)]
struct UnseenFile {
    /// The newest operation.
    newest: String,
    /// How many operations there were since the last look. Another number means that the look has moved.
    operations: u64,
    /// Whether the file differs from its state at the last look.
    differs: bool,
}

impl Reviews {
    /// Counts the files to review, up to [`MAX_COUNTED_FILES`]. A file that is again as it was at the last look is not
    /// counted. Its look is not moved, so that what a redo brings back is to be reviewed again.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn count_files_to_review(&self, tally: &mut ReviewTally) -> Result<usize, HistoryError> {
        let others = self.other_workspace_ids()?;
        let unseen = self.store.unseen_files(&UnseenQuery {
            limit: Some(MAX_COUNTED_FILES),
            ..self.unseen_query()?
        })?;
        let mut known = HashMap::with_capacity(unseen.len());
        for next in unseen {
            let before = tally.known.remove(&next.path).filter(|found| {
                found.newest == next.operation && found.operations == next.operations
            });
            let found = match before {
                Some(found) => found,
                None => {
                    let chain = Chain::load(&*self.store, &next.path, None, &others)?;
                    UnseenFile {
                        newest: next.operation,
                        operations: next.operations,
                        differs: chain.is_some_and(|chain| file::differs(&next.path, &chain)),
                    }
                }
            };
            known.insert(next.path, found);
        }
        tally.known = known;
        let found = tally.known.values();
        Ok(found.filter(|found| found.differs).count())
    }
}
