//! Decides whether a file is what an interrupted rewrite left or what another program wrote since. An interrupted
//! rewrite leaves, at every offset, the old byte or the new one.

use std::io;
use std::os::fd::BorrowedFd;

use crate::disk::Disk;

const BLOCK_BYTES: usize = 64 * 1024;

/// Returns whether every byte of `found` is the byte of `old` or `new` at its offset. Zeros are allowed where the file
/// had grown and was not written yet.
pub(super) fn is_mixture_of_old_and_new(
    disk: &dyn Disk,
    found: BorrowedFd<'_>,
    old: BorrowedFd<'_>,
    new: BorrowedFd<'_>,
) -> io::Result<bool> {
    let size = |file| disk.stat(file).map(|stamp| stamp.size);
    let (length, old_length, new_length) = (size(found)?, size(old)?, size(new)?);
    if length < old_length.min(new_length) || length > old_length.max(new_length) {
        return Ok(false);
    }
    let mut blocks = [
        vec![0; BLOCK_BYTES],
        vec![0; BLOCK_BYTES],
        vec![0; BLOCK_BYTES],
    ];
    let mut at = 0;
    while at < length {
        let [found_block, old_block, new_block] = &mut blocks;
        let read = fill_block(disk, found, found_block, at)?;
        let of_old = fill_block(disk, old, old_block, at)?;
        let of_new = fill_block(disk, new, new_block, at)?;
        if read == 0 {
            break;
        }
        let explained = (0..read).all(|place| {
            let byte = found_block[place];
            let grown = place >= of_old && byte == 0;
            grown
                || old_block[..of_old].get(place) == Some(&byte)
                || new_block[..of_new].get(place) == Some(&byte)
        });
        if !explained {
            return Ok(false);
        }
        at += read as u64;
    }
    Ok(true)
}

/// Reads until the block is full or the file ends.
fn fill_block(
    disk: &dyn Disk,
    file: BorrowedFd<'_>,
    block: &mut [u8],
    offset: u64,
) -> io::Result<usize> {
    let mut done = 0;
    while done < block.len() {
        match disk.read_at(file, &mut block[done..], offset + done as u64)? {
            0 => break,
            read => done += read,
        }
    }
    Ok(done)
}
