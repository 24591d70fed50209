//! Adds a child to a list or table that is written between brackets with commas, or removes one: JSON objects and
//! lists, and inline tables and lists of TOML.

use std::ops::Range;

use crate::draft::SettingsDraft;
use crate::layout::{indentation, is_first_on_line, line_content_end, line_end, line_start};

/// The syntax of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comments {
    /// `// …` and `/* … */`.
    Slashes,
    /// `# …`.
    Hash,
}

/// The position of a list or table in a text.
#[derive(Clone, Debug)]
pub(crate) struct Container {
    /// The offset behind the opening bracket.
    pub(crate) open: usize,
    /// The offset of the closing bracket.
    pub(crate) close: usize,
    /// The children, in their order: keys with values, or items.
    pub(crate) children: Vec<Range<usize>>,
    /// The syntax of comments between them.
    pub(crate) comments: Comments,
}

/// The layout of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildStyle<'a> {
    /// The child is written on one line with the others.
    OneLine,
    /// The child is written on separate lines, which begin with this indentation.
    Lines(&'a str),
}

impl Container {
    /// Adds a child behind the last one, in the style of the others. `unit` is one step of indentation.
    pub(crate) fn insert(
        &self,
        draft: &mut SettingsDraft,
        unit: &str,
        render: &dyn Fn(ChildStyle<'_>) -> String,
    ) {
        let text = draft.text().to_owned();
        let end_of_line = line_end(&text);
        let inner = &text[self.open..self.close];
        let end = self.open + inner.trim_end().len();
        let (Some(first), Some(last)) = (self.children.first(), self.children.last()) else {
            return self.insert_first(draft, unit, render);
        };
        let comma = self.find_comma(&text, last.end, self.close);
        if !text[self.open..first.start].contains('\n') {
            let child = render(ChildStyle::OneLine);
            match comma {
                Some(comma) => draft.insert(comma + 1, &format!(" {child},")),
                None => draft.insert(last.end, &format!(", {child}")),
            }
            return;
        }
        let sample = match is_first_on_line(&text, last.start) {
            true => last.start,
            false => first.start,
        };
        let indent = indentation(&text, sample);
        let child = render(ChildStyle::Lines(indent));
        match comma {
            Some(_) => draft.insert(end, &format!("{end_of_line}{indent}{child},")),
            None if end == last.end => {
                draft.insert(end, &format!(",{end_of_line}{indent}{child}"));
            }
            None => {
                // A comment follows the last child: the comma belongs before it, the new child behind it.
                draft.insert(end, &format!("{end_of_line}{indent}{child}"));
                draft.insert(last.end, ",");
            }
        }
    }

    /// Adds the first child.
    fn insert_first(
        &self,
        draft: &mut SettingsDraft,
        unit: &str,
        render: &dyn Fn(ChildStyle<'_>) -> String,
    ) {
        let text = draft.text().to_owned();
        let end_of_line = line_end(&text);
        let inner = &text[self.open..self.close];
        let content = inner.trim_end();
        let is_on_one_line = !text.trim_end().contains('\n');
        let outer = indentation(&text, self.open);
        let indent = format!("{outer}{unit}");
        if !content.is_empty() && !inner.contains('\n') {
            let child = render(ChildStyle::OneLine);
            draft.insert(self.open + content.len(), &format!(" {child}"));
        } else if inner.contains('\n') {
            let at = self.open + content.len();
            let same = match line_start(&text, at) == line_start(&text, self.open) {
                true => &indent,
                false => indentation(&text, at),
            };
            let child = render(ChildStyle::Lines(same));
            draft.insert(at, &format!("{end_of_line}{same}{child}"));
        } else if self.comments == Comments::Hash || (is_on_one_line && text.contains(':')) {
            // An inline table of TOML is on one line.
            draft.insert(self.open, &render(ChildStyle::OneLine));
        } else {
            let child = render(ChildStyle::Lines(&indent));
            let added = format!("{end_of_line}{indent}{child}{end_of_line}{outer}");
            draft.insert(self.open, &added);
        }
    }

    /// Removes a child, with one comma.
    pub(crate) fn remove(&self, draft: &mut SettingsDraft, index: usize) {
        let text = draft.text().to_owned();
        let Some(child) = self.children.get(index).cloned() else {
            return;
        };
        let next = self.children.get(index + 1);
        let until = next.map_or(self.close, |next| next.start);
        let after = self.find_comma(&text, child.end, until);
        let before = index.checked_sub(1).and_then(|before| {
            let before = self.children.get(before)?;
            self.find_comma(&text, before.end, child.start)
        });
        let mut range = child.start..after.map_or(child.end, |comma| comma + 1);
        let is_alone = is_first_on_line(&text, range.start)
            && text[range.end..line_content_end(&text, range.end)]
                .trim()
                .is_empty();
        if is_alone && line_start(&text, range.start) > self.open {
            let start = line_start(&text, range.start) - 1;
            range.start = start - usize::from(text[..start].ends_with('\r'));
            range.end = line_content_end(&text, range.end);
        } else if next.is_some() {
            let rest = &text[range.end..];
            range.end += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        }
        // No children are left: the brackets are joined.
        if self.children.len() == 1 {
            let (before, after) = (&text[self.open..range.start], &text[range.end..self.close]);
            if before.trim().is_empty() && after.trim().is_empty() {
                return draft.replace(self.open..self.close, "");
            }
        }
        // The comma before the last child is removed with it.
        match before.filter(|_| after.is_none()) {
            Some(comma)
                if comma < range.start && text[comma + 1..range.start].trim().is_empty() =>
            {
                draft.replace(comma..range.end, "");
            }
            Some(comma) => {
                draft.replace(range, "");
                draft.replace(comma..comma + 1, "");
            }
            None => draft.replace(range, ""),
        }
    }

    /// Returns the comma between two offsets that otherwise have only blanks and comments between them.
    fn find_comma(&self, text: &str, from: usize, to: usize) -> Option<usize> {
        let mut at = from;
        while at < to {
            let rest = &text[at..to];
            let first = rest.chars().next()?;
            let length = match (first, self.comments) {
                (',', _) => return Some(at),
                ('#', Comments::Hash) => rest.find('\n')?,
                ('/', Comments::Slashes) if rest.starts_with("//") => rest.find(['\n', '\r'])?,
                ('/', Comments::Slashes) => rest.find("*/")? + 2,
                (blank, _) if blank.is_whitespace() => blank.len_utf8(),
                _ => return None,
            };
            at += length.max(1);
        }
        None
    }
}
