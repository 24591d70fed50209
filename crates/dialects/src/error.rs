//! Why a reply could not be parsed, and where.

/// A reply that cannot be parsed. Nothing of it may be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct ParseError {
    /// The line of the reply, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What kind of trouble it is.
    pub kind: ParseErrorKind,
    /// What is the case and what to write instead, as sentences.
    pub message: String,
}

/// What kind of trouble a reply has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The reply ends in the middle of an edit.
    CutOff,
    /// Something that can be seen to be an edit is not written as its format asks.
    Malformed,
    /// The edit is of a kind that is never applied: copies, links, submodules, merges, binary files.
    Unsupported,
    /// There is no edit in the reply.
    NoEdit,
}

/// Why reading stops before a step is done.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The text so far ends in the middle of something, and more may come.
    More,
    /// The reply cannot be parsed.
    Bad(ParseError),
}

impl Stop {
    /// An error at a line, counted from 0.
    pub(crate) fn at(line: usize, kind: ParseErrorKind, message: impl Into<String>) -> Stop {
        Stop::Bad(ParseError {
            line: line + 1,
            column: 1,
            kind,
            message: message.into(),
        })
    }

    /// An edit that is not written as its format asks, at a line counted from 0.
    pub(crate) fn malformed(line: usize, message: impl Into<String>) -> Stop {
        Stop::at(line, ParseErrorKind::Malformed, message)
    }

    /// An edit that is never applied, at a line counted from 0.
    pub(crate) fn unsupported(line: usize, message: impl Into<String>) -> Stop {
        Stop::at(line, ParseErrorKind::Unsupported, message)
    }

    /// An edit, begun at a line counted from 0, in which the reply ends.
    pub(crate) fn cut_off(line: usize, what: &str) -> Stop {
        let message = format!("The reply is cut off: {what}. Send the whole reply again.");
        Stop::at(line, ParseErrorKind::CutOff, message)
    }
}
