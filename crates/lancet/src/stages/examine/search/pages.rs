//! The page of a list of files that fits into an answer, with marks at entries that changed since the first page.

use std::path::PathBuf;

use lancet_search::ListedFile;

use super::scope::{display_path, path_of};
use super::seen::SeenFile;
use crate::path_list::PathList;
use crate::row::Row;
use crate::session::CachedResult;
use crate::stages::context::CallContext;

/// The most entries for which memory is reserved at once; a page seldom has more.
const MAX_RESERVED_ENTRIES: u64 = 256;

/// Makes the key under which two calls count as the same query.
pub(super) fn cache_key(context: &CallContext<'_>, arguments: &impl serde::Serialize) -> String {
    let arguments = serde_json::to_string(arguments).unwrap_or_default();
    // Under other rules or other roots the answer would differ.
    let engine = context.engine().id;
    format!("{engine} {} {arguments}", context.tool)
}

/// Part of the entries that a search found.
#[derive(Default)]
pub(super) struct Page {
    pub(super) text: String,
    pub(super) files: Vec<String>,
    pub(super) paths: PathList,
    /// The lines, where the page has some.
    pub(super) lines: Vec<Row>,
    /// The matches in each file, where the page counts them.
    pub(super) matches: Option<Vec<u64>>,
    /// The number of the entry after the last shown one.
    pub(super) end: u64,
    /// The file at which the time for the page ran out, if it did.
    pub(super) stopped_at: Option<PathBuf>,
    /// The lines that count as seen, by file.
    pub(super) seen: Vec<SeenFile>,
}

/// The part of the found entries that an answer shows.
#[derive(Clone, Copy)]
pub(super) struct PageRequest<'q, 'c> {
    pub(super) context: &'q CallContext<'c>,
    pub(super) kept: &'q CachedResult,
    pub(super) offset: u64,
    pub(super) limit: u64,
    /// Whether all entries come from a search made now, so that they are current.
    pub(super) fresh: bool,
    /// The length that the entries may take.
    pub(super) room: usize,
}

impl PageRequest<'_, '_> {
    /// Returns the mark for an entry of an earlier search whose file has changed since.
    pub(super) fn change_mark(&self, entry: &ListedFile) -> &'static str {
        if self.fresh {
            return "";
        }
        let path = path_of(&self.kept.starts, entry);
        let located = self.context.engine().workspace.locate_as_spelled(&path);
        match located.ok().and_then(|located| located.stat()) {
            None => " (gone since the first page)",
            Some(stamp) if stamp.mtime != entry.modified => " (changed since the first page)",
            Some(_) => "",
        }
    }

    /// Cuts a page of files.
    pub(super) fn cut_list(&self, more: impl Fn(&ListedFile) -> String) -> Page {
        let &PageRequest {
            context,
            kept,
            offset,
            limit,
            room,
            ..
        } = self;
        let most = limit
            .min(kept.known.saturating_sub(offset))
            .min(MAX_RESERVED_ENTRIES);
        let mut page = Page {
            files: Vec::with_capacity(most as usize),
            paths: PathList::with_capacity(most as usize),
            end: offset,
            ..Page::default()
        };
        let first = usize::try_from(offset).unwrap_or(usize::MAX);
        let mut length = 0;
        for entry in kept.entries_from(first) {
            if page.end - offset >= limit {
                break;
            }
            let start = &kept.starts[entry.start.min(kept.starts.len() - 1)];
            let path = page.paths.add(start, &entry.relative);
            let name = display_path(context.engine(), path);
            let mark = self.change_mark(&entry);
            let more = more(&entry);
            let start = page.text.len();
            for part in [&name, &more, mark, "\n"] {
                page.text.push_str(part);
            }
            length += context.length(&page.text[start..]);
            if length > room && page.end > offset {
                page.text.truncate(start);
                page.paths.remove_last();
                break;
            }
            if !more.is_empty() {
                page.matches.get_or_insert_default().push(entry.matches);
            }
            page.files.push(name);
            page.end += 1;
        }
        page
    }
}
