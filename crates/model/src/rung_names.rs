//! Plain descriptions of the rungs of the ladder, for people who do not know the rungs' names.

use crate::message::{Message, message, tool_and_shell_term};
use lancet_text::Rung;

/// How the old text was found, by the name of the rung.
const RUNGS: &[(&str, &str)] = &[
    ("exact", "exactly"),
    ("final-newline", "ignoring the final newline"),
    ("gutter", "ignoring line numbers"),
    ("look-alike", "ignoring look-alike characters"),
    ("abbreviation", "ignoring shortened tags"),
    ("trailing", "ignoring blanks at line ends"),
    ("indent", "ignoring indentation"),
    ("tabs", "ignoring tabs and spaces in indentation"),
    ("blank-edge", "ignoring a blank line at the edge"),
    ("escaped", "ignoring extra escapes"),
];

/// Describes in plain words how a text was matched, such as "ignoring indentation"; returns the name itself if the rung
/// is unknown.
pub fn describe_rung(name: &str) -> &str {
    let found = RUNGS.iter().find(|(rung, _)| *rung == name);
    found.map_or(name, |(_, description)| description)
}

/// Names the rung on which a text was matched: by its name for a model, in plain words for a person.
pub fn name_rung(rung: Rung) -> Message {
    message!(
        "{}{}{}",
        tool_and_shell_term("on the rung `", ""),
        tool_and_shell_term(rung.name(), describe_rung(rung.name())),
        tool_and_shell_term("`", "")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_every_rung() {
        use Rung::*;
        for rung in [
            Exact,
            FinalNewline,
            Gutter,
            LookAlike,
            Abbreviation,
            Trailing,
            Indent,
            Tabs,
            BlankEdge,
            Escaped,
        ] {
            assert_ne!(describe_rung(rung.name()), rung.name());
        }
    }
}
