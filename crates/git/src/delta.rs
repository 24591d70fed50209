//! Applies a git delta: an object described as copies from a base object and literal bytes. Pure; every length in it
//! is checked before it is used.

use crate::GitError;

const DAMAGED: GitError = GitError::Damaged("a delta");

/// The length of a delta's beginning with both sizes: two numbers of at most nine bytes.
pub(crate) const LONGEST_START: usize = 18;

/// Reads the size of the object that a delta describes, from its beginning.
pub(crate) fn result_size(start: &[u8]) -> Result<u64, GitError> {
    let mut rest = start;
    number(&mut rest)?;
    number(&mut rest)
}

/// Builds the object that a delta describes, with at most `most` bytes.
pub(crate) fn apply(base: &[u8], delta: &[u8], most: u64) -> Result<Vec<u8>, GitError> {
    let mut rest = delta;
    if number(&mut rest)? != base.len() as u64 {
        return Err(DAMAGED);
    }
    let length = number(&mut rest)?;
    if length > most {
        return Err(GitError::TooLarge {
            what: "an object",
            size: length,
        });
    }
    let length = usize::try_from(length).map_err(|_| DAMAGED)?;
    let mut made = Vec::with_capacity(length);
    while let Some((&command, after)) = rest.split_first() {
        rest = after;
        let piece = if command & 0x80 != 0 {
            let offset = field(&mut rest, command, 4)?;
            let size = match field(&mut rest, command >> 4, 3)? {
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
        let piece = piece.ok_or(DAMAGED)?;
        if made.len() + piece.len() > length {
            return Err(DAMAGED);
        }
        made.extend_from_slice(piece);
    }
    if made.len() == length {
        Ok(made)
    } else {
        Err(DAMAGED)
    }
}

/// Reads a little-endian number of which only the bytes flagged in `present` are stored.
fn field(rest: &mut &[u8], present: u8, bytes: u32) -> Result<usize, GitError> {
    let mut value = 0;
    for at in 0..bytes {
        if present & (1 << at) != 0 {
            let (&byte, after) = rest.split_first().ok_or(DAMAGED)?;
            *rest = after;
            value |= usize::from(byte) << (8 * at);
        }
    }
    Ok(value)
}

/// Reads a varint: seven bits per byte, the lowest first.
fn number(rest: &mut &[u8]) -> Result<u64, GitError> {
    let mut value = 0u64;
    for shift in (0..63).step_by(7) {
        let (&byte, after) = rest.split_first().ok_or(DAMAGED)?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(DAMAGED)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn copies_and_own_bytes_are_put_together() {
        // Base 6, result 7: copy 0..3, "XY", copy 4..6.
        let delta = [6, 7, 0x90, 3, 2, b'X', b'Y', 0x91, 4, 2];
        assert_eq!(apply(b"abcdef", &delta, 100).unwrap(), b"abcXYef");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(
            apply(b"abcde", &[6, 1, 1, b'x'], 100).is_err(),
            "another base"
        );
        assert!(
            apply(b"abcdef", &[6, 9, 0x91, 4, 9], 100).is_err(),
            "beyond the base"
        );
        assert!(apply(b"abcdef", &[6, 1, 0], 100).is_err(), "command zero");
        assert!(
            apply(b"abcdef", &[6, 2, 1, b'x'], 100).is_err(),
            "too little"
        );
        assert!(apply(b"abcdef", &[6, 0, 1, b'x'], 100).is_err(), "too much");
        assert!(
            apply(b"abcdef", &[6, 0xff, 0xff, 0xff, 0xff, 0x7f], 100).is_err(),
            "too large"
        );
    }

    proptest! {
        #[test]
        fn no_delta_makes_it_panic(base in proptest::collection::vec(any::<u8>(), 0..40), mut delta in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Some(first) = delta.first_mut() { *first = base.len() as u8; }
            if let Ok(made) = apply(&base, &delta, 1 << 20) { prop_assert!(made.len() <= 1 << 20); }
        }
    }
}
