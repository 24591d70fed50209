//! A page of Grep's matching lines: the matches of the page, each under its file, with the lines around them.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use lancet_search::{
    Excerpt, ExcerptLine, ExcerptRange, FileOutcome, FileSearcher, HeldContents, LineRole,
    ListedFile, Pattern,
};

use super::page_file::PageFile;
use super::pages::{Page, PageRequest};
use super::scope::{display_path, path_of};
use super::search_limit::SearchLimit;
use super::seen::{self, ShownLine};
use crate::arguments::GrepArguments;
use crate::row::{self, Row};
use crate::stages::context::CallContext;
use crate::wording::format_count;

/// The most lines around a match that are shown.
const MAX_CONTEXT_LINES: u64 = 10_000;

/// By how much the length of a page may exceed its limit, because the line that fills it is included. The length
/// reserved for notices allows for it.
const MAX_EXCESS_LENGTH: usize = 1_100;

/// Cuts a page out of the matches.
pub(super) fn cut_page_of_lines(
    request: PageRequest<'_, '_>,
    held: Option<&dyn HeldContents>,
    pattern: &Pattern,
    arguments: &GrepArguments,
) -> Page {
    let around = |own: Option<u64>| {
        let lines = own
            .or(arguments.context)
            .unwrap_or(0)
            .min(MAX_CONTEXT_LINES);
        usize::try_from(lines).unwrap_or(0)
    };
    let context = request.context;
    let stop = SearchLimit::from_settings(context);
    let mut cutter = PageCutter {
        request,
        held,
        seeker: FileSearcher::new(pattern, &stop),
        before: around(arguments.before),
        after: around(arguments.after),
        numbers: arguments.numbers.unwrap_or(true),
        counts_as_seen: context.engine().settings.search.seen_lines
            && !context.session.is_for_host(),
        page: Page {
            end: request.offset,
            ..Page::default()
        },
        left: request.limit,
        length: 0,
    };
    let mut skip = request.offset;
    for entry in request.kept.entries_from(0) {
        if skip >= entry.matches {
            skip -= entry.matches;
            continue;
        }
        if cutter.left == 0 || cutter.length >= request.room {
            break;
        }
        if cutter.add(&entry, skip).is_break() {
            break;
        }
        skip = 0;
    }
    cutter.page
}

/// A page of lines as it grows, file by file.
struct PageCutter<'q, 'c> {
    request: PageRequest<'q, 'c>,
    held: Option<&'q dyn HeldContents>,
    seeker: FileSearcher<'q>,
    /// The number of lines around a match that the call requested.
    before: usize,
    after: usize,
    numbers: bool,
    counts_as_seen: bool,
    page: Page,
    /// How many matches may still be shown.
    left: u64,
    /// The length of the page so far.
    length: usize,
}

/// The lines of one file, reduced until they fit.
struct FittedExcerpt {
    found: Result<Excerpt, FileOutcome>,
    laid: LaidOutLines,
    /// The reduced extent.
    extent: ExcerptRange,
    /// Whether they are still too long.
    over: bool,
}

impl PageCutter<'_, '_> {
    /// Adds the lines of one file, without its first matches; breaks where the page ends with it or before it.
    fn add(&mut self, entry: &ListedFile, skip: u64) -> ControlFlow<()> {
        let context = self.request.context;
        let path = path_of(&self.request.kept.starts, entry);
        let wanted = (entry.matches - skip).min(self.left);
        let file = PageFile::get(context, self.held, &path);
        let FittedExcerpt {
            found,
            laid,
            extent,
            over,
        } = self.fit_excerpt(&file, skip);
        if over && !self.page.text.is_empty() {
            return ControlFlow::Break(());
        }
        let mut mark = self.request.change_mark(entry);
        let excerpt = match found {
            Ok(excerpt) => excerpt,
            Err(FileOutcome::Stopped) => {
                self.page.stopped_at = Some(path);
                return ControlFlow::Break(());
            }
            Err(FileOutcome::Gone) => {
                mark = " (gone since it was found)";
                Default::default()
            }
            Err(_) => {
                mark = " (no longer readable)";
                Default::default()
            }
        };
        if excerpt.matches < wanted && mark.is_empty() && extent.take == self.left {
            // The excerpt is shorter although more would fit, so the file was changed in the meantime.
            let full: usize = excerpt.lines.iter().map(|line| line.bytes.len() + 8).sum();
            if full < self.request.room - self.length {
                mark = " (changed since it was found)";
            }
        }
        let name = display_path(context.engine(), &path);
        let heading = format!("{name}{mark}\n");
        // For a single match that is longer than an answer, the first lines are shown.
        let end = match over {
            true => context
                .limit
                .measure
                .prefix_length(&laid.text, self.request.room),
            false => laid.text.len(),
        };
        let whole = laid.ends.iter().take_while(|at| **at <= end).count();
        let left_out = excerpt.lines.len() - whole;
        self.write(&heading, laid.first_lines(whole), extent, left_out);
        self.add_rows(&path, &file, &excerpt.lines[..whole]);
        self.page.files.push(name);
        self.page.paths.add(&path, Path::new(""));
        // Where the file has changed, its matches still count as passed: the next page continues with the next file.
        let passed = match mark.is_empty() {
            true => excerpt.matches.min(wanted),
            false => wanted,
        };
        self.page.end += passed;
        self.left -= passed;
        if passed < wanted {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Takes fewer matches each time, then fewer lines around the last one, until they fit.
    fn fit_excerpt(&self, file: &PageFile<'_>, skip: u64) -> FittedExcerpt {
        let room = self.request.room;
        let mut extent = ExcerptRange {
            skip,
            take: self.left,
            before: self.before,
            after: self.after,
            most_bytes: room - self.length,
        };
        loop {
            let found = file.excerpt(&self.seeker, extent);
            let lines = found.as_ref().map_or(&[][..], |excerpt| &excerpt.lines);
            let gaps = self.before + self.after > 0;
            let laid = lay_out_lines(self.request.context, lines, self.numbers, gaps);
            let over = self.length + laid.length > room + MAX_EXCESS_LENGTH;
            match &found {
                Ok(excerpt) if over && excerpt.matches > 1 => extent.take = excerpt.matches / 2,
                Ok(_) if over && self.page.text.is_empty() && extent.before + extent.after > 0 => {
                    extent.before /= 2;
                    extent.after /= 2;
                }
                _ => {
                    return FittedExcerpt {
                        found,
                        laid,
                        extent,
                        over,
                    };
                }
            }
        }
    }

    /// Writes a file's heading and lines, and says which lines were left out.
    fn write(&mut self, heading: &str, lines: &str, extent: ExcerptRange, left_out: usize) {
        let context = self.request.context;
        let text = &mut self.page.text;
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(heading);
        text.push_str(lines);
        if extent.before + extent.after < self.before + self.after {
            text.push_str("[lancet: fewer lines around for lack of room]\n");
        }
        if left_out > 0 {
            text.push_str(&format!(
                "[lancet: {} more of this match left out for lack of room]\n",
                format_count(left_out, "line")
            ));
        }
        self.length += context.length(heading) + context.length(lines) + 1;
    }

    /// Adds lines as data, and those that are shown whole to what counts as seen.
    fn add_rows(&mut self, path: &Path, file: &PageFile<'_>, lines: &[ExcerptLine]) {
        let mut shown_whole = Vec::new();
        let full_name: Arc<str> = path.to_string_lossy().into();
        for line in lines {
            let text = line_text(line);
            let role = match line.role {
                LineRole::Match => row::Role::Match,
                LineRole::Context => row::Role::Context,
            };
            // A line is cached up to some thousand bytes.
            let spans = line.spans.iter();
            let spans = spans.map(|span| [span.start as u32, span.end as u32]);
            let (name, text_of_row) = (Arc::clone(&full_name), Arc::clone(&text));
            let row = Row::line(name, line.number, role, text_of_row, spans.collect());
            self.page.lines.push(row);
            if line.left_out == (0, 0) {
                shown_whole.push(ShownLine {
                    number: line.number,
                    offset: line.offset,
                    text,
                });
            }
        }
        if self.counts_as_seen {
            let seen = seen::from_shown_lines(self.request.context, path, file, &shown_whole);
            self.page.seen.extend(seen);
        }
    }
}

/// Lines of one file as an answer shows them.
struct LaidOutLines {
    text: String,
    /// The end of each line in the text.
    ends: Vec<usize>,
    length: usize,
}

impl LaidOutLines {
    /// Returns the text of the first lines.
    fn first_lines(&self, lines: usize) -> &str {
        let end = self.ends[..lines].last().map_or(0, |at| *at);
        &self.text[..end]
    }
}

fn lay_out_lines(
    context: &CallContext<'_>,
    lines: &[ExcerptLine],
    numbers: bool,
    gaps: bool,
) -> LaidOutLines {
    let mut laid = LaidOutLines {
        text: String::new(),
        ends: Vec::with_capacity(lines.len()),
        length: 0,
    };
    let mut last = None;
    for line in lines {
        if gaps && last.is_some_and(|last| line.number > last + 1) {
            laid.text.push_str("--\n");
        }
        last = Some(line.number);
        write_line(&mut laid.text, line, &line_text(line), numbers);
        laid.ends.push(laid.text.len());
    }
    laid.length = context.length(&laid.text);
    laid
}

/// Returns a line as text, without the CR of its line end.
pub(super) fn line_text(line: &ExcerptLine) -> Arc<str> {
    let bytes = if line.left_out.1 == 0 {
        line.bytes.strip_suffix(b"\r").unwrap_or(&line.bytes)
    } else {
        &line.bytes
    };
    String::from_utf8_lossy(bytes).into()
}

fn write_line(out: &mut String, line: &ExcerptLine, text: &str, numbers: bool) {
    if numbers {
        let mark = match line.role {
            LineRole::Match => ':',
            LineRole::Context => '-',
        };
        out.push_str(&format!("{}{mark}", line.number));
    }
    let (before, after) = line.left_out;
    if before > 0 {
        out.push('…');
    }
    out.push_str(text);
    if after > 0 {
        out.push('…');
    }
    if before + after > 0 {
        out.push_str(&format!(
            " [lancet: {} of this line left out]",
            format_count(before + after, "byte")
        ));
    }
    out.push('\n');
}
