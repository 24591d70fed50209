//! The cache of a session's search results, for later pages: a write between two pages must not move entries from one
//! page to another.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lancet_search::{ListedFile, Listing, SearchSummary, Tally};

/// How long a result is cached.
const KEPT_FOR: Duration = Duration::from_secs(600);
/// How many results are cached.
const KEPT: usize = 64;
/// How many bytes of results are cached.
const KEPT_BYTES: usize = 8 << 20;

/// How many entries are copied at a time.
const AT_ONCE: usize = 256;

/// The result of a search.
pub(crate) struct Kept {
    pub(crate) starts: Vec<PathBuf>,
    entries: Mutex<Listing>,
    /// How many entries are cached; a very long list is cut.
    pub(crate) known: u64,
    /// The number of matches in the cached entries.
    pub(crate) known_matches: u64,
    bytes: usize,
    pub(crate) total: u64,
    pub(crate) matches: u64,
    pub(crate) tally: Tally,
    pub(crate) stopped_at: Option<PathBuf>,
    made: Instant,
}

impl Kept {
    pub(crate) fn new(starts: Vec<PathBuf>, survey: SearchSummary) -> Self {
        Kept {
            starts,
            known: survey.files.len() as u64,
            known_matches: survey.files.matches(),
            bytes: survey.files.bytes(),
            entries: Mutex::new(survey.files),
            total: survey.total,
            matches: survey.matches,
            tally: survey.tally,
            stopped_at: survey.stopped_at,
            made: Instant::now(),
        }
    }

    /// Iterates over the entries from `first` on; they are fetched a few at a time, because each is copied.
    pub(crate) fn entries_from(&self, first: usize) -> impl Iterator<Item = ListedFile> {
        let mut next = first;
        let some = move || {
            let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
            let some = entries.first(next.saturating_add(AT_ONCE));
            let some = some.get(next..).unwrap_or_default().to_vec();
            next += some.len();
            (!some.is_empty()).then_some(some)
        };
        std::iter::from_fn(some).flatten()
    }
}

/// The cached results of a session, the latest last.
#[derive(Default)]
pub(crate) struct Pages {
    kept: VecDeque<(String, Arc<Kept>, usize)>,
}

impl Pages {
    pub(crate) fn find(&mut self, key: &str) -> Option<Arc<Kept>> {
        self.kept
            .retain(|(_, kept, _)| kept.made.elapsed() < KEPT_FOR);
        let at = self.kept.iter().position(|(known, ..)| known == key)?;
        let found = self.kept.remove(at)?;
        let kept = Arc::clone(&found.1);
        self.kept.push_back(found);
        Some(kept)
    }

    /// Caches a result for its later pages. A result that is larger than the whole cache is not cached: later pages
    /// search again.
    pub(crate) fn keep(&mut self, key: &str, kept: &Arc<Kept>) {
        self.kept.retain(|(known, ..)| known != key);
        let bytes = key.len() + kept.bytes;
        if bytes > KEPT_BYTES {
            return;
        }
        self.kept
            .push_back((key.to_owned(), Arc::clone(kept), bytes));
        let mut sum: usize = self.kept.iter().map(|(.., bytes)| bytes).sum();
        while sum > KEPT_BYTES || self.kept.len() > KEPT {
            let Some((.., bytes)) = self.kept.pop_front() else {
                return;
            };
            sum -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(entries: usize) -> Arc<Kept> {
        let mut list = lancet_search::RankedFiles::new(lancet_search::Order::Path, 1);
        for _ in 0..entries {
            list.add(ListedFile {
                start: 0,
                relative: std::path::Path::new("some/file/of/a/tree.rs").into(),
                modified: (0, 0),
                matches: 1,
            });
        }
        let (files, total) = list.finish();
        let survey = SearchSummary {
            files,
            total,
            matches: 0,
            tally: Tally::default(),
            stopped_at: None,
            held: None,
        };
        Arc::new(Kept::new(vec!["/r".into()], survey))
    }

    #[test]
    fn the_latest_questions_are_kept_within_number_and_memory() {
        let mut pages = Pages::default();
        for number in 0..100 {
            pages.keep(&format!("q{number}"), &kept(1));
        }
        assert!(pages.find("q35").is_none());
        assert!(pages.find("q36").is_some());
        pages.keep("large", &kept(60_000));
        assert!(pages.find("q99").is_some());
        pages.keep("larger", &kept(60_000));
        assert!(pages.find("large").is_none());
        pages.keep("too large", &kept(150_000));
        assert!(pages.find("too large").is_none());
        assert!(pages.find("larger").is_some());
    }
}
