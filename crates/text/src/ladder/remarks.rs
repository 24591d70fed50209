//! What there is to say about an edit that is made: what was altered on the way, and what looks as if it were not meant.

use std::collections::HashSet;
use std::ops::Range;

use crate::look_alike::{indent_len, is_blank};

use super::Erasure;
use super::passage::{Passage, line_lead, starts_line};

/// How many columns a tab takes where indentations of tabs and spaces are compared.
const TAB_COLUMNS: usize = 8;

/// A remark on an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// A newline goes, so that the next line joins the last one.
    JoinsNextLine,
    /// The new text repeats the indentation that stands before the place; it was counted once.
    IndentationOnce,
    /// Quotes that the new text adds were written curly.
    Curled,
    /// These characters that the new text adds were written as ASCII.
    MadeAscii(Vec<char>),
    /// The place begins behind its line's indentation, and further new lines stand left of that. The number of the
    /// first of them in the new text, from 1.
    Indentation(usize),
    /// A newline at the end of the new text leaves a blank line.
    BlankLine,
    /// One line with written-out line breaks replaces several lines.
    LiteralEscapes,
}

/// What there is to say about an edit of these places; old and new text after the rung's rewriting.
pub(super) fn remarks(
    view: &str,
    places: &[Range<usize>],
    old: &Passage<'_>,
    new: &Passage<'_>,
    erasure: Erasure,
) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let joins = |place: &Range<usize>| {
        let whole = erasure == Erasure::Whole && starts_line(view, place.start);
        place.end < view.len() && !whole
    };
    if old.ended && !new.ended && places.iter().any(joins) {
        remarks.push(Remark::JoinsNextLine);
    }
    let left = places
        .iter()
        .find_map(|place| line_left_of(line_lead(view, place.start), old, new));
    remarks.extend(left.map(Remark::Indentation));
    let leaves_blank = |place: &Range<usize>| {
        let line = view[place.end..].split_once('\n');
        line.is_some_and(|(rest, _)| is_blank(rest))
    };
    if new.ended && !old.ended && places.iter().any(leaves_blank) {
        remarks.push(Remark::BlankLine);
    }
    if old.len() > 1
        && let [line] = new.lines[..]
        && line_breaks_written_out(line)
            > old
                .lines
                .iter()
                .map(|line| line_breaks_written_out(line))
                .sum()
    {
        remarks.push(Remark::LiteralEscapes);
    }
    remarks
}

/// The number, from 1, of the first line after the first of the new text that stands left of the indentation `lead`,
/// without those that the old text has too.
fn line_left_of(lead: &str, old: &Passage<'_>, new: &Passage<'_>) -> Option<usize> {
    if lead.is_empty() || !is_blank(lead) {
        return None;
    }
    let is_left = |line: &str| {
        let indent = &line[..indent_len(line)];
        !is_blank(line) && !indent.starts_with(lead) && columns(indent) < columns(lead)
    };
    let known: HashSet<&str> = old.lines.iter().copied().collect();
    let mut further = new.lines.iter().enumerate().skip(1);
    further
        .find(|(_, line)| is_left(line) && !known.contains(**line))
        .map(|(number, _)| number + 1)
}

fn columns(indent: &str) -> usize {
    indent
        .chars()
        .map(|character| match character {
            '\t' => TAB_COLUMNS,
            _ => 1,
        })
        .sum()
}

/// How many line breaks the line spells as escapes.
fn line_breaks_written_out(line: &str) -> usize {
    ["\\n", "\\r", "\\u000a", "\\u000A", "\\u000d", "\\u000D"]
        .iter()
        .map(|escape| line.matches(escape).count())
        .sum()
}
