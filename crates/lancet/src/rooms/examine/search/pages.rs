//! The page of a list of files that fits an answer, and how its entries differ from what the first page showed.

use std::path::PathBuf;

use lancet_search::ListedFile;

use super::scope::{path_of, told};
use crate::rooms::CallContext;
use crate::row::Row;
use crate::session::Kept;

/// What makes two calls the same question.
pub(super) fn key(context: &CallContext<'_>, arguments: &impl serde::Serialize) -> String {
    let arguments = serde_json::to_string(arguments).unwrap_or_default();
    // Under other rules or other roots the answer is another one.
    let engine = context.engine().number;
    format!("{engine} {} {arguments}", context.tool)
}

/// Part of what was found.
#[derive(Default)]
pub(super) struct Page {
    pub(super) text: String,
    pub(super) files: Vec<String>,
    pub(super) paths: Vec<PathBuf>,
    pub(super) rows: Vec<Row>,
    /// The number of the entry after the last one shown.
    pub(super) end: u64,
    /// The file in which the time for the page was over, if it was.
    pub(super) stopped_at: Option<PathBuf>,
    /// Lines that were shown, by file.
    pub(super) shown: Vec<super::seen::ShownFile>,
}

/// How an entry of an earlier search stands now.
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

/// A page of files.
pub(super) fn cut_list(
    context: &CallContext<'_>,
    kept: &Kept,
    offset: u64,
    limit: u64,
    fresh: bool,
    room: usize,
    more: impl Fn(&ListedFile) -> String,
) -> Page {
    let mut page = Page {
        end: offset,
        ..Page::default()
    };
    let first = usize::try_from(offset).unwrap_or(usize::MAX);
    let mut length = 0;
    for entry in kept.entries_from(first) {
        if page.end - offset >= limit {
            break;
        }
        let path = path_of(&kept.starts, &entry);
        let name = told(context.engine(), &path);
        let mark = if fresh {
            ""
        } else {
            read_state(context, kept, &entry)
        };
        let more = more(&entry);
        let line = format!("{name}{more}{mark}\n");
        length += context.length(&line);
        if length > room && page.end > offset {
            break;
        }
        page.text.push_str(&line);
        page.rows.push(Row::File {
            path: path.to_string_lossy().into(),
            matches: (!more.is_empty()).then_some(entry.matches),
        });
        page.files.push(name);
        page.paths.push(path);
        page.end += 1;
    }
    page
}
