//! What a deletion of whole lines removes: the text, the blanks around it and its newline.

use std::ops::Range;

use crate::look_alike::{is_blank, is_blank_char};

use super::text_lines::TextLines;

/// The place with the blanks around it and its newline, where it is all that its lines hold; `None` where only the
/// place itself is deleted.
pub(super) fn whole_lines(
    view: &str,
    place: &Range<usize>,
    old: &TextLines<'_>,
) -> Option<Range<usize>> {
    let begins_with_newline = old.len() > 1 && old.lines[0].is_empty();
    if begins_with_newline || old.ended || is_blank(&view[place.clone()]) {
        return None;
    }
    let start = view[..place.start].trim_end_matches(is_blank_char).len();
    let after = view[place.end..].trim_start_matches(is_blank_char);
    let starts_line = start == 0 || view[..start].ends_with('\n');
    let end = view.len() - after.strip_prefix('\n')?.len();
    starts_line.then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_the_newline_go_with_whole_lines_only() {
        let whole = |view: &str, old: &str| {
            let start = view.find(old).expect("old text");
            let place = start..start + old.len();
            whole_lines(view, &place, &TextLines::of(old)).map(|range| view[range].to_owned())
        };
        assert_eq!(whole("a\n  b\t\nc\n", "b").as_deref(), Some("  b\t\n"));
        assert_eq!(whole("b\nc\n", "b").as_deref(), Some("b\n"));
        assert_eq!(whole("\u{A0}b\nc", "b").as_deref(), Some("\u{A0}b\n"));
        for (view, old) in [
            ("a b\n", "b"),
            ("b a\n", "b"),
            ("a\nb", "b"),
            ("a\nb\nc\n", "b\n"),
            ("a\n\nb\n", "\nb"),
            ("a\n  \nb\n", "  "),
        ] {
            assert_eq!(whole(view, old), None, "{view:?} {old:?}");
        }
    }
}
