//! How many files are to be reviewed, for a number that is shown all the time.

use std::collections::HashMap;
use std::path::PathBuf;

use lancet_history::{HistoryError, UnseenQuery};

use super::{Chain, Reviews, file};

/// The largest number that is counted to.
pub const MOST_COUNTED: usize = 1_000;

/// What earlier counts found out about files, so that the next looks only at those that were changed since.
#[derive(Debug, Default)]
pub struct ReviewTally {
    known: HashMap<PathBuf, UnseenFile>,
}

/// What was found out about one file.
#[derive(Debug)]
struct UnseenFile {
    /// The newest operation.
    newest: String,
    /// How many operations there were since the last look, which is another number where the look has moved.
    operations: u64,
    /// Whether the file is another than at the last look.
    differs: bool,
}

impl Reviews {
    /// Counts the files that are to be reviewed, up to [`MOST_COUNTED`]. A file that is again as it was at the last look is not
    /// counted; its look stays where it is, so that what a redo brings back is to be reviewed again.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn count(&self, tally: &mut ReviewTally) -> Result<usize, HistoryError> {
        let others = self.others()?;
        let unseen = self.store.unseen(&UnseenQuery {
            limit: Some(MOST_COUNTED),
            ..self.query()?
        })?;
        let mut known = HashMap::with_capacity(unseen.len());
        for next in unseen {
            let before = tally.known.remove(&next.path).filter(|found| {
                found.newest == next.operation && found.operations == next.operations
            });
            let found = match before {
                Some(found) => found,
                None => {
                    let chain = Chain::of(&*self.store, &next.path, None, &others)?;
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
