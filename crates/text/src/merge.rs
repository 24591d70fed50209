//! Whether somebody else's change left the lines of an edit alone, and where those lines are now. Makes no edit.

use std::ops::Range;
use std::time::Duration;

use crate::diff::{LineStarts, LineTable, changed_lines, is_line_start};

/// What a comparison may cost; over it the answer is that the file is stale.
const BUDGET: Duration = Duration::from_millis(200);

/// Where the `touched` ranges of `base` stand in `theirs`, in the same order; `None` where a line that one of them
/// touches was changed, where lines came or went inside or at one of them, or where the texts are too different to
/// compare in time.
///
/// Lines are matched as a diff matches them: among equal lines it may pair another one than a person would. A caller
/// who looks for text in `theirs` should therefore find it unique there and at the place given here.
pub fn merge_clean(
    base: &str,
    theirs: &str,
    touched: &[Range<usize>],
) -> Option<Vec<Range<usize>>> {
    let blocks = changed_lines(base, theirs, BUDGET)?;
    let base_lines = LineStarts::new(base);
    let their_lines = LineStarts::new(theirs);
    touched
        .iter()
        .map(|range| {
            if range.start > range.end || range.end > base.len() {
                return None;
            }
            let line_count = base_lines.line_count();
            // Between two lines nothing is touched but the border itself.
            if range.is_empty() && is_line_start(base, range.start) {
                let border = if range.start == base.len() {
                    line_count
                } else {
                    base_lines.line_of(range.start)
                };
                let clear = blocks
                    .iter()
                    .all(|(old, _)| border < old.start || old.end < border);
                let at = start_of(theirs, &their_lines, moved(&blocks, border));
                return clear.then_some(at..at);
            }
            let first = base_lines.line_of(range.start);
            let last = base_lines.line_of(range.end.saturating_sub(1).max(range.start));
            let clear = blocks
                .iter()
                .all(|(old, _)| old.end <= first || last < old.start);
            if !clear {
                return None;
            }
            let from = start_of(theirs, &their_lines, moved(&blocks, first));
            let start = from + (range.start - base_lines.line_range(first).start);
            let place = start..start + range.len();
            (theirs.get(place.clone())? == &base[range.clone()]).then_some(place)
        })
        .collect()
}

/// The line's number after the changes above it.
fn moved(blocks: &[(Range<usize>, Range<usize>)], line: usize) -> usize {
    match blocks.iter().rev().find(|(old, _)| old.end <= line) {
        Some((old, new)) => new.end + (line - old.end),
        None => line,
    }
}

fn start_of(text: &str, lines: &LineStarts, line: usize) -> usize {
    if line >= lines.line_count() {
        text.len()
    } else {
        lines.line_range(line).start
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BASE: &str = "a\nb\nc\nd\ne\nf\nlast\n";

    fn place(text: &str, part: &str) -> Range<usize> {
        let at = text.find(part).expect("a part of it");
        at..at + part.len()
    }

    fn one(base: &str, theirs: &str, range: Range<usize>) -> Option<Range<usize>> {
        let found = merge_clean(base, theirs, std::slice::from_ref(&range))?;
        assert_eq!(found.len(), 1);
        found.first().cloned()
    }

    fn merged(theirs: &str, part: &str) -> Option<Range<usize>> {
        one(BASE, theirs, place(BASE, part))
    }

    #[test]
    fn a_change_elsewhere_moves_the_place() {
        let theirs = "first\nx\nb\nc\nd\ne\nf\nlast\n";
        assert_eq!(merged(theirs, "last"), Some(place(theirs, "last")));
        assert_eq!(merged(theirs, "b\nc\n"), Some(place(theirs, "b\nc\n")));
        let shorter = "d\ne\nf\nlast\n";
        assert_eq!(merged(shorter, "e\nf"), Some(place(shorter, "e\nf")));
    }

    #[test]
    fn a_change_of_the_lines_is_none() {
        assert_eq!(merged("a\nb\nc\nd\ne\nf\nultimate\n", "last"), None);
        assert_eq!(merged("a\nb\nc\nd\ne\nf\nlast but one\n", "last"), None);
        assert_eq!(merged("a\nb\nnew\nc\nd\ne\nf\nlast\n", "b\nc"), None);
        assert_eq!(merged("a\nb\nd\ne\nf\nlast\n", "b\nc\nd"), None);
    }

    #[test]
    fn lines_that_come_beside_the_place_are_no_change_of_it() {
        let theirs = "a\nnew\nb\nnewer\nc\nd\ne\nf\nlast\n";
        assert_eq!(
            merged(theirs, "b"),
            Some(place(theirs, "b\nnewer").start..place(theirs, "b\nnewer").start + 1)
        );
    }

    #[test]
    fn an_appended_text_meets_an_appended_text() {
        let end = BASE.len()..BASE.len();
        assert_eq!(one(BASE, &format!("{BASE}more\n"), end.clone()), None);
        let theirs = format!("top\n{BASE}");
        assert_eq!(one(BASE, &theirs, end), Some(theirs.len()..theirs.len()));
    }

    #[test]
    fn ranges_out_of_the_text_are_none() {
        assert_eq!(one("a\n", "a\n", 5..9), None);
        assert_eq!(one("", "", 0..0), Some(0..0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(
            std::env::var("LANCET_LAW_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256)
        ))]

        #[test]
        fn the_place_holds_the_same_text(base in "(a|b|c|\n|\n|é){0,30}", theirs in "(a|b|c|\n|\n|é){0,30}", at in 0usize..30, length in 0usize..8) {
            let boundary = |at: usize| (0..=at.min(base.len())).rev().find(|&at| base.is_char_boundary(at)).unwrap_or(0);
            let range = boundary(at)..boundary(at + length).max(boundary(at));
            if let Some(found) = one(&base, &theirs, range.clone()) {
                prop_assert_eq!(&theirs[found], &base[range]);
            }
        }
    }
}
