//! The instructions that teach a model one of the formats, for models without tool calling.

use crate::part::Dialect;

impl Dialect {
    /// Returns the instructions that teach a model this format, in Markdown: its rules, examples, what is refused and
    /// how a refusal is reported.
    pub fn prompt(self) -> &'static str {
        match self {
            Dialect::SearchReplace => include_str!("prompts/search-replace.md"),
            Dialect::V4a => include_str!("prompts/v4a.md"),
            Dialect::Unified => include_str!("prompts/unified.md"),
            Dialect::Whole => include_str!("prompts/whole.md"),
        }
    }
}
