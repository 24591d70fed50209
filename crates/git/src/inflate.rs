//! Deflated bytes out of a file, piece by piece and never more than were asked for: what a header promises is compared with
//! what comes, and a budget bounds what one question may unpack in all.

use std::cell::Cell;

use lancet_workspace::Located;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

use crate::Trouble;

/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;

const DAMAGED: Trouble = Trouble::Damaged("a deflated object");

/// How many bytes may still be unpacked.
#[derive(Debug)]
pub(crate) struct Budget(Cell<u64>);

impl Budget {
    pub(crate) fn new(bytes: u64) -> Budget {
        Budget(Cell::new(bytes))
    }

    pub(crate) fn take(&self, bytes: u64) -> Result<(), Trouble> {
        let left = self.0.get().checked_sub(bytes).ok_or(Trouble::TooLarge {
            what: "a chain of deltas",
            size: bytes,
        })?;
        self.0.set(left);
        Ok(())
    }
}

/// A deflated stream that begins somewhere in a file.
pub(crate) struct Stream<'f> {
    file: &'f Located,
    at: u64,
    state: Box<InflateState>,
    piece: Vec<u8>,
    used: usize,
    ended: bool,
}

impl<'f> Stream<'f> {
    pub(crate) fn new(file: &'f Located, at: u64) -> Stream<'f> {
        Stream {
            file,
            at,
            state: InflateState::new_boxed(DataFormat::Zlib),
            piece: Vec::new(),
            used: 0,
            ended: false,
        }
    }

    /// The next bytes, at most as many as fit; fewer only at the end.
    pub(crate) fn some(&mut self, into: &mut [u8]) -> Result<usize, Trouble> {
        let mut filled = 0;
        while filled < into.len() && !self.ended {
            filled += self.step(&mut into[filled..])?;
        }
        Ok(filled)
    }

    /// Exactly this many bytes, which must be all that is left, checksum and all.
    pub(crate) fn rest(
        &mut self,
        mut bytes: Vec<u8>,
        length: usize,
        budget: &Budget,
    ) -> Result<Vec<u8>, Trouble> {
        budget.take(length as u64)?;
        let begun = bytes.len();
        bytes.resize(length.max(begun), 0);
        if self.some(&mut bytes[begun..])? != length.saturating_sub(begun) || begun > length {
            return Err(DAMAGED);
        }
        let mut more = [0];
        match self.some(&mut more)? {
            0 => Ok(bytes),
            _ => Err(DAMAGED),
        }
    }

    fn step(&mut self, into: &mut [u8]) -> Result<usize, Trouble> {
        if self.used == self.piece.len() {
            // Most objects are small: the first piece is, too.
            let length = if self.piece.is_empty() {
                PIECE / 16
            } else {
                PIECE
            };
            (self.piece, _) = self.file.read_at(self.at, length)?;
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
            _ if done.bytes_consumed + done.bytes_written == 0 => return Err(DAMAGED),
            Ok(_) => {}
            Err(_) => return Err(DAMAGED),
        }
        Ok(done.bytes_written)
    }
}
