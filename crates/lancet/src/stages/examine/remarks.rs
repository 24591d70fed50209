//! The sentences about an edit that was made as sent but may not be what was meant, and about adjustments to the new
//! text. A warning begins with its name.

use crate::message::{Message, NEW, OLD, message, verbatim};
use lancet_text::Remark;

/// The most characters that a sentence names.
const MOST_NAMED: usize = 8;

/// Phrases a remark as a sentence.
pub(crate) fn sentence(remark: &Remark) -> Message {
    match remark {
        Remark::JoinsNextLine => message!(
            "{} ended in a newline and {} does not: the next line was joined to it, as sent",
            OLD,
            NEW
        ),
        Remark::IndentationOnce => message!(
            "{} repeats the indentation before {}: it was counted once",
            NEW,
            OLD
        ),
        Remark::IndentationCompleted => message!(
            "{} lacks indentation that its line has: the further lines of {} were indented by as much",
            OLD,
            NEW
        ),
        Remark::Curled => message!(
            "quotes that {} adds were written curly, like those that its line keeps",
            NEW
        ),
        Remark::MadeAscii(characters) => {
            let named: Vec<String> = characters
                .iter()
                .take(MOST_NAMED)
                .map(|character| format!("U+{:04X}", u32::from(*character)))
                .collect();
            let further = match characters.len().saturating_sub(MOST_NAMED) {
                0 => Message::default(),
                left => message!(" and {} further characters", left),
            };
            message!(
                "{}{} that {} adds: written as the ASCII character that the file has there",
                verbatim(named.join(", ")),
                further,
                NEW
            )
        }
        Remark::Indentation(line) => message!(
            "indentation: {} begins behind its line's indentation, and line {} of {} is indented less; written as sent, indent the further lines if that was not meant",
            OLD,
            verbatim(line),
            NEW
        ),
        Remark::BlankLine => message!(
            "blank_line: {} ends in a newline and {} does not, so a blank line follows; leave that newline out if it was not meant",
            NEW,
            OLD
        ),
        Remark::LiteralEscapes => message!(
            "literal_escapes: {} is one line with a written-out line break (\\n) where {} has several lines; written as sent, send real line breaks if those were meant",
            NEW,
            OLD
        ),
    }
}
