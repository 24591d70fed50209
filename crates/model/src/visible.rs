//! Makes texts safe to show to a person: the content of a file or a file name can then neither move the cursor, nor
//! change the writing direction, nor forge a line of lancet's own.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes a text for a terminal. A file's own escape sequences could hide lines of a diff that a person is asked
/// about, and bidirectional control characters could reorder them.
pub fn escape_for_terminal(text: &str) -> Cow<'_, str> {
    if !text.chars().any(needs_escape) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\u{7f}' => out.push('\u{2421}'),
            '\0'..='\u{1f}' if needs_escape(character) => {
                // The Unicode picture of each control character is at U+2400 plus its code.
                out.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'));
            }
            _ if needs_escape(character) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "<U+{:04X}>", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Escapes a text that has to stay on one line, such as a path: line ends are escaped, too.
pub fn escape_line_for_terminal(text: &str) -> Cow<'_, str> {
    match escape_for_terminal(text) {
        text if text.contains('\n') => Cow::Owned(text.replace('\n', "\u{240a}")),
        text => text,
    }
}

fn needs_escape(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        '\u{2028}' | '\u{2029}' => true,
        _ => character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_control_and_direction_characters() {
        assert_eq!(
            escape_for_terminal("a\x1b[2Kb\r\u{7f}\u{9b}\u{202e}c\td\u{61c}\u{2028}"),
            "a␛[2Kb␍␡<U+009B><U+202E>c\td<U+061C><U+2028>"
        );
        assert!(matches!(escape_for_terminal("déjà\tvu"), Cow::Borrowed(_)));
    }

    #[test]
    fn escapes_line_ends_in_names() {
        assert_eq!(escape_line_for_terminal("a\nb\r"), "a␊b␍");
        assert_eq!(escape_for_terminal("a\nb"), "a\nb");
    }
}
