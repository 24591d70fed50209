//! Parses a response while it is still being written: it is fed piece by piece and returns parts as they are completed.

use crate::cursor::{Cursor, ParseOptions, ReadingState, ResponseEnd};
use crate::error::{ParseError, ParseStop};
use crate::lines::{LineMarks, MAX_RESPONSE_LENGTH, ResponseLines};
use crate::part::ResponsePart;

/// A response that arrives in pieces.
///
/// ```
/// use lancet_dialects::{ParseOptions, ResponseStream};
///
/// let options = ParseOptions::default();
/// let mut stream = ResponseStream::new(&options);
/// assert!(stream.feed("a.txt\n<<<<<<< SEARCH\nold\n====")?.is_empty());
/// let closed = stream.feed("===\nnew\n>>>>>>> REPLACE\n\nand then")?;
/// assert_eq!(closed.len(), 1);
/// assert_eq!(stream.finish()?.len(), 1);
/// # Ok::<(), lancet_dialects::ParseError>(())
/// ```
pub struct ResponseStream<'k> {
    options: &'k ParseOptions<'k>,
    text: String,
    marks: LineMarks,
    state: ReadingState,
}

impl<'k> ResponseStream<'k> {
    /// Creates a response of which nothing has arrived yet.
    pub fn new(options: &'k ParseOptions<'k>) -> Self {
        ResponseStream {
            options,
            text: String::new(),
            marks: LineMarks::default(),
            state: ReadingState::default(),
        }
    }

    /// Adds the next piece and returns the parts that it completes.
    ///
    /// # Errors
    /// The response cannot be parsed; this is reported as soon as it is certain. No part of the response may then be
    /// applied.
    pub fn feed(&mut self, piece: &str) -> Result<&[ResponsePart], ParseError> {
        let from = self.text.len();
        let before = self.state.parts.len();
        if from + piece.len() < MAX_RESPONSE_LENGTH {
            self.text.push_str(piece);
        }
        let whole = self.text.rfind('\n').map_or(0, |end| end + 1);
        self.marks.add_lines(&self.text, from);
        // The line after the last newline is not complete.
        let complete = self.marks.count() - usize::from(whole < self.text.len());
        let lines = ResponseLines::new(&self.text[..whole], &self.marks, complete);
        let mut reader = Cursor::new(lines, self.options, &mut self.state, ResponseEnd::No);
        match reader.run_to_end() {
            Ok(()) | Err(ParseStop::More) => Ok(&self.state.parts[before..]),
            Err(ParseStop::Bad(error)) => Err(error),
        }
    }

    /// Ends the response and returns all its parts.
    ///
    /// # Errors
    /// As [`crate::parse`]: a response that is cut off, malformed, or without an edit.
    pub fn finish(mut self) -> Result<Vec<ResponsePart>, ParseError> {
        let lines = ResponseLines::new(&self.text, &self.marks, self.marks.count());
        let mut reader = Cursor::new(lines, self.options, &mut self.state, ResponseEnd::Yes);
        if let Err(ParseStop::Bad(error)) = reader.run_to_end() {
            return Err(error);
        }
        reader.finish()?;
        Ok(self.state.parts)
    }
}
