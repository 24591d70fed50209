//! Makes texts safe to show to a person: the content of a file or a file name can then neither move the cursor, nor
//! change the writing direction, nor forge a line of lancet's own.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Escapes a text for a terminal. A file's own escape sequences could hide lines of a diff that a person is asked
/// about, and bidirectional control characters could reorder them.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\u{7f}' => out.push('\u{2421}'),
            '\0'..='\u{1f}' if is_hidden(character) => {
                // The Unicode picture of each control character is at U+2400 plus its code.
                out.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'));
            }
            _ if is_hidden(character) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "<U+{:04X}>", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Escapes a text that has to stay on one line, such as a path: line ends are escaped, too.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        text if text.contains('\n') => Cow::Owned(text.replace('\n', "\u{240a}")),
        text => text,
    }
}

fn is_hidden(character: char) -> bool {
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
    fn what_would_move_the_cursor_or_turn_the_text_is_shown_instead() {
        assert_eq!(
            visible("a\x1b[2Kb\r\u{7f}\u{9b}\u{202e}c\td\u{61c}\u{2028}"),
            "a␛[2Kb␍␡<U+009B><U+202E>c\td<U+061C><U+2028>"
        );
        assert!(matches!(visible("déjà\tvu"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(visible_line("a\nb\r"), "a␊b␍");
        assert_eq!(visible("a\nb"), "a\nb");
    }
}
