//! Which prefixes the tools can have, and declarations as they are listed under one: the tool's own name and those of its siblings in the texts have it.

use super::declaration::Declaration;
use crate::tool_prefix::{NoPrefix, ToolPrefix};

impl ToolPrefix {
    /// Validates a prefix.
    ///
    /// # Errors
    /// The prefix is too long, has a character that is not allowed, or makes the name of one tool that of another.
    pub fn new(prefix: impl Into<String>) -> Result<Self, NoPrefix> {
        let prefix = prefix.into();
        let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if let Some(character) = prefix.chars().find(|c| !allowed(c)) {
            return Err(NoPrefix::Character(character));
        }
        let Some(first) = prefix.chars().next() else {
            return Ok(Self::default());
        };
        if !first.is_ascii_alphabetic() && first != '_' {
            return Err(NoPrefix::Beginning(first));
        }
        // All characters are ASCII here, so the number of bytes is the number of characters.
        if prefix.len() > Self::LONGEST {
            return Err(NoPrefix::TooLong(prefix.len()));
        }
        let prefix = Self(prefix);
        for tool in super::all() {
            let (tool, listed) = (tool.name(), prefix.name(tool.name()));
            if is_called(&listed) {
                return Err(NoPrefix::Taken { tool, listed });
            }
        }
        Ok(prefix)
    }

    /// Gives a declaration as it is listed: the tool's own name, and those of the built-in tools in its texts, have the
    /// prefix.
    #[must_use]
    pub fn declared(&self, declaration: &Declaration) -> Declaration {
        let mut declared = declaration.clone();
        if !self.as_str().is_empty() {
            declared.name = self.name(&declared.name).into();
            for text in [
                &mut declared.summary,
                &mut declared.description,
                &mut declared.prompt,
            ] {
                *text = self.named_in(text).into();
            }
        }
        declared
    }

    /// Puts the prefix before every name of a built-in tool that stands in a text as a word of its own.
    #[must_use]
    pub fn named_in(&self, text: &str) -> String {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|c| !is_part(c)).unwrap_or(from.len());
            let (word, after) = from.split_at(end);
            named.push_str(before);
            if super::by_name(word).is_some() {
                named.push_str(self.as_str());
            }
            named.push_str(word);
            rest = after;
        }
        named.push_str(rest);
        named
    }
}

/// Whether a tool answers to this name, its own or one that other agents use.
fn is_called(name: &str) -> bool {
    super::all().any(|tool| {
        tool.name() == name || tool.other_names().iter().any(|other| other.name == name)
    })
}

#[cfg(test)]
mod tests {
    use super::super::declarations;
    use super::*;

    #[test]
    fn a_prefix_fits_every_api() {
        for (given, wanted) in [
            ("lancet_", Ok("lancet_")),
            ("", Ok("")),
            ("_", Ok("_")),
            ("1x", Err(NoPrefix::Beginning('1'))),
            ("-x", Err(NoPrefix::Beginning('-'))),
            ("a.b", Err(NoPrefix::Character('.'))),
            ("é", Err(NoPrefix::Character('é'))),
            (&"x".repeat(25), Err(NoPrefix::TooLong(25))),
        ] {
            let made = ToolPrefix::new(given);
            assert_eq!(
                made.as_ref().map(ToolPrefix::as_str),
                wanted.as_ref().copied()
            );
        }
        let longest = declarations().iter().map(|tool| tool.name.len()).max();
        let client = "mcp__lancet__".len();
        assert!(longest.expect("tools") + ToolPrefix::LONGEST + client <= 64);
    }

    #[test]
    fn a_prefix_gives_no_tool_the_name_of_another() {
        for (given, tool, listed) in [
            ("Multi", "Edit", "MultiEdit"),
            ("Notebook", "Edit", "NotebookEdit"),
        ] {
            let listed = listed.to_owned();
            assert_eq!(
                ToolPrefix::new(given),
                Err(NoPrefix::Taken { tool, listed })
            );
        }
        for tool in super::super::all() {
            let names = tool.other_names().iter().map(|other| other.name);
            for name in names.chain([tool.name()]) {
                for other in super::super::all() {
                    let prefix = name.strip_suffix(other.name()).unwrap_or_default();
                    assert!(
                        prefix.is_empty() || ToolPrefix::new(prefix).is_err(),
                        "{prefix}"
                    );
                }
            }
        }
        assert_eq!(
            ToolPrefix::new("Multi").unwrap_err().to_string(),
            "with this prefix Edit would be listed as MultiEdit, which is the name of another tool"
        );
    }

    #[test]
    fn texts_name_the_tools_as_they_are_listed() {
        let prefix = ToolPrefix::new("lancet_").expect("a prefix");
        assert_eq!(
            prefix.named_in("Read it first; use MultiEdit, not `Edit`. Edits, reread, old_Read."),
            "lancet_Read it first; use lancet_MultiEdit, not `lancet_Edit`. Edits, reread, old_Read."
        );
        for declaration in declarations() {
            let declared = prefix.declared(declaration);
            assert_eq!(declared.name, format!("lancet_{}", declaration.name));
            for text in [&declared.description, &declared.prompt, &declared.summary] {
                let stripped = text.replace("lancet_", "");
                assert!(
                    [
                        &declaration.description,
                        &declaration.prompt,
                        &declaration.summary
                    ]
                    .iter()
                    .any(|own| own.as_ref() == stripped),
                    "{}",
                    declaration.name
                );
            }
            assert_eq!(declared.input_schema, declaration.input_schema);
        }
        assert_eq!(
            &ToolPrefix::default().declared(&declarations()[0]),
            &declarations()[0]
        );
    }
}
