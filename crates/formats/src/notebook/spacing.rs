//! The layout of a notebook's JSON: indentation, separators and the form of sources, copied from the existing text, so
//! that new parts look like the rest of the file.

use std::ops::Range;

use super::cell::Cell;
use crate::json::{self, JsonMember, JsonType, text::encode_literal};

/// The white space of a JSON object or array with the one level below it.
#[derive(Clone, Debug)]
pub(super) struct Spacing {
    /// The text between the opening bracket and the first entry: a newline and indentation, or nothing on one line.
    pub(super) first: String,
    /// The text between the last entry and the closing bracket.
    pub(super) last: String,
    /// The text between two entries, including the comma.
    pub(super) between: String,
    /// The text between a name and its value, including the colon.
    pub(super) colon: String,
}

impl Spacing {
    /// Returns the spacing of a container with these entries; none if it has no entry.
    fn from_entries(
        text: &str,
        container: &Range<usize>,
        entries: &[Range<usize>],
    ) -> Option<Self> {
        let (first, last) = (entries.first()?, entries.last()?);
        let first_space = text[container.start + 1..first.start].to_owned();
        let between = match entries {
            [one, two, ..] => text[one.end..two.start].to_owned(),
            _ if first_space.is_empty() => ", ".to_owned(),
            _ => format!(",{first_space}"),
        };
        Some(Self {
            first: first_space,
            last: text[last.end..container.end - 1].to_owned(),
            between,
            colon: ": ".to_owned(),
        })
    }

    pub(super) fn from_object(
        text: &str,
        object: &Range<usize>,
        members: &[JsonMember],
    ) -> Option<Self> {
        let entries: Vec<Range<usize>> = members
            .iter()
            .map(|member| member.key.start..member.value.end)
            .collect();
        let mut spacing = Self::from_entries(text, object, &entries)?;
        let first = members.first()?;
        spacing.colon = text[first.key.end..first.value.start].to_owned();
        Some(spacing)
    }

    pub(super) fn from_array(text: &str, array: &Range<usize>) -> Option<Self> {
        Self::from_entries(text, array, &json::array_items(text, array))
    }

    /// Returns the spacing of a container one level below, as an entry of this one.
    pub(super) fn nested(&self) -> Self {
        if !self.first.contains('\n') {
            return self.clone();
        }
        let unit = self.first.strip_prefix(self.last.as_str()).unwrap_or(" ");
        let first = format!("{}{unit}", self.first);
        Self {
            between: format!(",{first}"),
            last: self.first.clone(),
            first,
            colon: self.colon.clone(),
        }
    }

    /// Formats a source as a list of lines.
    pub(super) fn format_list(&self, lines: &[&str]) -> String {
        if lines.is_empty() {
            return "[]".to_owned();
        }
        let items: Vec<String> = lines.iter().map(|line| encode_literal(line)).collect();
        format!("[{}{}{}]", self.first, items.join(&self.between), self.last)
    }

    /// Formats an object with these members.
    pub(super) fn format_object(&self, members: &[(&str, String)]) -> String {
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("\"{name}\"{}{value}", self.colon))
            .collect();
        format!(
            "{{{}{}{}}}",
            self.first,
            members.join(&self.between),
            self.last
        )
    }
}

/// The form in which a notebook stores sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourceForm {
    /// One string.
    String,
    /// A list of lines, each with its newline.
    List,
}

impl SourceForm {
    /// Returns the form of a cell's source; none if it has no source, or one of another type.
    pub(super) fn from_cell(text: &str, cell: &Cell<'_>) -> Option<Self> {
        let source = cell.member("source")?;
        match json::type_at(text, source.value.start) {
            JsonType::String => Some(Self::String),
            JsonType::Array => Some(Self::List),
            _ => None,
        }
    }
}

/// Splits a source into the lines of a list.
pub(super) fn split_source_lines(source: &str) -> Vec<&str> {
    source.split_inclusive('\n').collect()
}
