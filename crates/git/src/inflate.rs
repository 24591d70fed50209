//! Inflates a zlib stream inside a file piece by piece, never beyond the size that the header announced. A budget
//! limits the bytes that one query may inflate in total.

use std::cell::Cell;

use lancet_workspace::FileReader;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

use crate::{GitError, unreadable_error};

/// The file is read in pieces of this size.
const READ_CHUNK: usize = 64 * 1024;

const DAMAGED_DEFLATE: GitError = GitError::Damaged("a deflated object");

/// The number of bytes that one query may still inflate.
#[derive(Debug)]
pub(crate) struct InflateBudget(Cell<u64>);

impl InflateBudget {
    pub(crate) fn new(bytes: u64) -> InflateBudget {
        InflateBudget(Cell::new(bytes))
    }

    pub(crate) fn spend(&self, bytes: u64) -> Result<(), GitError> {
        let left = self.0.get().checked_sub(bytes).ok_or(GitError::TooLarge {
            what: "a chain of deltas",
            size: bytes,
        })?;
        self.0.set(left);
        Ok(())
    }
}

/// A zlib stream that begins at an offset of a file.
pub(crate) struct InflateStream<'f> {
    file: &'f FileReader,
    at: u64,
    state: Box<InflateState>,
    piece: Vec<u8>,
    used: usize,
    ended: bool,
}

impl<'f> InflateStream<'f> {
    pub(crate) fn new(file: &'f FileReader, at: u64) -> InflateStream<'f> {
        InflateStream {
            file,
            at,
            state: InflateState::new_boxed(DataFormat::Zlib),
            piece: Vec::new(),
            used: 0,
            ended: false,
        }
    }

    /// Fills `into` with the next bytes; returns fewer only at the end of the stream.
    pub(crate) fn fill_buffer(&mut self, into: &mut [u8]) -> Result<usize, GitError> {
        let mut filled = 0;
        while filled < into.len() && !self.ended {
            filled += self.inflate_step(&mut into[filled..])?;
        }
        Ok(filled)
    }

    /// Returns exactly `length` bytes, the rest of the stream; fails unless it ends there, checksum included.
    pub(crate) fn read_to_end(
        mut self,
        length: usize,
        budget: &InflateBudget,
    ) -> Result<Vec<u8>, GitError> {
        budget.spend(length as u64)?;
        let mut bytes = vec![0; length];
        if self.fill_buffer(&mut bytes)? != length {
            return Err(DAMAGED_DEFLATE);
        }
        let mut more = [0];
        match self.fill_buffer(&mut more)? {
            0 => Ok(bytes),
            _ => Err(DAMAGED_DEFLATE),
        }
    }

    fn inflate_step(&mut self, into: &mut [u8]) -> Result<usize, GitError> {
        if self.used == self.piece.len() {
            // Most objects are small, so the first piece is too.
            let length = if self.piece.is_empty() {
                READ_CHUNK / 16
            } else {
                READ_CHUNK
            };
            self.piece.resize(length, 0);
            let read = self.file.read_from(&mut self.piece, self.at);
            self.piece.truncate(read.map_err(unreadable_error)?);
            self.at += self.piece.len() as u64;
            self.used = 0;
        }
        let done = inflate(
            &mut self.state,
            &self.piece[self.used..],
            into,
            MZFlush::None,
        );
        self.used += done.bytes_consumed;
        match done.status {
            Ok(MZStatus::StreamEnd) => self.ended = true,
            _ if done.bytes_consumed + done.bytes_written == 0 => return Err(DAMAGED_DEFLATE),
            Ok(_) => {}
            Err(_) => return Err(DAMAGED_DEFLATE),
        }
        Ok(done.bytes_written)
    }
}
