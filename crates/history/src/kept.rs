//! A stored content that is read in parts, however large it is: a list of segments, each a range of one file or bytes
//! of an edit (a piece table).

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

use crate::content::RawChange;

/// A content that is read in parts. This type does not verify that the bytes match the hash they are stored under; a
/// caller that reads all of them can.
#[derive(Debug)]
pub struct StoredContent {
    file: File,
    segments: Vec<Segment>,
    size: u64,
}

/// A contiguous part of a content.
#[derive(Debug)]
struct Segment {
    /// The offset of the segment in the content.
    at: u64,
    length: u64,
    from: SegmentOrigin,
}

/// The location of a segment's bytes.
#[derive(Clone, Debug)]
enum SegmentOrigin {
    /// In the file, from this offset on.
    File(u64),
    /// In memory.
    Bytes(Vec<u8>),
}

impl StoredContent {
    /// Returns the content of a whole file.
    pub(crate) fn from_file(file: File) -> io::Result<Self> {
        let size = file.metadata()?.len();
        let all = Segment {
            at: 0,
            length: size,
            from: SegmentOrigin::File(0),
        };
        Ok(Self {
            file,
            segments: vec![all],
            size,
        })
    }

    /// Returns the content with some ranges replaced; none if the ranges overlap, are not in order, or reach beyond
    /// the end.
    pub(crate) fn with_changes(self, changes: &[RawChange<'_>]) -> Option<Self> {
        let mut next: Vec<Segment> = Vec::with_capacity(self.segments.len() + changes.len() * 2);
        let (mut done, mut size) = (0, 0);
        let mut push = |from: SegmentOrigin, length: u64| {
            if length > 0 {
                next.push(Segment {
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
            for (from, length) in self.segments_in(done..range.start) {
                push(from, length);
            }
            push(SegmentOrigin::Bytes(bytes.to_vec()), bytes.len() as u64);
            done = range.end;
        }
        for (from, length) in self.segments_in(done..self.size) {
            push(from, length);
        }
        Some(Self {
            file: self.file,
            segments: next,
            size,
        })
    }

    /// Returns the segments of a range.
    fn segments_in(&self, range: Range<u64>) -> Vec<(SegmentOrigin, u64)> {
        let first = self
            .segments
            .partition_point(|segment| segment.at + segment.length <= range.start);
        let mut parts = Vec::new();
        for segment in self.segments.iter().skip(first) {
            if segment.at >= range.end {
                break;
            }
            let skipped = range.start.saturating_sub(segment.at);
            let end = (range.end - segment.at).min(segment.length);
            let from = match &segment.from {
                SegmentOrigin::File(offset) => SegmentOrigin::File(offset + skipped),
                SegmentOrigin::Bytes(bytes) => SegmentOrigin::Bytes(
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

    /// Returns the length of the content in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads bytes from `offset` on, from one segment at most. Returns their number, which may be less than the
    /// length of the buffer, and 0 at the end.
    ///
    /// # Errors
    /// The stored file cannot be read, or is shorter than when it was opened (`UnexpectedEof`).
    pub fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let first = self
            .segments
            .partition_point(|segment| segment.at + segment.length <= offset);
        let Some(segment) = self.segments.get(first) else {
            return Ok(0);
        };
        let skipped = offset - segment.at;
        let most = into
            .len()
            .min(usize::try_from(segment.length - skipped).unwrap_or(usize::MAX));
        let into = &mut into[..most];
        match &segment.from {
            SegmentOrigin::File(start) => match self.file.read_at(into, start + skipped)? {
                // The file was truncated since it was opened.
                0 if !into.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
                read => Ok(read),
            },
            SegmentOrigin::Bytes(bytes) => {
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
    use crate::content::apply_changes;

    proptest! {
        #[test]
        fn reads_layered_changes_like_applied_ones(
            old in prop::collection::vec(any::<u8>(), 0..200),
            rounds in prop::collection::vec((prop::collection::vec(any::<prop::sample::Index>(), 0..8), prop::collection::vec(any::<u8>(), 0..40)), 0..4),
            step in 1..50_usize,
        ) {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(&old).expect("written");
            let mut kept = StoredContent::from_file(file).expect("there");
            let mut whole = Arc::new(old);
            for (points, new) in &rounds {
                let mut points: Vec<u64> = points.iter().map(|point| point.index(whole.len() + 1) as u64).collect();
                points.sort_unstable();
                points.dedup();
                let changes: Vec<RawChange<'_>> =
                    points.chunks_exact(2).map(|pair| (pair[0]..pair[1], new.as_slice())).collect();
                apply_changes(&mut whole, &changes).expect("they fit");
                kept = kept.with_changes(&changes).expect("they fit");
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
            prop_assert!(kept.with_changes(&[(beyond..beyond + 1, b"")]).is_none());
        }
    }
}
