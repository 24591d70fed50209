//! Quotes that new text adds to a place whose own quotes are of one kind: curly where those are
//! curly, straight where those are straight. Only where the match folded quotes of that kind.

use crate::look_alike::fold_char;

/// Single or double.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Single,
    Double,
}

/// What becomes of added quotes of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    AsSent,
    Curl,
    Straighten,
}

/// What becomes of added quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quotes {
    single: Turn,
    double: Turn,
}

/// What an added character is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    /// As it was sent, or straightened.
    Plain(char),
    /// A curly quote; which one depends on what stands before it in the result.
    Curly(Kind),
}

impl Quotes {
    /// Judges by the quotes of the old text and of the place, which are one to one.
    pub(super) fn of(old: &str, place: &str) -> Quotes {
        Quotes {
            single: turn(old, place, Kind::Single),
            double: turn(old, place, Kind::Double),
        }
    }

    /// Whether any quote is written otherwise than sent.
    pub(super) fn is_active(&self) -> bool {
        self.single != Turn::AsSent || self.double != Turn::AsSent
    }

    /// What an added character is written as.
    pub(super) fn add(&self, character: char) -> Added {
        let Some(kind) = kind(character) else {
            return Added::Plain(character);
        };
        let turn = match kind {
            Kind::Single => self.single,
            Kind::Double => self.double,
        };
        match turn {
            Turn::Curl if is_straight(character) => Added::Curly(kind),
            Turn::Straighten => Added::Plain(fold_char(character)),
            _ => Added::Plain(character),
        }
    }
}

/// The curly quote after `before`, which is what stands before it in the result: opening after
/// white space, an opening bracket and at the start of the file, else closing, as apostrophes are.
pub(super) fn curl(kind: Kind, before: Option<char>) -> char {
    let opens = before.is_none_or(|before| before.is_whitespace() || is_opening_bracket(before));
    match (kind, opens) {
        (Kind::Single, true) => '\u{2018}',
        (Kind::Single, false) => '\u{2019}',
        (Kind::Double, true) => '\u{201C}',
        (Kind::Double, false) => '\u{201D}',
    }
}

fn turn(old: &str, place: &str, wanted: Kind) -> Turn {
    let quotes = |text: &str| -> Vec<char> {
        text.chars()
            .filter(|&character| kind(character) == Some(wanted))
            .collect()
    };
    let (old, place) = (quotes(old), quotes(place));
    if old == place {
        Turn::AsSent
    } else if !place.iter().copied().any(is_straight) {
        Turn::Curl
    } else if place.iter().copied().all(is_straight) && !old.iter().copied().any(is_straight) {
        Turn::Straighten
    } else {
        Turn::AsSent
    }
}

fn kind(character: char) -> Option<Kind> {
    match fold_char(character) {
        '\'' => Some(Kind::Single),
        '"' => Some(Kind::Double),
        _ => None,
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
    fn quotes_follow_only_where_their_kind_was_folded_and_is_uniform() {
        let curly = "\u{201C}a\u{201D} it's";
        assert_eq!(turn("\"a\" it's", curly, Kind::Double), Turn::Curl);
        assert_eq!(turn("\"a\" it's", curly, Kind::Single), Turn::AsSent);
        assert_eq!(
            turn("\u{201C}a\u{201D}", "\"a\"", Kind::Double),
            Turn::Straighten
        );
        assert_eq!(turn("\u{201C}a\"", "\"a\"", Kind::Double), Turn::AsSent);
        assert_eq!(
            turn("\"a\" \"b\"", "\u{201C}a\u{201D} \"b\"", Kind::Double),
            Turn::AsSent
        );
        assert_eq!(
            turn("\u{201C}a\u{201D}", "\u{201C}a\u{201D}", Kind::Double),
            Turn::AsSent
        );
        assert_eq!(turn("a", "a", Kind::Double), Turn::AsSent);
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
            assert_eq!(
                curl(Kind::Double, before) == '\u{201C}',
                opens,
                "{before:?}"
            );
            assert_eq!(
                curl(Kind::Single, before) == '\u{2018}',
                opens,
                "{before:?}"
            );
        }
    }
}
