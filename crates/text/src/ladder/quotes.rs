//! The form of look-alike characters that the new text adds to a place whose match folded their kind. In prose, quotes
//! become curly on a changed line that keeps a curly quote; a character of any kind becomes ASCII where the place has
//! only ASCII of that kind.

use crate::look_alike::{LookAlikeKind, fold_char, indent_len};

use super::TextKind;

/// The form of added characters of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AddedQuoteForm {
    AsSent,
    Curl,
    Ascii,
}

/// The form of added characters, for each kind that has an ASCII form.
#[derive(Debug, Clone)]
pub(super) struct AddedStyle<'a> {
    old: &'a str,
    added_as: [AddedQuoteForm; 4],
}

/// The form of one added character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrittenForm {
    AsSent,
    /// As the ASCII character of its kind.
    Ascii(char),
    /// As a curly quote, unless the place turns out to be code.
    Curly(PendingQuote),
}

/// A quote that will be curly. Whether it opens or closes depends on the character before it in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PendingQuote {
    pub(super) sent: char,
    pub(super) position: QuotePosition,
}

/// Whether a quote is an apostrophe by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuotePosition {
    BetweenLetters,
    Elsewhere,
}

/// The curly quotes of the file that a changed line keeps, for single and double quotes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeptQuotes {
    single: Option<QuotePosition>,
    double: Option<QuotePosition>,
}

impl KeptQuotes {
    /// Records a character that the line keeps. One quote that is not an apostrophe decides for its kind.
    pub(super) fn record_character(&mut self, character: char, position: QuotePosition) {
        if is_straight(character) {
            return;
        }
        let known = match LookAlikeKind::from_char(character) {
            Some(LookAlikeKind::SingleQuote) => &mut self.single,
            Some(LookAlikeKind::DoubleQuote) => &mut self.double,
            _ => return,
        };
        if *known != Some(QuotePosition::Elsewhere) {
            *known = Some(position);
        }
    }

    fn recorded_position(self, kind: LookAlikeKind) -> Option<QuotePosition> {
        match kind {
            LookAlikeKind::SingleQuote => self.single,
            LookAlikeKind::DoubleQuote => self.double,
            _ => None,
        }
    }
}

impl<'a> AddedStyle<'a> {
    /// Decides for each kind by the look-alikes of the old text and of the place.
    pub(super) fn detect(old: &'a str, place: &str, text_kind: TextKind) -> AddedStyle<'a> {
        AddedStyle {
            old,
            added_as: LookAlikeKind::WITH_ASCII.map(|kind| {
                let added = form_for_added(old, place, kind, text_kind);
                match (kind, added) {
                    // If indentation alone led to `AsSent`, the spaces inside lines decide.
                    (LookAlikeKind::Space, AddedQuoteForm::AsSent) => {
                        let (old, place) = (without_indentation(old), without_indentation(place));
                        form_for_added(&old, &place, kind, text_kind)
                    }
                    (_, added) => added,
                }
            }),
        }
    }

    /// Returns the form of an added character on a line that keeps these quotes.
    pub(super) fn write(
        &self,
        character: char,
        position: QuotePosition,
        kept: KeptQuotes,
    ) -> WrittenForm {
        let Some(kind) = LookAlikeKind::from_char(character) else {
            return WrittenForm::AsSent;
        };
        // A kept apostrophe decides only for apostrophes; any other kept quote decides for all.
        let follows = match kept.recorded_position(kind) {
            None => false,
            Some(QuotePosition::BetweenLetters) => position == QuotePosition::BetweenLetters,
            Some(QuotePosition::Elsewhere) => true,
        };
        match self.added_as[kind as usize] {
            AddedQuoteForm::Curl if follows && is_straight(character) => {
                WrittenForm::Curly(PendingQuote {
                    sent: character,
                    position,
                })
            }
            AddedQuoteForm::Ascii if !character.is_ascii() && self.old.contains(character) => {
                WrittenForm::Ascii(fold_char(character))
            }
            _ => WrittenForm::AsSent,
        }
    }
}

impl PendingQuote {
    /// Returns the curly quote after the character `before` of the result. It opens after white space, after an opening
    /// bracket and at the start of the file; elsewhere it closes, as an apostrophe does.
    pub(super) fn curly_form(self, before: Option<char>) -> char {
        let opens = self.position == QuotePosition::Elsewhere
            && before.is_none_or(|before| before.is_whitespace() || is_opening_bracket(before));
        match (self.sent, opens) {
            ('\'', true) => '\u{2018}',
            ('\'', false) => '\u{2019}',
            (_, true) => '\u{201C}',
            (_, false) => '\u{201D}',
        }
    }
}

/// Returns the text without the indentation of its lines.
fn without_indentation(text: &str) -> String {
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| &line[indent_len(line)..])
        .collect();
    lines.join("\n")
}

/// Returns the form of added characters of one kind: `AsSent` unless the match folded characters of this kind and the
/// place is uniform.
fn form_for_added(
    old: &str,
    place: &str,
    wanted: LookAlikeKind,
    text_kind: TextKind,
) -> AddedQuoteForm {
    let all = |text: &str| -> Vec<char> {
        text.chars()
            .filter(|&character| LookAlikeKind::from_char(character) == Some(wanted))
            .collect()
    };
    let (old, place) = (all(old), all(place));
    let is_quote = matches!(
        wanted,
        LookAlikeKind::SingleQuote | LookAlikeKind::DoubleQuote
    );
    if old == place || old.is_empty() || place.is_empty() {
        AddedQuoteForm::AsSent
    } else if is_quote && text_kind == TextKind::Prose && !place.iter().any(char::is_ascii) {
        AddedQuoteForm::Curl
    } else if place.iter().all(char::is_ascii) && !old.iter().any(char::is_ascii) {
        AddedQuoteForm::Ascii
    } else {
        AddedQuoteForm::AsSent
    }
}

/// Returns whether the character is an ASCII quote.
fn is_straight(character: char) -> bool {
    matches!(character, '\'' | '"')
}

/// Returns the opening brackets of Unicode that occur in text. Low quotes are not among them.
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
    fn curls_added_quotes_only_where_place_is_uniformly_curly() {
        let in_prose = |old, place, kind| form_for_added(old, place, kind, TextKind::Prose);
        let curly = "\u{201C}a\u{201D} it's";
        assert_eq!(
            in_prose("\"a\" it's", curly, LookAlikeKind::DoubleQuote),
            AddedQuoteForm::Curl
        );
        assert_eq!(
            in_prose("\"a\" it's", curly, LookAlikeKind::SingleQuote),
            AddedQuoteForm::AsSent
        );
        assert_eq!(
            in_prose("\u{201C}a\u{201D}", "\"a\"", LookAlikeKind::DoubleQuote),
            AddedQuoteForm::Ascii
        );
        assert_eq!(
            in_prose("\u{201C}a\"", "\"a\"", LookAlikeKind::DoubleQuote),
            AddedQuoteForm::AsSent
        );
        assert_eq!(
            in_prose(
                "\"a\" \"b\"",
                "\u{201C}a\u{201D} \"b\"",
                LookAlikeKind::DoubleQuote
            ),
            AddedQuoteForm::AsSent
        );
        assert_eq!(
            in_prose(
                "\u{201C}a\u{201D}",
                "\u{201C}a\u{201D}",
                LookAlikeKind::DoubleQuote
            ),
            AddedQuoteForm::AsSent
        );
        assert_eq!(
            in_prose("a", "a", LookAlikeKind::DoubleQuote),
            AddedQuoteForm::AsSent
        );
        assert_eq!(
            in_prose("a\u{A0}b", "a b", LookAlikeKind::Space),
            AddedQuoteForm::Ascii
        );
        assert_eq!(
            in_prose("a b", "a\u{A0}b", LookAlikeKind::Space),
            AddedQuoteForm::AsSent
        );
    }

    #[test]
    fn keeps_straight_quotes_in_code() {
        assert_eq!(
            form_for_added(
                "\"a\"",
                "\u{201C}a\u{201D}",
                LookAlikeKind::DoubleQuote,
                TextKind::Code
            ),
            AddedQuoteForm::AsSent
        );
    }

    #[test]
    fn opens_quotes_after_blank_bracket_or_start() {
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
            let mark = |sent| PendingQuote {
                sent,
                position: QuotePosition::Elsewhere,
            };
            assert_eq!(
                mark('"').curly_form(before) == '\u{201C}',
                opens,
                "{before:?}"
            );
            assert_eq!(
                mark('\'').curly_form(before) == '\u{2018}',
                opens,
                "{before:?}"
            );
        }
    }
}
