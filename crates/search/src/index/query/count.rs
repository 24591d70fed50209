//! Finds the matches of a pattern in resident trees. The signatures say which files can match; these are searched one after the
//! other in the order of the answer, so that the search can stop counting once a page is full.

use std::cmp::Reverse;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use lancet_workspace::{FolderHandle, ReadError};

use super::super::IndexScope;
use super::super::literal_query::LiteralQuery;
use super::super::table::{FolderId, TextKind};
use super::candidates::{CandidateFile, Wanted, gather};
use super::{PageNeed, PageUnit, Part};
use crate::file_search::{FileOutcome, FileSearcher};
use crate::list::{ListedFile, Order, RankedFiles};
use crate::name_key::NameKey;
use crate::pattern::Pattern;
use crate::summary::{LinkedFileFilter, SearchSummary, SearchTotals};
use crate::tally::Tally;
use crate::walk::Walk;

/// The files of the first look at whether the page is full; each later one has twice as many.
const FIRST: usize = 8;
/// The files that are searched before other threads are started: a thread costs about as much as thirty small files.
const ALONE: usize = 128;
/// The most files between two looks at whether the page is full.
const MOST_AT_ONCE: usize = 2048;

/// The result of searching one file.
struct Searched {
    outcome: FileOutcome,
    entry: Option<ListedFile>,
}

#[allow(clippy::too_many_arguments)]
pub(super) fn count(
    parts: &[Part<'_>],
    scope: &IndexScope<'_>,
    walk: &Walk<'_>,
    pattern: &Pattern,
    order: Order,
    linked: LinkedFileFilter<'_>,
    page: PageNeed,
    key: Option<&NameKey>,
) -> SearchSummary {
    let mut tally = Tally::default();
    let mut candidates = Vec::new();
    let query = LiteralQuery::of(pattern);
    for (at, part) in parts.iter().enumerate() {
        tally += part.left_out();
        let wanted = Wanted::of(part, walk, key);
        wanted.count_kinds(part, &mut tally);
        gather(part, at, &query, &wanted, &mut candidates);
    }
    sort(parts, order, &mut candidates);
    let search = CandidateSearch {
        parts,
        scope,
        walk,
        linked,
        pattern,
    };
    search.run(&candidates, order, page, tally)
}

fn sort(parts: &[Part<'_>], order: Order, candidates: &mut [CandidateFile]) {
    let rank = |candidate: &CandidateFile| parts[candidate.part].index.table.rank(candidate.id);
    match order {
        Order::Path => {
            candidates.sort_unstable_by_key(|candidate| (candidate.part, rank(candidate)));
        }
        Order::Newest => candidates.sort_unstable_by_key(|candidate| {
            let table = &parts[candidate.part].index.table;
            let modified = table.file(candidate.id).map(|file| file.stamp.mtime);
            (Reverse(modified), candidate.part, rank(candidate))
        }),
    }
}

struct CandidateSearch<'s> {
    parts: &'s [Part<'s>],
    scope: &'s IndexScope<'s>,
    walk: &'s Walk<'s>,
    linked: LinkedFileFilter<'s>,
    pattern: &'s Pattern,
}

/// The searcher of one thread, and the folder that it read from last.
struct Worker<'s> {
    searcher: FileSearcher<'s>,
    folder: Option<(usize, FolderId, Option<FolderHandle>)>,
}

impl CandidateSearch<'_> {
    fn run(
        &self,
        candidates: &[CandidateFile],
        order: Order,
        page: PageNeed,
        tally: Tally,
    ) -> SearchSummary {
        let mut summary = SearchSummary {
            tally,
            ..SearchSummary::empty(order)
        };
        let mut list = RankedFiles::new(order, 1);
        let mut worker = self.worker();
        let (mut done, mut wave) = (0, FIRST);
        let mut end: Option<Instant> = None;
        while done < candidates.len() {
            let some = &candidates[done..candidates.len().min(done + wave)];
            let results = match done < ALONE {
                true => self.alone(&mut worker, some, end),
                false => self.together(&mut worker, some, end),
            };
            let complete = results.iter().all(Option::is_some) && results.len() == some.len();
            for result in results.into_iter().flatten() {
                self.take(&mut summary, result, complete.then_some(&mut list));
            }
            if self.walk.stop.is_over() {
                let at = some.first().and_then(|next| self.path(*next));
                summary.stopped_at = at;
                break;
            }
            if !complete {
                summary.totals = SearchTotals::AtLeast;
                break;
            }
            done += some.len();
            wave = (wave * 2).min(MOST_AT_ONCE);
            let full = match page.unit {
                PageUnit::Files => summary.total,
                PageUnit::Matches => summary.matches,
            } >= page.entries;
            if full && end.is_none() {
                end = page.counting.map(|time| Instant::now() + time);
            }
        }
        (summary.files, _) = list.finish();
        summary
    }

    fn take(&self, summary: &mut SearchSummary, result: Searched, list: Option<&mut RankedFiles>) {
        let tally = &mut summary.tally;
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
        if let Some(entry) = result.entry {
            summary.total += 1;
            summary.matches += entry.matches;
            if let Some(list) = list {
                list.add(entry);
            }
        }
    }

    fn path(&self, candidate: CandidateFile) -> Option<std::path::PathBuf> {
        self.parts[candidate.part].index.table.path(candidate.id)
    }

    fn worker(&self) -> Worker<'_> {
        Worker {
            searcher: FileSearcher::new(self.pattern, self.walk.stop),
            folder: None,
        }
    }

    fn is_over(&self, end: Option<Instant>) -> bool {
        end.is_some_and(|end| Instant::now() >= end) || self.walk.stop.is_over()
    }

    fn alone(
        &self,
        worker: &mut Worker<'_>,
        some: &[CandidateFile],
        end: Option<Instant>,
    ) -> Vec<Option<Searched>> {
        let mut results = Vec::with_capacity(some.len());
        for candidate in some {
            if self.is_over(end) {
                break;
            }
            results.push(self.search(worker, *candidate));
        }
        results
    }

    /// Searches files on all threads of the walk.
    fn together(
        &self,
        worker: &mut Worker<'_>,
        some: &[CandidateFile],
        end: Option<Instant>,
    ) -> Vec<Option<Searched>> {
        /// The files that a thread takes at once.
        const PORTION: usize = 16;
        if self.walk.threads < 2 {
            return self.alone(worker, some, end);
        }
        let next = AtomicUsize::new(0);
        let results = Mutex::new((0..some.len()).map(|_| None).collect::<Vec<_>>());
        let work = |worker: &mut Worker<'_>| {
            loop {
                let first = next.fetch_add(PORTION, Ordering::Relaxed);
                let Some(portion) = some.get(first..some.len().min(first + PORTION)) else {
                    return;
                };
                if portion.is_empty() {
                    return;
                }
                let found = self.alone(worker, portion, end);
                let mut results = results
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                for (at, result) in found.into_iter().enumerate() {
                    results[first + at] = result;
                }
            }
        };
        std::thread::scope(|threads| {
            for _ in 1..self.walk.threads.min(some.len() / PORTION) {
                threads.spawn(|| work(&mut self.worker()));
            }
            work(worker);
        });
        results
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Searches one file; nothing where the search was stopped in it.
    fn search(&self, worker: &mut Worker<'_>, candidate: CandidateFile) -> Option<Searched> {
        let part = &self.parts[candidate.part];
        let index = part.index;
        let nothing = Searched {
            outcome: FileOutcome::Gone,
            entry: None,
        };
        let Some(entry) = index.table.file(candidate.id) else {
            return Some(nothing);
        };
        self.walk.progress.count_visited();
        let content = index.contents.as_ref().zip(entry.content);
        let outcome = match content {
            Some((contents, place)) if entry.kind == TextKind::Text => {
                worker.searcher.count_in_text(contents.get(place))
            }
            Some((contents, place)) => worker.searcher.count_in_bytes(contents.get(place)),
            None => {
                let Some(path) = self.path(candidate).filter(|path| self.may_read(path)) else {
                    return Some(nothing);
                };
                let encoding = (self.scope.encodings)(&path);
                let reader = worker.open(part, candidate);
                worker.searcher.count(reader, encoding)
            }
        };
        let matches = match outcome {
            FileOutcome::Stopped => return None,
            FileOutcome::Matches { matches, .. } => matches,
            _ => 0,
        };
        // The gate let the file into the tree. It is asked once more before the file is named; most candidates never are.
        let path = match matches {
            0 => None,
            _ => self.path(candidate).filter(|path| {
                self.may_read(path) && part.may_list(candidate.id, path, self.linked)
            }),
        };
        if path.is_some() {
            self.walk.progress.count_found();
        }
        Some(Searched {
            // Only files that are opened for every search are not counted yet.
            outcome: match entry.kind {
                TextKind::Unsigned => outcome,
                _ => FileOutcome::Gone,
            },
            entry: path.map(|path| part.entry(candidate.id, &path, matches)),
        })
    }

    fn may_read(&self, path: &std::path::Path) -> bool {
        let kind = lancet_workspace::EntryKind::File;
        self.walk.gate.may_read(path, kind)
    }
}

impl Worker<'_> {
    fn open(
        &mut self,
        part: &Part<'_>,
        candidate: CandidateFile,
    ) -> Result<lancet_workspace::FileReader, ReadError> {
        let table = &part.index.table;
        let folder = table.file(candidate.id).ok_or(ReadError::Missing)?.folder;
        let key = (part.tree, folder);
        if self.folder.as_ref().map(|known| (known.0, known.1)) != Some(key) {
            self.folder = Some((part.tree, folder, part.index.open_folder(folder)));
        }
        let handle = self.folder.as_ref().and_then(|known| known.2.as_ref());
        handle
            .ok_or(ReadError::Missing)?
            .open(table.name(candidate.id))
    }
}
