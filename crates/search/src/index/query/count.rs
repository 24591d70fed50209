//! Finds the matches of a pattern in resident trees. The signatures say which files can match; these are searched in the order of the
//! answer, so that the search can stop counting once a page is full.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use lancet_workspace::{FileReader, FolderHandle, ReadError};

use super::super::IndexScope;
use super::super::columns::Columns;
use super::super::literal_query::LiteralQuery;
use super::super::table::{FileEntry, FolderId, TextKind};
use super::blockwise;
use super::candidates::{CandidateFile, Wanted, gather, sort_by_time};
use super::{PageNeed, PageUnit, Part};
use crate::file_search::{FileOutcome, FileSearcher};
use crate::list::{ListedFile, Order, RankedFiles};
use crate::name_key::NameKey;
use crate::pattern::Pattern;
use crate::summary::{LinkedFileFilter, SearchSummary, SearchTotals};
use crate::tally::Tally;
use crate::walk::Walk;

/// The files that are searched before other threads are started: a thread costs about as much as thirty small files.
const ALONE: usize = 128;
/// The same where files are opened, which takes as long as searching ten that are in memory.
const ALONE_ON_DISK: usize = 16;
/// With fewer files left no other thread is started.
const WORTH_A_THREAD: usize = 128;
/// A file of at least so many blocks is searched in those that can match.
const LARGE: u32 = 4;
/// The files that a thread takes at once.
const PORTION: usize = 16;

/// The result of searching one file.
struct Searched {
    outcome: FileOutcome,
    entry: Option<ListedFile>,
}

/// The results of files that follow each other in the order of the answer.
struct Portion {
    first: usize,
    /// Fewer than were to be searched where the search ended among them.
    results: Vec<Searched>,
    end: PortionEnd,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PortionEnd {
    /// All its files were searched.
    Reached,
    /// The search ended before.
    CutShort,
}

/// What all threads have found.
struct Found {
    summary: SearchSummary,
    list: RankedFiles,
    page: PageNeed,
    /// The files up to this one have all been searched: the list ends there.
    until: usize,
    /// What was found behind a portion that is not finished.
    ahead: BTreeMap<usize, Portion>,
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
    if order == Order::Newest {
        sort_by_time(parts, &mut candidates);
    }
    let search = CandidateSearch {
        parts,
        scope,
        walk,
        linked,
        pattern,
        query: &query,
        blocks: parts.iter().map(|_| OnceLock::new()).collect(),
    };
    search.run(&candidates, order, page, tally)
}

struct CandidateSearch<'s> {
    parts: &'s [Part<'s>],
    scope: &'s IndexScope<'s>,
    walk: &'s Walk<'s>,
    linked: LinkedFileFilter<'s>,
    pattern: &'s Pattern,
    query: &'s LiteralQuery,
    /// For each part, the blocks that its large files are searched in; made when there is such a file.
    blocks: Vec<OnceLock<Columns>>,
}

/// The searcher of one thread, and the folder that it read from last.
struct Worker<'s> {
    searcher: FileSearcher<'s>,
    folder: Option<(usize, FolderId, Option<FolderHandle>)>,
    buffer: Vec<u8>,
}

impl CandidateSearch<'_> {
    fn run(
        &self,
        candidates: &[CandidateFile],
        order: Order,
        page: PageNeed,
        tally: Tally,
    ) -> SearchSummary {
        let shared = SharedSearch {
            candidates,
            next: AtomicUsize::new(0),
            end: OnceLock::new(),
            found: Mutex::new(Found {
                summary: SearchSummary {
                    tally,
                    ..SearchSummary::empty(order)
                },
                list: RankedFiles::new(order, 1),
                page,
                until: 0,
                ahead: BTreeMap::new(),
            }),
        };
        let mut worker = self.worker();
        let in_memory = |part: &Part<'_>| part.index.contents.is_some();
        let (alone, worth_a_thread) = match self.parts.iter().all(in_memory) {
            true => (ALONE, WORTH_A_THREAD),
            false => (ALONE_ON_DISK, ALONE_ON_DISK),
        };
        let alone = candidates.len().min(alone);
        let ended = self.work(&mut worker, &shared, alone);
        if ended == PortionEnd::Reached && alone < candidates.len() {
            let others = (candidates.len() - alone) / worth_a_thread;
            let others = others.min(self.walk.threads.saturating_sub(1));
            std::thread::scope(|threads| {
                for _ in 0..others {
                    threads.spawn(|| self.work(&mut self.worker(), &shared, candidates.len()));
                }
                self.work(&mut worker, &shared, candidates.len());
            });
        }
        let counted_enough = shared.is_over();
        let found = shared.found.into_inner();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let mut summary = found.summary;
        if found.until < candidates.len() {
            match counted_enough {
                true => summary.totals = SearchTotals::AtLeast,
                false => summary.stopped_at = self.path(candidates[found.until]),
            }
        }
        (summary.files, _) = found.list.finish();
        summary
    }

    /// Takes one portion after the other until all before `until` are taken or the search ends.
    fn work(&self, worker: &mut Worker<'_>, shared: &SharedSearch<'_>, until: usize) -> PortionEnd {
        loop {
            let first = shared.next.fetch_add(PORTION, Ordering::Relaxed);
            if first >= until {
                // The portion is left to whoever goes on.
                shared.next.fetch_sub(PORTION, Ordering::Relaxed);
                return PortionEnd::Reached;
            }
            let portion = self.search_portion(worker, shared, first);
            let end = portion.end;
            let mut found = shared.found.lock().unwrap_or_else(PoisonError::into_inner);
            if found.take(portion) == PageState::Full
                && let Some(counting) = found.page.counting
            {
                shared.end.get_or_init(|| Instant::now() + counting);
            }
            if end == PortionEnd::CutShort {
                return end;
            }
        }
    }

    fn search_portion(
        &self,
        worker: &mut Worker<'_>,
        shared: &SharedSearch<'_>,
        first: usize,
    ) -> Portion {
        let last = shared.candidates.len().min(first + PORTION);
        let mut portion = Portion {
            first,
            results: Vec::with_capacity(PORTION),
            end: PortionEnd::CutShort,
        };
        for candidate in &shared.candidates[first..last] {
            if shared.is_over() || self.walk.stop.is_over() {
                return portion;
            }
            match self.search(worker, *candidate) {
                Some(result) => portion.results.push(result),
                None => return portion,
            }
        }
        portion.end = PortionEnd::Reached;
        portion
    }

    fn path(&self, candidate: CandidateFile) -> Option<std::path::PathBuf> {
        self.parts[candidate.part].index.table.path(candidate.id)
    }

    fn worker(&self) -> Worker<'_> {
        Worker {
            searcher: FileSearcher::new(self.pattern, self.walk.stop),
            folder: None,
            buffer: Vec::new(),
        }
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
                let in_blocks = match (&reader, encoding) {
                    (Ok(reader), None) => self.count_in_blocks(worker, candidate, entry, reader),
                    _ => None,
                };
                in_blocks.unwrap_or_else(|| worker.searcher.count(reader, encoding))
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

    /// Counts the matches of a large file without reading all of it, where the pattern allows it.
    fn count_in_blocks(
        &self,
        worker: &mut Worker<'_>,
        candidate: CandidateFile,
        entry: &FileEntry,
        reader: &FileReader,
    ) -> Option<FileOutcome> {
        if entry.kind != TextKind::Text
            || entry.blocks.count() < LARGE
            || self.query.is_any()
            || !self.pattern.is_about_single_lines()
        {
            return None;
        }
        let blocks = &self.parts[candidate.part].index.blocks;
        let columns = self.blocks[candidate.part].get_or_init(|| blocks.of_matches(self.query));
        let wanted = entry.blocks.starts(columns).count();
        // Where most blocks are searched, reading one after the other is as quick.
        if wanted * 3 > entry.blocks.count() as usize {
            return None;
        }
        let starts = entry.blocks.starts(columns);
        blockwise::count(&mut worker.searcher, reader, starts, &mut worker.buffer)
    }

    fn may_read(&self, path: &std::path::Path) -> bool {
        let kind = lancet_workspace::EntryKind::File;
        self.walk.gate.may_read(path, kind)
    }
}

/// The candidates of a search, in the order of the answer, and what its threads have found among them.
struct SharedSearch<'s> {
    candidates: &'s [CandidateFile],
    /// The first candidate that no thread has taken.
    next: AtomicUsize,
    /// When to stop counting; set once the page is full.
    end: OnceLock<Instant>,
    found: Mutex<Found>,
}

impl SharedSearch<'_> {
    fn is_over(&self) -> bool {
        self.end.get().is_some_and(|end| Instant::now() >= *end)
    }
}

/// Whether a page has all its entries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PageState {
    Open,
    Full,
}

impl Found {
    /// Takes in the results of a portion.
    fn take(&mut self, portion: Portion) -> PageState {
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
        let entries = match self.page.unit {
            PageUnit::Files => self.summary.total,
            PageUnit::Matches => self.summary.matches,
        };
        match entries >= self.page.entries {
            true => PageState::Full,
            false => PageState::Open,
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

impl Worker<'_> {
    fn open(&mut self, part: &Part<'_>, candidate: CandidateFile) -> Result<FileReader, ReadError> {
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
