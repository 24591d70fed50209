//! Inserts lines for a model into a text that belongs to the user, between two marker lines.

use std::ops::Range;

use crate::draft::SettingsDraft;
use crate::entry::Presence;
use crate::layout::{byte_order_mark_length, line_end, missing_line_end};

/// The marker line before lancet's lines. Markdown does not show it.
const BEGIN_MARKER: &str = "<!-- lancet: begin (`lancet uninstall` takes these lines out) -->";
/// The marker line behind them.
const END_MARKER: &str = "<!-- lancet: end -->";

/// Returns whether the lines are in the text.
pub(crate) fn lines_presence(text: &str, lines: &str) -> Presence {
    match marked_range(text) {
        None => Presence::Missing,
        Some(range)
            if text[range.clone()].replace("\r\n", "\n") == format_marked_lines(lines, "\n") =>
        {
            Presence::Same
        }
        Some(_) => Presence::Other,
    }
}

/// Inserts the lines at the end, or replaces those that are there.
pub(crate) fn set_lines(draft: &mut SettingsDraft, lines: &str) {
    let text = draft.text().to_owned();
    let end_of_line = line_end(&text);
    if let Some(range) = marked_range(&text) {
        if lines_presence(&text, lines) != Presence::Same {
            draft.replace(range, &format_marked_lines(lines, end_of_line));
        }
        return;
    }
    let is_empty = text.len() == byte_order_mark_length(&text);
    let gap = match is_empty {
        true => "",
        false => end_of_line,
    };
    let added = format!(
        "{}{gap}{}",
        missing_line_end(&text),
        format_marked_lines(lines, end_of_line)
    );
    draft.insert(text.len(), &added);
}

/// Removes the lines.
pub(crate) fn remove_lines(draft: &mut SettingsDraft) {
    let text = draft.text().to_owned();
    let Some(mut range) = marked_range(&text) else {
        return;
    };
    // The empty line before them was inserted with them.
    let end_of_line = line_end(&text);
    let gap = format!("{end_of_line}{end_of_line}");
    if text[..range.start].ends_with(&gap) {
        range.start -= end_of_line.len();
    }
    draft.replace(range, "");
}

/// Returns the range of the lines with their markers.
fn marked_range(text: &str) -> Option<Range<usize>> {
    let start = text.find(BEGIN_MARKER)?;
    let end = start + text[start..].find(END_MARKER)? + END_MARKER.len();
    let rest = &text[end..];
    let line = match rest {
        rest if rest.starts_with("\r\n") => 2,
        rest if rest.starts_with('\n') => 1,
        _ => 0,
    };
    Some(start..end + line)
}

fn format_marked_lines(lines: &str, end_of_line: &str) -> String {
    let text = format!("{BEGIN_MARKER}\n{}\n{END_MARKER}\n", lines.trim_end());
    text.replace('\n', end_of_line)
}
