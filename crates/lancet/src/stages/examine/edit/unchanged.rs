//! Checks whether changes together leave the existing bytes as they are.

use std::ops::Range;

use lancet_text::RawChange;

/// Returns whether the bytes are the same after the changes, which are in order. They are compared together: one may
/// remove a line and another insert an equal one next to it.
pub(super) fn leaves_unchanged(bytes: &[u8], changes: &[RawChange]) -> bool {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
        return true;
    };
    let removed: u64 = changes
        .iter()
        .map(|change| change.range.end - change.range.start)
        .sum();
    let added: u64 = changes.iter().map(|change| change.bytes.len() as u64).sum();
    if removed != added {
        return false;
    }
    let part = |range: Range<u64>| &bytes[range.start as usize..range.end as usize];
    let mut result = Vec::with_capacity((last.range.end - first.range.start) as usize);
    let mut at = first.range.start;
    for change in changes {
        result.extend_from_slice(part(at..change.range.start));
        result.extend_from_slice(&change.bytes);
        at = change.range.end;
    }
    result == part(first.range.start..last.range.end)
}
