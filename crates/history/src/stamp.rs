//! The stat stamp as the ledger stores it: integers whose meaning only the workspace crate knows. This crate only
//! copies, stores and compares them. It therefore needs no dependency on that crate, and an additional number needs
//! no migration.

/// A stat stamp: up to sixteen integers whose meaning the caller defines. All zeros mean that there is no stamp.
///
/// In the store each integer takes eight bytes, little endian, without trailing zeros; missing integers are read as
/// zeros.
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

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
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
        }
    }

    #[test]
    fn decode_rejects_other_lengths() {
        assert_eq!(StampRecord::decode(&[1, 2, 3]), None);
        assert_eq!(
            StampRecord::decode(&[1; 8 * (StampRecord::NUMBER_COUNT + 1)]),
            None
        );
    }
}
