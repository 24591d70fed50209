//! How the lines of an old text stand to the lines of its place beyond look-alikes, and what that
//! means for the lines of the new text: which part of a line is the same in both, and what comes
//! before a new line instead of its own indentation.

use std::borrow::Cow;
use std::ops::Range;

use crate::look_alike::{fold_char, indent_len, is_blank, trim_blank_end};

/// What differs around the lines' common part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shift<'a> {
    /// Nothing: they are the same but for look-alikes.
    None,
    /// Blanks at line ends.
    Trailing,
    /// And the file's lines have this prefix besides.
    Add(&'a str),
    /// And the old text's lines have this prefix, folded, besides.
    Remove(&'a str),
    /// And an indentation of `width` spaces a level stands for one of tabs.
    Tabs {
        /// Spaces a level.
        width: usize,
        /// Which of the two the file has.
        file: Indents,
    },
}

/// What indentation is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indents {
    Tabs,
    Spaces,
}

impl Shift<'_> {
    /// The parts of an old line and of its file line that are the same text but for look-alikes.
    pub(super) fn common_part(&self, old: &str, file: &str) -> (Range<usize>, Range<usize>) {
        let old_end = trim_blank_end(old).len();
        let file_end = trim_blank_end(file).len();
        if *self == Shift::None {
            return (0..old.len(), 0..file.len());
        }
        if old_end == 0 || file_end == 0 {
            return (0..0, 0..0);
        }
        match self {
            Shift::None | Shift::Trailing => (0..old_end, 0..file_end),
            Shift::Add(prefix) => (0..old_end, prefix.len()..file_end),
            Shift::Remove(prefix) => (chars_len(old, prefix)..old_end, 0..file_end),
            Shift::Tabs { .. } => (indent_len(old)..old_end, indent_len(file)..file_end),
        }
    }

    /// How many bytes of a new line give way at its start, and to what. A guard that forbids the
    /// line is the error.
    pub(super) fn lead(&self, line: &str) -> Result<(usize, Cow<'_, str>), String> {
        if is_blank(line) {
            return Ok((0, Cow::Borrowed("")));
        }
        match self {
            Shift::None | Shift::Trailing => Ok((0, Cow::Borrowed(""))),
            Shift::Add(prefix) => Ok((0, Cow::Borrowed(prefix))),
            Shift::Remove(prefix) => {
                let has_it = prefix
                    .chars()
                    .eq(line.chars().take(prefix.chars().count()).map(fold_char));
                if !has_it {
                    return Err(format!(
                        "The old text is indented deeper than the file, and a line of the new text is not indented far enough to lose that: {}",
                        quoted(line)
                    ));
                }
                Ok((chars_len(line, prefix), Cow::Borrowed("")))
            }
            Shift::Tabs { width, file } => {
                let indent = indent_len(line);
                let lead = convert(&line[..indent], *width, *file)
                    .ok_or_else(|| unconvertible(line, *width, *file))?;
                Ok((indent, Cow::Owned(lead)))
            }
        }
    }

    /// Whether changing the file's line would replace look-alikes that have no counterpart in the
    /// old text.
    pub(super) fn replaces_look_alike(&self, file: &str) -> bool {
        matches!(self, Shift::Tabs { .. }) && !file[..indent_len(file)].is_ascii()
    }
}

/// The bytes that as many characters as the prefix has take at the line's start.
fn chars_len(line: &str, prefix: &str) -> usize {
    line.chars()
        .take(prefix.chars().count())
        .map(char::len_utf8)
        .sum()
}

/// An indentation in the file's way; `None` for a remainder and for one that is not wholly in
/// the other way.
pub(super) fn convert(indent: &str, width: usize, file: Indents) -> Option<String> {
    match file {
        Indents::Tabs => {
            let spaces = indent.chars().count();
            let all = indent.chars().all(|character| fold_char(character) == ' ');
            (all && spaces.is_multiple_of(width)).then(|| "\t".repeat(spaces / width))
        }
        Indents::Spaces => indent
            .bytes()
            .all(|byte| byte == b'\t')
            .then(|| " ".repeat(indent.len() * width)),
    }
}

fn unconvertible(line: &str, width: usize, file: Indents) -> String {
    let indent = &line[..indent_len(line)];
    let line = quoted(line);
    match file {
        Indents::Tabs if indent.contains('\t') => format!(
            "The file indents with tabs where the old text has {width} spaces, but this line of the new text has tabs already: {line}"
        ),
        Indents::Tabs => format!(
            "The file indents with tabs where the old text has {width} spaces, but this line of the new text is not indented by a multiple of {width}: {line}"
        ),
        Indents::Spaces => format!(
            "The file indents with {width} spaces where the old text has tabs, but this line of the new text has spaces already: {line}"
        ),
    }
}

/// The start of a line as a reason quotes it, indentation made visible.
pub(super) fn quoted(line: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = line.chars().take(MOST).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_convert_both_ways_or_not_at_all() {
        assert_eq!(
            convert("        ", 4, Indents::Tabs).as_deref(),
            Some("\t\t")
        );
        assert_eq!(convert("\t\t", 2, Indents::Spaces).as_deref(), Some("    "));
        assert_eq!(convert("", 3, Indents::Tabs).as_deref(), Some(""));
        assert_eq!(convert("   ", 2, Indents::Tabs), None);
        assert_eq!(convert("\t", 2, Indents::Tabs), None);
        assert_eq!(convert("\t ", 2, Indents::Spaces), None);
    }

    #[test]
    fn the_common_part_leaves_out_what_the_rung_forgives() {
        assert_eq!(Shift::Trailing.common_part(" a  ", " a"), (0..2, 0..2));
        assert_eq!(Shift::Add("\t").common_part("a", "\ta "), (0..1, 1..2));
        assert_eq!(
            Shift::Remove("  ").common_part("\u{A0} a", "a"),
            (3..4, 0..1)
        );
        assert_eq!(Shift::Add("\t").common_part(" ", "\t\t"), (0..0, 0..0));
        assert_eq!(Shift::None.common_part("a ", "a\u{A0}"), (0..2, 0..3));
    }
}
