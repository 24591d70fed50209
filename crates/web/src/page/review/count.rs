//! The number of files to be reviewed, which every part of the page shows.

use std::sync::{Mutex, PoisonError};

use lancet::Lancet;
use lancet::history::EventsSince;
use lancet::review::ReviewTally;

/// The number of files to be reviewed after the event with this number. It is cached because counting takes
/// milliseconds if thousands of changes were not looked at.
#[derive(Default)]
pub(in crate::page) struct ReviewCount(Mutex<(Option<(i64, usize)>, ReviewTally)>);

impl ReviewCount {
    /// Counts the files to be reviewed, if any event happened since the last count.
    pub(in crate::page) fn count(&self, lancet: &Lancet) -> usize {
        let newest = || {
            let reader = lancet.history()?.events(&EventsSince::Now).ok()??;
            Some(reader.position())
        };
        // Later events change the number that the next count is compared with.
        let Some(newest) = newest() else {
            return 0;
        };
        // Concurrent requests wait for one count.
        let counted = self.0.lock();
        let (counted, tally) = &mut *counted.unwrap_or_else(PoisonError::into_inner);
        if let Some((_, number)) = counted.filter(|(at, _)| *at == newest) {
            return number;
        }
        let number = lancet
            .review()
            .map(|review| review.count_files_to_review(tally));
        let Some(Ok(number)) = number else {
            return 0;
        };
        *counted = Some((newest, number));
        number
    }
}
