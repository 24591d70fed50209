//! Old text with lines that stand for more: the one place that the pieces around them fit, as whole lines.

use std::ops::Range;

use memchr::memmem;

use crate::leak::stands_for_more;

/// Places of the first piece that are tried.
const TRIED_MOST: usize = 1_000;

/// Whether a line is only `...`, or that in a comment.
pub(super) fn is_gap(line: &str) -> bool {
    matches!(line.trim(), "..." | "…") || stands_for_more(line)
}

/// The one place where the pieces between the gaps stand in this order: the shortest stretch from each place of the first
/// one, if there is only one such stretch.
pub(super) fn fit(view: &str, lines: &[&str]) -> Option<Range<usize>> {
    // Where a gap is the first or the last line, the text begins or ends nobody knows where.
    let mut filled = lines.iter().filter(|line| !line.trim().is_empty());
    if filled.next().is_none_or(|line| is_gap(line))
        || filled.next_back().is_none_or(|line| is_gap(line))
    {
        return None;
    }
    let pieces: Vec<String> = lines
        .split(|line| is_gap(line))
        .map(|piece| piece.join("\n"))
        .map(|piece| piece.trim_matches('\n').to_owned())
        .filter(|piece| !piece.trim().is_empty())
        .collect();
    let (first, rest) = pieces.split_first()?;
    let mut rest: Vec<Piece<'_>> = rest.iter().map(|piece| Piece::of(piece)).collect();
    let mut first_piece = Piece::of(first);
    let mut found: Option<Range<usize>> = None;
    let mut from = 0;
    for _ in 0..TRIED_MOST {
        let Some(start) = first_piece.next(view, from) else {
            break;
        };
        from = start + 1;
        let mut end = start + first.len();
        for piece in &mut rest {
            // From a later start the rest is no nearer: nothing more can fit.
            let Some(at) = piece.next(view, end) else {
                return found;
            };
            end = at + piece.text.len();
        }
        match &mut found {
            // The same end from a later start: a tighter fit of the same place.
            Some(known) if known.end == end => known.start = start,
            Some(_) => return None,
            None => found = Some(start..end),
        }
    }
    let found = found?;
    let ends_again = rest.last_mut().is_some_and(|last| {
        let again = last.next(view, found.end);
        again.is_some_and(|again| same_block(view, found.start, found.end..again))
    });
    (!ends_again).then_some(found)
}

/// Whether all that stands in a stretch is indented more than the line at `start`: it belongs to the same block, and what
/// ends there may as well end later.
fn same_block(view: &str, start: usize, stretch: Range<usize>) -> bool {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let line_start = view[..start].rfind('\n').map_or(0, |end| end + 1);
    let outer = indentation(&view[line_start..]);
    view[stretch]
        .split('\n')
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .all(|line| indentation(line) > outer)
}

/// A piece that is looked for from left to right.
struct Piece<'p> {
    text: &'p str,
    finder: memmem::Finder<'p>,
    /// The place found last, which serves until the search starts behind it.
    known: Option<usize>,
}

impl<'p> Piece<'p> {
    fn of(text: &'p str) -> Piece<'p> {
        Piece {
            text,
            finder: memmem::Finder::new(text.as_bytes()),
            known: None,
        }
    }

    /// The first place from an offset on where it stands as whole lines, but for the indentation of its first.
    fn next(&mut self, view: &str, from: usize) -> Option<usize> {
        if let Some(known) = self.known.filter(|known| *known >= from) {
            return Some(known);
        }
        let mut at = from;
        loop {
            at += self.finder.find(view.as_bytes().get(at..)?)?;
            if is_whole(view, at..at + self.text.len()) {
                self.known = Some(at);
                return Some(at);
            }
            at += 1;
        }
    }
}

fn is_whole(view: &str, place: Range<usize>) -> bool {
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let bytes = view.as_bytes();
    let before = bytes[..place.start].iter().rev().find(|byte| !blank(byte));
    let after = bytes[place.end..].iter().find(|byte| !blank(byte));
    before.is_none_or(|&byte| byte == b'\n') && after.is_none_or(|&byte| byte == b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: &str =
        "fn a() {\n    one();\n    two();\n    three();\n}\nfn b() {\n    one();\n    if x {}\n}\n";

    fn fitted(old: &str) -> Option<&'static str> {
        let lines: Vec<&str> = old.split('\n').collect();
        fit(VIEW, &lines).map(|place| &VIEW[place])
    }

    #[test]
    fn the_one_place_that_the_pieces_fit() {
        let whole = "fn a() {\n    one();\n    two();\n    three();\n}";
        for gap in [
            "...",
            "    ...",
            "…",
            "    // ...",
            "/* ... */",
            "    // ... existing code ...",
        ] {
            assert_eq!(
                fitted(&format!("fn a() {{\n{gap}\n}}")),
                Some(whole),
                "{gap}"
            );
        }
        assert_eq!(
            fitted("fn b() {\n...\n}"),
            Some("fn b() {\n    one();\n    if x {}\n}"),
            "the bracket is a whole line"
        );
        assert_eq!(fitted("fn b() {\n...\nmissing"), None);
        assert_eq!(fitted("    one();\n...\n}"), None, "it fits two");
        assert_eq!(fitted("...\n..."), None);
        assert_eq!(
            fitted("...\n    two();"),
            None,
            "where it begins is unknown"
        );
    }

    #[test]
    fn an_end_that_may_as_well_be_a_later_one() {
        let view = "def f():\n    if a:\n        return 1\n    if b:\n        return 1\nx = 1\n";
        assert_eq!(
            fit(view, &["def f():", "    ...", "        return 1"]),
            None
        );
        assert!(fit(view, &["def f():", "    ...", "x = 1"]).is_some());
    }
}
