//! For an old text that is not in the file: checks whether the new text is already there.

use std::ops::Range;

use memchr::memmem;

use crate::diff::LineTable;

/// The number of places that are named.
const MAX_NAMED_PLACES: usize = 5;

/// The number of places that are counted.
const MAX_COUNTED_PLACES: usize = 1_000;

/// The number of characters other than white space that a new text must have to be searched for inside lines.
const MIN_NEW_CHARACTERS: usize = 4;

/// Returns where the new text is in the file, such as `line 3, lines 7-9`, at most about 300 characters. `None` where
/// it is not there, is too short to prove anything, or is a part of the old text.
pub fn describe_existing_new_text(
    view: &str,
    lines: &dyn LineTable,
    old: &str,
    new: &str,
) -> Option<String> {
    let wanted = new.trim_matches('\n');
    // An edit that only deletes leaves a part of the old text, which is wherever the old text is.
    if old.contains(wanted.trim()) {
        return None;
    }
    let solid = wanted
        .chars()
        .filter(|character| !character.is_whitespace())
        .take(MIN_NEW_CHARACTERS)
        .count();
    if solid == 0 {
        return None;
    }
    let whole_lines = |place: &usize| {
        let end = place + wanted.len();
        let starts = *place == 0 || view.as_bytes()[place - 1] == b'\n';
        starts && view.as_bytes().get(end).is_none_or(|&next| next == b'\n')
    };
    let places: Vec<usize> = memmem::find_iter(view.as_bytes(), wanted.as_bytes())
        .filter(|place| solid == MIN_NEW_CHARACTERS || whole_lines(place))
        .take(MAX_COUNTED_PLACES)
        .collect();
    let named: Vec<String> = places
        .iter()
        .take(MAX_NAMED_PLACES)
        .map(|&place| format_line_span(lines, place..place + wanted.len()))
        .collect();
    let rest = places.len().saturating_sub(MAX_NAMED_PLACES);
    let more = match rest {
        0 => String::new(),
        _ if places.len() == MAX_COUNTED_PLACES => " and in many more places".to_owned(),
        _ => format!(" and in {rest} more"),
    };
    (!named.is_empty()).then(|| format!("{}{more}", named.join(", ")))
}

/// Returns `line 3` or `lines 3-5`, from 1.
fn format_line_span(lines: &dyn LineTable, place: Range<usize>) -> String {
    let first = lines.line_of(place.start) + 1;
    let last = lines.line_of(place.end.saturating_sub(1).max(place.start)) + 1;
    if first == last {
        format!("line {first}")
    } else {
        format!("lines {first}-{last}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::diff::LineStarts;

    fn describe_in_test(view: &str, new: &str) -> Option<String> {
        let places = describe_existing_new_text(view, &LineStarts::new(view), "0", new);
        assert!(places.as_ref().is_none_or(|text| text.len() <= 300));
        places
    }

    #[test]
    fn reports_lines_that_already_have_new_text() {
        let places = |view, new| describe_in_test(view, new).unwrap_or_default();
        assert_eq!(places("a\nspeed = 20\n", "speed = 20"), "line 2");
        assert_eq!(places("a\nb\nc\na\nb\n", "a\nb\n"), "lines 1-2, lines 4-5");
        assert_eq!(
            places("x\n", "x"),
            "line 1",
            "a short text that is a whole line"
        );
        assert_eq!(
            describe_in_test("xyz\n", "x"),
            None,
            "a short text inside a line says nothing"
        );
        assert_eq!(describe_in_test("a\n\nb\n", "\n"), None);
        let lines = LineStarts::new("speed = 20\n");
        assert_eq!(
            describe_existing_new_text(
                "speed = 20\n",
                &lines,
                "speed = 20\nlimit = 3",
                "speed = 20"
            ),
            None,
            "a part of old"
        );
        let many = "same here\n".repeat(3_000);
        assert!(places(&many, "same here").ends_with("line 5 and in many more places"));
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn accepts_any_text(view in "(a|b|\n|é|\\.){0,40}", new in "(a|b|\n|é){0,6}") {
            describe_in_test(&view, &new);
        }
    }
}
