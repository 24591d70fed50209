//! Reads one file into an index: determines whether it is text, signs it, and stores its content where contents are
//! kept.

use std::io::{self, Read as _};
use std::path::Path;

use lancet_workspace::{FileReader, Stamp};

use super::blocks::BlockRange;
use super::grams::{BLOCK_BYTES, BLOCK_OVERLAP};
use super::table::{FileId, TextKind};
use super::{IndexScope, NotResident, TreeIndex};
use crate::reader::{MAX_WHOLE_BYTES, NUL_WINDOW};
use crate::wide_mark::has_wide_mark;

/// Files up to this size are kept in memory where contents are; larger ones are read again for every search.
pub(super) const MAX_CACHED_FILE_BYTES: u64 = 1 << 20;
/// Larger files are not signed: whether they are searched at all depends on the pattern.
const MAX_SIGNED_BYTES: u64 = MAX_WHOLE_BYTES as u64;
/// A file with a longer line is not signed: the searcher may have no memory for the line.
const MAX_LINE_LENGTH: usize = 8 << 20;

impl TreeIndex {
    /// Reads a file; `reader` is `None` where the system refused to open it.
    pub(super) fn index_file(
        &mut self,
        scope: &IndexScope<'_>,
        id: FileId,
        reader: Option<FileReader>,
        stamp: Stamp,
    ) -> Result<(), NotResident> {
        if stamp.links > 1 {
            self.linked.insert(id);
        }
        // A larger file is not read here.
        let read = match stamp.size <= MAX_SIGNED_BYTES {
            true => stamp.size,
            false => 0,
        };
        self.allowance.subtract(read)?;
        let mut filled = IndexedText {
            kind: TextKind::Unsigned,
            blocks: BlockRange::default(),
        };
        let mut keep = false;
        let mut buffer = std::mem::take(&mut self.buffer);
        if let Some(mut reader) = reader
            && stamp.size <= MAX_SIGNED_BYTES
            && !self
                .table
                .path(id)
                .is_some_and(|path| has_own_encoding(scope, &path))
        {
            let whole = reader.read_whole(&mut buffer, MAX_CACHED_FILE_BYTES as usize);
            match whole {
                Ok(true) => {
                    keep = true;
                    filled = self.sign_whole_text(id, &buffer)?;
                }
                Ok(false) => filled = self.sign_in_pieces(id, reader)?,
                // A file that can be opened but not read is tried again by every search.
                Err(_) => {}
            }
        }
        let content = match keep && matches!(filled.kind, TextKind::Text | TextKind::CutText) {
            true => self.store_content(&buffer)?,
            false => None,
        };
        self.buffer = buffer;
        self.table.set_stamp(id, stamp);
        if let Some(entry) = self.table.change_file(id) {
            entry.kind = filled.kind;
            entry.blocks = filled.blocks;
            entry.content = content;
        }
        self.claim_memory()
    }

    fn sign_whole_text(&mut self, id: FileId, text: &[u8]) -> Result<IndexedText, NotResident> {
        let (kind, text) = match SearchedText::from_bytes(text) {
            SearchedText::Undecided => return Ok(IndexedText::without_blocks(TextKind::Unsigned)),
            SearchedText::Binary => return Ok(IndexedText::without_blocks(TextKind::Binary)),
            SearchedText::Cut(text) => (TextKind::CutText, text),
            SearchedText::Whole(text) => (TextKind::Text, text),
        };
        let blocks = self.blocks.add_whole(Some(id), text)?;
        Ok(IndexedText { kind, blocks })
    }

    /// Signs a file piece by piece. A file that is not text, cannot be read or has an enormous line stays unsigned.
    fn sign_in_pieces(
        &mut self,
        id: FileId,
        mut reader: FileReader,
    ) -> Result<IndexedText, NotResident> {
        let mut run = self.blocks.start_run();
        let mut piece = vec![0; BLOCK_BYTES + BLOCK_OVERLAP];
        let (mut filled, mut passed, mut line) = (0, 0, 0);
        let mut kind = TextKind::Text;
        loop {
            let mut ended = false;
            while filled < piece.len() && !ended {
                match reader.read(&mut piece[filled..]) {
                    Ok(read) => {
                        ended = read == 0;
                        filled += read;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => (kind, ended) = (TextKind::Unsigned, true),
                }
            }
            if passed == 0 && has_wide_mark(&piece[..filled]) {
                kind = TextKind::Unsigned;
            } else if let Some(at) = memchr::memchr(0, &piece[..filled]) {
                kind = match passed + at < NUL_WINDOW {
                    true => TextKind::Binary,
                    false => TextKind::CutText,
                };
                (filled, ended) = (at, true);
            }
            line = match memchr::memchr(b'\n', &piece[..filled]) {
                Some(_) => 0,
                None => line + filled,
            };
            if line > MAX_LINE_LENGTH || passed as u64 > MAX_SIGNED_BYTES {
                kind = TextKind::Unsigned;
            }
            if matches!(kind, TextKind::Unsigned | TextKind::Binary) {
                self.blocks.remove(id, run, passed as u64);
                return Ok(IndexedText::without_blocks(kind));
            }
            self.blocks
                .add_to_run(&mut run, Some(id), &piece[..filled])?;
            // A literal that begins in the overlap of the last block lies within it, since the text ends there.
            if ended {
                break;
            }
            piece.copy_within(BLOCK_BYTES..filled, 0);
            filled -= BLOCK_BYTES;
            passed += BLOCK_BYTES;
        }
        self.blocks.end_run(run);
        Ok(IndexedText { kind, blocks: run })
    }
}

/// Returns whether the settings give a file an encoding, which decides what its text is.
pub(super) fn has_own_encoding(scope: &IndexScope<'_>, path: &Path) -> bool {
    (scope.encodings)(path).is_some()
}

/// The treatment of a file's whole content by a search.
pub(super) enum SearchedText<'t> {
    /// The content is decoded first.
    Undecided,
    /// The content has a NUL byte near its beginning and is never searched.
    Binary,
    /// The content is searched up to a NUL byte far inside.
    Cut(&'t [u8]),
    /// The whole content is searched.
    Whole(&'t [u8]),
}

impl<'t> SearchedText<'t> {
    pub(super) fn from_bytes(bytes: &'t [u8]) -> Self {
        if has_wide_mark(bytes) {
            return SearchedText::Undecided;
        }
        match memchr::memchr(0, bytes) {
            Some(at) if at < NUL_WINDOW => SearchedText::Binary,
            Some(at) => SearchedText::Cut(&bytes[..at]),
            None => SearchedText::Whole(bytes),
        }
    }
}

/// The facts that were determined about the text of a file.
struct IndexedText {
    kind: TextKind,
    blocks: BlockRange,
}

impl IndexedText {
    fn without_blocks(kind: TextKind) -> Self {
        IndexedText {
            kind,
            blocks: BlockRange::default(),
        }
    }
}
