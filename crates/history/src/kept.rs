//! A content of the history that is read piece by piece, however large it is: stretches of one file, and the bytes that
//! edits have put between them.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

use crate::content::RawChange;

/// A content that is read where it is needed. Nothing is checked against its name: who reads all of it does that.
#[derive(Debug)]
pub struct KeptContent {
    file: File,
    pieces: Vec<Piece>,
    size: u64,
}

/// A stretch of a content.
#[derive(Debug)]
struct Piece {
    /// Where it begins in the content.
    at: u64,
    length: u64,
    from: From,
}

#[derive(Clone, Debug)]
enum From {
    /// The file, from this offset on.
    File(u64),
    /// These bytes.
    Bytes(Vec<u8>),
}

impl KeptContent {
    /// All of a file.
    pub(crate) fn of_file(file: File) -> io::Result<Self> {
        let size = file.metadata()?.len();
        let all = Piece {
            at: 0,
            length: size,
            from: From::File(0),
        };
        Ok(Self {
            file,
            pieces: vec![all],
            size,
        })
    }

    /// The same with stretches of it replaced; none where they do not fit.
    pub(crate) fn changed(self, changes: &[RawChange<'_>]) -> Option<Self> {
        let mut next: Vec<Piece> = Vec::with_capacity(self.pieces.len() + changes.len() * 2);
        let (mut done, mut size) = (0, 0);
        let mut push = |from: From, length: u64| {
            if length > 0 {
                next.push(Piece {
                    at: size,
                    length,
                    from,
                });
                size += length;
            }
        };
        for (range, bytes) in changes {
            if range.start < done || range.end < range.start || range.end > self.size {
                return None;
            }
            for (from, length) in self.stretch(done..range.start) {
                push(from, length);
            }
            push(From::Bytes(bytes.to_vec()), bytes.len() as u64);
            done = range.end;
        }
        for (from, length) in self.stretch(done..self.size) {
            push(from, length);
        }
        Some(Self {
            file: self.file,
            pieces: next,
            size,
        })
    }

    /// The pieces of a range.
    fn stretch(&self, range: Range<u64>) -> Vec<(From, u64)> {
        let first = self
            .pieces
            .partition_point(|piece| piece.at + piece.length <= range.start);
        let mut parts = Vec::new();
        for piece in self.pieces.iter().skip(first) {
            if piece.at >= range.end {
                break;
            }
            let skipped = range.start.saturating_sub(piece.at);
            let end = (range.end - piece.at).min(piece.length);
            let from = match &piece.from {
                From::File(offset) => From::File(offset + skipped),
                From::Bytes(bytes) => From::Bytes(
                    bytes
                        .get(skipped as usize..end as usize)
                        .unwrap_or_default()
                        .to_vec(),
                ),
            };
            parts.push((from, end - skipped));
        }
        parts
    }

    /// Its length in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads some bytes from `offset` on; none at the end.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let first = self
            .pieces
            .partition_point(|piece| piece.at + piece.length <= offset);
        let Some(piece) = self.pieces.get(first) else {
            return Ok(0);
        };
        let skipped = offset - piece.at;
        let most = into
            .len()
            .min(usize::try_from(piece.length - skipped).unwrap_or(usize::MAX));
        let into = &mut into[..most];
        match &piece.from {
            From::File(start) => match self.file.read_at(into, start + skipped)? {
                // It is shorter than it was.
                0 if !into.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
                read => Ok(read),
            },
            From::Bytes(bytes) => {
                let rest = bytes.get(skipped as usize..).unwrap_or_default();
                let read = rest.len().min(into.len());
                into[..read].copy_from_slice(&rest[..read]);
                Ok(read)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::content::revise;

    proptest! {
        #[test]
        fn changes_upon_changes_read_as_if_they_were_made(
            old in prop::collection::vec(any::<u8>(), 0..200),
            rounds in prop::collection::vec((prop::collection::vec(any::<prop::sample::Index>(), 0..8), prop::collection::vec(any::<u8>(), 0..40)), 0..4),
            step in 1..50_usize,
        ) {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(&old).expect("written");
            let mut kept = KeptContent::of_file(file).expect("there");
            let mut whole = Arc::new(old);
            for (points, new) in &rounds {
                let mut points: Vec<u64> = points.iter().map(|point| point.index(whole.len() + 1) as u64).collect();
                points.sort_unstable();
                points.dedup();
                let changes: Vec<RawChange<'_>> =
                    points.chunks_exact(2).map(|pair| (pair[0]..pair[1], new.as_slice())).collect();
                revise(&mut whole, &changes).expect("they fit");
                kept = kept.changed(&changes).expect("they fit");
            }
            prop_assert_eq!(kept.size(), whole.len() as u64);
            let mut read = Vec::new();
            let mut buffer = vec![0; step];
            loop {
                let more = kept.read_at(&mut buffer, read.len() as u64).expect("read");
                if more == 0 {
                    break;
                }
                read.extend_from_slice(&buffer[..more]);
            }
            prop_assert_eq!(read, whole.to_vec());
            let beyond = kept.size();
            prop_assert!(kept.changed(&[(beyond..beyond + 1, b"")]).is_none());
        }
    }
}
