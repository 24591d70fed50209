//! Finds characters that people do not see and models read: tag characters, bidirectional controls and runs of
//! zero-width characters. Such text can carry instructions that a reviewer does not notice.

use std::fmt::Write as _;
use std::ops::Range;

/// The number of code points that the description of one run names.
const MAX_NAMED_CODE_POINTS: usize = 12;
/// The number of characters of decoded tag characters that the description of one run quotes.
const MAX_QUOTED_TAG_CHARACTERS: usize = 60;

/// The kinds of invisible characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HiddenKind {
    /// U+E0000 to U+E007F: a copy of ASCII that no font draws.
    Tags,
    /// U+202A to U+202E and U+2066 to U+2069: text with them is shown in a different order than it is stored.
    Bidirectional,
    /// Two or more zero-width characters in a row. One alone joins letters or emoji and is not reported.
    ZeroWidth,
}

impl HiddenKind {
    fn from_char(character: char) -> Option<HiddenKind> {
        match character {
            '\u{E0000}'..='\u{E007F}' => Some(HiddenKind::Tags),
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some(HiddenKind::Bidirectional),
            '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2064}' | '\u{180E}' | '\u{FEFF}' => {
                Some(HiddenKind::ZeroWidth)
            }
            _ => None,
        }
    }

    /// Returns the name of the kind in words.
    pub fn name(self) -> &'static str {
        match self {
            HiddenKind::Tags => "tag characters",
            HiddenKind::Bidirectional => "bidirectional control",
            HiddenKind::ZeroWidth => "zero-width characters",
        }
    }

    /// Returns the length from which on a run is reported.
    fn min_run_length(self) -> usize {
        match self {
            HiddenKind::Tags | HiddenKind::Bidirectional => 1,
            HiddenKind::ZeroWidth => 2,
        }
    }
}

/// A run of invisible characters of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The kind of the characters.
    pub kind: HiddenKind,
    /// The bytes of the run in the text.
    pub range: Range<usize>,
}

impl Hidden {
    /// Returns a description of the run, bounded in length: its code points, and what tag characters spell.
    pub fn describe(&self, text: &str) -> String {
        let run = &text[self.range.clone()];
        let mut words = String::from(self.kind.name());
        for character in run.chars().take(MAX_NAMED_CODE_POINTS) {
            // Writing to a string cannot fail.
            let _ = write!(words, " U+{:04X}", u32::from(character));
        }
        let left = run.chars().count().saturating_sub(MAX_NAMED_CODE_POINTS);
        if left > 0 {
            let _ = write!(words, " and {left} more");
        }
        if self.kind == HiddenKind::Tags {
            let spelled: String = run
                .chars()
                .filter_map(decode_tag_character)
                .take(MAX_QUOTED_TAG_CHARACTERS)
                .collect();
            let _ = write!(words, ", which spell {spelled:?}");
        }
        words
    }
}

/// Returns the printable ASCII character that a tag character represents, if any.
fn decode_tag_character(character: char) -> Option<char> {
    let code = u32::from(character).checked_sub(0xE0000)?;
    char::from_u32(code).filter(|plain| matches!(plain, ' '..='~'))
}

/// Returns the runs of invisible characters in order.
pub fn hidden_runs(text: &str) -> impl Iterator<Item = Hidden> + '_ {
    let mut rest = if text.is_ascii() { text.len() } else { 0 };
    std::iter::from_fn(move || {
        while rest < text.len() {
            let (at, kind) = text[rest..]
                .char_indices()
                .find_map(|(at, character)| Some((rest + at, HiddenKind::from_char(character)?)))
                .unwrap_or((text.len(), HiddenKind::Tags));
            let run = text[at..]
                .chars()
                .take_while(|character| HiddenKind::from_char(*character) == Some(kind));
            let (count, length) = run.fold((0, 0), |(count, length), character| {
                (count + 1, length + character.len_utf8())
            });
            rest = at + length;
            if length == 0 {
                return None;
            }
            if count >= kind.min_run_length() {
                return Some(Hidden {
                    kind,
                    range: at..rest,
                });
            }
        }
        None
    })
}

/// Returns the first run of each kind that `new` has and `old` has not: the kinds that a change adds.
pub fn added_hidden_kinds(old: &str, new: &str) -> Vec<Hidden> {
    let mut brought: Vec<Hidden> = Vec::new();
    for found in hidden_runs(new) {
        if !brought.iter().any(|known| known.kind == found.kind) {
            brought.push(found);
        }
    }
    if !brought.is_empty() {
        for found in hidden_runs(old) {
            brought.retain(|new| new.kind != found.kind);
            if brought.is_empty() {
                break;
            }
        }
    }
    brought
}

/// Returns whether the text has any character of these kinds, single zero-width characters included. This is a cheap
/// test before [`hidden_runs`].
pub fn may_contain_hidden(text: &str) -> bool {
    !text.is_ascii()
        && text
            .chars()
            .any(|character| HiddenKind::from_char(character).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hidden_kinds(text: &str) -> Vec<(HiddenKind, &str)> {
        hidden_runs(text)
            .map(|found| (found.kind, &text[found.range]))
            .collect()
    }

    #[test]
    fn finds_each_kind_of_hidden_character() {
        use HiddenKind::{Bidirectional, Tags, ZeroWidth};
        assert_eq!(hidden_kinds("plain ä 日本 🏴"), []);
        assert_eq!(hidden_kinds("a\u{202E}b"), [(Bidirectional, "\u{202E}")]);
        assert_eq!(
            hidden_kinds("\u{2066}b\u{2069}"),
            [(Bidirectional, "\u{2066}"), (Bidirectional, "\u{2069}")]
        );
        assert_eq!(
            hidden_kinds("x\u{E006F}\u{E0062}"),
            [(Tags, "\u{E006F}\u{E0062}")]
        );
        assert_eq!(hidden_kinds("👩\u{200D}💻 \u{200C}"), [], "one alone joins");
        assert_eq!(
            hidden_kinds("a\u{200B}\u{200D}\u{202A}"),
            [(ZeroWidth, "\u{200B}\u{200D}"), (Bidirectional, "\u{202A}")]
        );
    }

    #[test]
    fn description_lists_code_points_and_spelled_text_within_limit() {
        let text = "two\u{E006F}\u{E0062}\u{E0065}\u{E0079}";
        let found = hidden_runs(text).next().expect("found");
        assert_eq!(
            found.describe(text),
            "tag characters U+E006F U+E0062 U+E0065 U+E0079, which spell \"obey\""
        );
        let long: String = (0..10_000).map(|_| '\u{E0041}').collect();
        let found = hidden_runs(&long).next().expect("found");
        assert!(
            found.describe(&long).len() < 300,
            "{}",
            found.describe(&long)
        );
        assert!(found.describe(&long).contains("and 9988 more"));
    }

    #[test]
    fn reports_only_kinds_missing_from_old_text() {
        let brought = |old: &str, new: &str| -> Vec<HiddenKind> {
            added_hidden_kinds(old, new)
                .iter()
                .map(|found| found.kind)
                .collect()
        };
        assert_eq!(brought("x", "x\u{202E}"), [HiddenKind::Bidirectional]);
        assert_eq!(brought("\u{202A}", "\u{202A}x\u{202E}"), []);
        assert_eq!(brought("\u{202A}", "\u{202A}\u{E0041}"), [HiddenKind::Tags]);
        assert_eq!(
            brought("a\u{200B}b", "a\u{200B}\u{200B}b"),
            [HiddenKind::ZeroWidth]
        );
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn each_run_has_one_kind_and_none_is_missed(
            text in "[a\u{E0000}\u{E0041}\u{202A}\u{2069}\u{200B}\u{FEFF}ä]{0,30}"
        ) {
            let mut last = 0;
            for found in hidden_runs(&text) {
                prop_assert!(found.range.start >= last && !found.range.is_empty());
                for character in text[found.range.clone()].chars() {
                    prop_assert_eq!(HiddenKind::from_char(character), Some(found.kind));
                }
                for character in text[last..found.range.start].chars() {
                    prop_assert!(matches!(HiddenKind::from_char(character), None | Some(HiddenKind::ZeroWidth)));
                }
                last = found.range.end;
            }
            prop_assert!(last == 0 || may_contain_hidden(&text));
        }
    }
}
