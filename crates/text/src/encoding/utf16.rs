//! Distinguishes UTF-16 without a byte order mark from binary data, by where its NUL bytes are.

use super::EncodingFamily;

/// A file with fewer code units must be nearly all ASCII, since so few prove nothing.
const MIN_UNITS_FOR_STATISTICS: usize = 16;

/// The counts of the code units in one byte order.
struct UnitCounts {
    units: usize,
    /// ASCII text characters, whose other byte is NUL.
    plain: usize,
}

/// Returns the byte order in which `raw`, which has a NUL byte, is UTF-16 text.
///
/// In one of the orders every code unit must be a character that occurs in text (no U+0000, control character, lone
/// surrogate, private use), and the NULs must come from ASCII characters: most code units are ASCII, or the other bytes
/// do not look like ASCII text. A list of names separated by NULs also has NULs on one side only, but its other bytes
/// are all ASCII.
pub(super) fn detect_without_mark(raw: &[u8]) -> Option<EncodingFamily> {
    if raw.len() < 4 || !raw.len().is_multiple_of(2) {
        return None;
    }
    let little = count_units(raw, u16::from_le_bytes);
    let big = count_units(raw, u16::from_be_bytes);
    let proven = |count_units: &Option<UnitCounts>| {
        count_units
            .as_ref()
            .is_some_and(|count_units| count_units.prove_text(raw))
    };
    let plain = |count_units: &Option<UnitCounts>| {
        count_units
            .as_ref()
            .map_or(0, |count_units| count_units.plain)
    };
    match (proven(&little), proven(&big)) {
        (true, true) if plain(&big) > plain(&little) => Some(EncodingFamily::Utf16Be),
        (true, _) => Some(EncodingFamily::Utf16Le),
        (false, true) => Some(EncodingFamily::Utf16Be),
        (false, false) => None,
    }
}

/// Returns whether `raw`, read as UTF-16, has the character U+0000: then it is not text, whatever its byte order mark
/// says.
pub(super) fn contains_nul_character(raw: &[u8]) -> bool {
    raw.chunks_exact(2).any(|unit| unit == [0, 0])
}

/// Returns whether no file that begins with `head` is UTF-16 text without a byte order mark: in both byte orders it has
/// a code unit that does not occur in text.
pub(super) fn is_ruled_out(head: &[u8]) -> bool {
    let units = head.len() / 2 * 2;
    // The head may be cut inside a surrogate pair. Of two ends that are one unit apart, only one can be.
    let ends = [units, units.saturating_sub(2)];
    ends.into_iter().all(|end| {
        let head = &head[..end];
        count_units(head, u16::from_le_bytes).is_none()
            && count_units(head, u16::from_be_bytes).is_none()
    })
}

impl UnitCounts {
    /// Returns whether the counts prove that the bytes are text in this byte order.
    fn prove_text(&self, raw: &[u8]) -> bool {
        if self.plain * 10 >= self.units * 7 {
            return true;
        }
        let ascii_bytes = || raw.iter().filter(|byte| **byte != 0).all(u8::is_ascii);
        self.units >= MIN_UNITS_FOR_STATISTICS && self.plain * 64 >= self.units && !ascii_bytes()
    }
}

/// Returns the counts; `None` where a code unit does not occur in text.
fn count_units(raw: &[u8], read: fn([u8; 2]) -> u16) -> Option<UnitCounts> {
    let mut count_units = UnitCounts { units: 0, plain: 0 };
    let mut units = raw.chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
    while let Some(unit) = units.next() {
        count_units.units += 1;
        match unit {
            0x0009..=0x000D | 0x0020..=0x007E => count_units.plain += 1,
            0xD800..=0xDBFF => {
                count_units.units += 1;
                units.next().filter(|low| (0xDC00..=0xDFFF).contains(low))?;
            }
            // Letters, punctuation and symbols up to the dingbats; CJK; Hangul; the forms at the end. The omitted units
            // are rare in text and a fifth of what random bytes give.
            0x00A0..=0x1FFF | 0x2000..=0x27BF | 0x2E80..=0x9FFF | 0xAC00..=0xD7A3 => {}
            0xF900..=0xFFEF | 0xFFFD => {}
            _ => return None,
        }
    }
    Some(count_units)
}
