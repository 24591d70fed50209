//! What the threads of one search share: how far they have come in the candidates, and what was found, put together in the order of the
//! answer.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use super::{PageNeed, PageUnit};
use crate::file_search::FileOutcome;
use crate::list::{ListedFile, Order, RankedFiles};
use crate::summary::SearchSummary;
use crate::tally::Tally;

/// The files that a thread takes at once.
pub(super) const PORTION: usize = 16;

/// The result of searching one file.
pub(super) struct Searched {
    pub(super) outcome: FileOutcome,
    pub(super) entry: Option<ListedFile>,
}

/// The results of files that follow each other in the order of the answer.
pub(super) struct Portion {
    /// The place of its first file among the candidates.
    pub(super) first: usize,
    /// One result for each file of the portion; fewer where the search ended among them.
    pub(super) results: Vec<Searched>,
    pub(super) end: PortionEnd,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PortionEnd {
    /// All its files were searched.
    Reached,
    /// The search ended before.
    CutShort,
}

/// What was found, in the order of the answer.
struct OrderedMatches {
    summary: SearchSummary,
    list: RankedFiles,
    /// The files up to this one have all been searched: the list ends there.
    until: usize,
    /// What was found behind a portion that is not finished.
    ahead: BTreeMap<usize, Portion>,
}

/// How far the threads of a search have come, and what they have found.
pub(super) struct SharedSearch {
    page: PageNeed,
    /// The first candidate that no thread has taken.
    next: AtomicUsize,
    /// When to stop counting; set once the page is full.
    end: OnceLock<Instant>,
    found: Mutex<OrderedMatches>,
}

impl SharedSearch {
    /// Nothing is searched yet; `tally` counts what was left out before.
    pub(super) fn new(order: Order, page: PageNeed, tally: Tally) -> Self {
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

    /// How many candidates are taken.
    pub(super) fn taken(&self) -> usize {
        self.next.load(Ordering::Relaxed)
    }

    /// Takes the next portion of a list of this many candidates; `None` where all are taken.
    pub(super) fn take(&self, candidates: usize) -> Option<Range<usize>> {
        let first = self.next.fetch_add(PORTION, Ordering::Relaxed);
        if first >= candidates {
            // The portion is left to whoever goes on with more candidates.
            self.next.fetch_sub(PORTION, Ordering::Relaxed);
            return None;
        }
        Some(first..candidates.min(first + PORTION))
    }

    /// Takes in the results of a portion.
    pub(super) fn put(&self, portion: Portion) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.put(portion);
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

    /// Whether the page is full and the time for counting on is over.
    pub(super) fn is_over(&self) -> bool {
        self.end.get().is_some_and(|end| Instant::now() >= *end)
    }

    /// What was found, and how many candidates were searched from the first on.
    pub(super) fn finish(self) -> (SearchSummary, usize) {
        let found = self.found.into_inner();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let mut summary = found.summary;
        (summary.files, _) = found.list.finish();
        (summary, found.until)
    }
}

impl OrderedMatches {
    fn put(&mut self, portion: Portion) {
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

    fn count(&mut self, result: &Searched) {
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
