//! The additions of models to the lines that they quote: code fences, line numbers, a repeated line.

use crate::leak::{FenceLine, Separator, fence, numbered};

/// The number of repeated lines that are removed one at a time.
const DOUBLED_TRIED: usize = 8;

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
pub(super) struct Stripped {
    pub(super) fence: bool,
    pub(super) numbers: Option<Separator>,
}

impl Stripped {
    /// Returns everything that could be stripped from these lines; stripping nothing comes first.
    pub(super) fn candidates(lines: &[&str]) -> Vec<Stripped> {
        let fences: &[bool] = match unfenced(lines) {
            Some(_) => &[false, true],
            None => &[false],
        };
        let has = |separator: &Separator| {
            let own =
                |line: &&str| numbered(line).is_some_and(|found| found.separator == *separator);
            lines.iter().any(own)
        };
        let numbers = SEPARATORS.iter().copied().filter(has).map(Some);
        let numbers: Vec<Option<Separator>> = std::iter::once(None).chain(numbers).collect();
        let both = fences.iter().flat_map(|&fence| {
            numbers
                .iter()
                .map(move |&numbers| Stripped { fence, numbers })
        });
        both.collect()
    }

    /// Returns the parts that certainly are not text of the file.
    pub(super) fn certain(lines: &[&str], view: &str) -> Stripped {
        let inner = unfenced(lines);
        let fence = inner.is_some() && !view.split('\n').any(|line| fence(line).is_some());
        let lines = inner.as_deref().filter(|_| fence).unwrap_or(lines);
        let numbers = SEPARATORS.iter().copied().find(|separator| {
            let own =
                |line: &&&str| numbered(line).is_some_and(|found| found.separator == *separator);
            let count = lines.iter().filter(own).count();
            let is_certain = matches!(separator, Separator::Arrow | Separator::Anchor);
            count > 0 && (is_certain || count == lines.len())
        });
        Stripped { fence, numbers }
    }

    /// Returns the lines without fence and numbers.
    pub(super) fn strip<'t>(self, lines: &[&'t str]) -> Vec<&'t str> {
        let inner = if self.fence { unfenced(lines) } else { None };
        let mut lines = inner.unwrap_or_else(|| lines.to_vec());
        if let Some(separator) = self.numbers {
            for line in &mut lines {
                if let Some(number) = numbered(line).filter(|found| found.separator == separator) {
                    *line = &line[number.width..];
                }
            }
        }
        lines
    }
}

/// Returns the lines between a line that opens a code fence and one that closes it; one of the two may be missing.
fn unfenced<'t>(lines: &[&'t str]) -> Option<Vec<&'t str>> {
    let filled = |line: &&str| !line.trim().is_empty();
    let first = lines.iter().position(filled)?;
    let last = lines.iter().rposition(filled)?;
    let opens = fence(lines[first]).is_some();
    let closes = last > first && fence(lines[last]) == Some(FenceLine::Bare);
    if !opens && !closes {
        return None;
    }
    let from = if opens { first + 1 } else { 0 };
    let to = if closes { last } else { lines.len() };
    let inner = lines.get(from..to)?;
    inner.iter().any(filled).then(|| inner.to_vec())
}

/// Returns the indexes of lines that repeat the line before them.
pub(super) fn doubled(lines: &[&str]) -> Vec<usize> {
    let repeats = |at: &usize| !lines[*at].trim().is_empty() && lines[*at] == lines[*at - 1];
    (1..lines.len()).filter(repeats).collect()
}

/// Returns the lines without the repeated ones, and the indexes of those: first without all of them, then without one
/// at a time.
pub(super) fn undoubled<'t>(lines: &[&'t str]) -> Vec<(Vec<&'t str>, Vec<usize>)> {
    let found = doubled(lines);
    let without = |left_out: &[usize]| -> Vec<&'t str> {
        let kept = (0..lines.len()).filter(|at| left_out.binary_search(at).is_err());
        kept.map(|at| lines[at]).collect()
    };
    let mut ways = Vec::new();
    if !found.is_empty() {
        ways.push((without(&found), found.clone()));
    }
    if found.len() > 1 {
        let single = found.iter().take(DOUBLED_TRIED);
        ways.extend(single.map(|&at| (without(&[at]), vec![at])));
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_taken_off() {
        let lines = ["```py", "2→a", "b", "```"];
        let all = Stripped {
            fence: true,
            numbers: Some(Separator::Arrow),
        };
        assert!(Stripped::candidates(&lines).contains(&all));
        assert_eq!(all.strip(&lines), ["a", "b"]);
        assert_eq!(Stripped::certain(&lines, "a\nb\n"), all);
        assert_eq!(Stripped::candidates(&["a", "b"]), [Stripped::default()]);
        assert_eq!(Stripped::certain(&["80: a", "b"], ""), Stripped::default());
        assert_eq!(unfenced(&["a", "```"]), Some(vec!["a"]));
        assert_eq!(unfenced(&["```", "```"]), None);
    }

    #[test]
    fn lines_that_stand_twice() {
        assert_eq!(undoubled(&["a", "a", "", "", "b", "b"]).len(), 3);
        assert_eq!(undoubled(&["a", "a", "b"])[0], (vec!["a", "b"], vec![1]));
        assert!(undoubled(&["a", "b", "a"]).is_empty());
    }
}
