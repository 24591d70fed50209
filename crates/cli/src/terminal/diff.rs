//! A unified diff for a person: coloured, with the changed words of a line marked, and with line numbers.

mod words;

use std::borrow::Cow;
use std::ops::Range;

use super::{Colour, Style, visible};

/// Whether the lines of a diff are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineGutter {
    Shown,
    Left,
}

impl Colour {
    /// Colours a unified diff and marks the words that changed. Without colours it is the diff as it is.
    pub(crate) fn diff(self, diff: &str) -> String {
        render(self, diff, LineGutter::Left)
    }

    /// The same with the numbers of the lines before and after the change, for a terminal.
    pub(crate) fn numbered_diff(self, diff: &str) -> String {
        render(self, diff, LineGutter::Shown)
    }
}

/// What a line of a diff is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Removed,
    Added,
    Kept,
    /// The head of a hunk, with the numbers of its first lines.
    Hunk {
        old: usize,
        new: usize,
    },
    /// A line between `diff --git` and the first hunk of a file.
    FileHead,
    /// A line outside of a hunk, or the remark on a missing final newline.
    Other,
}

/// The lines with their roles. `--- a/x` is a part of a file's head only there: in a hunk it is a removed line.
fn roles(shown: &str) -> Vec<(Role, &str)> {
    let mut is_head = false;
    let with_role = |line| {
        is_head |= str::starts_with(line, "diff --git ");
        let role = match role(line) {
            hunk @ Role::Hunk { .. } => {
                is_head = false;
                hunk
            }
            _ if is_head => Role::FileHead,
            other => other,
        };
        (role, line)
    };
    shown.split_terminator('\n').map(with_role).collect()
}

fn role(line: &str) -> Role {
    match line.as_bytes().first() {
        Some(b'+') => Role::Added,
        Some(b'-') => Role::Removed,
        Some(b'@') => hunk(line).unwrap_or(Role::Other),
        Some(b' ') | None => Role::Kept,
        Some(_) => Role::Other,
    }
}

/// The numbers in `@@ -12,3 +13,4 @@`.
fn hunk(line: &str) -> Option<Role> {
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

/// The diff without the carriage returns of a file all of whose shown lines end in CR LF: such line ends are no part of the
/// change, and the question before a write does not show them either. Where lines differ in that, they are shown.
fn without_common_returns(diff: &str) -> Cow<'_, str> {
    if !diff.contains('\r') {
        return Cow::Borrowed(diff);
    }
    let lines = roles(diff);
    let is_text = |role: &Role| matches!(role, Role::Added | Role::Removed | Role::Kept);
    let has_end = |at: usize| {
        let after = lines.get(at + 1);
        after.is_none_or(|(_, line)| !line.starts_with('\\'))
    };
    let mut ends = lines.iter().enumerate();
    let all_alike = ends.all(|(at, (role, line))| {
        !is_text(role) || line.is_empty() || !has_end(at) || line.ends_with('\r')
    });
    match all_alike {
        true => Cow::Owned(diff.replace("\r\n", "\n")),
        false => Cow::Borrowed(diff),
    }
}

fn render(colour: Colour, diff: &str, numbers: LineGutter) -> String {
    let diff = &*without_common_returns(diff);
    let shown = visible(diff);
    let lines = roles(&shown);
    let marks = match colour {
        Colour::On => marks(&lines),
        Colour::Off => Vec::new(),
    };
    let mut marks = marks.into_iter().peekable();
    let width = width(&lines);
    // The numbers of the next lines; unknown before the first head of a hunk.
    let mut next: Option<(usize, usize)> = None;
    let mut out = String::with_capacity(diff.len() * 2);
    for (at, (role, line)) in lines.iter().enumerate() {
        if let Role::Hunk { old, new } = *role {
            next = Some((old, new));
        }
        let sides = match role {
            Role::Removed => (1, 0),
            Role::Added => (0, 1),
            Role::Kept => (1, 1),
            Role::Hunk { .. } | Role::FileHead | Role::Other => (0, 0),
        };
        if let (Some((old, new)), LineGutter::Shown, true) = (next, numbers, sides != (0, 0)) {
            let number = |number: usize, side: usize| match side {
                0 => String::new(),
                _ => number.to_string(),
            };
            let (left, right) = (number(old, sides.0), number(new, sides.1));
            let gutter = format!("{left:>width$} {right:>width$} ");
            out.push_str(&colour.paint(Style::Dim, &gutter));
        }
        next = next.map(|(old, new)| (old + sides.0, new + sides.1));
        let marked = marks
            .next_if(|(line, _)| *line == at)
            .map(|(_, marks)| marks);
        out.push_str(&line_of(colour, *role, line, &marked.unwrap_or_default()));
        out.push('\n');
    }
    out
}

/// The width of the largest line number.
fn width(lines: &[(Role, &str)]) -> usize {
    let last = lines.iter().filter_map(|(role, _)| match role {
        Role::Hunk { old, new } => Some(old.max(new)),
        _ => None,
    });
    // The last hunk is rarely longer than the file before it.
    let largest = last.max().unwrap_or(&0) + lines.len();
    largest.to_string().len()
}

fn line_of(colour: Colour, role: Role, line: &str, marks: &[Range<usize>]) -> String {
    let style = match role {
        Role::Added => Style::Green,
        Role::Removed => Style::Red,
        Role::Hunk { .. } => Style::Cyan,
        Role::FileHead => Style::Bold,
        Role::Other if line.starts_with('\\') => Style::Dim,
        Role::Kept | Role::Other => return line.to_owned(),
    };
    if marks.is_empty() {
        return colour.paint(style, line);
    }
    let mut out = String::new();
    let mut at = 0;
    for mark in marks {
        out.push_str(&colour.paint(style, &line[at..mark.start]));
        out.push_str(&colour.marked(style, &line[mark.clone()]));
        at = mark.end;
    }
    out.push_str(&colour.paint(style, &line[at..]));
    out
}

/// The changed words of each line that is paired with another: the removed lines of a block with as many added ones after
/// them.
fn marks(lines: &[(Role, &str)]) -> Vec<(usize, Vec<Range<usize>>)> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let run = |from: usize, wanted: Role| {
            let rest = lines[from..].iter();
            rest.take_while(|(role, _)| *role == wanted).count()
        };
        let removed = run(at, Role::Removed);
        let added = run(at + removed, Role::Added);
        if removed > 0 && removed == added {
            let mut later = Vec::new();
            for line in at..at + removed {
                let (old, new) = (&lines[line].1[1..], &lines[line + removed].1[1..]);
                if let Some(found) = words::changed(old, new) {
                    let behind_sign = |ranges: Vec<Range<usize>>| {
                        let shift = |range: Range<usize>| range.start + 1..range.end + 1;
                        ranges.into_iter().map(shift).collect::<Vec<_>>()
                    };
                    all.push((line, behind_sign(found.old)));
                    later.push((line + removed, behind_sign(found.new)));
                }
            }
            all.extend(later);
        }
        at += (removed + added).max(1);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_coloured_by_line_and_plain_without_colour() {
        let diff = "@@ -1 +1 @@\n-a\n+b\n c\n";
        assert_eq!(Colour::Off.diff(diff), diff);
        assert_eq!(Colour::On.diff("-a\n c\n"), "\x1b[31m-a\x1b[0m\n c\n");
    }

    #[test]
    fn changed_words_are_marked_where_the_lines_are_alike() {
        let shown = Colour::On.diff("-let limit = 10;\n+let limit = 20;\n");
        assert_eq!(
            shown,
            "\x1b[31m-let limit = \x1b[0m\x1b[31;7m10\x1b[0m\x1b[31m;\x1b[0m\n\
             \x1b[32m+let limit = \x1b[0m\x1b[32;7m20\x1b[0m\x1b[32m;\x1b[0m\n"
        );
        let unlike = Colour::On.diff("-one\n+1\n");
        assert_eq!(unlike, "\x1b[31m-one\x1b[0m\n\x1b[32m+1\x1b[0m\n");
    }

    #[test]
    fn the_head_of_a_file_is_no_change() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- one\n+++ two\n";
        assert_eq!(
            Colour::On.diff(diff),
            "\x1b[1mdiff --git a/x b/x\x1b[0m\n\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\
             \x1b[31m--- one\x1b[0m\n\x1b[32m+++ two\x1b[0m\n"
        );
        let twice = format!("@@ -1 +1 @@\n-a\n+b\n{diff}");
        let numbered = Colour::Off.numbered_diff(&twice);
        assert!(numbered.contains("\n--- a/x\n+++ b/x\n"), "{numbered}");
    }

    #[test]
    fn a_carriage_return_is_shown_where_the_lines_differ_in_it() {
        let head = "diff --git a/x b/x\n--- a/x\n+++ b/x\n";
        for (diff, shown) in [
            (
                "@@ -1,2 +1,2 @@\n-a\r\n+b\r\n c\r\n",
                "@@ -1,2 +1,2 @@\n-a\n+b\n c\n",
            ),
            (
                "@@ -1,2 +1,2 @@\n-a\r\n+b\r\n c\n\\ No newline at end of file\n",
                "@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n",
            ),
            (
                "@@ -1,2 +1,2 @@\n-a\r\n+a\n c\r\n",
                "@@ -1,2 +1,2 @@\n-a␍\n+a\n c␍\n",
            ),
            ("@@ -1 +1 @@\n-a\rb\r\n+b\r\n", "@@ -1 +1 @@\n-a␍b\n+b\n"),
        ] {
            assert_eq!(Colour::Off.diff(diff), shown);
            let named = format!("{head}{diff}");
            assert_eq!(Colour::Off.diff(&named), format!("{head}{shown}"));
        }
    }

    #[test]
    fn lines_are_numbered_on_both_sides() {
        let diff = "@@ -9,3 +9,4 @@\n a\n-b\n+c\n+d\n e\n";
        assert_eq!(
            Colour::Off.numbered_diff(diff),
            "@@ -9,3 +9,4 @@\n 9  9  a\n10    -b\n   10 +c\n   11 +d\n11 12  e\n"
        );
    }
}
