//! One cell of a notebook: its id, type, source and outputs.

use std::ops::Range;

use super::multiline::join_strings;
use super::output::{Output, parse_outputs};
use crate::json::{self, JsonMember, JsonType, text::decode_literal};

/// The types of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellType {
    /// Code with its outputs.
    Code,
    /// Markdown.
    Markdown,
    /// Text that is passed on as it is.
    Raw,
    /// Any other word, such as `heading` in version 3.
    Other(String),
}

impl CellType {
    /// Returns the type with that name; any name is a type.
    pub fn from_name(name: &str) -> Self {
        match name {
            "code" => Self::Code,
            "markdown" => Self::Markdown,
            "raw" => Self::Raw,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Returns the name as it is written in a notebook.
    pub fn name(&self) -> &str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
            Self::Other(name) => name,
        }
    }
}

/// A cell over the text of its notebook.
#[derive(Debug)]
pub struct Cell<'t> {
    text: &'t str,
    pub(super) range: Range<usize>,
    pub(super) members: Vec<JsonMember>,
    id: Option<String>,
    cell_type: CellType,
}

impl<'t> Cell<'t> {
    pub(super) fn parse(text: &'t str, range: Range<usize>) -> Self {
        let members = json::object_members(text, &range);
        let string = |name: &str| {
            json::last_member_named(text, &members, name)
                .filter(|member| json::type_at(text, member.value.start) == JsonType::String)
                .map(|member| decode_literal(&text[member.value.clone()]))
        };
        let id = string("id");
        let cell_type = CellType::from_name(&string("cell_type").unwrap_or_default());
        Self {
            text,
            range,
            id,
            cell_type,
            members,
        }
    }

    /// Returns the id, if the cell has one.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the type.
    pub fn cell_type(&self) -> &CellType {
        &self.cell_type
    }

    /// Returns the range of the cell in the notebook's text.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns the source, whether the notebook has it as one string or as a list of lines.
    pub fn source(&self) -> String {
        // Version 3 calls the source of a code cell `input`.
        let member = self.member("source").or_else(|| self.member("input"));
        member.map_or_else(String::new, |member| join_strings(self.text, &member.value))
    }

    /// Returns the kernel's execution counter when this cell was run; none for a cell that was not run.
    pub fn execution_count(&self) -> Option<u64> {
        let member = self
            .member("execution_count")
            .or_else(|| self.member("prompt_number"))?;
        self.text[member.value.clone()].parse().ok()
    }

    /// Returns the outputs of a code cell in order.
    pub fn outputs(&self) -> Vec<Output<'t>> {
        self.member("outputs")
            .filter(|member| json::type_at(self.text, member.value.start) == JsonType::Array)
            .map(|member| parse_outputs(self.text, &member.value))
            .unwrap_or_default()
    }

    pub(super) fn member(&self, name: &str) -> Option<&JsonMember> {
        json::last_member_named(self.text, &self.members, name)
    }
}
