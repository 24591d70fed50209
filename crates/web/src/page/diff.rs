//! A file's diff as rows for a template: unified or side by side, with changed words marked, syntax highlighted by
//! class, long context folded, and large diffs in parts. The rows have the same text as the diff, with deceptive
//! characters made visible.
//!
//! A view creates one [`Diff`] for each file from the texts of its hunks and writes `{{ hunk.rows }}` for each of
//! [`Diff::hunks`] into a `<table class="diff-lines">`, below a head with its own buttons. Alternatively it uses
//! [`FileDiff`], which has plain heads.

mod hidden;
mod highlight;
mod layout;
mod line;
mod rows;
mod table;

#[cfg(test)]
mod tests;

use std::path::Path;

use lancet_rendering::{DiffLine, Role, parse_lines, without_common_returns};

pub(super) use hidden::{hidden_text_warning, is_hidden_text_notice};
pub(super) use highlight::HighlightingBudget;
pub(super) use layout::{DiffLayout, LayoutChoice, store_requested_layout};
pub(super) use rows::DiffRows;
pub(super) use table::FileDiff;

/// The number of lines of a diff that are shown at once; the others are loaded on request.
pub(super) const LINES_PER_PART: usize = 400;
/// The number of lines by which a part is extended if it would otherwise end within a block of changed lines.
const MAX_EXTENSION: usize = 100;

/// The part of a diff that is shown, and its form.
#[derive(Clone, Copy, Debug)]
pub(super) struct DiffPart<'b> {
    pub(super) layout: DiffLayout,
    /// The first line, counted from 0 over all lines of the diff except the heads.
    pub(super) from: usize,
    /// The number of lines.
    pub(super) most: usize,
    /// What may still be highlighted in this answer.
    pub(super) budget: &'b HighlightingBudget,
}

impl<'b> DiffPart<'b> {
    /// Returns the first part.
    pub(super) fn first_part(layout: DiffLayout, budget: &'b HighlightingBudget) -> Self {
        Self {
            layout,
            from: 0,
            most: LINES_PER_PART,
            budget,
        }
    }
}

/// A part of a file's diff.
pub(super) struct Diff {
    /// The hunks of this part.
    pub(super) hunks: Vec<DiffHunk>,
    /// The number of lines of the whole diff, without heads of hunks.
    pub(super) total: usize,
    /// The part that follows this one.
    pub(super) next: Option<NextPart>,
}

/// The part that follows the part of a diff that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NextPart {
    /// The first line, counted as in [`DiffPart::from`].
    pub(super) from: usize,
    /// The number of lines of the next part.
    pub(super) count: usize,
    /// The number of remaining lines, including the next part.
    pub(super) left: usize,
}

/// A hunk, or the part of one that is shown.
pub(super) struct DiffHunk {
    /// The index of the text that it is from.
    pub(super) text: usize,
    /// The number of the hunk in the file's diff, counted from 1.
    pub(super) number: usize,
    /// Whether the hunk begins here, and is not the rest of one that began in the part before.
    pub(super) is_begun: bool,
    /// Whether it is the first hunk of its text.
    pub(super) is_first_of_text: bool,
    /// Its lines in the new text, or in the old one if it only removes lines: "12 to 18".
    pub(super) place: String,
    /// The number of the first changed line in the new text.
    pub(super) line: usize,
    /// The number of unchanged lines between the hunk before and this one; unknown for the first hunk of a part.
    pub(super) gap: usize,
    pub(super) rows: DiffRows,
}

/// A hunk within the lines of a diff.
struct HunkLines<'d> {
    text: usize,
    is_first_of_text: bool,
    /// The numbers in the head; none for lines without a head.
    head: Option<(usize, usize)>,
    lines: Vec<DiffLine<'d>>,
}

impl Diff {
    /// Returns the number of lines of this part.
    pub(super) fn line_count(&self) -> usize {
        self.hunks.iter().map(|hunk| hunk.rows.lines).sum()
    }

    /// Makes the rows of a file's diff. Each text is a unified diff of one hunk or more.
    pub(super) fn from_unified(path: &Path, texts: &[&str], shown: &DiffPart<'_>) -> Self {
        let texts: Vec<_> = texts
            .iter()
            .map(|text| without_common_returns(text))
            .collect();
        let mut spans = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            split_hunks(at, text, &mut spans);
        }
        let total: usize = spans.iter().map(|span| span.lines.len()).sum();
        let end = end_of_part(&spans, shown);
        let all_lines = spans.iter().flat_map(|span| &span.lines);
        let mut colours = highlight::SyntaxHighlighter::for_file(
            path,
            first_line(&spans),
            all_lines
                .skip(shown.from)
                .take(end.saturating_sub(shown.from)),
            shown.budget,
        );
        let mut hunks = Vec::new();
        let (mut at, mut last) = (0, None);
        for (index, span) in spans.iter().enumerate() {
            let range = at..at + span.lines.len();
            at = range.end;
            let is_empty_here =
                span.lines.is_empty() && range.start >= shown.from && range.start <= end;
            if (range.end <= shown.from || range.start >= end) && !is_empty_here {
                continue;
            }
            let from = shown.from.saturating_sub(range.start);
            let to = end.min(range.end) - range.start;
            let gap = match (last, span.head) {
                (Some(last), Some((old, _))) => old.saturating_sub(last),
                _ => 0,
            };
            last = span
                .lines
                .iter()
                .rev()
                .find_map(|line| line.old)
                .map(|old| old + 1);
            hunks.push(DiffHunk {
                text: span.text,
                number: index + 1,
                is_begun: from == 0,
                is_first_of_text: span.is_first_of_text,
                place: line_range_label(span),
                line: first_changed_line(span),
                gap,
                rows: DiffRows::new(&span.lines, from..to, shown.layout, colours.as_mut()),
            });
        }
        if let Some(colours) = colours {
            colours.store();
        }
        let next = (end < total).then(|| NextPart {
            from: end,
            count: LINES_PER_PART.min(total - end),
            left: total - end,
        });
        Self { hunks, total, next }
    }
}

/// Splits a diff into its hunks. Lines of a file's head that only name the file are left out.
fn split_hunks<'d>(at: usize, text: &'d str, spans: &mut Vec<HunkLines<'d>>) {
    let mut is_first_of_text = true;
    let mut begin = |spans: &mut Vec<HunkLines<'d>>, head| {
        spans.push(HunkLines {
            text: at,
            is_first_of_text,
            head,
            lines: Vec::new(),
        });
        is_first_of_text = false;
    };
    let all = parse_lines(text);
    // Partners are given by their position in the whole text; within a hunk they have the same distance.
    let mut start = 0;
    let mut is_open = false;
    for (place, mut line) in all.into_iter().enumerate() {
        match line.role {
            Role::Hunk { old, new } => {
                begin(spans, Some((old, new)));
                (start, is_open) = (place + 1, true);
                continue;
            }
            Role::FileHead if names_file(line.whole) => continue,
            _ if !is_open => {
                begin(spans, None);
                (start, is_open) = (place, true);
            }
            _ => {}
        }
        line.partner = line.partner.and_then(|partner| partner.checked_sub(start));
        if let Some(open) = spans.last_mut() {
            open.lines.push(line);
        }
    }
}

fn names_file(line: &str) -> bool {
    let names = ["diff --git ", "--- ", "+++ ", "index "];
    names.iter().any(|begin| line.starts_with(begin))
}

/// Returns the end of the part.
fn end_of_part(spans: &[HunkLines<'_>], shown: &DiffPart<'_>) -> usize {
    let mut all = spans.iter().flat_map(|span| {
        let lines = span.lines.iter().enumerate();
        lines.map(|(at, line)| at > 0 && line.role != Role::Kept)
    });
    let total: usize = spans.iter().map(|span| span.lines.len()).sum();
    let end = shown.from.saturating_add(shown.most).min(total);
    // A block of changed lines is split only if it is long.
    let goes_on = all.by_ref().skip(end).take(MAX_EXTENSION + 1);
    match goes_on.take_while(|goes_on| *goes_on).count() {
        further if further <= MAX_EXTENSION => end + further,
        _ => end,
    }
}

/// Returns the first line of the file, if the diff begins with it: it may name the language.
fn first_line<'d>(spans: &[HunkLines<'d>]) -> &'d str {
    let mut lines = spans.iter().flat_map(|span| &span.lines);
    let first = lines.find(|line| line.new == Some(1));
    first.map_or("", DiffLine::text)
}

fn line_range_label(span: &HunkLines<'_>) -> String {
    let numbers = |side: fn(&DiffLine<'_>) -> Option<usize>| {
        let first = span.lines.iter().find_map(side)?;
        let last = span.lines.iter().rev().find_map(side)?;
        Some(match first == last {
            true => format!("line {first}"),
            false => format!("lines {first} to {last}"),
        })
    };
    let new = numbers(|line| line.new);
    new.or_else(|| numbers(|line| line.old)).unwrap_or_default()
}

fn first_changed_line(span: &HunkLines<'_>) -> usize {
    let mut next = span.head.map_or(1, |(_, new)| new);
    for line in &span.lines {
        match line.role {
            Role::Kept => next = line.new.map_or(next, |new| new + 1),
            _ => break,
        }
    }
    next.max(1)
}
