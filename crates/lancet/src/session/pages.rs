//! The cache of a session's search results, for later pages: a write between two pages must not move entries from one
//! page to another.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lancet_search::{ListedFile, Listing, SearchSummary, SearchTotals, Tally};

/// How long a result is cached.
const RESULT_LIFETIME: Duration = Duration::from_secs(600);
/// How many results are cached.
const MAX_RESULTS: usize = 64;
/// How many bytes of results are cached.
const MAX_RESULT_BYTES: usize = 8 << 20;

/// How many entries are copied at a time, at first and at most: a page of lines often shows a few files.
const FIRST_BATCH_SIZE: usize = 16;
const MAX_BATCH_SIZE: usize = 256;

/// The result of a search.
pub(crate) struct CachedResult {
    pub(crate) starts: Vec<PathBuf>,
    entries: Mutex<Listing>,
    /// How many entries are cached. A very long list is cut.
    pub(crate) known: u64,
    /// The number of matches in the cached entries.
    pub(crate) known_matches: u64,
    bytes: usize,
    pub(crate) total: u64,
    pub(crate) matches: u64,
    pub(crate) totals: SearchTotals,
    pub(crate) tally: Tally,
    pub(crate) stopped_at: Option<PathBuf>,
    made: Instant,
}

/// The unit in which the pages of a result are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PagedBy {
    /// An entry is a file.
    Files,
    /// An entry is a match.
    Matches,
}

impl CachedResult {
    pub(crate) fn new(starts: Vec<PathBuf>, survey: SearchSummary) -> Self {
        CachedResult {
            starts,
            known: survey.files.len() as u64,
            known_matches: survey.files.matches(),
            bytes: survey.files.bytes(),
            entries: Mutex::new(survey.files),
            total: survey.total,
            matches: survey.matches,
            totals: survey.totals,
            tally: survey.tally,
            stopped_at: survey.stopped_at,
            made: Instant::now(),
        }
    }

    /// Returns whether entries from `from` up to `until` are known, or it is known that there are no more.
    pub(crate) fn knows_entries(&self, paged_by: PagedBy, from: u64, until: u64) -> bool {
        let known = match paged_by {
            PagedBy::Files => self.known,
            PagedBy::Matches => self.known_matches,
        };
        if self.totals == SearchTotals::AtLeast && until > known {
            return false;
        }
        // The entries of a list of files may depend on an index that was released.
        let first = usize::try_from(from).unwrap_or(usize::MAX);
        paged_by == PagedBy::Matches
            || self
                .entries()
                .copy_range(first..first.saturating_add(1))
                .is_some()
    }

    /// Continues this result with the result of the same search that ran to its end. The known entries retain their
    /// places, whatever became of the files. The other results follow them in their order. Returns the new result as an
    /// error if the entries of one of the two are no longer available.
    #[allow(clippy::result_large_err, reason = "it is what was handed in")]
    pub(crate) fn continue_with(
        &self,
        mut survey: SearchSummary,
    ) -> Result<CachedResult, SearchSummary> {
        let mut old = self.entries();
        let length = old.len();
        let Some(mut entries) = old.copy_range(0..length) else {
            return Err(survey);
        };
        let length = survey.files.len();
        let Some(new) = survey.files.copy_range(0..length) else {
            return Err(survey);
        };
        let places: HashSet<(usize, &Path)> = entries
            .iter()
            .map(|entry| (entry.start, &*entry.relative))
            .collect();
        let (known, found): (Vec<_>, Vec<_>) = new
            .into_iter()
            .partition(|entry| places.contains(&(entry.start, &*entry.relative)));
        let known_matches: u64 = known.iter().map(|entry| entry.matches).sum();
        // If the new list was cut for lack of memory, its totals still count everything that was found.
        let total = survey.total + entries.len() as u64 - known.len() as u64;
        let matches = survey.matches + self.known_matches - known_matches;
        entries.extend(found);
        let survey = SearchSummary {
            files: Listing::from_entries(survey.files.order(), entries, None),
            total,
            matches,
            ..survey
        };
        Ok(CachedResult::new(self.starts.clone(), survey))
    }

    fn entries(&self) -> MutexGuard<'_, Listing> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Iterates over the entries from `first` on; they are fetched a few at a time, because each is copied.
    pub(crate) fn entries_from(&self, first: usize) -> impl Iterator<Item = ListedFile> {
        let mut next = first;
        let mut number = FIRST_BATCH_SIZE;
        let some = move || {
            let some = self
                .entries()
                .copy_range(next..next.saturating_add(number))?;
            next += some.len();
            number = (number * 2).min(MAX_BATCH_SIZE);
            (!some.is_empty()).then_some(some)
        };
        std::iter::from_fn(some).flatten()
    }
}

/// The cached results of a session, the latest last.
#[derive(Default)]
pub(crate) struct Pages {
    kept: VecDeque<(String, Arc<CachedResult>, usize)>,
}

impl Pages {
    pub(crate) fn find(&mut self, key: &str) -> Option<Arc<CachedResult>> {
        self.kept
            .retain(|(_, kept, _)| kept.made.elapsed() < RESULT_LIFETIME);
        let at = self.kept.iter().position(|(known, ..)| known == key)?;
        let found = self.kept.remove(at)?;
        let kept = Arc::clone(&found.1);
        self.kept.push_back(found);
        Some(kept)
    }

    /// Caches a result for its later pages. A result that is larger than the whole cache is not cached: later pages
    /// search again.
    pub(crate) fn cache_result(&mut self, key: &str, kept: &Arc<CachedResult>) {
        self.kept.retain(|(known, ..)| known != key);
        let bytes = key.len() + kept.bytes;
        if bytes > MAX_RESULT_BYTES {
            return;
        }
        self.kept
            .push_back((key.to_owned(), Arc::clone(kept), bytes));
        let mut sum: usize = self.kept.iter().map(|(.., bytes)| bytes).sum();
        while sum > MAX_RESULT_BYTES || self.kept.len() > MAX_RESULTS {
            let Some((.., bytes)) = self.kept.pop_front() else {
                return;
            };
            sum -= bytes;
        }
    }
}

#[cfg(test)]
mod tests;
