//! Finds escapes that the new text adds inside a quoted literal: there an escape may be meant as it is written.

use super::UnescapedText;
use crate::ladder::common_runs::common_runs;

/// The quotes that enclose literals.
const QUOTE_CHARACTERS: [char; 3] = ['"', '\'', '`'];

/// Returns the first escape that only the new text has and that follows an odd number of one kind of quote on its
/// unescaped line. An escape of that quote ends the literal and is not inside it.
pub(super) fn escape_added_inside_literal<'t>(
    old: &UnescapedText,
    old_sent: &str,
    new: &'t UnescapedText,
    new_sent: &'t str,
) -> Option<&'t str> {
    let old: Vec<&str> = old.pieces(old_sent).map(|(text, _)| text).collect();
    let texts: Vec<&str> = new.pieces(new_sent).map(|(text, _)| text).collect();
    let mut added = vec![true; texts.len()];
    for run in common_runs(&old, &texts) {
        added[run.new..run.new + run.len].fill(false);
    }
    let mut open = [false; QUOTE_CHARACTERS.len()];
    for (at, (text, meant)) in new.pieces(new_sent).enumerate() {
        // An escape is longer than the character that it represents.
        let is_escape = text.len() > meant.len_utf8();
        let inside = open
            .iter()
            .zip(QUOTE_CHARACTERS)
            .any(|(open, mark)| *open && mark != meant);
        if is_escape && added[at] && inside {
            return Some(text);
        }
        if meant == '\n' {
            open = [false; QUOTE_CHARACTERS.len()];
        }
        for (open, mark) in open.iter_mut().zip(QUOTE_CHARACTERS) {
            *open ^= mark == meant;
        }
    }
    None
}
