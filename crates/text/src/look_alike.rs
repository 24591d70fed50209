//! Characters that look alike: the folding table, folded texts with offsets back to their source, and file names folded
//! for comparison. This module deals with single characters and is independent of edits. It does no compatibility
//! folding: a ligature is not its letters.

use std::borrow::Cow;
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// Returns the character that represents all that look like `character`: quotes, dashes and spaces become ASCII, every
/// other character stays.
pub fn fold_char(character: char) -> char {
    match character {
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        // U+2000 and U+2001 are canonically equivalent to U+2002 and U+2003, so they are folded as well.
        '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        _ => character,
    }
}

/// A kind of look-alikes: characters that may be used for one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LookAlikeKind {
    SingleQuote,
    DoubleQuote,
    Dash,
    Space,
    /// Characters with a composed and a decomposed form.
    Composition,
}

impl LookAlikeKind {
    /// The kinds whose members fold to one ASCII character.
    pub(crate) const WITH_ASCII: [LookAlikeKind; 4] = [
        LookAlikeKind::SingleQuote,
        LookAlikeKind::DoubleQuote,
        LookAlikeKind::Dash,
        LookAlikeKind::Space,
    ];

    /// Returns the kind of a character that folds to an ASCII one or is that ASCII character.
    pub(crate) fn from_char(character: char) -> Option<LookAlikeKind> {
        match fold_char(character) {
            '\'' => Some(LookAlikeKind::SingleQuote),
            '"' => Some(LookAlikeKind::DoubleQuote),
            '-' => Some(LookAlikeKind::Dash),
            ' ' => Some(LookAlikeKind::Space),
            _ => None,
        }
    }
}

/// A set of kinds, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LookAlikeKinds(u8);

impl LookAlikeKinds {
    /// Returns the kinds that a unit belongs to.
    pub(crate) fn from_unit(unit: &str) -> LookAlikeKinds {
        let mut kinds = LookAlikeKinds::default();
        for kind in unit.chars().filter_map(LookAlikeKind::from_char) {
            kinds.add(kind);
        }
        if !unit.is_ascii() && !unit.nfc().eq(unit.nfd()) {
            kinds.add(LookAlikeKind::Composition);
        }
        kinds
    }

    fn add(&mut self, kind: LookAlikeKind) {
        self.0 |= 1 << kind as u8;
    }

    pub(crate) fn extend(&mut self, other: LookAlikeKinds) {
        self.0 |= other.0;
    }

    /// Returns whether the two sets have a kind in common.
    pub(crate) fn intersects(self, other: LookAlikeKinds) -> bool {
        self.0 & other.0 != 0
    }
}

/// Returns a file name in the form in which names are compared: canonically composed, with plain spaces and straight
/// single quotes.
pub fn fold_name(name: &str) -> String {
    name.nfc()
        .map(|character| match fold_char(character) {
            folded @ (' ' | '\'') => folded,
            _ => character,
        })
        .collect()
}

/// Returns whether the character is white space within a line: a tab, a space, or a look-alike of a space.
pub(crate) fn is_blank_char(character: char) -> bool {
    character == '\t' || fold_char(character) == ' '
}

/// Returns whether the text has only blank lines.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|character| character == '\n' || is_blank_char(character))
}

/// Returns how many bytes the indentation of the line takes.
pub(crate) fn indent_len(line: &str) -> usize {
    line.len() - line.trim_start_matches(is_blank_char).len()
}

/// Returns the line without the blanks at its end.
pub(crate) fn trim_blank_end(line: &str) -> &str {
    line.trim_end_matches(is_blank_char)
}

/// Returns whether the character combines with the one before it. The vowels and finals of conjoining Hangul do,
/// because canonical composition joins them although they are not combining marks.
pub(crate) fn is_combining(character: char) -> bool {
    match character {
        '\0'..='\u{2FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => false,
        '\u{1160}'..='\u{11FF}' => true,
        _ => is_combining_mark(character),
    }
}

/// Returns the units that folding treats as one character: a character with its combining marks.
pub(crate) fn folding_units(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut characters = rest.char_indices();
        characters.next()?;
        let end = characters
            .find(|&(_, character)| !is_combining(character))
            .map_or(rest.len(), |(at, _)| at);
        let (unit, after) = rest.split_at(end);
        rest = after;
        Some(unit)
    })
}

/// A text with look-alikes folded and canonically decomposed. Newlines are mapped one to one.
#[derive(Debug)]
pub(crate) struct Folded<'t> {
    source: &'t str,
    text: Cow<'t, str>,
    length_changes: Vec<LengthChange>,
}

/// A unit whose folded form has a different length than its source. Between two of them offsets advance equally in both
/// texts.
#[derive(Debug)]
struct LengthChange {
    folded_start: usize,
    folded_end: usize,
    source_end: usize,
}

impl<'t> Folded<'t> {
    /// Folds the text. A text without anything to fold is borrowed.
    pub(crate) fn new(source: &'t str) -> Folded<'t> {
        let mut folded = Folded {
            source,
            text: Cow::Borrowed(source),
            length_changes: Vec::new(),
        };
        if source.is_ascii() {
            return folded;
        }
        let mut text = String::with_capacity(source.len());
        let mut changed = false;
        let mut rest = source;
        while !rest.is_empty() {
            let plain = plain_len(rest);
            text.push_str(&rest[..plain]);
            rest = &rest[plain..];
            let Some(unit) = folding_units(rest).next() else {
                break;
            };
            rest = &rest[unit.len()..];
            let start = text.len();
            push_folded(unit, &mut text);
            changed |= text[start..] != *unit;
            if text.len() - start != unit.len() {
                folded.length_changes.push(LengthChange {
                    folded_start: start,
                    folded_end: text.len(),
                    source_end: source.len() - rest.len(),
                });
            }
        }
        if changed {
            folded.text = Cow::Owned(text);
        }
        folded
    }

    /// Returns the folded text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether folding left the text as it was.
    pub(crate) fn is_unchanged(&self) -> bool {
        matches!(self.text, Cow::Borrowed(_))
    }

    /// Returns the offset in the source for an offset in the folded text, where a unit begins or ends there; `None`
    /// inside a unit.
    pub(crate) fn source_offset(&self, offset: usize) -> Option<usize> {
        let before = self
            .length_changes
            .partition_point(|change| change.folded_start < offset);
        let source = match before.checked_sub(1).map(|last| &self.length_changes[last]) {
            Some(change) if offset < change.folded_end => return None,
            Some(change) => change.source_end + (offset - change.folded_end),
            None => offset,
        };
        let next = self.source.get(source..)?.chars().next();
        (!next.is_some_and(is_combining)).then_some(source)
    }
}

/// Returns the length of the longest start of the text that folding does not change.
fn plain_len(text: &str) -> usize {
    let mut last = 0;
    for (at, character) in text.char_indices() {
        if character.is_ascii() || is_plain(character) {
            last = at;
        } else if is_combining(character) {
            // A combining mark is folded together with the character before it.
            return last;
        } else {
            return at;
        }
    }
    text.len()
}

/// Returns whether folding leaves the character alone, wherever it occurs. Most characters are such, and the Unicode
/// tables are slow: looking up each character of 25 MB of Cyrillic took 0.8 s. So the results for the basic plane are
/// cached.
fn is_plain(character: char) -> bool {
    static BASIC_PLANE: OnceLock<Vec<bool>> = OnceLock::new();
    let plane = BASIC_PLANE.get_or_init(|| {
        (0..=0xFFFF_u32)
            .map(|code| char::from_u32(code).is_some_and(is_plain_by_tables))
            .collect()
    });
    match plane.get(character as usize) {
        Some(&plain) => plain,
        None => is_plain_by_tables(character),
    }
}

fn is_plain_by_tables(character: char) -> bool {
    let mut same = !is_combining(character);
    decompose_canonical(character, |part| {
        same &= part == character && fold_char(part) == part;
    });
    same
}

fn push_folded(unit: &str, text: &mut String) {
    let mut characters = unit.chars();
    match (characters.next(), characters.next()) {
        // One character decomposes in canonical order; only several characters have to be sorted.
        (Some(only), None) => decompose_canonical(only, |part| text.push(fold_char(part))),
        _ => text.extend(unit.nfd().map(fold_char)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(text: &str) -> String {
        Folded::new(text).text().to_owned()
    }

    #[test]
    fn folds_only_characters_of_the_table() {
        assert_eq!(fold("\u{2018}\u{2019}\u{201A}\u{201B}'"), "'''''");
        assert_eq!(fold("\u{201C}\u{201D}\u{201E}\u{201F}\""), "\"\"\"\"\"");
        assert_eq!(
            fold("\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}"),
            "-------"
        );
        assert_eq!(
            fold("\u{A0}\u{2002}\u{200A}\u{202F}\u{205F}\u{3000}"),
            "      "
        );
        for other in [
            "\u{FB01}", "\u{B2}", "\u{FF41}", "\u{AB}", "\u{200B}", "\u{2026}", "`", "\u{B4}", "_",
        ] {
            assert_eq!(fold(other), *other);
        }
    }

    #[test]
    fn folds_composed_and_decomposed_forms_alike() {
        assert_eq!(fold("caf\u{E9}"), fold("cafe\u{301}"));
        assert_eq!(fold("\u{AC00}"), fold("\u{1100}\u{1161}"));
        assert_eq!(fold("e\u{301}\u{327}"), fold("e\u{327}\u{301}"));
        assert_eq!(fold("\u{E9}\u{327}"), fold("e\u{327}\u{301}"));
    }

    #[test]
    fn maps_folded_offsets_back_to_unit_borders() {
        let source = "a\u{201C}b\u{E9}c e\u{301}";
        let folded = Folded::new(source);
        assert_eq!(folded.text(), "a\"be\u{301}c e\u{301}");
        let back: Vec<_> = (0..=folded.text().len())
            .map(|at| folded.source_offset(at))
            .collect();
        assert_eq!(
            back,
            [
                Some(0),
                Some(1),
                Some(4),
                Some(5),
                None,
                None,
                Some(7),
                Some(8),
                Some(9),
                None,
                None,
                Some(12)
            ]
        );
    }

    #[test]
    fn units_include_combining_marks() {
        let parts: Vec<_> = folding_units("ae\u{301}\u{327}b\u{1100}\u{1161}\n").collect();
        assert_eq!(
            parts,
            ["a", "e\u{301}\u{327}", "b", "\u{1100}\u{1161}", "\n"]
        );
        assert_eq!(
            folding_units("\u{301}a").collect::<Vec<_>>(),
            ["\u{301}", "a"]
        );
    }

    #[test]
    fn fold_name_folds_form_space_and_apostrophe_only() {
        assert_eq!(
            fold_name("Cafe\u{301} 5\u{202F}PM it\u{2019}s"),
            "Caf\u{E9} 5 PM it's"
        );
        assert_eq!(
            fold_name("a\u{2013}b \u{201C}c\u{201D}"),
            "a\u{2013}b \u{201C}c\u{201D}"
        );
    }

    #[test]
    fn blanks_include_look_alike_spaces_and_tabs() {
        assert!(is_blank(" \u{3000}\n\t\n"));
        assert!(!is_blank("\u{B}"));
        assert!(!is_blank("\r"));
        assert_eq!(indent_len("\u{A0}\t x "), 4);
        assert_eq!(trim_blank_end("x\u{A0}\t "), "x");
    }
}
