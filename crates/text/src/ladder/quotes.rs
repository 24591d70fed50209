//! What becomes of look-alikes that new text adds to a place where the match folded their kind. Quotes become curly in
//! a changed line of prose that keeps a curly one; every kind becomes ASCII where the place has nothing else.

use crate::look_alike::{Kind, fold_char};

use super::TextKind;

/// What becomes of added characters of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    AsSent,
    Curl,
    Ascii,
}

/// What becomes of added characters, kind by kind.
#[derive(Debug, Clone)]
pub(super) struct Added<'a> {
    old: &'a str,
    turns: [Turn; 4],
}

/// What an added character is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    AsSent,
    /// The ASCII character of its kind.
    Ascii(char),
    /// A curly quote, unless it turns out to stand in code.
    Curly(Mark),
}

/// A curly quote; which one depends on what stands before it in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) sent: char,
    pub(super) stands: Stands,
}

/// Where a quote stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    BetweenLetters,
    Elsewhere,
}

/// The curly quotes that a changed line keeps from the file.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeptMarks {
    single: Option<Stands>,
    double: Option<Stands>,
}

impl KeptMarks {
    /// Notes a character that the line keeps. One mark that is no apostrophe decides for its kind.
    pub(super) fn note(&mut self, character: char, stands: Stands) {
        if is_straight(character) {
            return;
        }
        let known = match Kind::of(character) {
            Some(Kind::SingleQuote) => &mut self.single,
            Some(Kind::DoubleQuote) => &mut self.double,
            _ => return,
        };
        if *known != Some(Stands::Elsewhere) {
            *known = Some(stands);
        }
    }

    fn of(self, kind: Kind) -> Option<Stands> {
        match kind {
            Kind::SingleQuote => self.single,
            Kind::DoubleQuote => self.double,
            _ => None,
        }
    }
}

impl<'a> Added<'a> {
    /// Judges by the look-alikes of the old text and of the place.
    pub(super) fn of(old: &'a str, place: &str, text_kind: TextKind) -> Added<'a> {
        Added {
            old,
            turns: Kind::WITH_ASCII.map(|kind| turn(old, place, kind, text_kind)),
        }
    }

    /// What an added character is written as, in a line that keeps these marks.
    pub(super) fn write(&self, character: char, stands: Stands, kept: KeptMarks) -> Written {
        let Some(kind) = Kind::of(character) else {
            return Written::AsSent;
        };
        let follows = match kept.of(kind) {
            None => false,
            Some(Stands::BetweenLetters) => stands == Stands::BetweenLetters,
            Some(Stands::Elsewhere) => true,
        };
        match self.turns[kind as usize] {
            Turn::Curl if follows && is_straight(character) => Written::Curly(Mark {
                sent: character,
                stands,
            }),
            Turn::Ascii if !character.is_ascii() && self.old.contains(character) => {
                Written::Ascii(fold_char(character))
            }
            _ => Written::AsSent,
        }
    }
}

impl Mark {
    /// The curly quote after `before`, which is what stands before it in the result: opening after
    /// white space, an opening bracket and at the start of the file, else closing, as apostrophes are.
    pub(super) fn curl(self, before: Option<char>) -> char {
        let opens = self.stands == Stands::Elsewhere
            && before.is_none_or(|before| before.is_whitespace() || is_opening_bracket(before));
        match (self.sent, opens) {
            ('\'', true) => '\u{2018}',
            ('\'', false) => '\u{2019}',
            (_, true) => '\u{201C}',
            (_, false) => '\u{201D}',
        }
    }
}

fn turn(old: &str, place: &str, wanted: Kind, text_kind: TextKind) -> Turn {
    let all = |text: &str| -> Vec<char> {
        text.chars()
            .filter(|&character| Kind::of(character) == Some(wanted))
            .collect()
    };
    let (old, place) = (all(old), all(place));
    let is_quote = matches!(wanted, Kind::SingleQuote | Kind::DoubleQuote);
    if old == place || old.is_empty() || place.is_empty() {
        Turn::AsSent
    } else if is_quote && text_kind == TextKind::Prose && !place.iter().any(char::is_ascii) {
        Turn::Curl
    } else if place.iter().all(char::is_ascii) && !old.iter().any(char::is_ascii) {
        Turn::Ascii
    } else {
        Turn::AsSent
    }
}

fn is_straight(character: char) -> bool {
    matches!(character, '\'' | '"')
}

/// The opening brackets of Unicode that text is written with; low quotes are none.
fn is_opening_bracket(character: char) -> bool {
    matches!(
        character,
        '(' | '['
            | '{'
            | '\u{2045}'
            | '\u{207D}'
            | '\u{27E6}'
            | '\u{27E8}'
            | '\u{27EA}'
            | '\u{2983}'
            | '\u{2985}'
            | '\u{3008}'
            | '\u{300A}'
            | '\u{300C}'
            | '\u{300E}'
            | '\u{3010}'
            | '\u{3014}'
            | '\u{3016}'
            | '\u{3018}'
            | '\u{301A}'
            | '\u{FF08}'
            | '\u{FF3B}'
            | '\u{FF5B}'
            | '\u{FF5F}'
            | '\u{FF62}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_turns_only_where_it_was_folded_and_is_uniform() {
        let turn = |old, place, kind| turn(old, place, kind, TextKind::Prose);
        let curly = "\u{201C}a\u{201D} it's";
        assert_eq!(turn("\"a\" it's", curly, Kind::DoubleQuote), Turn::Curl);
        assert_eq!(turn("\"a\" it's", curly, Kind::SingleQuote), Turn::AsSent);
        assert_eq!(
            turn("\u{201C}a\u{201D}", "\"a\"", Kind::DoubleQuote),
            Turn::Ascii
        );
        assert_eq!(
            turn("\u{201C}a\"", "\"a\"", Kind::DoubleQuote),
            Turn::AsSent
        );
        assert_eq!(
            turn("\"a\" \"b\"", "\u{201C}a\u{201D} \"b\"", Kind::DoubleQuote),
            Turn::AsSent
        );
        assert_eq!(
            turn("\u{201C}a\u{201D}", "\u{201C}a\u{201D}", Kind::DoubleQuote),
            Turn::AsSent
        );
        assert_eq!(turn("a", "a", Kind::DoubleQuote), Turn::AsSent);
        assert_eq!(turn("a\u{A0}b", "a b", Kind::Space), Turn::Ascii);
        assert_eq!(turn("a b", "a\u{A0}b", Kind::Space), Turn::AsSent);
    }

    #[test]
    fn code_gets_no_curly_quotes() {
        assert_eq!(
            turn(
                "\"a\"",
                "\u{201C}a\u{201D}",
                Kind::DoubleQuote,
                TextKind::Code
            ),
            Turn::AsSent
        );
    }

    #[test]
    fn quotes_open_after_blanks_brackets_and_nothing() {
        for (before, opens) in [
            (None, true),
            (Some(' '), true),
            (Some('\n'), true),
            (Some('('), true),
            (Some('\u{300C}'), true),
            (Some('a'), false),
            (Some('.'), false),
            (Some('\u{2014}'), false),
        ] {
            let mark = |sent| Mark {
                sent,
                stands: Stands::Elsewhere,
            };
            assert_eq!(mark('"').curl(before) == '\u{201C}', opens, "{before:?}");
            assert_eq!(mark('\'').curl(before) == '\u{2018}', opens, "{before:?}");
        }
    }
}
