//! Finds the matches of a pattern in resident trees. The signatures say which files can match; these are searched in
//! the order of the result, so that the search can stop counting once a page is full.

use std::sync::OnceLock;

use lancet_workspace::{FileReader, FolderHandle, ReadError};

use super::super::IndexScope;
use super::super::columns::ColumnSet;
use super::super::literal_query::LiteralQuery;
use super::super::table::{FileEntry, FolderId, TextKind};
use super::blockwise;
use super::candidates::{CandidateFile, Candidates};
use super::shared::{FILES_PER_PORTION, Portion, PortionEnd, SearchedFile, SharedSearch};
use super::{PageNeed, TreePart};
use crate::file_search::{FileOutcome, FileSearcher};
use crate::list::ResultOrder;
use crate::name_key::NameKey;
use crate::pattern::Pattern;
use crate::summary::{LinkedFileFilter, SearchSummary, SearchTotals};
use crate::tally::Tally;
use crate::walk::Walk;

/// The number of files that are searched before another thread is started, and that must be left for each thread: a
/// thread costs about as much as thirty small files.
const FILES_PER_THREAD: usize = 128;
/// The same number for files that are read from the disk: opening one takes as long as searching ten in memory.
const DISK_FILES_PER_THREAD: usize = 16;
/// The number of candidates that are collected before the search begins: as many as fill a page for a common word, and
/// a multiple of `PORTION`.
const INITIALLY_COLLECTED: usize = 128 * FILES_PER_PORTION;
/// In a file of at least this many blocks only the blocks that can match are searched.
const MIN_BLOCKS_FOR_BLOCKWISE: u32 = 4;

#[allow(clippy::too_many_arguments)]
pub(super) fn count_matches(
    parts: &[TreePart<'_>],
    scope: &IndexScope<'_>,
    walk: &Walk<'_>,
    pattern: &Pattern,
    order: ResultOrder,
    linked: LinkedFileFilter<'_>,
    page: PageNeed,
    key: Option<&NameKey>,
) -> SearchSummary {
    let mut tally = Tally::default();
    for part in parts {
        tally += part.left_out_tally();
    }
    let query = pattern.literal_query();
    let mut candidates = Candidates::new(parts, walk, key, query, &mut tally);
    match order {
        ResultOrder::Newest => candidates.collect_by_time(),
        ResultOrder::Path => candidates.collect(INITIALLY_COLLECTED),
    }
    let search = CandidateSearch {
        parts,
        scope,
        walk,
        linked,
        pattern,
        query,
        blocks: parts.iter().map(|_| OnceLock::new()).collect(),
    };
    search.run(candidates, order, page, tally)
}

struct CandidateSearch<'s> {
    parts: &'s [TreePart<'s>],
    scope: &'s IndexScope<'s>,
    walk: &'s Walk<'s>,
    linked: LinkedFileFilter<'s>,
    pattern: &'s Pattern,
    query: &'s LiteralQuery,
    /// For each part, the blocks of its large files that are searched; computed when there is such a file.
    blocks: Vec<OnceLock<ColumnSet>>,
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
        mut candidates: Candidates<'_>,
        order: ResultOrder,
        page: PageNeed,
        tally: Tally,
    ) -> SearchSummary {
        let shared = SharedSearch::new(order, page, tally);
        let mut worker = self.new_worker();
        let in_memory = |part: &TreePart<'_>| part.index.has_most_contents();
        let alone = match self.parts.iter().all(in_memory) {
            true => FILES_PER_THREAD,
            false => DISK_FILES_PER_THREAD,
        };
        let first = candidates.collected();
        let first = &first[..first.len().min(alone)];
        let mut ended = self.search_portions(&mut worker, &shared, first);
        while ended == PortionEnd::Reached {
            let all = candidates.collected();
            let left = all.len().saturating_sub(shared.taken_count());
            let others = (left / alone).min(self.walk.threads.saturating_sub(1));
            ended = std::thread::scope(|threads| {
                for _ in 0..others {
                    threads.spawn(|| self.search_portions(&mut self.new_worker(), &shared, all));
                }
                self.search_portions(&mut worker, &shared, all)
            });
            if candidates.are_complete() {
                break;
            }
            candidates.collect(usize::MAX);
        }
        let counted_enough = shared.is_finished();
        let (mut summary, searched) = shared.finish();
        let all = candidates.collected();
        if searched < all.len() || !candidates.are_complete() {
            match counted_enough {
                true => summary.totals = SearchTotals::AtLeast,
                false => {
                    let at = all.get(searched).or(all.last());
                    summary.stopped_at = at.and_then(|at| self.path(*at));
                }
            }
        }
        summary
    }

    /// Takes one portion after another until all candidates are taken or the search ends.
    fn search_portions(
        &self,
        worker: &mut Worker<'_>,
        shared: &SharedSearch,
        candidates: &[CandidateFile],
    ) -> PortionEnd {
        while let Some(taken) = shared.take_portion(candidates.len()) {
            let portion = self.search_portion(worker, shared, taken.start, &candidates[taken]);
            let end = portion.end;
            shared.add_portion(portion);
            if end == PortionEnd::CutShort {
                return end;
            }
        }
        PortionEnd::Reached
    }

    fn search_portion(
        &self,
        worker: &mut Worker<'_>,
        shared: &SharedSearch,
        first: usize,
        candidates: &[CandidateFile],
    ) -> Portion {
        let mut portion = Portion {
            first,
            results: Vec::with_capacity(FILES_PER_PORTION),
            end: PortionEnd::CutShort,
        };
        for candidate in candidates {
            if shared.is_finished() || self.walk.stop.should_stop() {
                return portion;
            }
            match self.search_file(worker, *candidate) {
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

    fn new_worker(&self) -> Worker<'_> {
        Worker {
            searcher: FileSearcher::new(self.pattern, self.walk.stop),
            folder: None,
            buffer: Vec::new(),
        }
    }

    /// Searches one file; returns `None` where the search was stopped in it.
    fn search_file(
        &self,
        worker: &mut Worker<'_>,
        candidate: CandidateFile,
    ) -> Option<SearchedFile> {
        let part = &self.parts[candidate.part];
        let index = part.index;
        let nothing = SearchedFile {
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
                let Some(path) = self
                    .path(candidate)
                    .filter(|path| self.may_read(part, path))
                else {
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
        // A gate let the file into the tree. A gate with other rules is checked before the file is named.
        let path = match matches {
            0 => None,
            _ => self.path(candidate).filter(|path| {
                self.may_read(part, path) && part.may_list(candidate.id, path, self.linked)
            }),
        };
        if path.is_some() {
            self.walk.progress.count_found();
        }
        Some(SearchedFile {
            // Of the files with an outcome, only those that are opened for every search are not counted yet.
            outcome: match entry.kind {
                TextKind::Unsigned => outcome,
                _ => FileOutcome::Gone,
            },
            entry: path.map(|path| part.new_entry(candidate.id, &path, matches)),
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
            || entry.blocks.count() < MIN_BLOCKS_FOR_BLOCKWISE
            || self.query.passes_everything()
            || !self.pattern.matches_lines_independently()
        {
            return None;
        }
        let blocks = &self.parts[candidate.part].index.blocks;
        let columns =
            self.blocks[candidate.part].get_or_init(|| blocks.matching_columns(self.query));
        let wanted = entry.blocks.block_offsets(columns).count();
        // Where most blocks are to be searched, reading one after the other is as fast.
        if wanted * 3 > entry.blocks.count() as usize {
            return None;
        }
        let starts = entry.blocks.block_offsets(columns);
        blockwise::count_in_matching_blocks(
            &mut worker.searcher,
            reader,
            starts,
            &mut worker.buffer,
        )
    }

    fn may_read(&self, part: &TreePart<'_>, path: &std::path::Path) -> bool {
        let kind = lancet_workspace::EntryKind::File;
        part.index.uses_gate(self.walk.gate) || self.walk.gate.may_read(path, kind)
    }
}

impl Worker<'_> {
    fn open(
        &mut self,
        part: &TreePart<'_>,
        candidate: CandidateFile,
    ) -> Result<FileReader, ReadError> {
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
