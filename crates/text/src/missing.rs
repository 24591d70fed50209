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

/// What is to be said of an old text with `...` lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gaps {
    /// Sentences, at most about 6,500 characters.
    pub words: String,
    /// Whether they name the place that the pieces fit.
    pub placed: bool,
}

/// Where a new text stands already, `line 3, lines 7-9`, at most about 300 characters; none where it does not, or is too
/// short to say anything.
pub fn already_there(view: &str, lines: &dyn LineTable, new: &str) -> Option<String> {
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
    (!named.is_empty()).then(|| format!("{}{more}", named.join(", ")))
}

/// What is to be said of an old text that is not in the view, where lines of it are only `...`.
pub fn explain_gaps(view: &str, lines: &dyn LineTable, old: &str) -> Option<Gaps> {
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
        let words = format!(
            "{told}, and the text around it does not fit one place of the file. Send the whole text."
        );
        return Some(Gaps {
            words,
            placed: false,
        });
    };
    if old.ends_with('\n') && view[place.end..].starts_with('\n') {
        place.end += 1;
    }
    let (at, text) = (span(lines, place.clone()), &view[place]);
    let words = if text.len() > FULL_MOST {
        format!(
            "{told}. The pieces fit {at}: read them and send that text whole, or edit each piece."
        )
    } else {
        let unique = if stands_once(view, text) {
            ""
        } else {
            " (which stands there more than once)"
        };
        format!("{told}. The pieces fit {at}{unique}, whose full text is:\n{text}\n(end of {at})")
    };
    Some(Gaps {
        words,
        placed: true,
    })
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

    fn there(view: &str, new: &str) -> Option<String> {
        let places = already_there(view, &LineStarts::new(view), new);
        assert!(places.as_ref().is_none_or(|text| text.len() <= 300));
        places
    }

    fn told(view: &str, old: &str) -> String {
        let gaps = explain_gaps(view, &LineStarts::new(view), old);
        let text = gaps.map(|gaps| gaps.words).unwrap_or_default();
        assert!(text.len() <= 6_500);
        text
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
        let many = "same here\n".repeat(3_000);
        assert!(places(&many, "same here").ends_with("line 5 and in many more places"));
    }

    const VIEW: &str =
        "fn a() {\n    one();\n    two();\n    three();\n}\nfn b() {\n    one();\n}\n";

    #[test]
    fn gaps_are_told_and_filled() {
        let text = told(VIEW, "fn a() {\n    ...\n    three();\n}");
        assert!(text.contains("Edit takes no gaps"), "{text}");
        assert!(text.contains("lines 1-5, whose full text is:\nfn a() {\n    one();\n    two();\n    three();\n}\n(end"), "{text}");
        assert!(told(VIEW, "fn b() {\n…\n}\n").contains("lines 6-8"));
        assert!(told(VIEW, "fn b() {\n...\nmissing").contains("does not fit one place"));
        assert!(
            told(VIEW, "one();\n...\n}").contains("does not fit one place"),
            "it fits two"
        );
        assert_eq!(told(VIEW, "fn c(...) {}"), "");
    }

    #[test]
    fn whether_the_place_is_named_is_told() {
        let placed = |old| explain_gaps(VIEW, &LineStarts::new(VIEW), old).map(|gaps| gaps.placed);
        assert_eq!(placed("fn b() {\n...\n}"), Some(true));
        assert_eq!(placed("fn b() {\n...\nmissing"), Some(false));
        assert_eq!(placed("fn b() {"), None);
    }

    #[test]
    fn a_long_gap_is_told_by_its_lines() {
        let view = format!("start\n{}end\n", "something\n".repeat(2_000));
        assert!(told(&view, "start\n...\nend").contains("lines 1-2002: read them"));
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn any_text_is_answered(view in "(a|b|\n|é|\\.){0,40}", old in "(a|b|\n|é|\n\\.\\.\\.\n){0,12}", new in "(a|b|\n|é){0,6}") {
            told(&view, &old);
            there(&view, &new);
        }
    }
}
