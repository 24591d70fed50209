//! The contents of small files in memory, packed into chunks of anonymous pages, which return to the system when they are given
//! back. Text that is replaced stays in its chunk as waste until the index is built anew.

use std::io;

use memmap2::MmapMut;

/// The size of a chunk.
pub(super) const CHUNK: usize = 8 << 20;

/// Where the content of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContentPlace {
    chunk: u32,
    start: u32,
    length: u32,
}

/// Contents of files.
#[derive(Default)]
pub(super) struct Contents {
    chunks: Vec<MmapMut>,
    /// How much of the last chunk is used.
    used: usize,
    wasted: usize,
}

impl Contents {
    /// Whether the next content of this length needs another chunk.
    pub(super) fn needs_chunk(&self, length: usize) -> bool {
        self.chunks.is_empty() || self.used + length > CHUNK
    }

    /// Keeps a content, which must fit into a chunk.
    ///
    /// # Errors
    /// The system has no memory.
    pub(super) fn add(&mut self, text: &[u8]) -> io::Result<ContentPlace> {
        if text.len() > CHUNK {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if self.needs_chunk(text.len()) {
            let chunk = MmapMut::map_anon(CHUNK)?;
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

    /// Counts a content that is not needed any more.
    pub(super) fn waste(&mut self, place: ContentPlace) {
        self.wasted += place.length as usize;
    }

    /// The bytes of all chunks.
    pub(super) fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK
    }

    /// The bytes of contents that are not needed any more.
    pub(super) fn wasted(&self) -> usize {
        self.wasted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_come_back_as_they_were_added() {
        let mut contents = Contents::default();
        let texts: Vec<Vec<u8>> = (0..40u8).map(|byte| vec![byte; 300_000]).collect();
        let places: Vec<_> = texts
            .iter()
            .map(|text| contents.add(text).expect("memory"))
            .collect();
        assert_eq!(contents.bytes(), 2 * CHUNK);
        for (text, place) in texts.iter().zip(places) {
            assert_eq!(contents.get(place), text);
        }
        assert!(contents.add(&vec![0; CHUNK + 1]).is_err());
    }
}
