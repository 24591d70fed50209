//! Applies a git delta: an object described as copies from a base object and literal bytes. Pure; every length in it
//! is checked before it is used.

use crate::GitError;

const DAMAGED_DELTA: GitError = GitError::Damaged("a delta");

/// The length of a delta's beginning with both sizes: two numbers of at most nine bytes.
pub(crate) const MAX_HEADER_BYTES: usize = 18;

/// Reads the size of the object that a delta describes, from its beginning.
pub(crate) fn result_size(start: &[u8]) -> Result<u64, GitError> {
    let mut rest = start;
    read_varint(&mut rest)?;
    read_varint(&mut rest)
}

/// Builds the object that a delta describes, with at most `most` bytes.
pub(crate) fn apply_delta(base: &[u8], delta: &[u8], most: u64) -> Result<Vec<u8>, GitError> {
    let mut rest = delta;
    if read_varint(&mut rest)? != base.len() as u64 {
        return Err(DAMAGED_DELTA);
    }
    let length = read_varint(&mut rest)?;
    if length > most {
        return Err(GitError::TooLarge {
            what: "an object",
            size: length,
        });
    }
    let length = usize::try_from(length).map_err(|_| DAMAGED_DELTA)?;
    let mut made = Vec::with_capacity(length);
    while let Some((&command, after)) = rest.split_first() {
        rest = after;
        let piece = if command & 0x80 != 0 {
            let offset = read_partial_number(&mut rest, command, 4)?;
            let size = match read_partial_number(&mut rest, command >> 4, 3)? {
                0 => 0x10000,
                size => size,
            };
            base.get(offset..).and_then(|from| from.get(..size))
        } else {
            let own = rest.get(..usize::from(command));
            rest = rest.get(usize::from(command)..).unwrap_or_default();
            // git reserves command zero.
            own.filter(|_| command != 0)
        };
        let piece = piece.ok_or(DAMAGED_DELTA)?;
        if made.len() + piece.len() > length {
            return Err(DAMAGED_DELTA);
        }
        made.extend_from_slice(piece);
    }
    if made.len() == length {
        Ok(made)
    } else {
        Err(DAMAGED_DELTA)
    }
}

/// Reads a little-endian number of which only the bytes flagged in `present` are stored.
fn read_partial_number(rest: &mut &[u8], present: u8, bytes: u32) -> Result<usize, GitError> {
    let mut value = 0;
    for at in 0..bytes {
        if present & (1 << at) != 0 {
            let (&byte, after) = rest.split_first().ok_or(DAMAGED_DELTA)?;
            *rest = after;
            value |= usize::from(byte) << (8 * at);
        }
    }
    Ok(value)
}

/// Reads a varint: seven bits per byte, the lowest first.
fn read_varint(rest: &mut &[u8]) -> Result<u64, GitError> {
    let mut value = 0u64;
    for shift in (0..63).step_by(7) {
        let (&byte, after) = rest.split_first().ok_or(DAMAGED_DELTA)?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(DAMAGED_DELTA)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn combines_copied_and_inserted_bytes() {
        // Base 6, result 7: copy 0..3, "XY", copy 4..6.
        let delta = [6, 7, 0x90, 3, 2, b'X', b'Y', 0x91, 4, 2];
        assert_eq!(apply_delta(b"abcdef", &delta, 100).unwrap(), b"abcXYef");
    }

    #[test]
    fn rejects_delta_that_does_not_fit() {
        assert!(
            apply_delta(b"abcde", &[6, 1, 1, b'x'], 100).is_err(),
            "another base"
        );
        assert!(
            apply_delta(b"abcdef", &[6, 9, 0x91, 4, 9], 100).is_err(),
            "beyond the base"
        );
        assert!(
            apply_delta(b"abcdef", &[6, 1, 0], 100).is_err(),
            "command zero"
        );
        assert!(
            apply_delta(b"abcdef", &[6, 2, 1, b'x'], 100).is_err(),
            "too little"
        );
        assert!(
            apply_delta(b"abcdef", &[6, 0, 1, b'x'], 100).is_err(),
            "too much"
        );
        assert!(
            apply_delta(b"abcdef", &[6, 0xff, 0xff, 0xff, 0xff, 0x7f], 100).is_err(),
            "too large"
        );
    }

    proptest! {
        #[test]
        fn arbitrary_delta_never_panics(base in proptest::collection::vec(any::<u8>(), 0..40), mut delta in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Some(first) = delta.first_mut() { *first = base.len() as u8; }
            if let Ok(made) = apply_delta(&base, &delta, 1 << 20) { prop_assert!(made.len() <= 1 << 20); }
        }
    }
}
