//! Validates prefixes, and adds them to declarations: to the tool's own name, and to the names of the other tools in
//! its texts.

use super::{InvalidPrefix, ToolPrefix};
use crate::declaration::Declaration;
use crate::tool_names::{TOOL_NAMES, is_built_in, is_known_name};

impl ToolPrefix {
    /// Validates a prefix.
    ///
    /// # Errors
    /// The prefix is too long, has a character that is not allowed, or makes the name of one tool that of another.
    pub fn new(prefix: impl Into<String>) -> Result<Self, InvalidPrefix> {
        let prefix = prefix.into();
        let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if let Some(character) = prefix.chars().find(|c| !allowed(c)) {
            return Err(InvalidPrefix::Character(character));
        }
        let Some(first) = prefix.chars().next() else {
            return Ok(Self::default());
        };
        if !first.is_ascii_alphabetic() && first != '_' {
            return Err(InvalidPrefix::Beginning(first));
        }
        // All characters are ASCII here, so the number of bytes is the number of characters.
        if prefix.len() > Self::LONGEST {
            return Err(InvalidPrefix::TooLong(prefix.len()));
        }
        let prefix = Self(prefix);
        for tool in TOOL_NAMES {
            let (tool, listed) = (tool.name, prefix.listed_name(tool.name));
            if is_known_name(&listed) {
                return Err(InvalidPrefix::Taken { tool, listed });
            }
        }
        Ok(prefix)
    }

    /// Returns a declaration as it is listed: the tool's own name, and those of the built-in tools in its texts, have
    /// the prefix.
    #[must_use]
    pub fn prefix_declaration(&self, declaration: &Declaration) -> Declaration {
        let mut declared = declaration.clone();
        if !self.as_str().is_empty() {
            declared.name = self.listed_name(&declared.name).into();
            for text in [
                &mut declared.summary,
                &mut declared.description,
                &mut declared.prompt,
            ] {
                *text = self.prefix_tool_names(text).into();
            }
        }
        declared
    }

    /// Puts the prefix before every name of a built-in tool that is a separate word of a text.
    #[must_use]
    pub fn prefix_tool_names(&self, text: &str) -> String {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|c| !is_part(c)).unwrap_or(from.len());
            let (word, after) = from.split_at(end);
            named.push_str(before);
            if is_built_in(word) {
                named.push_str(self.as_str());
            }
            named.push_str(word);
            rest = after;
        }
        named.push_str(rest);
        named
    }
}
