//! The lines of a unified diff: the role of each, its numbers on both sides, and the line that it is compared with.

use std::borrow::Cow;
use std::time::Duration;

use lancet_text::{Difference, difference};

/// The time limit for the diff of two texts; if it is exceeded, everything between their common start and end is shown
/// as changed.
const BUDGET: Duration = Duration::from_millis(500);

/// The role of a line in a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A line of the old text alone.
    Removed,
    /// A line of the new text alone.
    Added,
    /// A line of both.
    Kept,
    /// The head of a hunk, with the numbers of its first lines.
    Hunk {
        /// The number of the first old line.
        old: usize,
        /// The number of the first new line.
        new: usize,
    },
    /// A line between `diff --git` and the first hunk of a file.
    FileHead,
    /// A line outside of a hunk, or the remark on a missing final newline.
    Other,
}

impl Role {
    /// Returns how many lines of the old and of the new text a line of this role represents.
    fn line_counts(self) -> (usize, usize) {
        match self {
            Self::Removed => (1, 0),
            Self::Added => (0, 1),
            Self::Kept => (1, 1),
            Self::Hunk { .. } | Self::FileHead | Self::Other => (0, 0),
        }
    }
}

/// A line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffLine<'d> {
    /// Its role.
    pub role: Role,
    /// The whole line, including the sign at its beginning.
    pub whole: &'d str,
    /// Its number in the old text; none if it is not a line of it, or precedes the first hunk header.
    pub old: Option<usize>,
    /// Its number in the new text.
    pub new: Option<usize>,
    /// The index of the line that it is compared with: the removed lines of a block and as many added ones after them
    /// are compared one by one.
    pub partner: Option<usize>,
}

impl<'d> DiffLine<'d> {
    /// Returns the line without its sign.
    pub fn text(&self) -> &'d str {
        match self.role {
            Role::Removed | Role::Added | Role::Kept => self.whole.get(1..).unwrap_or_default(),
            Role::Hunk { .. } | Role::FileHead | Role::Other => self.whole,
        }
    }
}

/// Parses the lines of a diff. `--- a/x` is a file header only outside hunks: inside a hunk it is a removed line.
pub fn parse_lines(diff: &str) -> Vec<DiffLine<'_>> {
    let mut is_head = false;
    let mut next: Option<(usize, usize)> = None;
    let read = |whole: &'_ str| {
        is_head |= whole.starts_with("diff --git ");
        let role = match line_role(whole) {
            Role::Hunk { old, new } => {
                is_head = false;
                next = Some((old, new));
                Role::Hunk { old, new }
            }
            _ if is_head => Role::FileHead,
            other => other,
        };
        let (old, new) = role.line_counts();
        let numbers = next;
        next = next.map(|(first, second)| (first + old, second + new));
        let number = |number: Option<usize>, side: usize| number.filter(|_| side > 0);
        (
            role,
            number(numbers.map(|(number, _)| number), old),
            number(numbers.map(|(_, number)| number), new),
        )
    };
    let mut read = read;
    let lines = diff.split_terminator('\n').map(|whole| {
        let (role, old, new) = read(whole);
        DiffLine {
            role,
            whole,
            old,
            new,
            partner: None,
        }
    });
    let mut lines: Vec<DiffLine<'_>> = lines.collect();
    assign_partners(&mut lines);
    lines
}

fn line_role(line: &str) -> Role {
    match line.as_bytes().first() {
        Some(b'+') => Role::Added,
        Some(b'-') => Role::Removed,
        Some(b'@') => parse_hunk_header(line).unwrap_or(Role::Other),
        Some(b' ') | None => Role::Kept,
        Some(_) => Role::Other,
    }
}

/// Parses the numbers in `@@ -12,3 +13,4 @@`.
fn parse_hunk_header(line: &str) -> Option<Role> {
    let mut words = line.split(' ').skip(1);
    let mut number = |sign: char| {
        let word = words.next()?.strip_prefix(sign)?;
        word.split(',').next()?.parse().ok()
    };
    Some(Role::Hunk {
        old: number('-')?,
        new: number('+')?,
    })
}

/// Assigns the lines of each block their partners.
fn assign_partners(lines: &mut [DiffLine<'_>]) {
    let mut at = 0;
    while at < lines.len() {
        let run = |from: usize, wanted: Role| {
            let rest = lines[from..].iter();
            rest.take_while(|line| line.role == wanted).count()
        };
        let removed = run(at, Role::Removed);
        let added = run(at + removed, Role::Added);
        if removed > 0 && removed == added {
            for line in at..at + removed {
                lines[line].partner = Some(line + removed);
                lines[line + removed].partner = Some(line);
            }
        }
        at += (removed + added).max(1);
    }
}

/// Returns the unified diff of two texts, with this many lines of context and no file headers.
pub fn unified(old: &str, new: &str, context: usize) -> String {
    let found = difference(old, new, context, BUDGET);
    match found.coarse {
        true => format_whole_change(old, new, &found),
        false => lancet_text::unified_diff(&found.hunks),
    }
}

/// Returns the single hunk of a difference that is too large to be compared: its old lines, then its new ones.
fn format_whole_change(old: &str, new: &str, found: &Difference) -> String {
    let mut text = lancet_text::unified_diff(&found.hunks);
    let Some((first, last)) = found.blocks.first().zip(found.blocks.last()) else {
        return text;
    };
    let sides = [
        ('-', old, first.0.start..last.0.end),
        ('+', new, first.1.start..last.1.end),
    ];
    for (sign, side, range) in sides {
        let lines = side.split_inclusive('\n');
        for line in lines.skip(range.start).take(range.len()) {
            text.push(sign);
            text.push_str(line);
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

/// Removes the carriage returns from the diff if all shown lines end in CR LF: such line ends are not part of the
/// change, and the approval prompt does not show them either. If lines differ in that, they are shown.
pub fn without_common_returns(diff: &str) -> Cow<'_, str> {
    if !diff.contains('\r') {
        return Cow::Borrowed(diff);
    }
    let lines = parse_lines(diff);
    let is_text = |role: Role| matches!(role, Role::Added | Role::Removed | Role::Kept);
    let has_end = |at: usize| {
        let after = lines.get(at + 1);
        after.is_none_or(|line| !line.whole.starts_with('\\'))
    };
    let mut ends = lines.iter().enumerate();
    let all_alike = ends.all(|(at, line)| {
        !is_text(line.role) || line.whole.is_empty() || !has_end(at) || line.whole.ends_with('\r')
    });
    match all_alike {
        true => Cow::Owned(diff.replace("\r\n", "\n")),
        false => Cow::Borrowed(diff),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diff_lines_have_numbers_and_partners() {
        let diff = "@@ -9,3 +9,4 @@\n a\n-b\n+c\n e\n-f\n+g\n+h\n\\ No newline at end of file\n";
        let read = parse_lines(diff);
        let numbers: Vec<_> = read.iter().map(|line| (line.old, line.new)).collect();
        assert_eq!(
            numbers,
            [
                (None, None),
                (Some(9), Some(9)),
                (Some(10), None),
                (None, Some(10)),
                (Some(11), Some(11)),
                (Some(12), None),
                (None, Some(12)),
                (None, Some(13)),
                (None, None),
            ]
        );
        let partners: Vec<_> = read.iter().map(|line| line.partner).collect();
        let none = None;
        assert_eq!(
            partners,
            [none, none, Some(3), Some(2), none, none, none, none, none],
            "blocks of different lengths have no partners"
        );
        let whole: String = read
            .iter()
            .map(|line| format!("{}\n", line.whole))
            .collect();
        assert_eq!(whole, diff);
    }

    #[test]
    fn shows_too_large_change_as_one_hunk() {
        let text = |first: &str| -> String {
            let lines = (0..200_000).map(|at| format!("{first}{at}\n"));
            std::iter::once("same\n".to_owned()).chain(lines).collect()
        };
        let shown = unified(&text("a"), &text("b"), 3);
        let mut lines = shown.lines();
        assert_eq!(lines.next(), Some("@@ -2,200000 +2,200000 @@"));
        let count = |sign: char| shown.lines().filter(|line| line.starts_with(sign)).count();
        assert_eq!((count('-'), count('+')), (200_000, 200_000));
        assert_eq!(lines.next(), Some("-a0"));
        assert_eq!(lines.last(), Some("+b199999"));
    }

    #[test]
    fn line_before_first_hunk_header_has_no_number() {
        let read = parse_lines("-a\n+b\n");
        assert_eq!((read[0].old, read[1].new), (None, None));
        assert_eq!(read[0].text(), "a");
        assert_eq!(parse_lines("").len(), 0);
        assert_eq!(parse_lines("\n")[0].text(), "");
    }
}
