//! For an old text that is not in the file: checks whether the new text is already there.

use std::ops::Range;

use memchr::memmem;

use crate::diff::LineTable;

/// The number of places that are named.
const NAMED_MOST: usize = 5;

/// The number of places that are counted.
const COUNTED_MOST: usize = 1_000;

/// The number of characters other than white space that a new text must have to be searched for inside lines.
const NEW_LEAST: usize = 4;

/// Returns where the new text is in the file, such as `line 3, lines 7-9`, at most about 300 characters. `None` where
/// it is not there, is too short to prove anything, or is a part of the old text.
pub fn already_there(view: &str, lines: &dyn LineTable, old: &str, new: &str) -> Option<String> {
    let wanted = new.trim_matches('\n');
    // An edit that only deletes leaves a part of the old text, which is wherever the old text is.
    if old.contains(wanted.trim()) {
        return None;
    }
    let solid = wanted
        .chars()
        .filter(|character| !character.is_whitespace())
        .take(NEW_LEAST)
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
        .filter(|place| solid == NEW_LEAST || whole_lines(place))
        .take(COUNTED_MOST)
        .collect();
    let named: Vec<String> = places
        .iter()
        .take(NAMED_MOST)
        .map(|&place| span(lines, place..place + wanted.len()))
        .collect();
    let rest = places.len().saturating_sub(NAMED_MOST);
    let more = match rest {
        0 => String::new(),
        _ if places.len() == COUNTED_MOST => " and in many more places".to_owned(),
        _ => format!(" and in {rest} more"),
    };
    (!named.is_empty()).then(|| format!("{}{more}", named.join(", ")))
}

/// Returns `line 3` or `lines 3-5`, from 1.
fn span(lines: &dyn LineTable, place: Range<usize>) -> String {
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

    fn there(view: &str, new: &str) -> Option<String> {
        let places = already_there(view, &LineStarts::new(view), "0", new);
        assert!(places.as_ref().is_none_or(|text| text.len() <= 300));
        places
    }

    #[test]
    fn the_new_text_is_there() {
        let places = |view, new| there(view, new).unwrap_or_default();
        assert_eq!(places("a\nspeed = 20\n", "speed = 20"), "line 2");
        assert_eq!(places("a\nb\nc\na\nb\n", "a\nb\n"), "lines 1-2, lines 4-5");
        assert_eq!(
            places("x\n", "x"),
            "line 1",
            "a short text that is a whole line"
        );
        assert_eq!(
            there("xyz\n", "x"),
            None,
            "a short text inside a line says nothing"
        );
        assert_eq!(there("a\n\nb\n", "\n"), None);
        let lines = LineStarts::new("speed = 20\n");
        assert_eq!(
            already_there(
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
        fn any_text_is_answered(view in "(a|b|\n|é|\\.){0,40}", new in "(a|b|\n|é){0,6}") {
            there(&view, &new);
        }
    }
}
