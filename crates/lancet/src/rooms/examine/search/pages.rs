//! The page of a list of files that fits into an answer, with marks at entries that changed since the first page.

use std::path::PathBuf;

use lancet_search::ListedFile;

use super::scope::{path_of, told};
use super::seen::SeenFile;
use crate::path_list::PathList;
use crate::rooms::context::CallContext;
use crate::row::Row;
use crate::session::Kept;

/// The most entries that room is made for at once; a page seldom has more.
const AT_ONCE: u64 = 256;

/// Makes the key under which two calls count as the same question.
pub(super) fn key(context: &CallContext<'_>, arguments: &impl serde::Serialize) -> String {
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
    /// What counts as seen, by file.
    pub(super) seen: Vec<SeenFile>,
}

/// Compares an entry of an earlier search with the file now.
pub(super) fn read_state(
    context: &CallContext<'_>,
    kept: &Kept,
    entry: &ListedFile,
) -> &'static str {
    let path = path_of(&kept.starts, entry);
    let located = context.engine().workspace.locate_as_spelled(&path);
    match located.ok().and_then(|located| located.stat()) {
        None => " (gone since the first page)",
        Some(stamp) if stamp.mtime != entry.modified => " (changed since the first page)",
        Some(_) => "",
    }
}

/// Cuts a page of files.
pub(super) fn cut_list(
    context: &CallContext<'_>,
    kept: &Kept,
    offset: u64,
    limit: u64,
    fresh: bool,
    room: usize,
    more: impl Fn(&ListedFile) -> String,
) -> Page {
    let most = limit.min(kept.known.saturating_sub(offset)).min(AT_ONCE);
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
        let name = told(context.engine(), path);
        let mark = if fresh {
            ""
        } else {
            read_state(context, kept, &entry)
        };
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
