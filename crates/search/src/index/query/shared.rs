//! The state that the threads of one search share: which candidates are taken, and what was found, combined in the
//! order of the result.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use super::{PageNeed, PageUnit};
use crate::file_search::FileOutcome;
use crate::list::{ListedFile, RankedFiles, ResultOrder};
use crate::summary::SearchSummary;
use crate::tally::Tally;

/// The number of files that a thread takes at once.
pub(super) const FILES_PER_PORTION: usize = 16;

/// The result of searching one file.
pub(super) struct SearchedFile {
    pub(super) outcome: FileOutcome,
    pub(super) entry: Option<ListedFile>,
}

/// The results of consecutive files in the order of the result.
pub(super) struct Portion {
    /// The place of its first file among the candidates.
    pub(super) first: usize,
    /// One result for each file of the portion; fewer where the search ended among them.
    pub(super) results: Vec<SearchedFile>,
    pub(super) end: PortionEnd,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PortionEnd {
    /// All files of the portion were searched.
    Reached,
    /// The search ended within the portion.
    CutShort,
}

/// The matches found so far, in the order of the result.
struct OrderedMatches {
    summary: SearchSummary,
    list: RankedFiles,
    /// The number of files from the first that have all been searched: the list ends there.
    until: usize,
    /// The results found after a portion that is not finished.
    ahead: BTreeMap<usize, Portion>,
}

/// The candidates that the threads of a search have taken, and what they have found.
pub(super) struct SharedSearch {
    page: PageNeed,
    /// The first candidate that no thread has taken.
    next: AtomicUsize,
    /// The time at which counting stops; set once the page is full.
    end: OnceLock<Instant>,
    found: Mutex<OrderedMatches>,
}

impl SharedSearch {
    /// Creates the state before anything is searched; `tally` counts what was left out before.
    pub(super) fn new(order: ResultOrder, page: PageNeed, tally: Tally) -> Self {
        SharedSearch {
            page,
            next: AtomicUsize::new(0),
            end: OnceLock::new(),
            found: Mutex::new(OrderedMatches {
                summary: SearchSummary {
                    tally,
                    ..SearchSummary::empty(order)
                },
                list: RankedFiles::new(order, 1),
                until: 0,
                ahead: BTreeMap::new(),
            }),
        }
    }

    /// Returns how many candidates are taken.
    pub(super) fn taken_count(&self) -> usize {
        self.next.load(Ordering::Relaxed)
    }

    /// Takes the next portion of a list of this many candidates; `None` where all are taken.
    pub(super) fn take_portion(&self, candidates: usize) -> Option<Range<usize>> {
        let first = self.next.fetch_add(FILES_PER_PORTION, Ordering::Relaxed);
        if first >= candidates {
            // The portion is left to the thread that continues with more candidates.
            self.next.fetch_sub(FILES_PER_PORTION, Ordering::Relaxed);
            return None;
        }
        Some(first..candidates.min(first + FILES_PER_PORTION))
    }

    /// Adds the results of a portion.
    pub(super) fn add_portion(&self, portion: Portion) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.add_portion(portion);
        let entries = match self.page.unit {
            PageUnit::Files => found.summary.total,
            PageUnit::Matches => found.summary.matches,
        };
        if entries >= self.page.entries
            && let Some(counting) = self.page.counting
        {
            self.end.get_or_init(|| Instant::now() + counting);
        }
    }

    /// Returns whether the page is full and the time for further counting is over.
    pub(super) fn is_finished(&self) -> bool {
        self.end.get().is_some_and(|end| Instant::now() >= *end)
    }

    /// Returns what was found, and how many candidates were searched from the first on.
    pub(super) fn finish(self) -> (SearchSummary, usize) {
        let found = self.found.into_inner();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let mut summary = found.summary;
        (summary.files, _) = found.list.finish();
        (summary, found.until)
    }
}

impl OrderedMatches {
    fn add_portion(&mut self, portion: Portion) {
        self.ahead.insert(portion.first, portion);
        while let Some(portion) = self.ahead.remove(&self.until) {
            self.until += portion.results.len();
            for result in portion.results {
                self.count(&result);
                if let Some(entry) = result.entry {
                    self.list.add(entry);
                }
            }
        }
    }

    fn count(&mut self, result: &SearchedFile) {
        let tally = &mut self.summary.tally;
        match result.outcome {
            FileOutcome::Unreadable => tally.unreadable += 1,
            FileOutcome::TooLarge => tally.too_large += 1,
            FileOutcome::Binary => tally.binary += 1,
            FileOutcome::Matches { cut, .. } => {
                tally.searched += 1;
                tally.cut += u64::from(cut);
            }
            FileOutcome::Gone | FileOutcome::Stopped => {}
        }
        if let Some(entry) = &result.entry {
            self.summary.total += 1;
            self.summary.matches += entry.matches;
        }
    }
}
