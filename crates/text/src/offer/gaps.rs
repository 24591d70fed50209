//! Handles gaps: lines such as `...` in an old text that represent further lines. Finds the places of the file where
//! the text around the gaps occurs in order, as whole lines.

use std::ops::Range;

use memchr::memmem;

use crate::leak::is_placeholder_line;

/// With more matching places than this none is returned.
const MAX_FITS: usize = 12;

/// Returns whether a line consists of `...`, or is a placeholder comment.
pub(super) fn is_gap(line: &str) -> bool {
    matches!(line.trim(), "..." | "…") || is_placeholder_line(line)
}

/// A place that the text around the gaps matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GapFit {
    pub(super) place: Range<usize>,
    /// The lines that each gap represents, as ranges of the view without the last newline; `None` for no lines.
    pub(super) gaps: Vec<Option<Range<usize>>>,
}

/// Returns the places where the pieces between the gaps occur in order: from each occurrence of the first piece the
/// shortest range, and longer ones where the last piece occurs again in the same block. Empty where there are too many.
pub(super) fn find_gap_fits(view: &str, lines: &[&str]) -> Vec<GapFit> {
    // If a gap is the first or the last line, it is unknown where the text begins or ends.
    let mut filled = lines.iter().filter(|line| !line.trim().is_empty());
    if filled.next().is_none_or(|line| is_gap(line))
        || filled.next_back().is_none_or(|line| is_gap(line))
    {
        return Vec::new();
    }
    let texts: Vec<String> = lines
        .split(|line| is_gap(line))
        .map(|piece| piece.join("\n"))
        .map(|piece| piece.trim_matches('\n').to_owned())
        .filter(|piece| !piece.trim().is_empty())
        .collect();
    let mut pieces: Vec<PieceFinder<'_>> =
        texts.iter().map(|piece| PieceFinder::new(piece)).collect();
    // Only the text as a whole may begin after the indentation of its line.
    for piece in pieces.iter_mut().skip(1) {
        piece.begins_line = true;
    }
    let Some((first, rest)) = pieces.split_first_mut() else {
        return Vec::new();
    };
    let mut found: Vec<GapFit> = Vec::new();
    let mut from = 0;
    while let Some(start) = first.next(view, from) {
        from = start + 1;
        let mut ends = vec![start + first.text.len()];
        let mut starts = Vec::new();
        for piece in rest.iter_mut() {
            let Some(at) = ends.last().and_then(|&end| piece.next(view, end)) else {
                // From a later start the rest is no nearer, so nothing more can match.
                return found;
            };
            starts.push(at);
            ends.push(at + piece.text.len());
        }
        found.push(GapFit::from_pieces(view, start, &starts, &ends));
        // The last piece may equally be intended where it occurs again in the same block.
        while let Some(last) = rest.last()
            && found.len() <= MAX_FITS
            && let (Some(begin), Some(end)) = (starts.last_mut(), ends.last_mut())
            && let Some(again) = last.first_place_from(view, *end)
            && may_end_later(view, start, last.text, *end..again)
        {
            (*begin, *end) = (again, again + last.text.len());
            found.push(GapFit::from_pieces(view, start, &starts, &ends));
        }
        if found.len() > MAX_FITS {
            return Vec::new();
        }
    }
    found
}

impl GapFit {
    /// Returns the match by the start of the first piece, the starts of the others, and the ends of all.
    fn from_pieces(view: &str, start: usize, starts: &[usize], ends: &[usize]) -> GapFit {
        let gap = |(&end, &next): (&usize, &usize)| {
            let line_start = view[..next].rfind('\n').unwrap_or(0);
            let from = view[end..next].find('\n').map(|at| end + at + 1)?;
            (from < line_start).then_some(from..line_start)
        };
        GapFit {
            place: start..ends.last().copied().unwrap_or(start),
            gaps: ends.iter().zip(starts).map(gap).collect(),
        }
    }
}

/// The number of lines between two places of the last piece which may both be intended.
const MAX_LINES_TO_LATER_END: usize = 200;

/// Returns whether the text may equally end at a later place of its last piece, after this range. A piece that closes a
/// block is intended where it closes the block that was opened.
fn may_end_later(view: &str, start: usize, last: &str, range: Range<usize>) -> bool {
    let closing = last.trim_start();
    let closes = closing.starts_with(['}', ')', ']'])
        || closing.starts_with("end")
        || closing.starts_with("</");
    if closes {
        return is_in_same_block(view, start, range);
    }
    view[range].split('\n').count() <= MAX_LINES_TO_LATER_END
}

/// Returns whether every line of a range is indented more than the line at `start`. The range then belongs to the same
/// block, and the text may equally end later in it.
fn is_in_same_block(view: &str, start: usize, stretch: Range<usize>) -> bool {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let line_start = view[..start].rfind('\n').map_or(0, |end| end + 1);
    let outer = indentation(&view[line_start..]);
    view[stretch]
        .split('\n')
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .all(|line| indentation(line) > outer)
}

/// Finds the occurrences of one piece from left to right.
struct PieceFinder<'p> {
    text: &'p str,
    finder: memmem::Finder<'p>,
    /// Whether the piece begins at the start of its line.
    begins_line: bool,
    /// The last occurrence found, which is valid until the search starts after it.
    known: Option<usize>,
}

impl<'p> PieceFinder<'p> {
    fn new(text: &'p str) -> PieceFinder<'p> {
        PieceFinder {
            text,
            finder: memmem::Finder::new(text.as_bytes()),
            begins_line: false,
            known: None,
        }
    }

    /// Returns the first occurrence from an offset on as whole lines, apart from the indentation of the first.
    fn next(&mut self, view: &str, from: usize) -> Option<usize> {
        if let Some(known) = self.known.filter(|known| *known >= from) {
            return Some(known);
        }
        self.known = self.first_place_from(view, from);
        self.known
    }

    fn first_place_from(&self, view: &str, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at += self.finder.find(view.as_bytes().get(at..)?)?;
            let begins_line = at == 0 || view.as_bytes()[at - 1] == b'\n';
            if (begins_line || !self.begins_line)
                && is_on_whole_lines(view, at..at + self.text.len())
            {
                return Some(at);
            }
            at += 1;
        }
    }
}

/// Returns whether the place consists of whole lines, apart from the indentation of the first and trailing blanks.
fn is_on_whole_lines(view: &str, place: Range<usize>) -> bool {
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let bytes = view.as_bytes();
    let after = bytes[place.end..].iter().find(|byte| !blank(byte));
    // A text that is indented itself must begin at the line start.
    let indented = bytes[place.clone()]
        .first()
        .is_some_and(|byte| blank(&byte));
    let before = match bytes[..place.start].last() {
        Some(byte) if !indented && blank(&byte) => {
            bytes[..place.start].iter().rev().find(|byte| !blank(byte))
        }
        last => last,
    };
    before.is_none_or(|&byte| byte == b'\n') && after.is_none_or(|&byte| byte == b'\n')
}

/// Returns how many blank lines are right before, and right after, each gap.
pub(super) fn blank_lines_around_gaps(lines: &[&str]) -> Vec<(usize, usize)> {
    let blank = |line: &&&str| line.trim().is_empty();
    let at_gap = |at: usize| {
        let before = lines[..at].iter().rev().take_while(blank).count();
        let behind = lines[at + 1..].iter().take_while(blank).count();
        (before, behind)
    };
    let gaps = (0..lines.len()).filter(|&at| is_gap(lines[at]));
    gaps.map(at_gap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE_VIEW: &str =
        "fn a() {\n    one();\n    two();\n    three();\n}\nfn b() {\n    one();\n    if x {}\n}\n";

    fn only_fit(old: &str) -> Option<&'static str> {
        let lines: Vec<&str> = old.split('\n').collect();
        match find_gap_fits(SAMPLE_VIEW, &lines).as_slice() {
            [only] => Some(&SAMPLE_VIEW[only.place.clone()]),
            _ => None,
        }
    }

    #[test]
    fn finds_only_place_that_pieces_fit() {
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
                only_fit(&format!("fn a() {{\n{gap}\n}}")),
                Some(whole),
                "{gap}"
            );
        }
        assert_eq!(
            only_fit("fn b() {\n...\n}"),
            Some("fn b() {\n    one();\n    if x {}\n}"),
            "the bracket is a whole line"
        );
        assert_eq!(only_fit("fn b() {\n...\nmissing"), None);
        assert_eq!(only_fit("    one();\n...\n}"), None, "it fits two");
        assert_eq!(only_fit("...\n..."), None);
        assert_eq!(
            only_fit("...\n    two();"),
            None,
            "where it begins is unknown"
        );
    }

    #[test]
    fn returns_several_fits_when_end_is_unclear() {
        let view = "def f():\n    if a:\n        return 1\n    if b:\n        return 1\nx = 1\n";
        let several = find_gap_fits(view, &["def f():", "    ...", "        return 1"]);
        assert_eq!(several.len(), 2);
        let one = find_gap_fits(view, &["def f():", "    ...", "x = 1"]);
        assert_eq!(one.len(), 1);
        let gap = one[0].gaps[0].clone().expect("lines");
        assert!(view[gap.clone()].starts_with("    if a:") && view[gap].ends_with("return 1"));
    }
}
