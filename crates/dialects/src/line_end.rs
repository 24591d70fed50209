//! Finds the ends of lines in a text, in its bytes.

/// The lowest bit of each byte.
const LOW_BITS: u64 = 0x0101_0101_0101_0101;

/// Returns the offset of the LF that ends the line which starts at an offset, or the end of the text.
#[inline]
pub(crate) fn end_of_line(text: &[u8], start: usize) -> usize {
    let bytes = &text[start..];
    // Calling memchr takes longer than checking the eight bytes in which a short line ends. These are checked together:
    // checked one by one, they took half the time of finding a line of three bytes.
    let Some(first) = bytes.first_chunk::<8>() else {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        return end.map_or(text.len(), |length| start + length);
    };
    let differing = u64::from_le_bytes(*first) ^ (LOW_BITS * u64::from(b'\n'));
    // The lowest set bit is in the first byte that is zero.
    let zero = differing.wrapping_sub(LOW_BITS) & !differing & (LOW_BITS << 7);
    if zero != 0 {
        return start + (zero.trailing_zeros() / 8) as usize;
    }
    let length = memchr::memchr(b'\n', &bytes[8..]);
    length.map_or(text.len(), |length| start + 8 + length)
}

/// Returns the offset of the line after the one that starts at an offset; none if no newline ends that one.
#[inline]
pub(crate) fn next_line(text: &[u8], start: usize) -> Option<usize> {
    let end = end_of_line(text, start);
    (end < text.len()).then_some(end + 1)
}

/// Returns the offset at which the line starts that ends at an offset.
#[inline]
pub(crate) fn start_of_line(text: &[u8], end: usize) -> usize {
    let bytes = &text[..end];
    memchr::memrchr(b'\n', bytes).map_or(0, |before| before + 1)
}
