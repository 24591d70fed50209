//! The stat stamp as the ledger keeps it: plain integers that mean nothing here.
//! The door to the disk decides what stands where; this crate copies, stores and compares nothing but the numbers, so
//! that it depends on no other crate of the house and a further number needs no migration.

/// A stat stamp: up to sixteen integers whose meaning is the caller's. All zero says that there is none.
///
/// In the store each is eight bytes, lowest first, and trailing zeros are left out: a stamp written with fewer
/// numbers is read back with zeros for the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StampRecord(pub [i64; StampRecord::NUMBERS]);

impl StampRecord {
    /// How many integers a stamp holds.
    pub const NUMBERS: usize = 16;

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
        fn what_was_written_is_read_back(numbers in any::<[i64; StampRecord::NUMBERS]>(), zeros in 0..=StampRecord::NUMBERS) {
            let mut stamp = StampRecord(numbers);
            stamp.0[StampRecord::NUMBERS - zeros..].fill(0);
            prop_assert_eq!(StampRecord::decode(&stamp.encode()), Some(stamp));
        }
    }

    #[test]
    fn bytes_of_another_length_are_no_stamp() {
        assert_eq!(StampRecord::decode(&[1, 2, 3]), None);
        assert_eq!(
            StampRecord::decode(&[1; 8 * (StampRecord::NUMBERS + 1)]),
            None
        );
    }
}
