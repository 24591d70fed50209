//! The length limit of answers, and the unit of the limit. Agents cut long answers before their model reads them. A
//! line that was cut off was not seen, so an answer must end before the agent's limit.
use crate::non_exhaustive::NonExhaustive;

/// The smallest limit that a client can set: a shorter answer would say nothing.
const MIN_LIMIT: usize = 1_000;

/// The unit in which the length of an answer is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// Unicode characters.
    Characters,
    /// Bytes of UTF-8.
    Bytes,
    /// Bytes of UTF-8 of the text inside a JSON string.
    Json,
    /// Bytes of UTF-8 of the text inside a JSON string that is itself quoted in a JSON string.
    NestedJson,
}

impl Measure {
    /// Measures a text.
    pub fn length(self, text: &str) -> usize {
        match self {
            Measure::Characters => text.chars().count(),
            Measure::Bytes => text.len(),
            Measure::Json => text.bytes().map(json_length).sum(),
            Measure::NestedJson => text.bytes().map(nested_json_length).sum(),
        }
    }

    /// Finds the end, in bytes, of the longest prefix of whole characters that measures at most `most`.
    #[doc(hidden)]
    pub fn prefix_length(self, text: &str, most: usize) -> usize {
        let mut length = 0;
        for (at, character) in text.char_indices() {
            length += match self {
                Measure::Characters => 1,
                Measure::Bytes => character.len_utf8(),
                Measure::Json if character.is_ascii() => json_length(character as u8),
                Measure::NestedJson if character.is_ascii() => nested_json_length(character as u8),
                Measure::Json | Measure::NestedJson => character.len_utf8(),
            };
            if length > most {
                return at;
            }
        }
        text.len()
    }
}

/// Returns the number of bytes that a byte of text takes inside a JSON string.
fn json_length(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 2,
        0..0x20 => 6,
        _ => 1,
    }
}

/// Returns the number of bytes that a byte of text takes inside a JSON string that is quoted once more: every backslash
/// and quote of the inner string is escaped again.
fn nested_json_length(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' => 4,
        b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 3,
        0..0x20 => 7,
        _ => 1,
    }
}

/// The length limit of an answer, with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLimit {
    /// The greatest allowed length.
    pub most: usize,
    /// The unit of the length.
    pub measure: Measure,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

impl AnswerLimit {
    /// Makes a limit with its unit.
    pub fn new(most: usize, measure: Measure) -> Self {
        Self {
            most,
            measure,
            non_exhaustive: NonExhaustive,
        }
    }

    /// Returns the smaller of a limit in characters and the client's own limit. A text never has more characters than
    /// bytes.
    #[doc(hidden)]
    pub fn effective(characters: usize, client: Option<AnswerLimit>) -> AnswerLimit {
        match client {
            None => AnswerLimit {
                most: characters,
                measure: Measure::Characters,
                non_exhaustive: NonExhaustive,
            },
            Some(client) => AnswerLimit {
                most: client.most.max(MIN_LIMIT).min(characters),
                measure: client.measure,
                non_exhaustive: NonExhaustive,
            },
        }
    }

    /// Measures a text in this limit's unit.
    #[doc(hidden)]
    pub fn length(self, text: &str) -> usize {
        self.measure.length(text)
    }

    /// Returns whether a text is within the limit.
    #[doc(hidden)]
    pub fn fits(self, text: &str) -> bool {
        // No byte of text takes more than six bytes in any unit.
        text.len() <= self.most / 6 || self.length(text) <= self.most
    }

    /// Cuts a text that is too long after a whole line, and appends `words`.
    #[doc(hidden)]
    pub fn truncate_with_ending(self, text: &mut String, words: &str) {
        if self.fits(text) {
            return;
        }
        let room = self.most.saturating_sub(self.length(words) + 2);
        let end = self.measure.prefix_length(text, room);
        let end = text[..end].rfind('\n').unwrap_or(end);
        text.truncate(end);
        text.push('\n');
        text.push_str(words);
    }

    /// Returns the prefix of a text that measures at most `most`, with a mark where it was cut.
    #[doc(hidden)]
    pub fn truncate(self, text: &str, most: usize) -> String {
        let end = self.measure.prefix_length(text, most);
        if end == text.len() {
            return text.to_owned();
        }
        format!(
            "{}… [{} more characters]",
            &text[..end],
            text[end..].chars().count()
        )
    }
}

/// How much of an answer a client passes on to its model; everything where the limits are not set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassedOnLimits {
    /// The limit for the answer of a call that was carried out.
    pub answers: Option<AnswerLimit>,
    /// The limit for a refusal.
    pub refusals: Option<AnswerLimit>,
    /// Whether pictures reach the model as such.
    pub pictures: Pictures,
}

/// Whether a client passes pictures on to its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pictures {
    /// The model sees them.
    #[default]
    Seen,
    /// The client drops them or replaces them, so that none are sent.
    Lost,
}

impl PassedOnLimits {
    /// Sets limits for both kinds of answer.
    pub fn new(answers: AnswerLimit, refusals: AnswerLimit) -> Self {
        Self {
            answers: Some(answers),
            refusals: Some(refusals),
            pictures: Pictures::Seen,
        }
    }

    /// Declares that pictures do not reach the model.
    #[must_use]
    pub fn without_pictures(mut self) -> Self {
        self.pictures = Pictures::Lost;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_text_as_escaped_json() {
        let text = "a\"\\\n\r\t\u{8}\u{c}\u{1}\u{1f}\u{7f}ä日🏴\u{2028}";
        let written = serde_json::Value::from(text).to_string().len() - 2;
        assert_eq!(Measure::Json.length(text), written);
        let inner = serde_json::Value::from(text).to_string();
        let quoted = serde_json::Value::from(inner).to_string().len();
        // The quotes around the inner string are escaped, those around the outer one are not.
        assert_eq!(Measure::NestedJson.length(text), quoted - 2 - 4);
    }

    #[test]
    fn finds_longest_prefix_that_fits() {
        let text = "a\"ä\n🏴\u{1}z";
        for measure in [
            Measure::Characters,
            Measure::Bytes,
            Measure::Json,
            Measure::NestedJson,
        ] {
            for most in 0..30 {
                let end = measure.prefix_length(text, most);
                assert!(measure.length(&text[..end]) <= most);
                let next = text[end..].chars().next();
                let longer = next.map(|next| format!("{}{next}", &text[..end]));
                assert!(longer.is_none_or(|longer| measure.length(&longer) > most));
            }
        }
    }

    #[test]
    fn cuts_long_text_after_whole_line() {
        let limit = AnswerLimit {
            most: 20,
            measure: Measure::Bytes,
            non_exhaustive: NonExhaustive,
        };
        let mut text = "12345\n67890\nabcdefghijk\n".to_owned();
        limit.truncate_with_ending(&mut text, "[end]");
        assert_eq!(text, "12345\n67890\n[end]");
        let mut short = "short\n".to_owned();
        limit.truncate_with_ending(&mut short, "[end]");
        assert_eq!(short, "short\n");
    }
}
