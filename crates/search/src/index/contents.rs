//! The contents of small files in memory, packed into chunks of anonymous pages, which return to the system when they
//! are dropped. Text that is replaced stays in its chunk as waste until the index is rebuilt.

use std::io;

use memmap2::MmapMut;

/// The size of a chunk.
pub(super) const CHUNK_BYTES: usize = 8 << 20;

/// Where the content of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContentPlace {
    chunk: u32,
    start: u32,
    length: u32,
}

/// Contents of files.
#[derive(Default)]
pub(super) struct StoredContents {
    chunks: Vec<MmapMut>,
    /// The number of bytes of the last chunk that are in use.
    used: usize,
    /// The bytes of all contents that were added and not dropped with a chunk, and of those that are no longer needed.
    added: usize,
    wasted: usize,
    /// Whether no further chunk can be taken.
    is_full: bool,
}

/// The number of a chunk that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DroppedChunk(u32);

impl ContentPlace {
    /// Returns whether a content was in this chunk.
    pub(super) fn is_in_chunk(self, shed: DroppedChunk) -> bool {
        self.chunk == shed.0
    }
}

impl StoredContents {
    /// Returns whether the next content of this length needs another chunk.
    pub(super) fn needs_chunk(&self, length: usize) -> bool {
        self.chunks.is_empty() || self.used + length > CHUNK_BYTES
    }

    /// Stores a content, which must fit into a chunk.
    ///
    /// # Errors
    /// Returns an error where the system has no memory.
    pub(super) fn add(&mut self, text: &[u8]) -> io::Result<ContentPlace> {
        if text.len() > CHUNK_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if self.needs_chunk(text.len()) {
            let chunk = MmapMut::map_anon(CHUNK_BYTES)?;
            // Large pages take fewer page faults while they are filled. A system that has none ignores the advice.
            #[cfg(target_os = "linux")]
            let _ = chunk.advise(memmap2::Advice::HugePage);
            self.chunks.push(chunk);
            self.used = 0;
        }
        let chunk = self.chunks.len() - 1;
        let start = self.used;
        self.chunks[chunk][start..start + text.len()].copy_from_slice(text);
        self.used += text.len();
        self.added += text.len();
        let place = |number: usize| u32::try_from(number).map_err(|_| io::ErrorKind::OutOfMemory);
        Ok(ContentPlace {
            chunk: place(chunk)?,
            start: place(start)?,
            length: place(text.len())?,
        })
    }

    pub(super) fn get(&self, place: ContentPlace) -> &[u8] {
        let start = place.start as usize;
        self.chunks
            .get(place.chunk as usize)
            .map_or(&[], |chunk| &chunk[start..start + place.length as usize])
    }

    /// Counts a content that is no longer needed.
    pub(super) fn mark_unneeded(&mut self, place: ContentPlace) {
        self.wasted += place.length as usize;
    }

    /// Takes no further chunk from now on. Contents that fit into the last one are still stored.
    pub(super) fn stop_growing(&mut self) {
        self.is_full = true;
    }

    /// Returns whether no further chunk is taken.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Drops the last chunk, and takes no further one.
    pub(super) fn drop_last_chunk(&mut self) -> Option<DroppedChunk> {
        self.chunks.pop()?;
        self.is_full = true;
        self.added -= self.used.min(self.added);
        if self.chunks.is_empty() {
            (self.added, self.wasted) = (0, 0);
        }
        // The chunk before it ended where the next content did not fit, somewhere in its last part.
        self.used = CHUNK_BYTES;
        u32::try_from(self.chunks.len()).ok().map(DroppedChunk)
    }

    /// Returns the bytes of the contents that are in memory and needed.
    pub(super) fn live_bytes(&self) -> usize {
        self.added.saturating_sub(self.wasted)
    }

    /// Returns the bytes of all chunks.
    pub(super) fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK_BYTES
    }

    /// Returns the bytes of contents that are no longer needed.
    pub(super) fn unneeded_bytes(&self) -> usize {
        self.wasted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_contents_as_added() {
        let mut contents = StoredContents::default();
        let texts: Vec<Vec<u8>> = (0..40u8).map(|byte| vec![byte; 300_000]).collect();
        let places: Vec<_> = texts
            .iter()
            .map(|text| contents.add(text).expect("memory"))
            .collect();
        assert_eq!(contents.bytes(), 2 * CHUNK_BYTES);
        for (text, place) in texts.iter().zip(places) {
            assert_eq!(contents.get(place), text);
        }
        assert!(contents.add(&vec![0; CHUNK_BYTES + 1]).is_err());
    }

    #[test]
    fn drops_last_chunk_and_takes_no_further_one() {
        let mut contents = StoredContents::default();
        let first = contents.add(&vec![1; CHUNK_BYTES]).expect("memory");
        let second = contents.add(&vec![2; 1_000]).expect("memory");
        assert_eq!(contents.live_bytes(), CHUNK_BYTES + 1_000);
        let shed = contents.drop_last_chunk().expect("a chunk");
        assert!(second.is_in_chunk(shed) && !first.is_in_chunk(shed));
        assert_eq!(
            (contents.bytes(), contents.live_bytes()),
            (CHUNK_BYTES, CHUNK_BYTES)
        );
        assert_eq!(contents.get(first), vec![1; CHUNK_BYTES]);
        assert!(contents.is_full() && contents.needs_chunk(1));
        assert!(contents.drop_last_chunk().is_some() && contents.drop_last_chunk().is_none());
        assert_eq!(contents.live_bytes(), 0);
    }
}
