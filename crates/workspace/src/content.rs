//! Writes new content piece by piece, from memory and from ranges of the old file. Pieces are hashed and written,
//! never joined.

use std::io::{self, IoSlice};
use std::os::fd::BorrowedFd;

use lancet_text::RawChange;

use crate::buffer;
use crate::commit::{NewBytes, Source};
use crate::disk::Disk;
use crate::revision::{Revision, RevisionHasher};

/// The number of bytes that are hashed and written at a time, while they are in the CPU cache.
const WRITE_CHUNK: usize = 1 << 20;
/// Write-back is started early after a batch of at least this length.
const EARLY_WRITE_BACK_BYTES: u64 = 256 * 1024;
/// The most pieces in one `pwritev` call.
const MAX_PIECES: usize = 64;

/// Fails unless the changes are sorted, disjoint and within a file of this length.
pub(crate) fn check_changes(changes: &[RawChange], length: u64) -> io::Result<()> {
    let mut end = 0;
    for change in changes {
        if change.range.start < end
            || change.range.end < change.range.start
            || change.range.end > length
        {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the changes are not in order inside the file",
            ));
        }
        end = change.range.end;
    }
    Ok(())
}

/// Returns the length of the content that `new` makes from a file of `length` bytes.
pub(crate) fn new_length(new: &NewBytes<'_>, length: u64) -> u64 {
    let spliced = |length: u64, changes: &[RawChange]| {
        let removed: u64 = changes
            .iter()
            .map(|change| change.range.end.saturating_sub(change.range.start))
            .sum();
        let added: u64 = changes.iter().map(|change| change.bytes.len() as u64).sum();
        length.saturating_sub(removed) + added
    };
    match new {
        NewBytes::Whole(bytes) => bytes.len() as u64,
        NewBytes::Spliced { base, changes } => spliced(base.len() as u64, changes),
        NewBytes::Streamed { changes } | NewBytes::CopiedFrom { changes, .. } => {
            spliced(length, changes)
        }
        NewBytes::Copied { length, .. } => *length,
        NewBytes::Nothing
        | NewBytes::MovedTo(_)
        | NewBytes::Link(_)
        | NewBytes::HardLink { .. }
        | NewBytes::EmptyFolder { .. } => 0,
    }
}

/// Writes a file from its start and hashes what it writes.
pub(crate) struct HashingWriter<'d> {
    disk: &'d dyn Disk,
    file: Option<BorrowedFd<'d>>,
    offset: u64,
    hasher: RevisionHasher,
    /// The revision of the content, if it is known: hashing takes a third of the time of an Edit of a megabyte.
    known: Option<Revision>,
}

impl<'d> HashingWriter<'d> {
    pub(crate) fn new(disk: &'d dyn Disk, file: BorrowedFd<'d>) -> HashingWriter<'d> {
        HashingWriter {
            disk,
            file: Some(file),
            offset: 0,
            hasher: RevisionHasher::new(),
            known: None,
        }
    }

    /// Makes a sink that only hashes.
    pub(crate) fn hash_only(disk: &'d dyn Disk) -> HashingWriter<'d> {
        HashingWriter {
            disk,
            file: None,
            offset: 0,
            hasher: RevisionHasher::new(),
            known: None,
        }
    }

    /// Sets the revision of the content, so that it is not hashed again.
    pub(crate) fn with_revision(self, known: Option<Revision>) -> HashingWriter<'d> {
        HashingWriter { known, ..self }
    }

    /// Writes the next pieces, in this order.
    pub(crate) fn write_pieces(&mut self, pieces: &[&[u8]]) -> io::Result<()> {
        let strides = pieces.iter().flat_map(|piece| piece.chunks(WRITE_CHUNK));
        let mut batch: Vec<&[u8]> = Vec::with_capacity(pieces.len().min(MAX_PIECES));
        let mut length = 0;
        for stride in strides {
            if batch.len() == MAX_PIECES || length + stride.len() > WRITE_CHUNK {
                self.flush(&mut batch)?;
                length = 0;
            }
            length += stride.len();
            batch.push(stride);
        }
        self.flush(&mut batch)
    }

    fn flush(&mut self, batch: &mut Vec<&[u8]>) -> io::Result<()> {
        let begun = self.offset;
        if let Some(file) = self.file {
            self.write(file, batch)?;
            // Start write-back now; hashing overlaps with it.
            if self.offset - begun >= EARLY_WRITE_BACK_BYTES {
                self.disk.begin_sync(file, begun, self.offset - begun);
            }
        }
        if self.known.is_none() || cfg!(debug_assertions) {
            for piece in batch.iter() {
                self.hasher.update(piece);
            }
        }
        batch.clear();
        Ok(())
    }

    fn write(&mut self, file: BorrowedFd<'_>, batch: &[&[u8]]) -> io::Result<()> {
        let mut slices: Vec<IoSlice<'_>> = batch.iter().map(|piece| IoSlice::new(piece)).collect();
        let mut rest = &mut slices[..];
        while !rest.is_empty() {
            match self.disk.write_at(file, rest, self.offset) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.offset += written as u64;
                    IoSlice::advance_slices(&mut rest, written);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns the number of bytes written, 0 for a sink that only hashes, and their revision.
    pub(crate) fn finish(self) -> (u64, Revision) {
        let Some(known) = self.known else {
            return (self.offset, self.hasher.finish());
        };
        debug_assert!(
            known == self.hasher.finish(),
            "the new content has another revision"
        );
        (self.offset, known)
    }
}

/// Writes the content of `new` into `sink`. Content that is made from a file on the disk reads it from `base`, with its
/// length, and returns its revision: the old file for `Streamed`, the original of the copy for `CopiedFrom`.
pub(crate) fn write_content(
    new: &NewBytes<'_>,
    base: Option<(BorrowedFd<'_>, u64)>,
    sink: &mut HashingWriter<'_>,
) -> io::Result<Option<Revision>> {
    match (new, base) {
        (NewBytes::Whole(bytes), _) => sink.write_pieces(&[bytes]).map(|()| None),
        (NewBytes::Spliced { base, changes }, _) => {
            check_changes(changes, base.len() as u64)?;
            let mut pieces: Vec<&[u8]> = Vec::with_capacity(changes.len() * 2 + 1);
            let mut at = 0;
            for change in *changes {
                // `check_changes` proved that every bound lies within the base, which is in memory.
                let (start, end) = (change.range.start as usize, change.range.end as usize);
                pieces.extend(
                    [&base[at..start], &change.bytes[..]]
                        .into_iter()
                        .filter(|piece| !piece.is_empty()),
                );
                at = end;
            }
            if at < base.len() {
                pieces.push(&base[at..]);
            }
            sink.write_pieces(&pieces).map(|()| None)
        }
        (
            NewBytes::Copied {
                from,
                length,
                revision,
            },
            _,
        ) => copy_stored(*from, *length, revision, sink).map(|()| None),
        (
            NewBytes::Streamed { changes } | NewBytes::CopiedFrom { changes, .. },
            Some((file, length)),
        ) => {
            check_changes(changes, length)?;
            stream_changes(changes, file, length, sink).map(Some)
        }
        (
            NewBytes::Nothing
            | NewBytes::MovedTo(_)
            | NewBytes::Link(_)
            | NewBytes::HardLink { .. }
            | NewBytes::EmptyFolder { .. },
            _,
        ) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a link, a folder, and a removed or moved file have no new bytes",
        )),
        (NewBytes::Streamed { .. } | NewBytes::CopiedFrom { .. }, None) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the file that the bytes are read from was not opened",
        )),
    }
}

/// Copies stored content from a [`Source`] through one buffer, and fails if it does not match its revision. The callers
/// write into a temporary file, so that damaged content never gets a name.
fn copy_stored(
    from: &dyn Source,
    length: u64,
    revision: &Revision,
    sink: &mut HashingWriter<'_>,
) -> io::Result<()> {
    let mut hasher = RevisionHasher::new();
    buffer::with_buffer(|buffer| {
        let mut at = 0;
        while at < length {
            let most = usize::try_from(length - at)
                .unwrap_or(buffer::BUFFER_LENGTH)
                .min(buffer::BUFFER_LENGTH);
            match from.read_at(&mut buffer[..most], at) {
                Ok(0) => return Err(damaged_error()),
                Ok(read) => {
                    at += read as u64;
                    hasher.update(&buffer[..read]);
                    sink.write_pieces(&[&buffer[..read]])?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    })?;
    if hasher.finish() == *revision {
        Ok(())
    } else {
        Err(damaged_error())
    }
}

fn damaged_error() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the stored content is damaged")
}

/// Copies the file `base` through one buffer, replacing the changed ranges; returns the revision of what was read.
fn stream_changes(
    changes: &[RawChange],
    base: BorrowedFd<'_>,
    length: u64,
    sink: &mut HashingWriter<'_>,
) -> io::Result<Revision> {
    let disk = sink.disk;
    let mut old = RevisionHasher::new();
    // Every byte of the base is hashed; those of a changed range are not written.
    let mut read =
        |from: u64, to: u64, mut sink: Option<&mut HashingWriter<'_>>| -> io::Result<()> {
            buffer::with_buffer(|buffer| {
                let mut at = from;
                while at < to {
                    let most = usize::try_from(to - at)
                        .unwrap_or(buffer::BUFFER_LENGTH)
                        .min(buffer::BUFFER_LENGTH);
                    match disk.read_at(base, &mut buffer[..most], at) {
                        Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                        Ok(count) => {
                            at += count as u64;
                            old.update(&buffer[..count]);
                            if let Some(sink) = &mut sink {
                                sink.write_pieces(&[&buffer[..count]])?;
                            }
                        }
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(())
            })
        };
    let mut at = 0;
    for change in changes {
        read(at, change.range.start, Some(&mut *sink))?;
        sink.write_pieces(&[&change.bytes])?;
        read(change.range.start, change.range.end, None)?;
        at = change.range.end;
    }
    read(at, length, Some(sink))?;
    Ok(old.finish())
}
