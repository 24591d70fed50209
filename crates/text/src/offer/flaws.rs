//! The additions of models to the lines that they quote: code fences, line numbers, a repeated line.

use crate::leak::{FenceLine, Separator, fence_kind, parse_numbered_line};

/// The number of repeated lines that are removed one at a time.
const MAX_TRIED_REPETITIONS: usize = 8;

/// All forms of line numbers.
const SEPARATORS: [Separator; 5] = [
    Separator::Arrow,
    Separator::Anchor,
    Separator::Tab,
    Separator::Colon,
    Separator::Bar,
];

/// The parts that are stripped from a text before it is searched for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StrippedParts {
    pub(super) fence: bool,
    pub(super) numbers: Option<Separator>,
}

impl StrippedParts {
    /// Returns everything that could be stripped from these lines; stripping nothing comes first.
    pub(super) fn candidates(lines: &[&str]) -> Vec<StrippedParts> {
        let fences: &[bool] = match strip_fence(lines) {
            Some(_) => &[false, true],
            None => &[false],
        };
        let has = |separator: &Separator| {
            let own = |line: &&str| {
                parse_numbered_line(line).is_some_and(|found| found.separator == *separator)
            };
            lines.iter().any(own)
        };
        let numbers = SEPARATORS.iter().copied().filter(has).map(Some);
        let numbers: Vec<Option<Separator>> = std::iter::once(None).chain(numbers).collect();
        let both = fences.iter().flat_map(|&fence| {
            numbers
                .iter()
                .map(move |&numbers| StrippedParts { fence, numbers })
        });
        both.collect()
    }

    /// Returns the parts that certainly are not text of the file.
    pub(super) fn certainly_foreign_parts(lines: &[&str], view: &str) -> StrippedParts {
        let inner = strip_fence(lines);
        let fence = inner.is_some() && !view.split('\n').any(|line| fence_kind(line).is_some());
        let lines = inner.as_deref().filter(|_| fence).unwrap_or(lines);
        let numbers = SEPARATORS.iter().copied().find(|separator| {
            let own = |line: &&&str| {
                parse_numbered_line(line).is_some_and(|found| found.separator == *separator)
            };
            let count = lines.iter().filter(own).count();
            let is_certain = matches!(separator, Separator::Arrow | Separator::Anchor);
            count > 0 && (is_certain || count == lines.len())
        });
        StrippedParts { fence, numbers }
    }

    /// Returns the lines without fence and numbers.
    pub(super) fn strip<'t>(self, lines: &[&'t str]) -> Vec<&'t str> {
        let inner = if self.fence { strip_fence(lines) } else { None };
        let mut lines = inner.unwrap_or_else(|| lines.to_vec());
        if let Some(separator) = self.numbers {
            for line in &mut lines {
                if let Some(number) =
                    parse_numbered_line(line).filter(|found| found.separator == separator)
                {
                    *line = &line[number.width..];
                }
            }
        }
        lines
    }
}

/// Returns the lines between a line that opens a code fence and one that closes it; one of the two may be missing.
fn strip_fence<'t>(lines: &[&'t str]) -> Option<Vec<&'t str>> {
    let filled = |line: &&str| !line.trim().is_empty();
    let first = lines.iter().position(filled)?;
    let last = lines.iter().rposition(filled)?;
    let opens = fence_kind(lines[first]).is_some();
    let closes = last > first && fence_kind(lines[last]) == Some(FenceLine::Bare);
    if !opens && !closes {
        return None;
    }
    let from = if opens { first + 1 } else { 0 };
    let to = if closes { last } else { lines.len() };
    let inner = lines.get(from..to)?;
    inner.iter().any(filled).then(|| inner.to_vec())
}

/// Returns the indexes of lines that repeat the line before them.
pub(super) fn repeated_line_indexes(lines: &[&str]) -> Vec<usize> {
    let repeats = |at: &usize| !lines[*at].trim().is_empty() && lines[*at] == lines[*at - 1];
    (1..lines.len()).filter(repeats).collect()
}

/// Returns the lines without the repeated ones, and the indexes of those: first without all of them, then without one
/// at a time.
pub(super) fn without_repeated_lines<'t>(lines: &[&'t str]) -> Vec<(Vec<&'t str>, Vec<usize>)> {
    let found = repeated_line_indexes(lines);
    let without = |left_out: &[usize]| -> Vec<&'t str> {
        let kept = (0..lines.len()).filter(|at| left_out.binary_search(at).is_err());
        kept.map(|at| lines[at]).collect()
    };
    let mut ways = Vec::new();
    if !found.is_empty() {
        ways.push((without(&found), found.clone()));
    }
    if found.len() > 1 {
        let single = found.iter().take(MAX_TRIED_REPETITIONS);
        ways.extend(single.map(|&at| (without(&[at]), vec![at])));
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_parts_that_can_be_stripped() {
        let lines = ["```py", "2→a", "b", "```"];
        let all = StrippedParts {
            fence: true,
            numbers: Some(Separator::Arrow),
        };
        assert!(StrippedParts::candidates(&lines).contains(&all));
        assert_eq!(all.strip(&lines), ["a", "b"]);
        assert_eq!(
            StrippedParts::certainly_foreign_parts(&lines, "a\nb\n"),
            all
        );
        assert_eq!(
            StrippedParts::candidates(&["a", "b"]),
            [StrippedParts::default()]
        );
        assert_eq!(
            StrippedParts::certainly_foreign_parts(&["80: a", "b"], ""),
            StrippedParts::default()
        );
        assert_eq!(strip_fence(&["a", "```"]), Some(vec!["a"]));
        assert_eq!(strip_fence(&["```", "```"]), None);
    }

    #[test]
    fn removes_repeated_lines() {
        assert_eq!(
            without_repeated_lines(&["a", "a", "", "", "b", "b"]).len(),
            3
        );
        assert_eq!(
            without_repeated_lines(&["a", "a", "b"])[0],
            (vec!["a", "b"], vec![1])
        );
        assert!(without_repeated_lines(&["a", "b", "a"]).is_empty());
    }
}
