//! Remarks on an edit that is made: what was altered on the way, and what looks unintended.

use std::collections::HashSet;
use std::ops::Range;

use crate::look_alike::{indent_len, is_blank, is_blank_char};

use super::Deletion;
use super::text_lines::{IndentScanner, TextLines, starts_line};
use super::whole_lines::whole_lines;

/// The number of columns that a tab counts when indentations of tabs and spaces are compared.
const TAB_COLUMNS: usize = 8;

/// Something that the result of an edit should mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// The edit deletes a newline, so that the next line is joined to the last one.
    JoinsNextLine,
    /// The place begins after the indentation of its line, and the new text begins with that indentation once more. The
    /// blanks at the start of the new text were left out, so that the line has its indentation once.
    IndentationOnce,
    /// The old text is one line that lacks all or part of its indentation: the missing part was added to the further
    /// lines of the new text.
    IndentationCompleted,
    /// Quotes that the new text adds were written as curly quotes instead of as sent.
    Curled,
    /// These characters of the new text were written as ASCII.
    MadeAscii(Vec<char>),
    /// The place begins after the indentation of its line, and a later new line is indented less than that. The number
    /// is that of the first such line in the new text, from 1.
    Indentation(usize),
    /// The newline at the end of the new text leaves a blank line.
    BlankLine,
    /// One line with escaped line breaks, such as `\n`, replaces several lines.
    LiteralEscapes,
}

/// Returns the remarks on an edit of these places. Old and new text are those after the rewriting of the rung.
pub(super) fn collect_remarks(
    view: &str,
    places: &[Range<usize>],
    old: &TextLines<'_>,
    new: &TextLines<'_>,
    deletion: Deletion,
) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let joins = |place: &Range<usize>| {
        let deleted = || whole_lines(view, place, old).map_or(place.start, |range| range.start);
        let whole = deletion == Deletion::Requested && starts_line(view, deleted());
        place.end < view.len() && !whole
    };
    if old.ended && !new.ended && places.iter().any(joins) {
        remarks.push(Remark::JoinsNextLine);
    }
    let mut indents = IndentScanner::new(view);
    let added = AddedIndents::new(old, new);
    let left = places
        .iter()
        .filter_map(|place| indents.indent_before(place.start))
        .find_map(|lead| added.first_line_indented_less(lead));
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
        && count_written_line_breaks(line)
            > old
                .lines
                .iter()
                .map(|line| count_written_line_breaks(line))
                .sum()
    {
        remarks.push(Remark::LiteralEscapes);
    }
    remarks
}

/// The indentation of each new line after the first that is not a line of the old text, with the number of the line
/// from 1.
struct AddedIndents<'t> {
    lines: Vec<(usize, &'t str)>,
}

impl<'t> AddedIndents<'t> {
    fn new(old: &TextLines<'_>, new: &TextLines<'t>) -> AddedIndents<'t> {
        let known: HashSet<&str> = old.lines.iter().copied().collect();
        let lines = new.lines.iter().enumerate().skip(1);
        let added = lines.filter(|(_, line)| !is_blank(line) && !known.contains(**line));
        let mut lines: Vec<(usize, &str)> = added
            .map(|(number, line)| (number + 1, &line[..indent_len(line)]))
            .collect();
        // One line of each indentation is enough, so that many places do not take longer.
        let mut indents = HashSet::new();
        lines.retain(|(_, indent)| indents.insert(*indent));
        AddedIndents { lines }
    }

    /// Returns the number of the first line that is indented less than `lead`.
    fn first_line_indented_less(&self, lead: &str) -> Option<usize> {
        let is_left = |indent: &str| {
            !indent.starts_with(lead) && indent_columns(indent) < indent_columns(lead)
        };
        let found = self.lines.iter().find(|(_, indent)| is_left(indent));
        found.map(|(number, _)| *number)
    }
}

/// Returns the width of an indentation.
pub(super) fn indent_columns(indent: &str) -> usize {
    indent
        .chars()
        .map(|character| match character {
            '\t' => TAB_COLUMNS,
            _ => 1,
        })
        .sum()
}

/// Returns how many line breaks the line has in escaped form.
fn count_written_line_breaks(line: &str) -> usize {
    ["\\n", "\\r", "\\u000a", "\\u000A", "\\u000d", "\\u000D"]
        .iter()
        .map(|escape| line.matches(escape).count())
        .sum()
}
