//! Finds escapes that the new text adds inside a quoted literal: there an escape may be meant as it is written.

use super::Unescaped;
use crate::ladder::common_runs::common_runs;

/// The quotes that enclose literals.
const MARKS: [char; 3] = ['"', '\'', '`'];

/// The first escape that only the new text has and that follows an odd number of one kind of quote on its unescaped
/// line. An escape of that quote ends the literal and is not inside it.
pub(super) fn added_inside<'t>(
    old: &Unescaped,
    old_sent: &str,
    new: &Unescaped,
    new_sent: &'t str,
) -> Option<&'t str> {
    let old: Vec<&str> = texts(old, old_sent);
    let texts: Vec<&str> = texts(new, new_sent);
    let mut added = vec![true; texts.len()];
    for run in common_runs(&old, &texts) {
        added[run.new..run.new + run.len].fill(false);
    }
    let mut open = [false; MARKS.len()];
    for (at, (range, meant)) in new.tokens.iter().enumerate() {
        // An escape is longer than the character that it stands for.
        let is_escape = range.len() > meant.len_utf8();
        let inside = open
            .iter()
            .zip(MARKS)
            .any(|(open, mark)| *open && mark != *meant);
        if is_escape && added[at] && inside {
            return new_sent.get(range.clone());
        }
        if *meant == '\n' {
            open = [false; MARKS.len()];
        }
        for (open, mark) in open.iter_mut().zip(MARKS) {
            *open ^= mark == *meant;
        }
    }
    None
}

/// The characters and escapes as they were sent.
fn texts<'t>(unescaped: &Unescaped, sent: &'t str) -> Vec<&'t str> {
    let tokens = unescaped.tokens.iter();
    tokens
        .filter_map(|(range, _)| sent.get(range.clone()))
        .collect()
}
