//! The sentences about an edit that was made as sent but may not be what was meant, and about adjustments to the new
//! text. A warning begins with its name.

use crate::message::{Message, NEW_TEXT, OLD_TEXT, message, verbatim};
use lancet_text::Remark;

/// The most characters that a sentence names.
const MAX_NAMED_CHARACTERS: usize = 8;

/// Phrases a remark as a sentence.
pub(crate) fn remark_sentence(remark: &Remark) -> Message {
    match remark {
        Remark::JoinsNextLine => message!(
            "{} ended in a newline and {} does not: the next line was joined to it, as sent",
            OLD_TEXT,
            NEW_TEXT
        ),
        Remark::IndentationOnce => message!(
            "{} repeats the indentation before {}: it was counted once",
            NEW_TEXT,
            OLD_TEXT
        ),
        Remark::IndentationCompleted => message!(
            "{} lacks indentation that its line has: the further lines of {} were indented by as much",
            OLD_TEXT,
            NEW_TEXT
        ),
        Remark::Curled => message!(
            "quotes that {} adds were written curly, like those that its line keeps",
            NEW_TEXT
        ),
        Remark::MadeAscii(characters) => {
            let named: Vec<String> = characters
                .iter()
                .take(MAX_NAMED_CHARACTERS)
                .map(|character| format!("U+{:04X}", u32::from(*character)))
                .collect();
            let further = match characters.len().saturating_sub(MAX_NAMED_CHARACTERS) {
                0 => Message::default(),
                left => message!(" and {} further characters", left),
            };
            message!(
                "{}{} that {} adds: written as the ASCII character that the file has there",
                verbatim(named.join(", ")),
                further,
                NEW_TEXT
            )
        }
        Remark::Indentation(line) => message!(
            "indentation: {} begins behind its line's indentation, and line {} of {} is indented less; written as sent, indent the further lines if that was not meant",
            OLD_TEXT,
            verbatim(line),
            NEW_TEXT
        ),
        Remark::BlankLine => message!(
            "blank_line: {} ends in a newline and {} does not, so a blank line follows; leave that newline out if it was not meant",
            NEW_TEXT,
            OLD_TEXT
        ),
        Remark::LiteralEscapes => message!(
            "literal_escapes: {} is one line with a written-out line break (\\n) where {} has several lines; written as sent, send real line breaks if those were meant",
            NEW_TEXT,
            OLD_TEXT
        ),
    }
}
