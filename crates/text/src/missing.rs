//! What else is to be said where old text is not in the file: that the new text is there already, that a `...` line
//! stands for nothing. The nearest regions are for `nearest`.

use std::ops::Range;

use memchr::memmem;

use crate::diff::LineTable;
use crate::unique::stands_once;

/// Lines named where the new text stands.
const NAMED_MOST: usize = 5;

/// Places of the new text that are counted.
const COUNTED_MOST: usize = 1_000;

/// Characters that are not white space which a new text must have to be looked for inside lines.
const NEW_LEAST: usize = 4;

/// Bytes of the full text that is given for one with gaps.
const FULL_MOST: usize = 6_000;

/// Places of the first piece of a text with gaps that are tried.
const TRIED_MOST: usize = 1_000;

/// Sentences about an `old` text that is not in the view and was to become `new`; none where there is nothing to say.
/// At most about 7,000 characters together.
pub fn explain_missing(view: &str, lines: &dyn LineTable, old: &str, new: &str) -> Vec<String> {
    already_there(view, lines, new)
        .into_iter()
        .chain(gaps(view, lines, old))
        .collect()
}

fn already_there(view: &str, lines: &dyn LineTable, new: &str) -> Option<String> {
    let wanted = new.trim_matches('\n');
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
    (!named.is_empty()).then(|| {
        format!(
            "The new text is already there, at {}{more}: the change may have been made before.",
            named.join(", ")
        )
    })
}

fn gaps(view: &str, lines: &dyn LineTable, old: &str) -> Option<String> {
    let is_gap = |line: &&str| matches!(line.trim(), "..." | "…");
    if !old.split('\n').any(|line| is_gap(&line)) {
        return None;
    }
    let told = "A line that is only `...` stands for nothing: Edit takes no gaps";
    let pieces: Vec<String> = old
        .split('\n')
        .collect::<Vec<_>>()
        .split(is_gap)
        .map(|piece| piece.join("\n"))
        .map(|piece| piece.trim_matches('\n').to_owned())
        .filter(|piece| !piece.trim().is_empty())
        .collect();
    let Some(mut place) = fit(view, &pieces) else {
        return Some(format!(
            "{told}, and the text around it does not fit one place of the file. Send the whole text."
        ));
    };
    if old.ends_with('\n') && view[place.end..].starts_with('\n') {
        place.end += 1;
    }
    let (at, text) = (span(lines, place.clone()), &view[place]);
    if text.len() > FULL_MOST {
        return Some(format!(
            "{told}. The pieces fit {at}: read them and send that text whole, or edit each piece."
        ));
    }
    let unique = if stands_once(view, text) {
        ""
    } else {
        " (which stands there more than once)"
    };
    Some(format!(
        "{told}. The pieces fit {at}{unique}, whose full text is:\n{text}\n(end of {at})"
    ))
}

/// The one place where the pieces stand in this order: the shortest stretch from each place of the first one, if there is only
/// one such stretch.
fn fit(view: &str, pieces: &[String]) -> Option<Range<usize>> {
    let (first, rest) = pieces.split_first()?;
    let finders: Vec<memmem::Finder<'_>> = rest
        .iter()
        .map(|piece| memmem::Finder::new(piece.as_bytes()))
        .collect();
    let mut found: Option<Range<usize>> = None;
    for start in memmem::find_iter(view.as_bytes(), first.as_bytes()).take(TRIED_MOST) {
        let mut end = start + first.len();
        for (finder, piece) in finders.iter().zip(rest) {
            // From a later start the rest is no nearer: nothing more can fit.
            let Some(at) = finder.find(&view.as_bytes()[end..]) else {
                return found;
            };
            end += at + piece.len();
        }
        match &mut found {
            // The same end from a later start: a tighter fit of the same place.
            Some(known) if known.end == end => known.start = start,
            Some(_) => return None,
            None => found = Some(start..end),
        }
    }
    found
}

/// `line 3` or `lines 3-5`, from 1.
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

    fn told(view: &str, old: &str, new: &str) -> String {
        let sentences = explain_missing(view, &LineStarts::new(view), old, new);
        let text = sentences.join(" ");
        assert!(text.chars().count() <= 7_000);
        text
    }

    #[test]
    fn the_new_text_is_there() {
        assert_eq!(
            told("a\nspeed = 20\n", "speed = 10", "speed = 20"),
            "The new text is already there, at line 2: the change may have been made before."
        );
        assert!(told("a\nb\nc\na\nb\n", "x", "a\nb\n").contains("at lines 1-2, lines 4-5:"));
        assert!(
            told("x\n", "old", "x").contains("line 1"),
            "a short text that is a whole line"
        );
        assert_eq!(
            told("xyz\n", "old", "x"),
            "",
            "a short text inside a line says nothing"
        );
        assert_eq!(told("a\n\nb\n", "old", "\n"), "");
        let many = "same here\n".repeat(3_000);
        assert!(told(&many, "old", "same here").contains("line 5 and in many more places"));
    }

    const VIEW: &str =
        "fn a() {\n    one();\n    two();\n    three();\n}\nfn b() {\n    one();\n}\n";

    #[test]
    fn gaps_are_told_and_filled() {
        let text = told(VIEW, "fn a() {\n    ...\n    three();\n}", "");
        assert!(text.contains("Edit takes no gaps"), "{text}");
        assert!(text.contains("lines 1-5, whose full text is:\nfn a() {\n    one();\n    two();\n    three();\n}\n(end"), "{text}");
        assert!(told(VIEW, "fn b() {\n…\n}\n", "").contains("lines 6-8"));
        assert!(told(VIEW, "fn b() {\n...\nmissing", "").contains("does not fit one place"));
        assert!(
            told(VIEW, "one();\n...\n}", "").contains("does not fit one place"),
            "it fits two"
        );
        assert_eq!(told(VIEW, "fn c(...) {}", ""), "");
    }

    #[test]
    fn a_long_gap_is_told_by_its_lines() {
        let view = format!("start\n{}end\n", "something\n".repeat(2_000));
        assert!(told(&view, "start\n...\nend", "").contains("lines 1-2002: read them"));
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn any_text_is_answered(view in "(a|b|\n|é|\\.){0,40}", old in "(a|b|\n|é|\n\\.\\.\\.\n){0,12}", new in "(a|b|\n|é){0,6}") {
            told(&view, &old, &new);
        }
    }
}
