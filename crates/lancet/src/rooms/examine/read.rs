//! examine for Read: the page of a text that fits the answer, which of its bytes it shows, and the call for the next one.

use std::sync::Arc;

use lancet_history::{Asked, Seen, Version};
use lancet_text::{Document, Endings};

use super::large;
use super::open::{HELD, decode, require_file, snapshot};
use crate::arguments::ReadArguments;
use crate::ledger::raw;
use crate::refusal::Refusal;
use crate::rooms::Desk;
use crate::rooms::locate::{Intent, Target, locate};
use crate::settings::Gutter;
use crate::wording::{cut, quote_path};

/// Characters of an answer kept free for the notices after the lines.
pub(super) const NOTICE_ROOM: usize = 1_200;

/// What a Read found, ready to be recorded and answered.
pub(crate) struct Page {
    pub(crate) target: Target,
    /// Numbered lines and the notices among them; empty for [`Shape::Unchanged`].
    pub(crate) text: String,
    /// Sentences after the lines.
    pub(crate) notices: Vec<String>,
    pub(crate) shape: Shape,
    /// The first line, from 1, and how many.
    pub(crate) start: usize,
    pub(crate) lines: usize,
    pub(crate) total: usize,
    pub(crate) truncated: bool,
    pub(crate) encoding: &'static str,
    pub(crate) endings: Endings,
    pub(crate) revision: String,
    /// What the ledger takes in: which version, its bytes where they are kept, what was shown, what was asked.
    pub(crate) version: Version,
    pub(crate) content: Option<Arc<Vec<u8>>>,
    pub(crate) seen: Seen,
    pub(crate) asked: Asked,
    /// The version that the ledger knew when the file was looked at.
    pub(crate) known: Option<[u8; 32]>,
}

/// What kind of answer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The text.
    Text,
    /// One line instead of text that was shown before.
    Unchanged,
}

/// The range that a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The first line, from 0.
    pub(crate) first: usize,
    pub(crate) most: usize,
    /// The first character, from 0, of a line shown alone.
    pub(crate) column: Option<usize>,
    /// What was asked, for telling whether it is asked again.
    pub(crate) asked: Asked,
}

impl Wanted {
    fn new(desk: &Desk<'_>, arguments: &ReadArguments) -> Self {
        let most = desk.engine().settings.read.max_lines;
        let limit = arguments
            .limit
            .map_or(most, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Self {
            first: usize::try_from(arguments.offset.unwrap_or(1).max(1) - 1).unwrap_or(usize::MAX),
            most: limit.max(1),
            column: arguments
                .column
                .map(|column| usize::try_from(column.max(1) - 1).unwrap_or(usize::MAX)),
            asked: Asked {
                offset: arguments.offset.unwrap_or(1).max(1),
                limit: arguments.limit.unwrap_or(0),
                column: arguments.column.unwrap_or(0),
            },
        }
    }
}

/// Reads the page that a call asks for.
pub(crate) fn examine(desk: &Desk<'_>, arguments: &ReadArguments) -> Result<Page, Refusal> {
    let target = locate(desk.engine(), &arguments.file_path, Intent::Show)?;
    require_file(desk.engine(), &target)?;
    let wanted = Wanted::new(desk, arguments);
    let known = desk
        .session
        .ledger()
        .peek(target.path())
        .map(|entry| entry.revision);
    let size = target.located.stat().map_or(0, |stamp| stamp.size);
    let mut page = if size > HELD {
        large::read(desk, target, wanted)?
    } else {
        held(desk, target, wanted)?
    };
    page.known = known;
    Ok(settle(desk, page, wanted, arguments.force))
}

/// A file that is held in memory.
pub(super) fn held(desk: &Desk<'_>, target: Target, wanted: Wanted) -> Result<Page, Refusal> {
    let base = snapshot(desk.session, &target)?;
    let document = decode(desk.engine(), &target, &base.bytes)?;
    let mut layout = lay_out(desk, &document, wanted);
    if document.line_count() == 0 {
        layout.seen = Seen::whole(base.bytes.len() as u64);
    }
    let (encoding, endings, total) = (
        document.encoding().name(),
        document.endings(),
        document.line_count(),
    );
    drop(document);
    Ok(Page {
        target,
        text: layout.text,
        notices: Vec::new(),
        shape: Shape::Text,
        start: wanted.first.saturating_add(1),
        lines: layout.lines,
        total,
        truncated: layout.truncated,
        encoding,
        endings,
        revision: base.revision.short(),
        version: crate::ledger::version(&base.revision, &base.stamp),
        content: Some(base.bytes),
        seen: layout.seen,
        asked: wanted.asked,
        known: None,
    })
}

/// Lines laid out for the answer.
pub(super) struct Layout {
    pub(super) text: String,
    pub(super) lines: usize,
    pub(super) truncated: bool,
    /// The bytes shown, in the coordinates of the document's raw bytes.
    pub(super) seen: Seen,
}

fn lay_out(desk: &Desk<'_>, document: &Document<'_>, wanted: Wanted) -> Layout {
    let settings = &desk.engine().settings.read;
    let budget = desk
        .engine()
        .answer_limit
        .saturating_sub(NOTICE_ROOM)
        .max(500);
    let total = document.line_count();
    let mut layout = Layout {
        text: String::new(),
        lines: 0,
        truncated: false,
        seen: Seen::default(),
    };
    if wanted.first >= total {
        return layout;
    }
    if let Some(column) = wanted.column {
        lay_column(
            document,
            wanted.first,
            column,
            budget,
            settings.gutter,
            &mut layout,
        );
        return layout;
    }
    let mut characters = 0;
    let end = total.min(wanted.first.saturating_add(wanted.most));
    // One after the other: looking each line up by itself was two thirds of the instructions of a Read of 1 MB.
    let ranges = document.lines_from(wanted.first);
    for (line, range) in (wanted.first..end).zip(ranges) {
        let text = &document.view()[range.clone()];
        let laid = lay_line(line, text, settings.max_line_chars, settings.gutter);
        let length = laid.text.chars().count();
        if layout.lines > 0 && characters + length > budget {
            layout.truncated = true;
            break;
        }
        characters += length;
        layout.text.push_str(&laid.text);
        layout.lines += 1;
        let seen = if laid.shown == text.len() {
            range.start..document.view().len().min(range.end + 1)
        } else {
            range.start..range.start + laid.shown
        };
        layout.seen.add(raw(document, seen));
    }
    // A page that was asked for by its size and came whole is not cut.
    layout.truncated |= wanted.asked.limit == 0 && wanted.first + layout.lines < total;
    layout
}

/// A numbered line, and how many bytes of it are shown.
pub(super) struct LaidLine {
    pub(super) text: String,
    pub(super) shown: usize,
}

/// Sets one line, cut where it is too long, and then followed by the call that shows the rest.
pub(super) fn lay_line(line: usize, text: &str, most: usize, gutter: Gutter) -> LaidLine {
    let mut out = String::with_capacity(text.len() + 8);
    gutter.write(&mut out, line + 1);
    let cut_at = if text.len() <= most {
        None
    } else {
        text.char_indices().nth(most).map(|(at, _)| at)
    };
    let shown = cut_at.unwrap_or(text.len());
    out.push_str(&text[..shown]);
    out.push('\n');
    if let Some(at) = cut_at {
        let left = text[at..].chars().count();
        out.push_str(&format!("[lancet: line {} goes on for {left} more characters; offset {} with column {} shows them]\n", line + 1, line + 1, most + 1));
    }
    LaidLine { text: out, shown }
}

/// Sets one line alone, from a character on.
fn lay_column(
    document: &Document<'_>,
    line: usize,
    column: usize,
    budget: usize,
    gutter: Gutter,
    layout: &mut Layout,
) {
    let range = document.line_range(line);
    let text = &document.view()[range.clone()];
    let start = text
        .char_indices()
        .nth(column)
        .map_or(text.len(), |(at, _)| at);
    let end = text[start..]
        .char_indices()
        .nth(budget)
        .map_or(text.len(), |(at, _)| start + at);
    gutter.write(&mut layout.text, line + 1);
    layout.text.push_str(&text[start..end]);
    layout.text.push('\n');
    layout.lines = 1;
    layout.truncated = end < text.len();
    layout.text.push_str(&column_notice(
        line,
        column,
        text[start..end].chars().count(),
        end == text.len(),
    ));
    let whole = document.line_range_whole(line);
    let shown_end = if end == text.len() {
        whole.end
    } else {
        range.start + end
    };
    layout
        .seen
        .add(raw(document, range.start + start..shown_end));
}

/// What part of a line was shown alone.
pub(super) fn column_notice(line: usize, column: usize, shown: usize, to_end: bool) -> String {
    let (line, first) = (line + 1, column + 1);
    if to_end {
        return format!("[lancet: line {line}, from character {first} to its end]\n");
    }
    format!(
        "[lancet: line {line}, characters {first} to {}; offset {line} with column {} goes on]\n",
        column + shown,
        column + shown + 1
    )
}

/// Decides whether the text is given again, and writes the notices.
fn settle(desk: &Desk<'_>, mut page: Page, wanted: Wanted, force: bool) -> Page {
    let known = desk
        .session
        .ledger()
        .peek(page.target.path())
        .is_some_and(|entry| {
            entry.revision == page.version.revision
                && !entry.partial_view
                && entry.may_answer_unchanged(wanted.asked)
        });
    if known && !force && desk.engine().settings.read.dedupe && page.lines > 0 {
        page.shape = Shape::Unchanged;
        page.text.clear();
    }
    page.notices.append(&mut page.target.notices);
    let last = notice(desk, &page, wanted);
    page.notices.push(last);
    page
}

/// The last notice: path, range, total, what is unusual, revision, and the call for the next page.
fn notice(desk: &Desk<'_>, page: &Page, wanted: Wanted) -> String {
    let path = quote_path(page.target.path());
    let mut words = if page.shape == Shape::Unchanged {
        format!(
            "{} of {path} unchanged since your last read; force: true shows the text again",
            range_words(page)
        )
    } else if page.total == 0 {
        format!("{path} is empty: 0 lines")
    } else if page.lines == 0 {
        format!(
            "{path} has {}; nothing stands at offset {}",
            crate::wording::count(page.total, "line"),
            wanted.first.saturating_add(1)
        )
    } else {
        format!("{path}, {} of {}", range_words(page), page.total)
    };
    if page.encoding != "utf-8" {
        words.push_str(&format!(", {}", page.encoding));
    }
    if !matches!(page.endings, Endings::Lf | Endings::None) {
        words.push_str(&format!(", {} line ends", page.endings.name()));
    }
    words.push_str(&format!(", revision {}", page.revision));
    let next = page.start + page.lines;
    if page.shape == Shape::Text && page.truncated && wanted.column.is_none() && next <= page.total
    {
        let left = wanted.most.saturating_sub(page.lines);
        let limit = (wanted.asked.limit > 0 && left > 0).then_some(left);
        let call = desk.read_call(page.target.path(), Some(next), limit);
        words.push_str(&format!(". Next: {}", cut(&call, 4_500)));
    }
    words
}

fn range_words(page: &Page) -> String {
    if page.lines == 1 {
        format!("line {}", page.start)
    } else {
        format!(
            "lines {}-{}",
            page.start,
            page.start + page.lines.saturating_sub(1)
        )
    }
}
