//! The sentences about an edit that was made as sent but may not be what was meant, and about adjustments to the new
//! text. A warning begins with its name.

use crate::message::{Message, NEW, OLD, message, verbatim};
use lancet_text::Remark;

/// The most characters that a sentence names.
const MOST_NAMED: usize = 8;

/// Phrases a remark as a sentence.
pub(crate) fn sentence(remark: &Remark) -> Message {
    match remark {
        Remark::JoinsNextLine => message![
            OLD,
            " ended in a newline and ",
            NEW,
            " does not: the next line was joined to it, as sent"
        ],
        Remark::IndentationOnce => message![
            NEW,
            " repeats the indentation before ",
            OLD,
            ": it was counted once"
        ],
        Remark::IndentationCompleted => message![
            OLD,
            " lacks indentation that its line has: the further lines of ",
            NEW,
            " were indented by as much"
        ],
        Remark::Curled => message![
            "quotes that ",
            NEW,
            " adds were written curly, like those that its line keeps"
        ],
        Remark::MadeAscii(characters) => {
            let named: Vec<String> = characters
                .iter()
                .take(MOST_NAMED)
                .map(|character| format!("U+{:04X}", u32::from(*character)))
                .collect();
            let further = match characters.len().saturating_sub(MOST_NAMED) {
                0 => Message::default(),
                left => message![" and ", left, " further characters"],
            };
            message![
                verbatim(named.join(", ")),
                further,
                " that ",
                NEW,
                " adds: written as the ASCII character that the file has there"
            ]
        }
        Remark::Indentation(line) => message![
            "indentation: ",
            OLD,
            " begins behind its line's indentation, and line ",
            verbatim(line),
            " of ",
            NEW,
            " is indented less; written as sent, indent the further lines if that was not meant"
        ],
        Remark::BlankLine => message![
            "blank_line: ",
            NEW,
            " ends in a newline and ",
            OLD,
            " does not, so a blank line follows; leave that newline out if it was not meant"
        ],
        Remark::LiteralEscapes => message![
            "literal_escapes: ",
            NEW,
            " is one line with a written-out line break (\\n) where ",
            OLD,
            " has several lines; written as sent, send real line breaks if those were meant"
        ],
    }
}
