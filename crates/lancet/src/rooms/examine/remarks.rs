//! The sentences about an edit that was made as sent but may not be what was meant, and about adjustments to the new
//! text. A warning begins with its name.

use lancet_text::Remark;

/// The remark that a line was joined to the next one.
const JOINED: &str = "old_string ended in a newline and new_string does not: the next line was joined to it, as sent";

/// How many characters a sentence names at most.
const MOST_NAMED: usize = 8;

/// Words a remark as a sentence.
pub(crate) fn sentence(remark: &Remark) -> String {
    match remark {
        Remark::JoinsNextLine => JOINED.to_owned(),
        Remark::IndentationOnce => "new_string repeats the indentation that stands before old_string: it was counted once".to_owned(),
        Remark::IndentationCompleted => "old_string lacks indentation that its line has: the further lines of new_string were indented by as much".to_owned(),
        Remark::Curled => "quotes that new_string adds were written curly, like those that its line keeps".to_owned(),
        Remark::MadeAscii(characters) => {
            let named: Vec<String> = characters
                .iter()
                .take(MOST_NAMED)
                .map(|character| format!("U+{:04X}", u32::from(*character)))
                .collect();
            let further = match characters.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                left => format!(" and {left} further characters"),
            };
            format!("{}{further} that new_string adds: written as the ASCII character that the file has there", named.join(", "))
        }
        Remark::Indentation(line) => format!(
            "indentation: old_string begins behind its line's indentation, and line {line} of new_string stands left of it; written as sent, indent the further lines if that was not meant"
        ),
        Remark::BlankLine => "blank_line: new_string ends in a newline and old_string does not, so a blank line follows; leave that newline out if it was not meant".to_owned(),
        Remark::LiteralEscapes => "literal_escapes: new_string is one line with a written-out line break (\\n) where old_string has several lines; written as sent, send real line breaks if those were meant".to_owned(),
    }
}
