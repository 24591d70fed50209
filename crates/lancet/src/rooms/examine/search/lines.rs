//! A page of Grep's matching lines: the matches of the page, each under its file, with the lines around them.

use std::path::Path;
use std::sync::Arc;

use lancet_search::{
    ExcerptRange, FileOutcome, FileSearcher, HeldContents, Line, LineRole, Pattern,
};

use super::Limit;
use super::page_file::PageFile;
use super::pages::{Page, read_state};
use super::scope::{path_of, told};
use super::seen::{self, ShownLine};
use crate::arguments::GrepArguments;
use crate::rooms::context::CallContext;
use crate::row::{self, Row};
use crate::session::Kept;
use crate::wording::count;

/// The most lines around a match that are shown.
const MOST_CONTEXT: u64 = 10_000;

/// By how much the lines of a page may exceed their room, because the line that fills it is included. The room for
/// notices allows for it.
const SLACK: usize = 1_100;

/// Cuts a page out of the matches.
#[allow(clippy::too_many_arguments)]
pub(super) fn cut(
    context: &CallContext<'_>,
    kept: &Kept,
    held: Option<&dyn HeldContents>,
    pattern: &Pattern,
    arguments: &GrepArguments,
    offset: u64,
    limit: u64,
    fresh: bool,
    room: usize,
) -> Page {
    let around = |own: Option<u64>| {
        let lines = own.or(arguments.context).unwrap_or(0).min(MOST_CONTEXT);
        usize::try_from(lines).unwrap_or(0)
    };
    let (before, after) = (around(arguments.before), around(arguments.after));
    let numbers = arguments.numbers.unwrap_or(true);
    let stop = Limit::of(context);
    let seeker = FileSearcher::new(pattern, &stop);
    let counts_as_seen = context.engine().settings.search.seen_lines && !context.session.is_apart();
    let mut page = Page {
        end: offset,
        ..Page::default()
    };
    let mut skip = offset;
    let mut left = limit;
    let mut length = 0;
    for entry in kept.entries_from(0) {
        if skip >= entry.matches {
            skip -= entry.matches;
            continue;
        }
        if left == 0 || length >= room {
            break;
        }
        let path = path_of(&kept.starts, &entry);
        let name = told(context.engine(), &path);
        let wanted = (entry.matches - skip).min(left);
        let mut extent = ExcerptRange {
            skip,
            take: left,
            before,
            after,
            most_bytes: room - length,
        };
        let file = PageFile::get(context, held, &path);
        // Fewer matches are taken each time, then fewer lines around the last one, until they fit.
        let (found, shown) = loop {
            let found = file.excerpt(&seeker, extent);
            let lines = found.as_ref().map_or(&[][..], |excerpt| &excerpt.lines);
            let shown = lay_lines(context, lines, numbers, before + after > 0);
            let over = length + shown.length > room + SLACK;
            match &found {
                Ok(excerpt) if over && excerpt.matches > 1 => extent.take = excerpt.matches / 2,
                Ok(_) if over && page.text.is_empty() && extent.before + extent.after > 0 => {
                    extent.before /= 2;
                    extent.after /= 2;
                }
                _ => break (found, shown),
            }
        };
        let over = length + shown.length > room + SLACK;
        if over && !page.text.is_empty() {
            break;
        }
        let mut mark = if fresh {
            ""
        } else {
            read_state(context, kept, &entry)
        };
        let excerpt = match found {
            Ok(excerpt) => excerpt,
            Err(FileOutcome::Stopped) => {
                page.stopped_at = Some(path);
                break;
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
        if excerpt.matches < wanted && mark.is_empty() && extent.take == left {
            // The excerpt is shorter although there was room, so the file was changed meanwhile.
            let full: usize = excerpt.lines.iter().map(|line| line.bytes.len() + 8).sum();
            if full < room - length {
                mark = " (changed since it was found)";
            }
        }
        if !page.text.is_empty() {
            page.text.push('\n');
        }
        let heading = format!("{name}{mark}\n");
        page.text.push_str(&heading);
        // Of a single match that is longer than an answer the first lines are shown.
        let end = if over {
            context.limit.measure.prefix(&shown.text, room)
        } else {
            shown.text.len()
        };
        let whole = shown.ends.iter().take_while(|at| **at <= end).count();
        let end = shown.ends[..whole].last().map_or(0, |at| *at);
        page.text.push_str(&shown.text[..end]);
        if extent.before + extent.after < before + after {
            page.text
                .push_str("[lancet: fewer lines around for lack of room]\n");
        }
        let left_out = excerpt.lines.len() - whole;
        if left_out > 0 {
            page.text.push_str(&format!(
                "[lancet: {} more of this match left out for lack of room]\n",
                count(left_out, "line")
            ));
        }
        length += context.length(&heading) + context.length(&shown.text[..end]) + 1;
        let mut shown_whole = Vec::new();
        let full_name: Arc<str> = path.to_string_lossy().into();
        for line in &excerpt.lines[..whole] {
            let text = text(line);
            let role = match line.role {
                LineRole::Match => row::Role::Match,
                LineRole::Context => row::Role::Context,
            };
            // A line is cached up to some thousand bytes.
            let spans = line.spans.iter();
            let spans = spans.map(|span| [span.start as u32, span.end as u32]);
            let (name, text_of_row) = (Arc::clone(&full_name), Arc::clone(&text));
            let row = Row::line(name, line.number, role, text_of_row, spans.collect());
            page.lines.push(row);
            if line.left_out == (0, 0) {
                shown_whole.push(ShownLine {
                    number: line.number,
                    offset: line.offset,
                    text,
                });
            }
        }
        if counts_as_seen {
            let seen = seen::take(context, &path, &file, &shown_whole);
            page.seen.extend(seen);
        }
        page.files.push(name);
        page.paths.add(&path, Path::new(""));
        // Where the file has changed its matches still count as passed: the next page continues with the next file.
        let passed = if mark.is_empty() {
            excerpt.matches.min(wanted)
        } else {
            wanted
        };
        page.end += passed;
        left -= passed;
        skip = 0;
        if passed < wanted {
            break;
        }
    }
    page
}

/// Lines of one file as an answer shows them.
struct Laid {
    text: String,
    /// The end of each line in the text.
    ends: Vec<usize>,
    length: usize,
}

fn lay_lines(context: &CallContext<'_>, lines: &[Line], numbers: bool, gaps: bool) -> Laid {
    let mut laid = Laid {
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
        write_line(&mut laid.text, line, &text(line), numbers);
        laid.ends.push(laid.text.len());
    }
    laid.length = context.length(&laid.text);
    laid
}

/// A line as text, without the CR of its line end.
pub(super) fn text(line: &Line) -> Arc<str> {
    let bytes = if line.left_out.1 == 0 {
        line.bytes.strip_suffix(b"\r").unwrap_or(&line.bytes)
    } else {
        &line.bytes
    };
    String::from_utf8_lossy(bytes).into()
}

fn write_line(out: &mut String, line: &Line, text: &str, numbers: bool) {
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
            count(before + after, "byte")
        ));
    }
    out.push('\n');
}
