//! Text in a diff that people cannot see: where it is, and its characters written out.

use std::fmt::Write as _;

use lancet_text::{HiddenKind, hidden_runs, may_contain_hidden};

use crate::diff::{DiffLine, Role};

/// A run of invisible characters in an added line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenText {
    /// The number of the line in the new text, if the diff has numbers.
    pub line: Option<usize>,
    /// The characters, and the text that they spell, if they do.
    pub description: String,
}

/// Returns the first run of each kind of invisible characters that the added lines have and the other lines of the
/// diff do not.
pub fn added_hidden_text(lines: &[DiffLine<'_>]) -> Vec<HiddenText> {
    let mut found: Vec<(HiddenKind, HiddenText)> = Vec::new();
    let added = lines.iter().filter(|line| line.role == Role::Added);
    for line in added.filter(|line| may_contain_hidden(line.text())) {
        for run in hidden_runs(line.text()) {
            if found.iter().all(|(kind, _)| *kind != run.kind) {
                let text = HiddenText {
                    line: line.new,
                    description: run.describe(line.text()),
                };
                found.push((run.kind, text));
            }
        }
    }
    let others = lines.iter().filter(|line| line.role != Role::Added);
    for line in others.filter(|line| may_contain_hidden(line.text())) {
        for run in hidden_runs(line.text()) {
            found.retain(|(kind, _)| *kind != run.kind);
        }
    }
    found.into_iter().map(|(_, text)| text).collect()
}

/// Returns the text with every character written out that has no shape of its own: `<U+200B>`. A single joiner or
/// selector between two characters beyond ASCII stays, because scripts and emoji need it.
pub fn write_out_hidden(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = None;
    while let Some(character) = characters.next() {
        let is_joined = is_joiner(character)
            && [before, characters.peek().copied()]
                .iter()
                .all(|side| side.is_some_and(|side: char| !side.is_ascii() && !has_no_shape(side)));
        let is_selector = matches!(character, '\u{fe00}'..='\u{fe0f}')
            && before.is_some_and(|before: char| !has_no_shape(before));
        match has_no_shape(character) && !is_joined && !is_selector {
            // Writing to a string cannot fail.
            true => drop(write!(out, "<U+{:04X}>", u32::from(character))),
            false => out.push(character),
        }
        before = Some(character);
    }
    out
}

/// Returns whether the character joins or separates its neighbours: the zero-width joiner and non-joiner.
fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

/// Returns whether the character is shown as nothing, or as a blank that is none.
fn has_no_shape(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::parse_lines;

    #[test]
    fn writes_out_what_has_no_shape() {
        assert_eq!(
            write_out_hidden("a\u{200b}b\u{ad}\u{2800}\u{e0069}"),
            "a<U+200B>b<U+00AD><U+2800><U+E0069>"
        );
        assert_eq!(write_out_hidden("a\u{200d}b"), "a<U+200D>b");
        for whole in [
            "plain",
            "déjà vu",
            "👩\u{200d}💻",
            "❤\u{fe0f}",
            "می\u{200c}خواهم",
        ] {
            assert_eq!(write_out_hidden(whole), whole);
        }
    }

    #[test]
    fn names_what_added_lines_bring_in() {
        let diff = "@@ -1,2 +1,3 @@\n one\n-two\n+two \u{e0068}\u{e0069}\n+three \u{202e}\n";
        let found = added_hidden_text(&parse_lines(diff));
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].line, Some(2));
        assert!(found[0].description.contains("spell \"hi\""), "{found:?}");
        let known = "@@ -1,2 +1,2 @@\n one\u{202e}\n-two\n+two \u{202e}\n";
        assert!(added_hidden_text(&parse_lines(known)).is_empty());
    }
}
