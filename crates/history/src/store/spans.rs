//! The encoding of a delta: the ranges in which a content differs from its base, with the new bytes (LEB128 lengths).

use crate::content::{RawChange, apply_changes};

/// Encodes sorted, disjoint changes: for each the gap to the previous one, the removed length, the new length, the
/// new bytes.
pub(super) fn encode_changes(changes: &[RawChange<'_>]) -> Vec<u8> {
    let new: usize = changes.iter().map(|(_, bytes)| bytes.len()).sum();
    let mut out = Vec::with_capacity(new + changes.len() * 8);
    let mut end = 0;
    for (range, bytes) in changes {
        write_varint(&mut out, range.start.saturating_sub(end));
        write_varint(&mut out, range.end.saturating_sub(range.start));
        write_varint(&mut out, bytes.len() as u64);
        out.extend_from_slice(bytes);
        end = range.end;
    }
    out
}

/// Applies encoded changes to their base; none if they do not fit it.
pub(super) fn apply_encoded(base: Vec<u8>, encoded: &[u8]) -> Option<Vec<u8>> {
    let changes = decode_changes(encoded)?;
    let mut content = std::sync::Arc::new(base);
    apply_changes(&mut content, &changes).ok()?;
    std::sync::Arc::into_inner(content)
}

/// Decodes changes, sorted and disjoint; none if the bytes are malformed.
pub(super) fn decode_changes(mut encoded: &[u8]) -> Option<Vec<RawChange<'_>>> {
    let mut changes: Vec<RawChange<'_>> = Vec::new();
    let mut end = 0_u64;
    while !encoded.is_empty() {
        let start = end.checked_add(read_varint(&mut encoded)?)?;
        end = start.checked_add(read_varint(&mut encoded)?)?;
        let length = usize::try_from(read_varint(&mut encoded)?).ok()?;
        let (bytes, rest) = encoded.split_at_checked(length)?;
        changes.push((start..end, bytes));
        encoded = rest;
    }
    Some(changes)
}

fn write_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn encoded_changes_apply_like_original(
            old in prop::collection::vec(any::<u8>(), 0..300),
            points in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
            new in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 4),
        ) {
            let mut points: Vec<u64> = points.iter().map(|point| point.index(old.len() + 1) as u64).collect();
            points.sort_unstable();
            let changes: Vec<RawChange<'_>> =
                points.chunks_exact(2).zip(&new).map(|(pair, new)| (pair[0]..pair[1], new.as_slice())).collect();
            let mut wanted = std::sync::Arc::new(old.clone());
            apply_changes(&mut wanted, &changes).expect("they fit");
            prop_assert_eq!(apply_encoded(old, &encode_changes(&changes)), Some(wanted.to_vec()));
        }

        #[test]
        fn applying_arbitrary_bytes_never_panics(base in prop::collection::vec(any::<u8>(), 0..20), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = apply_encoded(base, &bytes);
        }
    }
}
