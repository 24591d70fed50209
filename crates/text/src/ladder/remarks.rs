//! What there is to say about an edit that is made: what was altered on the way, and what looks as if it were not meant.

use std::collections::HashSet;
use std::ops::Range;

use crate::look_alike::{indent_len, is_blank, is_blank_char};

use super::Deletion;
use super::text_lines::{IndentScanner, TextLines, starts_line};

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
    /// The place begins behind its line's indentation, and added new lines stand left of that. The number of the
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
    old: &TextLines<'_>,
    new: &TextLines<'_>,
    deletion: Deletion,
) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let joins = |place: &Range<usize>| {
        let whole = deletion == Deletion::Requested && starts_line(view, place.start);
        place.end < view.len() && !whole
    };
    if old.ended && !new.ended && places.iter().any(joins) {
        remarks.push(Remark::JoinsNextLine);
    }
    let mut indents = IndentScanner::of(view);
    let added = AddedIndents::of(old, new);
    let left = places
        .iter()
        .filter_map(|place| indents.before(place.start))
        .find_map(|lead| added.left_of(lead));
    remarks.extend(left.map(Remark::Indentation));
    let leaves_blank = |(number, place): (usize, &Range<usize>)| {
        let next = places.get(number + 1).map_or(view.len(), |next| next.start);
        let rest = &view[place.end..next.max(place.end)];
        rest.trim_start_matches(is_blank_char).starts_with('\n')
    };
    if new.ended && !old.ended && places.iter().enumerate().any(leaves_blank) {
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

/// The lines after the first of the new text that are not the old text's too: number from 1, and indentation.
struct AddedIndents<'t> {
    lines: Vec<(usize, &'t str)>,
}

impl<'t> AddedIndents<'t> {
    fn of(old: &TextLines<'_>, new: &TextLines<'t>) -> AddedIndents<'t> {
        let known: HashSet<&str> = old.lines.iter().copied().collect();
        let lines = new.lines.iter().enumerate().skip(1);
        let added = lines.filter(|(_, line)| !is_blank(line) && !known.contains(**line));
        let mut lines: Vec<(usize, &str)> = added
            .map(|(number, line)| (number + 1, &line[..indent_len(line)]))
            .collect();
        // One line of each indentation is enough, so that many places take no longer.
        let mut indents = HashSet::new();
        lines.retain(|(_, indent)| indents.insert(*indent));
        AddedIndents { lines }
    }

    /// The number of the first line that stands left of the indentation `lead`.
    fn left_of(&self, lead: &str) -> Option<usize> {
        let is_left = |indent: &str| !indent.starts_with(lead) && columns(indent) < columns(lead);
        let found = self.lines.iter().find(|(_, indent)| is_left(indent));
        found.map(|(number, _)| *number)
    }
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
