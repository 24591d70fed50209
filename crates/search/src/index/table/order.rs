//! The files of a table in the orders of results: by path, and by time for the names that were searched for.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use lancet_workspace::Moment;

use super::{BlockRange, FileId, FileTable, FolderId, TextKind};
use crate::name_key::NameKey;

/// The most lists of [`FileTable::build_newest`] that are stored.
const MAX_CACHED_LISTS: usize = 16;
/// With more changed files the lists are rebuilt.
const MAX_PATCHED_FILES: usize = 64;

impl FileTable {
    /// Updates order and lists for the files that were added, removed or changed.
    pub(in crate::index) fn update_order(&mut self) {
        // What is changed from now on is later than every list that was built so far.
        self.changes += 1;
        if self.reordered {
            self.rebuild_order();
        }
        let changed = std::mem::take(&mut self.changed);
        for id in &changed {
            let rank = self.ranks[id.0 as usize] as usize;
            if let (Some(file), Some(kind), Some(blocks)) = (
                self.files[id.0 as usize].as_ref(),
                self.kinds.get_mut(rank),
                self.blocks.get_mut(rank),
            ) {
                (*kind, *blocks) = (file.kind, file.blocks);
            }
        }
        let unsigned = (0..).zip(&self.kinds);
        let unsigned = unsigned.filter(|(_, kind)| **kind == TextKind::Unsigned);
        self.unsigned = unsigned.map(|(rank, _)| rank).collect();
        self.kind_counts = [0; 4];
        for kind in &self.kinds {
            self.kind_counts[*kind as usize] += 1;
        }
        self.sum_up_left_out();
        if changed.len() > MAX_PATCHED_FILES {
            self.lists.clear();
            return;
        }
        let mut changed = changed;
        changed.sort_unstable_by_key(|id| id.0);
        changed.dedup_by_key(|id| id.0);
        let mut lists = std::mem::take(&mut self.lists);
        for (key, list) in &mut lists {
            let list = Arc::make_mut(list);
            // All changed files are removed before one is inserted: a place is searched for by bisection, which needs
            // the remaining files to be in order.
            list.retain(|file| changed.binary_search_by_key(&file.0, |id| id.0).is_err());
            for id in &changed {
                if self.file(*id).is_some() && key.matches_name(self.name_bytes(*id)) {
                    let own = self.newest_first_key(*id);
                    let at = list.partition_point(|file| self.newest_first_key(*file) < own);
                    list.insert(at, *id);
                }
            }
        }
        self.lists = lists;
    }

    /// Returns the sort key for modification time, newest first, ties by path.
    pub(in crate::index) fn newest_first_key(&self, id: FileId) -> (Reverse<Moment>, u32) {
        let modified = self.file(id).map_or((0, 0), |file| file.stamp.mtime);
        (Reverse(modified), self.path_rank(id))
    }

    fn rebuild_order(&mut self) {
        self.order.clear();
        self.reordered = false;
        /// The next file and the next folder of a folder that is not finished.
        struct FolderPosition {
            id: FolderId,
            file: usize,
            folder: usize,
        }
        let frame = |id| FolderPosition {
            id,
            file: 0,
            folder: 0,
        };
        let mut frames = vec![frame(FolderId(0))];
        let mut order = std::mem::take(&mut self.order);
        while let Some(top) = frames.last_mut() {
            let id = top.id;
            let Some(folder) = self.folder(id) else {
                frames.pop();
                continue;
            };
            let file = folder.files.get(top.file).copied();
            let inner = folder.folders.get(top.folder).copied();
            match (file, inner) {
                (None, None) => {
                    frames.pop();
                    let end = order.len() as u32;
                    if let Some(folder) = self.folder_mut(id) {
                        folder.span.end = end;
                    }
                }
                (Some(file), inner)
                    if inner.is_none_or(|inner| self.name(file) < self.folder_name(inner)) =>
                {
                    top.file += 1;
                    order.push(file);
                }
                (_, Some(inner)) => {
                    top.folder += 1;
                    let start = order.len() as u32;
                    if let Some(folder) = self.folder_mut(inner) {
                        folder.span.start = start;
                    }
                    frames.push(frame(inner));
                }
                (Some(_), None) => {}
            }
        }
        for (rank, file) in (0..).zip(&order) {
            self.ranks[file.0 as usize] = rank;
        }
        let kind = |id: &FileId| self.file(*id).map_or(TextKind::Unsigned, |file| file.kind);
        self.kinds = order.iter().map(kind).collect();
        let blocks = |id: &FileId| {
            self.file(*id)
                .map_or(BlockRange::default(), |file| file.blocks)
        };
        self.blocks = order.iter().map(blocks).collect();
        self.order = order;
    }

    /// Returns the place of a file in path order.
    pub(in crate::index) fn path_rank(&self, id: FileId) -> u32 {
        self.ranks.get(id.0 as usize).copied().unwrap_or(u32::MAX)
    }

    /// Returns the range of the files below a folder in path order.
    pub(in crate::index) fn path_span(&self, id: FolderId) -> Range<u32> {
        self.folder(id).map_or(0..0, |folder| folder.span.clone())
    }

    /// Returns the files of a part of the path order.
    pub(in crate::index) fn files_in(&self, span: Range<u32>) -> &[FileId] {
        &self.order[span.start as usize..span.end as usize]
    }

    /// Returns how a search treats the files of a part of the path order.
    pub(in crate::index) fn kinds_in(&self, span: Range<u32>) -> &[TextKind] {
        &self.kinds[span.start as usize..span.end as usize]
    }

    /// Returns where the signatures of the files of a part of the path order are.
    pub(in crate::index) fn blocks_in(&self, span: Range<u32>) -> &[BlockRange] {
        &self.blocks[span.start as usize..span.end as usize]
    }

    /// Returns the places of files in a part of the path order that are opened for every search.
    pub(in crate::index) fn unsigned_ranks_in(
        &self,
        span: Range<u32>,
    ) -> impl Iterator<Item = u32> {
        let first = self.unsigned.partition_point(|rank| *rank < span.start);
        let rest = self.unsigned[first..].iter().copied();
        rest.take_while(move |rank| *rank < span.end)
    }

    /// Returns the number of all files of a kind.
    pub(in crate::index) fn count_of_kind(&self, kind: TextKind) -> u64 {
        self.kind_counts[kind as usize]
    }

    /// Lists the files with such a name, newest first. The list is stored and patched by [`FileTable::update_order`].
    pub(in crate::index) fn build_newest(&mut self, key: &NameKey) {
        if !self.lists.contains_key(key) {
            if self.lists.len() >= MAX_CACHED_LISTS {
                self.lists.clear();
            }
            let fits = |id: &FileId| key.matches_name(self.name_bytes(*id));
            let mut list: Vec<FileId> = self.order.iter().copied().filter(fits).collect();
            list.sort_by_key(|id| self.newest_first_key(*id));
            self.lists.insert(key.clone(), Arc::new(list));
        }
    }

    /// Returns the list of [`FileTable::build_newest`], if it was built before.
    pub(in crate::index) fn cached_newest(&self, key: &NameKey) -> Option<&Arc<Vec<FileId>>> {
        self.lists.get(key)
    }

    /// Returns files of a part of the path order whose names contain a text, regardless of the case of ASCII letters;
    /// at most `most`.
    pub(in crate::index) fn named_like(
        &self,
        text: &[u8],
        span: &Range<u32>,
        most: usize,
    ) -> Vec<FileId> {
        let folded = text.to_ascii_lowercase();
        let mut found: Vec<FileId> = Vec::new();
        if !self.grams.may_contain(&folded) {
            return found;
        }
        for at in memchr::memmem::find_iter(&self.folded, &folded) {
            let next = self
                .name_starts
                .partition_point(|start| *start as usize <= at);
            let id = FileId(u32::try_from(next.saturating_sub(1)).unwrap_or(u32::MAX));
            let is_whole = self
                .file(id)
                .is_some_and(|file| at + folded.len() <= file.name.end as usize);
            if is_whole && span.contains(&self.path_rank(id)) && found.last() != Some(&id) {
                found.push(id);
            }
            if found.len() == most {
                break;
            }
        }
        found.sort_by_key(|id| self.path_rank(*id));
        found
    }
}
