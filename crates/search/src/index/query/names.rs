//! Lists files of resident trees. Where the filter tests names alone, the table already has a list in the order of the
//! result. Its first entries are built now and the others when a page requests them.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use lancet_workspace::{EntryKind, Moment};

use super::super::table::FileId;
use super::{ResidentTree, TreePart};
use crate::list::{ListedFile, Listing, RankedFiles, RemainingFiles, ResultOrder};
use crate::name_key::NameKey;
use crate::shared_path::SharedPaths;
use crate::summary::{LinkedFileFilter, SearchSummary};
use crate::walk::Walk;
use crate::walk::folder::relative_to_start;

/// The number of entries of a list that are built at once: a page has a hundred, and is cut from 16, 32 and 64.
const ENTRIES_PER_STEP: usize = 112;

pub(super) fn list_files(
    trees: &[Arc<ResidentTree>],
    parts: &[TreePart<'_>],
    walk: &Walk<'_>,
    order: ResultOrder,
    linked: LinkedFileFilter<'_>,
    key: Option<&NameKey>,
) -> SearchSummary {
    let mut summary = SearchSummary::empty(order);
    for part in parts {
        summary.tally += part.left_out_tally();
        summary.tally.searched += u64::from(part.span.end - part.span.start);
    }
    if let ([part], Some(key), ResultOrder::Newest) = (parts, key, order)
        && let Some(named) = part.index.table.cached_newest(key)
    {
        list_by_name(&mut summary, &trees[part.tree], part, named, walk, linked);
        return summary;
    }
    let mut list = RankedFiles::new(order, 1);
    'parts: for part in parts {
        for (at, id) in part.files().iter().enumerate() {
            if at.is_multiple_of(1024) && walk.stop.should_stop() {
                summary.stopped_at = Some(walk.starts[part.start].path().to_path_buf());
                break 'parts;
            }
            let Some(path) = part.index.table.path(*id) else {
                continue;
            };
            if walk.filter.wants_file(&path) && may_list(part, *id, &path, walk, linked) {
                list.add(part.new_entry(*id, &path, 0));
            }
        }
    }
    (summary.files, summary.total) = list.finish();
    summary
}

fn may_list(
    part: &TreePart<'_>,
    id: FileId,
    path: &std::path::Path,
    walk: &Walk<'_>,
    linked: LinkedFileFilter<'_>,
) -> bool {
    walk.gate.may_read(path, EntryKind::File) && part.may_list(id, path, linked)
}

/// Lists the files with such a name. The gate has let all of them into the tree. It is checked again for those that are
/// named, unless its rules are still the same.
fn list_by_name(
    summary: &mut SearchSummary,
    tree: &Arc<ResidentTree>,
    part: &TreePart<'_>,
    named: &Arc<Vec<FileId>>,
    walk: &Walk<'_>,
    linked: LinkedFileFilter<'_>,
) {
    let table = &part.index.table;
    let is_inside = |id: &FileId| part.span.contains(&table.path_rank(*id));
    let linked_ids = &part.index.linked;
    let may_list = |id: &FileId| {
        !linked_ids.contains(id)
            || table
                .path(*id)
                .is_some_and(|path| part.may_list(*id, &path, linked))
    };
    // The whole list is shared: copying it took a tenth of the time of a Glob for 20,000 files.
    let ids = match part.is_whole() && linked_ids.is_empty() {
        true => Arc::clone(named),
        false => {
            let ids = named.iter().filter(|id| is_inside(id) && may_list(id));
            Arc::new(ids.copied().collect())
        }
    };
    let mut entries = NewEntries::with_capacity(ENTRIES_PER_STEP.min(ids.len()));
    let (mut made, mut path) = (0, PathBuf::new());
    // Checking the gate again for each of a page's files took a fifth of the time of a Glob.
    let is_judged = part.index.uses_gate(walk.gate);
    while made < ids.len() && entries.len() < ENTRIES_PER_STEP {
        if table.write_path(ids[made], &mut path)
            && (is_judged || walk.gate.may_read(&path, EntryKind::File))
        {
            let modified = table.file(ids[made]).map(|file| file.stamp.mtime);
            entries.add(
                relative_to_start(&path, part.base),
                modified.unwrap_or_default(),
            );
        }
        made += 1;
    }
    let entries = entries.finish(part.start);
    let rest = NamedFiles {
        tree: Arc::downgrade(tree),
        start: part.start,
        base: part.base,
        changes: table.change_count(),
        ids,
        made,
    };
    summary.total = (entries.len() + rest.len()) as u64;
    let rest: Option<Arc<dyn RemainingFiles>> = match rest.is_empty() {
        true => None,
        false => Some(Arc::new(rest)),
    };
    summary.files = Listing::from_entries(ResultOrder::Newest, entries, rest);
}

/// Entries that are being built.
struct NewEntries {
    paths: SharedPaths,
    modified: Vec<Moment>,
}

impl NewEntries {
    fn with_capacity(entries: usize) -> Self {
        NewEntries {
            paths: SharedPaths::default(),
            modified: Vec::with_capacity(entries),
        }
    }

    fn add(&mut self, relative: &Path, modified: Moment) {
        self.paths.add(relative);
        self.modified.push(modified);
    }

    fn len(&self) -> usize {
        self.modified.len()
    }

    fn finish(self, start: usize) -> Vec<ListedFile> {
        let entries = self.paths.finish().into_iter().zip(self.modified);
        let entry = |(relative, modified)| ListedFile {
            start,
            relative,
            modified,
            matches: 0,
        };
        entries.map(entry).collect()
    }
}

/// The remaining files of a list by name. File numbers are not reused, so that no file is mistaken for another.
#[derive(Debug)]
struct NamedFiles {
    tree: Weak<ResidentTree>,
    start: usize,
    base: usize,
    /// The value of [`FileTable::change_count`](super::super::table::FileTable::change_count) when the list was built.
    changes: u32,
    ids: Arc<Vec<FileId>>,
    /// The number of ids at the beginning that are not part of these files: their entries were built with the first
    /// page.
    made: usize,
}

impl RemainingFiles for NamedFiles {
    fn len(&self) -> usize {
        self.ids.len() - self.made
    }

    fn bytes(&self) -> usize {
        self.len() * std::mem::size_of::<FileId>()
    }

    fn entries(&self, range: Range<usize>) -> Option<Vec<ListedFile>> {
        let tree = self.tree.upgrade()?;
        let index = tree.read();
        let end = (self.made + range.end).min(self.ids.len());
        let ids = self.ids.get(self.made + range.start..end)?;
        let mut entries = NewEntries::with_capacity(ids.len());
        for id in ids {
            let (path, modified) = index.table.path_and_time_since(*id, self.changes)?;
            entries.add(relative_to_start(&path, self.base), modified);
        }
        Some(entries.finish(self.start))
    }
}
