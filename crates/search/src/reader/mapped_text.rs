//! Memory for a large text that is searched in one piece.

use memmap2::MmapMut;

use super::MAX_SINGLE_PIECE;
use crate::file_search::FileOutcome;

/// A large text in anonymous pages, which return to the system when it is dropped. Memory from the allocator stayed
/// with the process: 70 MiB after three rounds of searches that never had two files in memory at a time.
pub(super) struct MappedText {
    pub(super) memory: MmapMut,
    pub(super) length: usize,
}

impl MappedText {
    pub(super) fn with_capacity(size: usize) -> Result<MappedText, FileOutcome> {
        let memory = MmapMut::map_anon(size).map_err(|_| FileOutcome::TooLarge)?;
        Ok(MappedText { memory, length: 0 })
    }

    pub(super) fn into_larger(self) -> Result<MappedText, FileOutcome> {
        let mut larger = MappedText::with_capacity(self.memory.len() + MAX_SINGLE_PIECE)?;
        larger.memory[..self.length].copy_from_slice(self.text());
        larger.length = self.length;
        Ok(larger)
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.memory[..self.length]
    }
}
