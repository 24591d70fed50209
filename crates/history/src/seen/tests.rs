//! Property tests of [`Seen`], each against a plain list with one boolean per byte.
#![allow(clippy::single_range_in_vec_init, reason = "one range is meant")]

use proptest::prelude::*;

use super::*;

const SIZE: usize = 48;

/// A reference model with one boolean per byte: slow, but simple enough to be obviously correct.
#[derive(Clone, Debug, PartialEq)]
struct Bitmap(Vec<bool>);

impl Bitmap {
    fn from_seen(seen: &Seen, size: usize) -> Self {
        let mut bits = vec![false; size];
        for range in seen.ranges() {
            for at in range.clone() {
                bits[at as usize] = true;
            }
        }
        Self(bits)
    }
}

fn range() -> impl Strategy<Value = Range<u64>> {
    (0..=SIZE as u64, 0..=SIZE as u64).prop_map(|(a, b)| a.min(b)..a.max(b))
}

fn seen() -> impl Strategy<Value = Seen> {
    prop::collection::vec(range(), 0..5).prop_map(|ranges| {
        let mut seen = Seen::none();
        for range in ranges {
            seen.add(range);
        }
        seen
    })
}

/// Generates sorted changes that do not overlap, including touching and empty ones.
fn changes() -> impl Strategy<Value = Vec<(Range<u64>, u64)>> {
    (
        prop::collection::vec(0..=SIZE as u64, 0..5),
        prop::collection::vec(0..6_u64, 5),
    )
        .prop_map(|(mut points, lengths)| {
            points.sort_unstable();
            if points.len() % 2 == 1 {
                points.push(SIZE as u64);
            }
            points
                .chunks(2)
                .zip(lengths)
                .map(|(pair, length)| (pair[0]..pair[1], length))
                .collect()
        })
}

fn well_formed(seen: &Seen) -> bool {
    seen.ranges().iter().all(|range| range.start < range.end)
        && seen
            .ranges()
            .windows(2)
            .all(|pair| pair[0].end < pair[1].start)
}

proptest! {
    #[test]
    fn adding_sets_exactly_those_bytes(mut seen in seen(), range in range()) {
        let mut model = Bitmap::from_seen(&seen, SIZE);
        model.0[range.start as usize..range.end as usize].fill(true);
        seen.add(range);
        prop_assert!(well_formed(&seen));
        prop_assert_eq!(Bitmap::from_seen(&seen, SIZE), model);
    }

    #[test]
    fn covered_is_what_misses_nothing(seen in seen(), range in range()) {
        let model = Bitmap::from_seen(&seen, SIZE);
        let bytes = range.start as usize..range.end as usize;
        prop_assert_eq!(seen.covers(range.clone()), model.0[bytes].iter().all(|bit| *bit));
        let mut missing = [false; SIZE];
        for gap in seen.missing_from(range.clone()) {
            prop_assert!(gap.start < gap.end);
            missing[gap.start as usize..gap.end as usize].fill(true);
        }
        for (at, bit) in missing.iter().enumerate() {
            prop_assert_eq!(*bit, range.contains(&(at as u64)) && !model.0[at]);
        }
    }

    #[test]
    fn a_change_moves_bytes_along_and_shows_the_new_ones(mut seen in seen(), changes in changes()) {
        let old = Bitmap::from_seen(&seen, SIZE);
        let mut model = Vec::new();
        let mut from = 0;
        for (range, length) in &changes {
            model.extend_from_slice(&old.0[from..range.start as usize]);
            model.extend(std::iter::repeat_n(true, *length as usize));
            from = range.end as usize;
        }
        model.extend_from_slice(&old.0[from..]);
        seen.shift(&changes);
        prop_assert!(well_formed(&seen));
        prop_assert_eq!(Bitmap::from_seen(&seen, model.len()), Bitmap(model));
    }

    #[test]
    fn clipping_keeps_what_stands_before(mut seen in seen(), size in 0..=SIZE) {
        let mut model = Bitmap::from_seen(&seen, SIZE);
        model.0[size..].fill(false);
        seen.clip(size as u64);
        prop_assert!(well_formed(&seen));
        prop_assert_eq!(Bitmap::from_seen(&seen, SIZE), model);
    }

    #[test]
    fn a_union_holds_both_and_no_more(mut one in seen(), other in seen()) {
        let (a, b) = (Bitmap::from_seen(&one, SIZE), Bitmap::from_seen(&other, SIZE));
        one.add_all(&other);
        let both = a.0.iter().zip(&b.0).map(|(a, b)| *a || *b).collect();
        prop_assert_eq!(Bitmap::from_seen(&one, SIZE), Bitmap(both));
    }

    #[test]
    fn what_was_written_is_read_back(seen in seen(), far in any::<u64>()) {
        let mut seen = seen;
        seen.add(far.saturating_sub(1)..far);
        prop_assert_eq!(Seen::decode(&seen.encode()), Some(seen));
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Some(seen) = Seen::decode(&bytes) {
            prop_assert!(well_formed(&seen));
        }
    }

    #[test]
    fn any_changes_are_taken_without_panic(
        ranges in prop::collection::vec((any::<u64>(), any::<u64>()), 0..4),
        changes in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 0..4),
    ) {
        let mut seen = Seen::none();
        for (start, end) in ranges {
            seen.add(start..end);
        }
        seen.shift(&changes.into_iter().map(|(start, end, length)| (start..end, length)).collect::<Vec<_>>());
        prop_assert!(well_formed(&seen));
    }
}

#[test]
fn changes_out_of_order_clear_everything() {
    let mut seen = Seen::whole(100);
    seen.shift(&[(50..60, 1), (10..20, 1)]);
    assert!(seen.is_empty());
    let mut seen = Seen::whole(100);
    seen.shift(&[(10..20, 1), (15..30, 1)]);
    assert!(seen.is_empty());
}

#[test]
fn pages_that_meet_are_the_whole_file() {
    let mut seen = Seen::none();
    seen.add(0..40);
    seen.add(60..100);
    assert!(!seen.is_whole(100));
    assert_eq!(seen.missing_from(0..100), [40..60]);
    seen.add(40..60);
    assert!(seen.is_whole(100));
    assert!(
        Seen::none().is_whole(0),
        "an empty file has no byte that was not seen"
    );
}
