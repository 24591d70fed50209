//! The difference between the lines of a place and the old lines besides look-alikes: which parts of the two lines
//! correspond, and which indentation replaces that of a new line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::look_alike::{Folded, fold_char, indent_len, is_blank, trim_blank_end};

/// The difference around the part that corresponds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineShift<'a> {
    /// Nothing: the lines are the same except for look-alikes.
    None,
    /// The blanks at line ends.
    Trailing,
    /// The blanks at line ends, and the lines of the file have this prefix.
    Add(&'a str),
    /// The blanks at line ends, and the old lines have this prefix, given in folded form.
    Remove(&'a str),
    /// The blanks at line ends, and one side is indented by tabs, the other by spaces.
    Tabs(TabConversion),
}

/// The correspondence between indentation by tabs and indentation by spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TabConversion {
    /// The number of spaces that correspond to one tab.
    pub(super) width: usize,
    /// The indentation style of the file.
    pub(super) file: IndentStyle,
    /// The indentations of the old text in folded form, with the file's indentation for each; `None` where it has
    /// several.
    pub(super) known: HashMap<String, Option<String>>,
}

/// The characters that indentation consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndentStyle {
    Tabs,
    Spaces,
}

impl LineShift<'_> {
    /// Returns the parts of an old line and of its file line that are the same except for look-alikes.
    pub(super) fn common_part(&self, old: &str, file: &str) -> (Range<usize>, Range<usize>) {
        let old_end = trim_blank_end(old).len();
        let file_end = trim_blank_end(file).len();
        if *self == LineShift::None {
            return (0..old.len(), 0..file.len());
        }
        if old_end == 0 || file_end == 0 {
            return (0..0, 0..0);
        }
        match self {
            LineShift::None | LineShift::Trailing => (0..old_end, 0..file_end),
            LineShift::Add(prefix) => (0..old_end, prefix.len()..file_end),
            LineShift::Remove(prefix) => (chars_len(old, prefix)..old_end, 0..file_end),
            LineShift::Tabs(_) => (indent_len(old)..old_end, indent_len(file)..file_end),
        }
    }

    /// Returns what two lines have in common that are the same under the relation: the line in folded form, without
    /// what may differ around the part that corresponds.
    pub(super) fn line_key(&self, line: &str) -> String {
        let line = match self {
            LineShift::None => line,
            LineShift::Trailing => trim_blank_end(line),
            LineShift::Add(_) | LineShift::Remove(_) | LineShift::Tabs(_) => {
                &trim_blank_end(line)[indent_len(trim_blank_end(line))..]
            }
        };
        Folded::new(line).text().to_owned()
    }

    /// Returns how many bytes at the start of a new line are replaced, and by what. The error is the reason why a guard
    /// forbids the line.
    pub(super) fn converted_indent(&self, line: &str) -> Result<(usize, Cow<'_, str>), String> {
        if is_blank(line) {
            return Ok((0, Cow::Borrowed("")));
        }
        match self {
            LineShift::None | LineShift::Trailing => Ok((0, Cow::Borrowed(""))),
            LineShift::Add(prefix) => Ok((0, Cow::Borrowed(prefix))),
            LineShift::Remove(prefix) => {
                let has_it = prefix
                    .chars()
                    .eq(line.chars().take(prefix.chars().count()).map(fold_char));
                if !has_it {
                    return Err(format!(
                        "The old text is indented deeper than the file, and a line of the new text is not indented far enough to lose that: {}",
                        quote_line_start(line)
                    ));
                }
                Ok((chars_len(line, prefix), Cow::Borrowed("")))
            }
            LineShift::Tabs(conversion) => Ok((
                indent_len(line),
                Cow::Owned(conversion.converted_indent(line)?),
            )),
        }
    }

    /// Returns whether changing the line of the file would replace look-alikes of spaces that match nothing in the old
    /// text.
    pub(super) fn replaces_look_alike(&self, file: &str) -> bool {
        matches!(self, LineShift::Tabs(_)) && !file[..indent_len(file)].is_ascii()
    }
}

/// Returns how many bytes of the line as many characters take as the prefix has.
fn chars_len(line: &str, prefix: &str) -> usize {
    line.chars()
        .take(prefix.chars().count())
        .map(char::len_utf8)
        .sum()
}

impl TabConversion {
    /// Returns the indentation that a new line gets. Spaces beyond whole tabs are converted only where a line of the
    /// old text has the same indentation.
    fn converted_indent(&self, line: &str) -> Result<String, String> {
        let indent: String = line[..indent_len(line)].chars().map(fold_char).collect();
        match self.known.get(&indent) {
            Some(Some(file)) => return Ok(file.clone()),
            Some(None) => {
                return Err(self.conversion_refusal(
                    line,
                    "is indented like lines of the old text that the file indents in several ways",
                ));
            }
            None => {}
        }
        let (tabs, spaces) = tabs_then_spaces(&indent)
            .ok_or_else(|| self.conversion_refusal(line, "has spaces before a tab"))?;
        let width = self.width;
        match self.file {
            IndentStyle::Tabs if tabs > 0 => Err(self.conversion_refusal(line, "has tabs already")),
            IndentStyle::Tabs if spaces.is_multiple_of(width) => Ok("\t".repeat(spaces / width)),
            IndentStyle::Tabs => {
                let what = format!(
                    "is not indented by a multiple of {width}, nor like a line of the old text"
                );
                Err(self.conversion_refusal(line, &what))
            }
            IndentStyle::Spaces if spaces == 0 => Ok(" ".repeat(tabs * width)),
            IndentStyle::Spaces if tabs == 0 => {
                Err(self.conversion_refusal(line, "has spaces already"))
            }
            IndentStyle::Spaces => Err(self.conversion_refusal(
                line,
                "has spaces behind its tabs, and no line of the old text is indented like it",
            )),
        }
    }

    fn conversion_refusal(&self, line: &str, what: &str) -> String {
        let (width, line) = (self.width, quote_line_start(line));
        let lead = match self.file {
            IndentStyle::Tabs => {
                format!("The file indents with tabs where the old text has {width} spaces")
            }
            IndentStyle::Spaces => {
                format!("The file indents with {width} spaces where the old text has tabs")
            }
        };
        format!("{lead}, but this line of the new text {what}: {line}")
    }
}

/// Returns the number of tabs at the start of a folded indentation and of spaces after them; `None` where a tab follows
/// a space.
pub(super) fn tabs_then_spaces(indent: &str) -> Option<(usize, usize)> {
    let spaces = indent.trim_start_matches('\t');
    let all = spaces.bytes().all(|byte| byte == b' ');
    all.then_some((indent.len() - spaces.len(), spaces.len()))
}

/// Returns the start of a line as a message quotes it, with its indentation made visible.
pub(super) fn quote_line_start(line: &str) -> String {
    const MAX_QUOTED_CHARACTERS: usize = 60;
    let mut shown: String = line.chars().take(MAX_QUOTED_CHARACTERS).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_indents_between_tabs_and_spaces() {
        let lead = |indent: &str, width, file, known: &[(&str, Option<&str>)]| {
            let known = known
                .iter()
                .map(|(old, file)| ((*old).to_owned(), file.map(str::to_owned)));
            let conversion = TabConversion {
                width,
                file,
                known: known.collect(),
            };
            conversion.converted_indent(&format!("{indent}x")).ok()
        };
        let tabs = |indent, width, known: &[_]| lead(indent, width, IndentStyle::Tabs, known);
        let spaces = |indent, width, known: &[_]| lead(indent, width, IndentStyle::Spaces, known);
        assert_eq!(tabs("        ", 4, &[]).as_deref(), Some("\t\t"));
        assert_eq!(tabs("", 3, &[]).as_deref(), Some(""));
        assert_eq!(tabs("   ", 2, &[]), None);
        assert_eq!(tabs("\t", 2, &[]), None);
        assert_eq!(
            tabs("   ", 2, &[("   ", Some("\t "))]).as_deref(),
            Some("\t ")
        );
        assert_eq!(tabs("    ", 2, &[("    ", None)]), None);
        assert_eq!(spaces("\t\t", 2, &[]).as_deref(), Some("    "));
        assert_eq!(spaces("\t ", 2, &[]), None);
        assert_eq!(spaces(" ", 2, &[]), None);
        assert_eq!(
            spaces("\t ", 2, &[("\t ", Some("   "))]).as_deref(),
            Some("   ")
        );
    }

    #[test]
    fn common_part_excludes_forgiven_differences() {
        assert_eq!(LineShift::Trailing.common_part(" a  ", " a"), (0..2, 0..2));
        assert_eq!(LineShift::Add("\t").common_part("a", "\ta "), (0..1, 1..2));
        assert_eq!(
            LineShift::Remove("  ").common_part("\u{A0} a", "a"),
            (3..4, 0..1)
        );
        assert_eq!(LineShift::Add("\t").common_part(" ", "\t\t"), (0..0, 0..0));
        assert_eq!(LineShift::None.common_part("a ", "a\u{A0}"), (0..2, 0..3));
    }
}
