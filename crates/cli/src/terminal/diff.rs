//! A unified diff for a person: coloured, with the changed words of a line marked, and with line numbers.

use std::collections::VecDeque;
use std::ops::Range;

use lancet_rendering::{
    ChangedWords, DiffLine, Role, changed_words, parse_lines, without_common_returns,
};

use super::{Colour, Style, escape_for_terminal};

/// Whether the lines of a diff are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineGutter {
    Shown,
    Left,
}

impl Colour {
    /// Colours a unified diff and marks the words that changed. Without colours the diff is unchanged.
    pub(crate) fn paint_diff(self, diff: &str) -> String {
        render_diff(self, diff, LineGutter::Left)
    }

    /// Colours a diff for a terminal, with the numbers of the lines before and after the change.
    pub(crate) fn paint_numbered_diff(self, diff: &str) -> String {
        render_diff(self, diff, LineGutter::Shown)
    }
}

fn render_diff(colour: Colour, diff: &str, numbers: LineGutter) -> String {
    let diff = &*without_common_returns(diff);
    let shown = escape_for_terminal(diff);
    let lines = parse_lines(&shown);
    let width = number_width(&lines);
    // The changed words of the added lines of a block, which come after its removed ones.
    let mut later: VecDeque<(usize, Vec<Range<usize>>)> = VecDeque::new();
    let mut out = String::with_capacity(diff.len() * 2);
    for (at, line) in lines.iter().enumerate() {
        let has_number = line.old.is_some() || line.new.is_some();
        if numbers == LineGutter::Shown && has_number {
            let number = |number: Option<usize>| number.map(|number| number.to_string());
            let [left, right] = [line.old, line.new].map(|side| number(side).unwrap_or_default());
            let gutter = format!("{left:>width$} {right:>width$} ");
            out.push_str(&colour.paint(Style::Dim, &gutter));
        }
        let marks = match (colour, line.role, line.partner) {
            (Colour::On, Role::Removed, Some(partner)) => {
                let found = changed_words(line.text(), lines[partner].text());
                found.map(|ChangedWords { old, new }| {
                    later.push_back((partner, new));
                    old
                })
            }
            (_, Role::Added, Some(_)) => {
                let is_next = later.front().is_some_and(|(line, _)| *line == at);
                is_next
                    .then(|| later.pop_front())
                    .flatten()
                    .map(|(_, marks)| marks)
            }
            _ => None,
        };
        out.push_str(&paint_line(colour, line, &marks.unwrap_or_default()));
        out.push('\n');
    }
    out
}

/// Returns the width of the largest line number.
fn number_width(lines: &[DiffLine<'_>]) -> usize {
    let last = lines.iter().filter_map(|line| match line.role {
        Role::Hunk { old, new } => Some(old.max(new)),
        _ => None,
    });
    // The last hunk is rarely longer than the file before it.
    let largest = last.max().unwrap_or(0) + lines.len();
    largest.to_string().len()
}

fn paint_line(colour: Colour, line: &DiffLine<'_>, marks: &[Range<usize>]) -> String {
    let whole = line.whole;
    let style = match line.role {
        Role::Added => Style::Green,
        Role::Removed => Style::Red,
        Role::Hunk { .. } => Style::Cyan,
        Role::FileHead => Style::Bold,
        Role::Other if whole.starts_with('\\') => Style::Dim,
        Role::Kept | Role::Other => return whole.to_owned(),
    };
    if marks.is_empty() {
        return colour.paint(style, whole);
    }
    let mut out = String::new();
    let mut at = 0;
    for mark in marks {
        // The marks count from after the sign.
        let mark = mark.start + 1..mark.end + 1;
        out.push_str(&colour.paint(style, &whole[at..mark.start]));
        out.push_str(&colour.paint_reversed(style, &whole[mark.clone()]));
        at = mark.end;
    }
    out.push_str(&colour.paint(style, &whole[at..]));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_diff_lines() {
        let diff = "@@ -1 +1 @@\n-a\n+b\n c\n";
        assert_eq!(Colour::Off.paint_diff(diff), diff);
        assert_eq!(Colour::On.paint_diff("-a\n c\n"), "\x1b[31m-a\x1b[0m\n c\n");
    }

    #[test]
    fn marks_changed_words_in_similar_lines() {
        let shown = Colour::On.paint_diff("-let limit = 10;\n+let limit = 20;\n");
        assert_eq!(
            shown,
            "\x1b[31m-let limit = \x1b[0m\x1b[31;7m10\x1b[0m\x1b[31m;\x1b[0m\n\
             \x1b[32m+let limit = \x1b[0m\x1b[32;7m20\x1b[0m\x1b[32m;\x1b[0m\n"
        );
        let unlike = Colour::On.paint_diff("-one\n+1\n");
        assert_eq!(unlike, "\x1b[31m-one\x1b[0m\n\x1b[32m+1\x1b[0m\n");
    }

    #[test]
    fn file_header_is_not_shown_as_a_change() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- one\n+++ two\n";
        assert_eq!(
            Colour::On.paint_diff(diff),
            "\x1b[1mdiff --git a/x b/x\x1b[0m\n\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\
             \x1b[31m--- one\x1b[0m\n\x1b[32m+++ two\x1b[0m\n"
        );
        let twice = format!("@@ -1 +1 @@\n-a\n+b\n{diff}");
        let numbered = Colour::Off.paint_numbered_diff(&twice);
        assert!(numbered.contains("\n--- a/x\n+++ b/x\n"), "{numbered}");
    }

    #[test]
    fn shows_carriage_returns_only_where_lines_differ_in_them() {
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
            assert_eq!(Colour::Off.paint_diff(diff), shown);
            let named = format!("{head}{diff}");
            assert_eq!(Colour::Off.paint_diff(&named), format!("{head}{shown}"));
        }
    }

    #[test]
    fn numbers_old_and_new_lines() {
        let diff = "@@ -9,3 +9,4 @@\n a\n-b\n+c\n+d\n e\n";
        assert_eq!(
            Colour::Off.paint_numbered_diff(diff),
            "@@ -9,3 +9,4 @@\n 9  9  a\n10    -b\n   10 +c\n   11 +d\n11 12  e\n"
        );
    }
}
