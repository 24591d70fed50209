//! Declarations as they are listed under a prefix: the tool's own name and those of its siblings in the texts have it.

use super::declaration::Declaration;
use crate::tool_prefix::ToolPrefix;

impl ToolPrefix {
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

#[cfg(test)]
mod tests {
    use super::super::declarations;
    use super::*;
    use crate::tool_prefix::NoPrefix;

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
