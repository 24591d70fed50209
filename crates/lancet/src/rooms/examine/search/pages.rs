//! Pages that stay: what a search found is kept for the pages after the first, so that what is written in between moves
//! nothing from one page to another. And the page of a list that fits an answer.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lancet_search::{Entry, Listing, Survey, Tally};

use super::scope::{path_of, told};
use crate::rooms::CallContext;
use crate::row::Row;

/// For how long a question's order is kept.
const KEPT_FOR: Duration = Duration::from_secs(600);
/// Of how many questions.
const KEPT: usize = 64;
/// In how much memory.
const KEPT_BYTES: usize = 8 << 20;

/// Entries that are copied for a page at once.
const AT_ONCE: usize = 256;

/// What a search found.
pub(crate) struct Kept {
    pub(crate) starts: Vec<PathBuf>,
    entries: Mutex<Listing>,
    /// How many entries there are to be had, and about how much memory they take.
    pub(crate) known: u64,
    /// How many matches these hold.
    pub(crate) known_matches: u64,
    bytes: usize,
    pub(crate) total: u64,
    pub(crate) matches: u64,
    pub(crate) tally: Tally,
    pub(crate) stopped_at: Option<PathBuf>,
    made: Instant,
}

impl Kept {
    pub(super) fn new(starts: Vec<PathBuf>, survey: Survey) -> Self {
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

    /// The entries from one on, in their order; fetched a few at a time, since each is copied.
    pub(super) fn entries_from(&self, first: usize) -> impl Iterator<Item = Entry> {
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

/// The questions of a session, the latest last.
#[derive(Default)]
pub(crate) struct Pages {
    kept: VecDeque<(String, Arc<Kept>, usize)>,
}

/// What makes two calls the same question.
pub(super) fn key(context: &CallContext<'_>, arguments: &impl serde::Serialize) -> String {
    let arguments = serde_json::to_string(arguments).unwrap_or_default();
    // Under other rules or other roots the answer is another one.
    let engine = context.engine().number;
    format!("{engine} {} {arguments}", context.tool)
}

impl Pages {
    pub(super) fn find(&mut self, key: &str) -> Option<Arc<Kept>> {
        self.kept
            .retain(|(_, kept, _)| kept.made.elapsed() < KEPT_FOR);
        let at = self.kept.iter().position(|(known, ..)| known == key)?;
        let found = self.kept.remove(at)?;
        let kept = Arc::clone(&found.1);
        self.kept.push_back(found);
        Some(kept)
    }

    /// Keeps a list for its later pages. One that is larger than all of the memory for them is not kept: its later pages
    /// look again.
    pub(super) fn keep(&mut self, key: &str, kept: &Arc<Kept>) {
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
pub(super) fn read_state(context: &CallContext<'_>, kept: &Kept, entry: &Entry) -> &'static str {
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
    more: impl Fn(&Entry) -> String,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(entries: usize) -> Arc<Kept> {
        let mut list = lancet_search::Ranked::new(lancet_search::Order::Path, 1);
        for _ in 0..entries {
            list.add(Entry {
                start: 0,
                relative: std::path::Path::new("some/file/of/a/tree.rs").into(),
                modified: (0, 0),
                matches: 1,
            });
        }
        let (files, total) = list.finish();
        let survey = Survey {
            files,
            total,
            matches: 0,
            tally: Tally::default(),
            stopped_at: None,
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
