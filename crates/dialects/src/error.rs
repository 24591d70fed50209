//! The error for a response that could not be parsed, with its position.

/// A response that cannot be parsed. No part of it may be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct ParseError {
    /// The line of the response, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The kind of error.
    pub kind: ParseErrorKind,
    /// Sentences that say what is wrong and what to write instead.
    pub message: String,
}

/// The kinds of error in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The response ends in the middle of an edit.
    CutOff,
    /// A recognisable edit does not follow the rules of its format.
    Malformed,
    /// The edit is of a kind that is never applied: copies, links, submodules, merges, binary files.
    Unsupported,
    /// The response contains no edit.
    NoEdit,
}

/// The maximum number of edits in one response: each takes many times the memory of its text.
const MAX_PARTS: usize = 50_000;

/// The maximum number of lines in all edits of one response. A line takes 32 bytes in addition to its text, so the 25
/// million lines of a hunk in 50 MB would take 800 MB. Whole files do not count.
const MAX_LINES: usize = 1_000_000;

/// Why parsing stops before a step is complete.
#[derive(Debug)]
pub(crate) enum ParseStop {
    /// The text so far ends in the middle of something, and more may arrive.
    More,
    /// The response cannot be parsed.
    Bad(ParseError),
}

impl ParseStop {
    /// Creates an error at a line, counted from 0.
    pub(crate) fn new_error(
        line: usize,
        kind: ParseErrorKind,
        message: impl Into<String>,
    ) -> ParseStop {
        ParseStop::Bad(ParseError {
            line: line + 1,
            column: 1,
            kind,
            message: message.into(),
        })
    }

    /// Creates the error for an edit that does not follow its format, at a line counted from 0.
    pub(crate) fn malformed_error(line: usize, message: impl Into<String>) -> ParseStop {
        ParseStop::new_error(line, ParseErrorKind::Malformed, message)
    }

    /// Creates the error for an edit that is never applied, at a line counted from 0.
    pub(crate) fn unsupported_error(line: usize, message: impl Into<String>) -> ParseStop {
        ParseStop::new_error(line, ParseErrorKind::Unsupported, message)
    }

    /// Refuses more edits than a response may have, at a line counted from 0.
    pub(crate) fn check_part_count(parts: usize, line: usize) -> Result<(), ParseStop> {
        if parts <= MAX_PARTS {
            return Ok(());
        }
        let message = format!(
            "The reply has more than {MAX_PARTS} edits up to this line. Send them in several replies."
        );
        Err(ParseStop::unsupported_error(line, message))
    }

    /// Refuses more lines than the edits of a response may have, at a line counted from 0.
    pub(crate) fn check_line_count(lines: usize, line: usize) -> Result<(), ParseStop> {
        if lines <= MAX_LINES {
            return Ok(());
        }
        let message = format!(
            "The edits of the reply have more than {MAX_LINES} lines up to this one. Send them in several replies."
        );
        Err(ParseStop::unsupported_error(line, message))
    }

    /// Creates the error for a response that ends in the middle of an edit, which begins at a line counted from 0.
    pub(crate) fn cut_off_error(line: usize, what: &str) -> ParseStop {
        let message = format!("The reply is cut off: {what}. Send the whole reply again.");
        ParseStop::new_error(line, ParseErrorKind::CutOff, message)
    }
}
