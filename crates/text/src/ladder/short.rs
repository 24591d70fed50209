//! Short indentation: the old text is one line that lacks all or part of its indentation, and further lines of the new
//! text are indented as if the file had no more. They get the missing part too.

use std::ops::Range;

use crate::look_alike::{indent_len, is_blank};

use super::remarks::indent_columns;
use super::text_lines::{is_newline_at, starts_line};

/// The longest text that missing indentation may add to one place: long blanks before many lines would take gigabytes.
const MAX_ADDED_INDENTATION: usize = 64 << 20;

/// An edit whose old text may lack indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShortIndentation<'t> {
    /// The first line of the new text, and the text after its newline.
    first: &'t str,
    further: &'t str,
    /// Whether the old text begins with a blank, so that every line of it shows its indentation.
    begins_blank: bool,
    /// The columns of the least indented further line that is not blank.
    least: usize,
    /// The number of further lines.
    lines: usize,
}

impl<'t> ShortIndentation<'t> {
    /// Returns `None` where the texts rule it out at every place: the old text has several lines that are not blank, or
    /// begins with a blank one; the new text begins with other blanks, has one line, or has a line that is indented
    /// less than its first.
    pub(super) fn detect(old: &str, new: &'t str) -> Option<ShortIndentation<'t>> {
        let (first, further) = new.split_once('\n')?;
        let mut old_lines = old.split('\n');
        let line = old_lines.next().filter(|line| !is_blank(line))?;
        if !old_lines.all(is_blank) {
            return None;
        }
        let indent = &line[..indent_len(line)];
        if first[..indent_len(first)] != *indent {
            return None;
        }
        let filled = further.split('\n').filter(|line| !is_blank(line));
        let least = filled
            .map(|line| indent_columns(&line[..indent_len(line)]))
            .min()?;
        (least >= indent_columns(indent)).then(|| ShortIndentation {
            first,
            further,
            begins_blank: !indent.is_empty(),
            least,
            lines: further.split('\n').count(),
        })
    }

    /// Returns whether the further lines lack the blanks `lead`, which are all the text before the place on its line.
    /// If the old text begins with no blank and all further lines are indented at least as much as the place, only the
    /// first line lacks it.
    pub(super) fn lacks_indentation(&self, lead: &str) -> bool {
        !lead.is_empty()
            && (self.begins_blank || self.least < indent_columns(lead))
            && lead.len().saturating_mul(self.lines) <= MAX_ADDED_INDENTATION
    }

    /// Returns the new text with these blanks before every further line that is not blank.
    pub(super) fn complete_indentation(&self, lead: &str) -> String {
        let mut text = self.first.to_owned();
        for line in self.further.split('\n') {
            text.push('\n');
            if !is_blank(line) {
                text.push_str(lead);
            }
            text.push_str(line);
        }
        text
    }
}

/// Returns whether a place ends where its line does.
pub(super) fn ends_line(view: &str, place: &Range<usize>) -> bool {
    place.end == view.len() || is_newline_at(view, place.end) || starts_line(view, place.end)
}

/// Returns whether further lines of the new text may lack indentation at some place.
pub fn may_lack_indentation(old: &str, new: &str) -> bool {
    ShortIndentation::detect(old, new).is_some()
}

/// Returns the new text of an exact edit of this place with the indentation that its further lines lack; `None` where
/// they lack none.
pub fn with_short_indentation(
    view: &str,
    place: &Range<usize>,
    old: &str,
    new: &str,
) -> Option<String> {
    let short = ShortIndentation::detect(old, new)?;
    let lead = super::text_lines::line_prefix(view, place.start);
    let fits = is_blank(lead) && ends_line(view, place) && short.lacks_indentation(lead);
    fits.then(|| short.complete_indentation(lead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completes_indentation_of_further_lines() {
        for (lead, old, new, completed) in [
            (
                "    ",
                "    x\n",
                "    if a:\n        x\n",
                Some("    if a:\n            x\n"),
            ),
            ("    ", "x", "x\ny", Some("x\n    y")),
            (
                "\t",
                "\tx",
                "\tif {\n\t\tx\n\n\t}",
                Some("\tif {\n\t\t\tx\n\n\t\t}"),
            ),
            (
                "        ",
                "x",
                "if a:\n    x",
                Some("if a:\n            x"),
            ),
            ("  ", "x\n\n", "x\ny\n\n", Some("x\n  y\n\n")),
            // Only the first line was stripped.
            ("    ", "x", "if a:\n        x\n    y", None),
            // One new line, two old lines, other blanks, a line indented less than the first, nothing missing.
            ("    ", "    x", "    y\n", None),
            ("    ", "x\ny", "x\nz", None),
            ("    ", "    x", "  x\n      y", None),
            ("    ", "    x", "    x\ny", None),
            ("", "x", "x\ny", None),
            ("    ", "\nx", "\ny\nz", None),
        ] {
            let view = format!("a\n{lead}{old}");
            let place = 2 + lead.len()..view.len();
            let found = with_short_indentation(&view, &place, old, new);
            assert_eq!(found.as_deref(), completed, "{lead:?} {old:?} {new:?}");
        }
        let view = "    x = 1  # one\n";
        assert_eq!(
            with_short_indentation(view, &(4..9), "x = 1", "x = 1\ny"),
            None
        );
        let view = "if a: x\n";
        assert_eq!(with_short_indentation(view, &(6..7), "x", "x\ny"), None);
    }
}
