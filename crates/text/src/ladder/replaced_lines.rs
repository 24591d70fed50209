//! Whole lines that are replaced by others, wherever they are: no text has to be found.

use std::ops::Range;

use super::edit_script::EditScript;
use super::source::SourceText;
use super::text_lines::TextLines;
use super::{Deletion, EditedPlace, TextKind};
use crate::splice::Change;

/// Returns what changes where whole lines are replaced by others. The place begins at a line's start and ends before
/// the newline of its last line, and the new text has no newline at its end. Lines that both have in common are part of
/// no change.
pub fn replace_whole_lines(view: &str, place: Range<usize>, new: &str) -> EditedPlace {
    let lines = |text| TextLines {
        lines: str::split(text, '\n').collect(),
        ended: false,
    };
    let (old, new_lines) = (lines(&view[place.clone()]), lines(new));
    let source = SourceText::new(view, &[], None);
    let script =
        EditScript::compare_texts(view, place.clone(), &old, &new_lines, None, TextKind::Code);
    let edited = script.ok().map(|script| {
        script.apply_to(
            &source,
            std::slice::from_ref(&place),
            Deletion::NotRequested,
        )
    });
    let whole = || EditedPlace {
        changes: vec![Change {
            range: place.clone(),
            text: new.to_owned(),
        }],
        range: place.clone(),
    };
    let only = edited.and_then(|mut edited| edited.places.pop());
    only.unwrap_or_else(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splice::apply_changes;

    #[test]
    fn unchanged_lines_are_in_no_change() {
        let view = "a\nb\nc\nd\n";
        for (place, new, result, changes) in [
            (2..5, "b\nx", "a\nb\nx\nd\n", 1),
            (2..5, "c", "a\nc\nd\n", 1),
            (2..5, "x\nb\ny\nc\nz", "a\nx\nb\ny\nc\nz\nd\n", 3),
            (2..3, "", "a\n\nc\nd\n", 1),
            (2..5, "b\nc", view, 0),
            (6..7, "\n", "a\nb\nc\n\n\n", 1),
        ] {
            let replaced = replace_whole_lines(view, place, new);
            assert_eq!(apply_changes(view, &replaced.changes), result, "{new:?}");
            assert_eq!(replaced.changes.len(), changes, "{new:?}");
        }
        let blank = replace_whole_lines("a\n\nb", 2..2, "x\ny");
        assert_eq!(apply_changes("a\n\nb", &blank.changes), "a\nx\ny\nb");
    }
}
