//! Property tests of [`SeenRanges`], each against a plain list with one boolean per byte.
#![allow(clippy::single_range_in_vec_init, reason = "one range is meant")]

use proptest::prelude::*;

use super::*;

const MODEL_SIZE: usize = 48;

/// A reference model with one boolean per byte: slow, but simple enough to be obviously correct.
#[derive(Clone, Debug, PartialEq)]
struct SeenBitmap(Vec<bool>);

impl SeenBitmap {
    fn from_seen(seen: &SeenRanges, size: usize) -> Self {
        let mut bits = vec![false; size];
        for range in seen.ranges() {
            for at in range.clone() {
                bits[at as usize] = true;
            }
        }
        Self(bits)
    }
}

fn generated_range() -> impl Strategy<Value = Range<u64>> {
    (0..=MODEL_SIZE as u64, 0..=MODEL_SIZE as u64).prop_map(|(a, b)| a.min(b)..a.max(b))
}

fn generated_seen() -> impl Strategy<Value = SeenRanges> {
    prop::collection::vec(generated_range(), 0..5).prop_map(|ranges| {
        let mut seen = SeenRanges::nothing_seen();
        for range in ranges {
            seen.add(range);
        }
        seen
    })
}

/// Generates sorted changes that do not overlap, including touching and empty ones.
fn generated_changes() -> impl Strategy<Value = Vec<(Range<u64>, u64)>> {
    (
        prop::collection::vec(0..=MODEL_SIZE as u64, 0..5),
        prop::collection::vec(0..6_u64, 5),
    )
        .prop_map(|(mut points, lengths)| {
            points.sort_unstable();
            if points.len() % 2 == 1 {
                points.push(MODEL_SIZE as u64);
            }
            points
                .chunks(2)
                .zip(lengths)
                .map(|(pair, length)| (pair[0]..pair[1], length))
                .collect()
        })
}

fn is_well_formed(seen: &SeenRanges) -> bool {
    seen.ranges().iter().all(|range| range.start < range.end)
        && seen
            .ranges()
            .windows(2)
            .all(|pair| pair[0].end < pair[1].start)
}

proptest! {
    #[test]
    fn add_marks_exactly_given_bytes(mut seen in generated_seen(), range in generated_range()) {
        let mut model = SeenBitmap::from_seen(&seen, MODEL_SIZE);
        model.0[range.start as usize..range.end as usize].fill(true);
        seen.add(range);
        prop_assert!(is_well_formed(&seen));
        prop_assert_eq!(SeenBitmap::from_seen(&seen, MODEL_SIZE), model);
    }

    #[test]
    fn covers_agrees_with_missing_ranges(seen in generated_seen(), range in generated_range()) {
        let model = SeenBitmap::from_seen(&seen, MODEL_SIZE);
        let bytes = range.start as usize..range.end as usize;
        prop_assert_eq!(seen.covers(range.clone()), model.0[bytes].iter().all(|bit| *bit));
        let mut missing = [false; MODEL_SIZE];
        for gap in seen.missing_from(range.clone()) {
            prop_assert!(gap.start < gap.end);
            missing[gap.start as usize..gap.end as usize].fill(true);
        }
        for (at, bit) in missing.iter().enumerate() {
            prop_assert_eq!(*bit, range.contains(&(at as u64)) && !model.0[at]);
        }
    }

    #[test]
    fn edit_shifts_ranges_and_marks_new_bytes_seen(mut seen in generated_seen(), changes in generated_changes()) {
        let old = SeenBitmap::from_seen(&seen, MODEL_SIZE);
        let mut model = Vec::new();
        let mut from = 0;
        for (range, length) in &changes {
            model.extend_from_slice(&old.0[from..range.start as usize]);
            model.extend(std::iter::repeat_n(true, *length as usize));
            from = range.end as usize;
        }
        model.extend_from_slice(&old.0[from..]);
        seen.apply_edit(&changes);
        prop_assert!(is_well_formed(&seen));
        prop_assert_eq!(SeenBitmap::from_seen(&seen, model.len()), SeenBitmap(model));
    }

    #[test]
    fn truncate_keeps_bytes_before_size(mut seen in generated_seen(), size in 0..=MODEL_SIZE) {
        let mut model = SeenBitmap::from_seen(&seen, MODEL_SIZE);
        model.0[size..].fill(false);
        seen.truncate(size as u64);
        prop_assert!(is_well_formed(&seen));
        prop_assert_eq!(SeenBitmap::from_seen(&seen, MODEL_SIZE), model);
    }

    #[test]
    fn union_contains_exactly_both_sets(mut one in generated_seen(), other in generated_seen()) {
        let (a, b) = (SeenBitmap::from_seen(&one, MODEL_SIZE), SeenBitmap::from_seen(&other, MODEL_SIZE));
        one.add_all(&other);
        let both = a.0.iter().zip(&b.0).map(|(a, b)| *a || *b).collect();
        prop_assert_eq!(SeenBitmap::from_seen(&one, MODEL_SIZE), SeenBitmap(both));
    }

    #[test]
    fn encoding_round_trips(seen in generated_seen(), far in any::<u64>()) {
        let mut seen = seen;
        seen.add(far.saturating_sub(1)..far);
        prop_assert_eq!(SeenRanges::decode(&seen.encode()), Some(seen));
    }

    #[test]
    fn decoding_arbitrary_bytes_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Some(seen) = SeenRanges::decode(&bytes) {
            prop_assert!(is_well_formed(&seen));
        }
    }

    #[test]
    fn arbitrary_changes_never_panic(
        ranges in prop::collection::vec((any::<u64>(), any::<u64>()), 0..4),
        changes in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 0..4),
    ) {
        let mut seen = SeenRanges::nothing_seen();
        for (start, end) in ranges {
            seen.add(start..end);
        }
        seen.apply_edit(&changes.into_iter().map(|(start, end, length)| (start..end, length)).collect::<Vec<_>>());
        prop_assert!(is_well_formed(&seen));
    }
}

#[test]
fn unordered_changes_clear_everything() {
    let mut seen = SeenRanges::all_seen(100);
    seen.apply_edit(&[(50..60, 1), (10..20, 1)]);
    assert!(seen.is_empty());
    let mut seen = SeenRanges::all_seen(100);
    seen.apply_edit(&[(10..20, 1), (15..30, 1)]);
    assert!(seen.is_empty());
}

#[test]
fn adjacent_pages_cover_whole_file() {
    let mut seen = SeenRanges::nothing_seen();
    seen.add(0..40);
    seen.add(60..100);
    assert!(!seen.is_whole(100));
    assert_eq!(seen.missing_from(0..100), [40..60]);
    seen.add(40..60);
    assert!(seen.is_whole(100));
    assert!(
        SeenRanges::nothing_seen().is_whole(0),
        "an empty file has no byte that was not seen"
    );
}
