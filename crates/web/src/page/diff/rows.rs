//! The rows of a hunk: one for each line, or two lines side by side; long runs of unchanged lines are folded.

use std::collections::HashMap;
use std::ops::Range;

use askama::Template;
use lancet_rendering::{ChangedWords, DiffLine, Role, Span, changed_words};

use super::highlight::SyntaxHighlighter;
use super::layout::DiffLayout;
use super::line::{LineText, visible_text};

/// The length above which a run of unchanged lines is folded, except some lines at both its ends.
const MAX_UNFOLDED_LINES: usize = 16;
/// The number of lines at each end of a folded run that stay visible.
const VISIBLE_EDGE_LINES: usize = 4;

/// The rows of a hunk, as bodies of a table.
#[derive(Template)]
#[template(path = "diff/rows.html")]
pub(in crate::page) struct DiffRows {
    pub(in crate::page) bodies: Vec<DiffBody>,
    pub(in crate::page) is_split: bool,
    /// The number of lines of the diff in these rows.
    pub(in crate::page) lines: usize,
}

impl askama::filters::HtmlSafe for DiffRows {}

/// Rows that belong together.
pub(in crate::page) struct DiffBody {
    /// Whether they are unchanged lines that a click unfolds.
    pub(in crate::page) is_folded: bool,
    pub(in crate::page) rows: Vec<DiffRow>,
}

/// A row.
pub(in crate::page) enum DiffRow {
    /// A line below the one before.
    Line(DiffCell, Option<usize>),
    /// An old line next to a new one.
    Pair(Option<DiffCell>, Option<DiffCell>),
    /// A remark about the lines.
    Remark(String),
}

/// A line in a row.
pub(in crate::page) struct DiffCell {
    pub(in crate::page) class: &'static str,
    pub(in crate::page) sign: &'static str,
    /// The number in the new text, or in the old one for a removed line. In a unified diff an unchanged line also
    /// shows the old number.
    pub(in crate::page) number: Option<usize>,
    /// The name of this line in a comment: the number, with a minus sign for a removed line.
    pub(in crate::page) name: String,
    pub(in crate::page) text: LineText,
}

impl DiffRows {
    /// Converts the lines of a hunk that are in the range to rows.
    pub(super) fn new(
        lines: &[DiffLine<'_>],
        range: Range<usize>,
        layout: DiffLayout,
        mut colours: Option<&mut SyntaxHighlighter>,
    ) -> Self {
        if let Some(colours) = &mut colours {
            colours.start_hunk();
        }
        let mut writer = RowWriter {
            lines,
            colours,
            words: HashMap::new(),
        };
        let (mut bodies, mut at) = (Vec::new(), range.start);
        while at < range.end {
            let kept = count_leading_lines(&lines[at..range.end], |role| role == Role::Kept);
            let rest = count_leading_lines(&lines[at + kept..range.end], |role| role != Role::Kept);
            bodies.extend(writer.unchanged_bodies(at..at + kept, layout));
            at += kept;
            let rows = writer.changed_rows(at..at + rest, layout);
            at += rest;
            append_rows(&mut bodies, rows);
        }
        Self {
            bodies,
            is_split: layout.is_split(),
            lines: range.len(),
        }
    }
}

/// Adds rows to the last body that is not folded.
fn append_rows(bodies: &mut Vec<DiffBody>, rows: Vec<DiffRow>) {
    match bodies.last_mut() {
        _ if rows.is_empty() => {}
        Some(body) if !body.is_folded => body.rows.extend(rows),
        _ => bodies.push(DiffBody {
            is_folded: false,
            rows,
        }),
    }
}

fn count_leading_lines(lines: &[DiffLine<'_>], fits: impl Fn(Role) -> bool) -> usize {
    lines.iter().take_while(|line| fits(line.role)).count()
}

/// Writes lines into rows.
struct RowWriter<'w, 'd> {
    lines: &'w [DiffLine<'d>],
    colours: Option<&'w mut SyntaxHighlighter>,
    /// The changed words of added lines whose removed partners were written before.
    words: HashMap<usize, Vec<Range<usize>>>,
}

impl RowWriter<'_, '_> {
    /// Returns the bodies of a run of unchanged lines.
    fn unchanged_bodies(&mut self, range: Range<usize>, layout: DiffLayout) -> Vec<DiffBody> {
        let folded = match range.len() > MAX_UNFOLDED_LINES {
            true => range.start + VISIBLE_EDGE_LINES..range.end - VISIBLE_EDGE_LINES,
            false => range.end..range.end,
        };
        let parts = [
            range.start..folded.start,
            folded.clone(),
            folded.end..range.end,
        ];
        let mut bodies = Vec::new();
        for (at, part) in parts.into_iter().enumerate() {
            let rows: Vec<DiffRow> = part.map(|line| self.unchanged_row(line, layout)).collect();
            match at {
                1 if !rows.is_empty() => bodies.push(DiffBody {
                    is_folded: true,
                    rows,
                }),
                _ => append_rows(&mut bodies, rows),
            }
        }
        bodies
    }

    fn unchanged_row(&mut self, at: usize, layout: DiffLayout) -> DiffRow {
        let cell = self.line_cell(at);
        let old = self.lines[at].old;
        match layout {
            DiffLayout::Unified => DiffRow::Line(cell, old),
            DiffLayout::Split => {
                let left = DiffCell {
                    number: old,
                    name: old.map_or_else(String::new, |old| format!("-{old}")),
                    text: cell.text.clone(),
                    ..cell
                };
                DiffRow::Pair(Some(left), Some(cell))
            }
        }
    }

    /// Returns the rows of a run of lines none of which is unchanged.
    fn changed_rows(&mut self, range: Range<usize>, layout: DiffLayout) -> Vec<DiffRow> {
        let mut rows = Vec::new();
        let (mut left, mut right): (Vec<DiffCell>, Vec<DiffCell>) = (Vec::new(), Vec::new());
        let mut remarks = Vec::new();
        for at in range {
            match (self.lines[at].role, layout) {
                (Role::Removed | Role::Added, DiffLayout::Unified) => {
                    rows.push(DiffRow::Line(self.line_cell(at), None));
                }
                (Role::Removed, DiffLayout::Split) => {
                    // After added lines a new block begins.
                    if !right.is_empty() {
                        pair_cells(&mut rows, &mut left, &mut right);
                        rows.append(&mut remarks);
                    }
                    left.push(self.line_cell(at));
                }
                (Role::Added, DiffLayout::Split) => right.push(self.line_cell(at)),
                (_, DiffLayout::Unified) => rows.push(self.remark_row(at)),
                (_, DiffLayout::Split) => remarks.push(self.remark_row(at)),
            }
        }
        pair_cells(&mut rows, &mut left, &mut right);
        rows.append(&mut remarks);
        rows
    }

    fn remark_row(&self, at: usize) -> DiffRow {
        let line = &self.lines[at];
        let before = at.checked_sub(1).map(|before| self.lines[before].role);
        let words = match (line.whole.starts_with("\\ No newline"), before) {
            (true, Some(Role::Removed)) => "The old text has no newline at its end".to_owned(),
            (true, Some(Role::Added)) => "The new text has no newline at its end".to_owned(),
            (true, _) => "There is no newline at the end".to_owned(),
            (false, _) => visible_text(line),
        };
        DiffRow::Remark(words)
    }

    fn line_cell(&mut self, at: usize) -> DiffCell {
        let line = &self.lines[at];
        let text = visible_text(line);
        let spans: Vec<Span> = match &mut self.colours {
            Some(colours) => colours.highlight_line(line, &text),
            None => Vec::new(),
        };
        let changed = self.changed_words(at, &text);
        let (class, sign, number) = match line.role {
            Role::Removed => ("removed", "\u{2212}", line.old),
            Role::Added => ("added", "+", line.new),
            _ => ("", "", line.new),
        };
        let name = match (line.role, number) {
            (_, None) => String::new(),
            (Role::Removed, Some(number)) => format!("-{number}"),
            (_, Some(number)) => number.to_string(),
        };
        DiffCell {
            class,
            sign,
            number,
            name,
            text: LineText::new(&text, &changed, &spans),
        }
    }

    /// Returns the changed words of a line, and of its partner for later.
    fn changed_words(&mut self, at: usize, text: &str) -> Vec<Range<usize>> {
        if let Some(known) = self.words.remove(&at) {
            return known;
        }
        let Some(partner) = self.lines[at].partner else {
            return Vec::new();
        };
        let Some(other) = self.lines.get(partner).map(visible_text) else {
            return Vec::new();
        };
        let is_old = self.lines[at].role == Role::Removed;
        let found = match is_old {
            true => changed_words(text, &other),
            false => changed_words(&other, text),
        };
        let Some(ChangedWords { old, new }) = found else {
            return Vec::new();
        };
        match is_old {
            true => {
                self.words.insert(partner, new);
                old
            }
            false => new,
        }
    }
}

/// Places the old and new lines of a block side by side.
fn pair_cells(rows: &mut Vec<DiffRow>, left: &mut Vec<DiffCell>, right: &mut Vec<DiffCell>) {
    let (mut left, mut right) = (left.drain(..), right.drain(..));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return,
            (old, new) => rows.push(DiffRow::Pair(old, new)),
        }
    }
}
