//! Computes what a deletion removes in addition to the matched text, or less of it, so that no line is left over or
//! joined to another.

use std::ops::Range;

use crate::look_alike::{is_blank, is_blank_char};

use super::text_lines::{TextLines, line_prefix};

/// Returns the range that a deletion of this place removes where that is not the place itself; `None` where it is.
///
/// If old text is all the text on its lines, the blanks around it and its newline are removed with it. Where the old
/// text includes that newline, only the blanks before it are added. Old text that begins and ends in a newline
/// represents the lines after its first newline, where that newline ends a line with other text.
pub(super) fn whole_lines(
    view: &str,
    place: &Range<usize>,
    old: &TextLines<'_>,
) -> Option<Range<usize>> {
    if is_blank(&view[place.clone()]) {
        return None;
    }
    let begins_with_newline = old.len() > 1 && old.lines[0].is_empty();
    let lead = line_prefix(view, place.start);
    let start = place.start - lead.len();
    match (begins_with_newline, old.ended) {
        (true, true) => (!lead.is_empty()).then_some(place.start + 1..place.end),
        (true, false) => None,
        (false, true) => (!lead.is_empty() && is_blank(lead)).then_some(start..place.end),
        (false, false) => {
            let after = view[place.end..].trim_start_matches(is_blank_char);
            let end = view.len() - after.strip_prefix('\n')?.len();
            is_blank(lead).then_some(start..end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deleting_whole_lines_leaves_no_empty_line() {
        let whole = |view: &str, old: &str| {
            let start = view.find(old).expect("old text");
            let place = start..start + old.len();
            whole_lines(view, &place, &TextLines::new(old)).map(|range| view[range].to_owned())
        };
        assert_eq!(whole("a\n  b\t\nc\n", "b").as_deref(), Some("  b\t\n"));
        assert_eq!(whole("b\nc\n", "b").as_deref(), Some("b\n"));
        assert_eq!(whole("\u{A0}b\nc", "b").as_deref(), Some("\u{A0}b\n"));
        assert_eq!(whole("a\n  b\nc\n", "b\n").as_deref(), Some("  b\n"));
        assert_eq!(whole("a\n\tb\nc\n", "\n\tb\n").as_deref(), Some("\tb\n"));
        assert_eq!(whole("a\n  \nb\nc\n", "\nb\n").as_deref(), Some("b\n"));
        for (view, old) in [
            ("a b\n", "b"),
            ("b a\n", "b"),
            ("a\nb", "b"),
            ("a\nb\nc\n", "b\n"),
            ("a b\nc\n", "b\n"),
            ("a\n\nb\n", "\nb"),
            ("a\n\nb\nc\n", "\nb\n"),
            ("\nb\nc\n", "\nb\n"),
            ("a\n  \nb\n", "  "),
            ("a\n\n\nb\n", "\n\n"),
        ] {
            let start = view.rfind(old).expect("old text");
            let place = start..start + old.len();
            assert_eq!(
                whole_lines(view, &place, &TextLines::new(old)),
                None,
                "{view:?} {old:?}"
            );
        }
    }
}
