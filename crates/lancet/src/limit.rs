//! How long an answer may be, and in what that is measured. Agents cut long answers before their model reads them; what
//! was cut was not shown, so an answer must end before that.

/// The least that a client's limit leaves for an answer: shorter ones would say nothing.
const LEAST: usize = 1_000;

/// In what the length of an answer is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// In characters.
    Characters,
    /// In bytes of UTF-8.
    Bytes,
    /// In bytes of UTF-8 of the text as it stands inside a JSON string.
    Json,
    /// In bytes of UTF-8 of the text as it stands inside a JSON string that is itself quoted in a JSON string.
    NestedJson,
}

impl Measure {
    /// How long a text is.
    pub fn length(self, text: &str) -> usize {
        match self {
            Measure::Characters => text.chars().count(),
            Measure::Bytes => text.len(),
            Measure::Json => text.bytes().map(json_length).sum(),
            Measure::NestedJson => text.bytes().map(nested_json_length).sum(),
        }
    }

    /// Where the longest beginning of a text ends that is at most so long and made of whole characters, in bytes.
    pub(crate) fn prefix(self, text: &str, most: usize) -> usize {
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

/// What a byte of a text takes inside a JSON string.
fn json_length(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 2,
        0..0x20 => 6,
        _ => 1,
    }
}

/// What a byte of a text takes inside a JSON string that is quoted once more: every backslash and quote of the inner string
/// is escaped again.
fn nested_json_length(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' => 4,
        b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 3,
        0..0x20 => 7,
        _ => 1,
    }
}

/// The longest answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnswerLimit {
    /// How long it may be.
    pub most: usize,
    /// In what that is measured.
    pub measure: Measure,
}

impl AnswerLimit {
    /// A limit in a measure.
    pub fn new(most: usize, measure: Measure) -> Self {
        Self { most, measure }
    }

    /// The smaller of a number of characters and what a client hands on. A text has no more characters than bytes.
    pub(crate) fn in_force(characters: usize, client: Option<AnswerLimit>) -> AnswerLimit {
        match client {
            None => AnswerLimit {
                most: characters,
                measure: Measure::Characters,
            },
            Some(client) => AnswerLimit {
                most: client.most.max(LEAST).min(characters),
                measure: client.measure,
            },
        }
    }

    /// How long a text is.
    pub(crate) fn length(self, text: &str) -> usize {
        self.measure.length(text)
    }

    /// Whether a text is short enough.
    pub(crate) fn fits(self, text: &str) -> bool {
        // No character is longer than six bytes in any measure.
        text.len() <= self.most / 6 || self.length(text) <= self.most
    }

    /// Ends a text that is too long at a whole line, with some words of ours.
    pub(crate) fn end_within(self, text: &mut String, words: &str) {
        if self.fits(text) {
            return;
        }
        let room = self.most.saturating_sub(self.length(words) + 2);
        let end = self.measure.prefix(text, room);
        let end = text[..end].rfind('\n').unwrap_or(end);
        text.truncate(end);
        text.push('\n');
        text.push_str(words);
    }

    /// The beginning of a text that is at most so long, marked where it was cut.
    pub(crate) fn cut(self, text: &str, most: usize) -> String {
        let end = self.measure.prefix(text, most);
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

/// How much of an answer a client hands on to its model; all of it where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandedOn {
    /// Of an answer to a call that was carried out.
    pub answers: Option<AnswerLimit>,
    /// Of a refusal.
    pub refusals: Option<AnswerLimit>,
}

impl HandedOn {
    /// Limits for both kinds of answer.
    pub fn new(answers: AnswerLimit, refusals: AnswerLimit) -> Self {
        Self {
            answers: Some(answers),
            refusals: Some(refusals),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_measured_as_it_is_written() {
        let text = "a\"\\\n\r\t\u{8}\u{c}\u{1}\u{1f}\u{7f}ä日🏴\u{2028}";
        let written = serde_json::Value::from(text).to_string().len() - 2;
        assert_eq!(Measure::Json.length(text), written);
        let inner = serde_json::Value::from(text).to_string();
        let quoted = serde_json::Value::from(inner).to_string().len();
        // The quotes around the inner string are escaped, those around the outer one are not.
        assert_eq!(Measure::NestedJson.length(text), quoted - 2 - 4);
    }

    #[test]
    fn a_prefix_is_the_longest_that_fits() {
        let text = "a\"ä\n🏴\u{1}z";
        for measure in [
            Measure::Characters,
            Measure::Bytes,
            Measure::Json,
            Measure::NestedJson,
        ] {
            for most in 0..30 {
                let end = measure.prefix(text, most);
                assert!(measure.length(&text[..end]) <= most);
                let next = text[end..].chars().next();
                let longer = next.map(|next| format!("{}{next}", &text[..end]));
                assert!(longer.is_none_or(|longer| measure.length(&longer) > most));
            }
        }
    }

    #[test]
    fn a_long_text_ends_at_a_whole_line() {
        let limit = AnswerLimit {
            most: 20,
            measure: Measure::Bytes,
        };
        let mut text = "12345\n67890\nabcdefghijk\n".to_owned();
        limit.end_within(&mut text, "[end]");
        assert_eq!(text, "12345\n67890\n[end]");
        let mut short = "short\n".to_owned();
        limit.end_within(&mut short, "[end]");
        assert_eq!(short, "short\n");
    }
}
