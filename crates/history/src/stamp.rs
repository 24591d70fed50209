//! The stat stamp as the ledger stores it: integers whose meaning only the workspace crate knows. This crate only
//! copies, stores and compares them. It therefore needs no dependency on that crate, and an additional number needs
//! no migration.

/// A stat stamp: up to sixteen integers whose meaning the caller defines. All zeros mean that there is no stamp.
///
/// In a ledger each integer takes eight bytes, little endian, without trailing zeros; missing integers are read as
/// zeros. Checkpoints have a shorter form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StampRecord(pub [i64; StampRecord::NUMBER_COUNT]);

impl StampRecord {
    /// The number of integers in a stamp.
    pub const NUMBER_COUNT: usize = 16;

    pub(crate) fn encode(&self) -> Vec<u8> {
        let used = self
            .0
            .iter()
            .rposition(|number| *number != 0)
            .map_or(0, |last| last + 1);
        self.0[..used]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    /// Encodes the stamp in a third of the bytes: each integer in groups of seven bits, the lowest first, with its sign in
    /// the lowest bit. The length is never a multiple of eight, by which [`StampRecord::decode`] tells both forms apart.
    pub(crate) fn encode_compact(&self) -> Vec<u8> {
        let used = self
            .0
            .iter()
            .rposition(|number| *number != 0)
            .map_or(0, |last| last + 1);
        let mut bytes = Vec::with_capacity(48);
        for number in &self.0[..used] {
            let mut rest = ((number << 1) ^ (number >> 63)).cast_unsigned();
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
        if bytes.len().is_multiple_of(8) {
            // One more number, which is zero.
            bytes.push(0);
        }
        bytes
    }

    fn decode_compact(bytes: &[u8]) -> Option<Self> {
        let mut stamp = Self::default();
        let (mut at, mut number, mut shift) = (0, 0_u64, 0);
        for byte in bytes {
            if shift > 63 {
                return None;
            }
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                let value = (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
                match stamp.0.get_mut(at) {
                    Some(place) => *place = value,
                    // The number that fills up the last group of eight bytes.
                    None if value == 0 => {}
                    None => return None,
                }
                (at, number, shift) = (at + 1, 0, 0);
            }
        }
        (shift == 0).then_some(stamp)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        if !bytes.len().is_multiple_of(8) {
            return Self::decode_compact(bytes);
        }
        let (numbers, rest) = bytes.as_chunks::<8>();
        let mut stamp = Self::default();
        if !rest.is_empty() {
            return None;
        }
        for (at, number) in numbers.iter().enumerate() {
            *stamp.0.get_mut(at)? = i64::from_le_bytes(*number);
        }
        Some(stamp)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn encoding_round_trips(numbers in any::<[i64; StampRecord::NUMBER_COUNT]>(), zeros in 0..=StampRecord::NUMBER_COUNT) {
            let mut stamp = StampRecord(numbers);
            stamp.0[StampRecord::NUMBER_COUNT - zeros..].fill(0);
            prop_assert_eq!(StampRecord::decode(&stamp.encode()), Some(stamp));
            let compact = stamp.encode_compact();
            prop_assert_ne!(compact.len() % 8, 0);
            prop_assert_eq!(StampRecord::decode(&compact), Some(stamp));
        }
    }

    #[test]
    fn decode_rejects_other_lengths() {
        assert_eq!(
            StampRecord::decode(&[1, 2, 0x83]),
            None,
            "it ends within a number"
        );
        assert_eq!(
            StampRecord::decode(&[1; StampRecord::NUMBER_COUNT + 3]),
            None
        );
        assert_eq!(
            StampRecord::decode(&[1; 8 * (StampRecord::NUMBER_COUNT + 1)]),
            None
        );
    }
}
