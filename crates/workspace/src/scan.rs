//! Reads an open file piece by piece, and compares it with known content.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;

use crate::buffer;
use crate::disk::Disk;
use crate::revision::{Revision, RevisionHasher};

/// The size of reads for a comparison: data that was just copied is still in the CPU cache (1 MB took 80 µs; in pieces
/// of 256 KiB 120, through a mapping 95).
const COMPARED_CHUNK: usize = 64 * 1024;

/// Known content that a file is compared with.
#[derive(Clone, Copy, Debug)]
pub enum KnownContent<'a> {
    /// The bytes themselves, which are cheaper to compare.
    Bytes(&'a [u8]),
    /// Only their revision; the file is hashed.
    Revision(Revision),
}

/// Passes an open file to `take` in pieces; returns the number of bytes.
pub(crate) fn scan_file(
    disk: &dyn Disk,
    file: BorrowedFd<'_>,
    take: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<u64> {
    scan_pieces(disk, file, buffer::BUFFER_LENGTH, take)
}

fn scan_pieces(
    disk: &dyn Disk,
    file: BorrowedFd<'_>,
    length: usize,
    take: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<u64> {
    buffer::with_buffer(|buffer| {
        let buffer = &mut buffer[..length];
        let mut offset = 0;
        loop {
            match disk.read_at(file, buffer, offset) {
                Ok(0) => return Ok(offset),
                Ok(read) => {
                    offset += read as u64;
                    if take(&buffer[..read]).is_break() {
                        return Ok(offset);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    })
}

/// Returns whether an open file of this size has this content.
pub(crate) fn has_content(
    disk: &dyn Disk,
    file: BorrowedFd<'_>,
    size: u64,
    content: KnownContent<'_>,
) -> io::Result<bool> {
    match content {
        KnownContent::Bytes(bytes) => {
            if bytes.len() as u64 != size {
                return Ok(false);
            }
            let mut rest = bytes;
            let mut equal = true;
            scan_pieces(disk, file, COMPARED_CHUNK, &mut |piece| {
                equal = rest.starts_with(piece);
                rest = rest.get(piece.len()..).unwrap_or_default();
                // Stop at the known length: this saves a call, and the stamp reveals growth.
                if equal && !rest.is_empty() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })?;
            Ok(equal && rest.is_empty())
        }
        KnownContent::Revision(revision) => {
            let mut hasher = RevisionHasher::new();
            scan_file(disk, file, &mut |piece| {
                hasher.update(piece);
                ControlFlow::Continue(())
            })?;
            Ok(hasher.finish() == revision)
        }
    }
}
