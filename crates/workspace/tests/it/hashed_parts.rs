//! The revision that is computed from the hashes of parts is BLAKE3 of the whole content, whatever was changed before.

use lancet_text::{RawChange, apply_raw};
use lancet_workspace::{HashedParts, Revision};
use proptest::prelude::*;

/// The length of a part.
const PART: usize = 32 << 10;

/// The length of a part of content that is at most two parts long.
const SMALL_PART: usize = 8 << 10;

/// The length of a chunk of BLAKE3.
const CHUNK: usize = 1 << 10;

/// A change as the strategy generates it: where it begins, how many bytes it removes and how many it inserts.
type Drawn = (usize, usize, usize);

fn content(length: usize, seed: u8) -> Vec<u8> {
    (0..length)
        .map(|at| (at / 7 + at / 300) as u8 ^ seed)
        .collect()
}

/// Generates places anywhere, and on and next to the borders of chunks and parts.
fn place() -> impl Strategy<Value = usize> {
    prop_oneof![
        0..9 * PART,
        0..3 * PART,
        (0..9_usize, 0..3_usize).prop_map(|(part, by)| (part * SMALL_PART + by).saturating_sub(1)),
        (0..9 * PART / CHUNK, 0..3_usize)
            .prop_map(|(chunk, by)| (chunk * CHUNK + by).saturating_sub(1)),
        (0..9_usize, 0..3_usize).prop_map(|(part, by)| (part * PART + by).saturating_sub(1)),
    ]
}

/// Generates lengths of nothing, of a few bytes, of chunks and of parts.
fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        0..200_usize,
        0..3 * PART,
        prop::sample::select(vec![
            CHUNK - 1,
            CHUNK,
            CHUNK + 1,
            SMALL_PART - 1,
            SMALL_PART,
            SMALL_PART + 1,
            PART - 1,
            PART,
            PART + 1,
            2 * PART
        ]),
    ]
}

fn change() -> impl Strategy<Value = Drawn> {
    prop_oneof![
        (place(), length(), length()),
        // The length does not change.
        (place(), length()).prop_map(|(at, length)| (at, length, length)),
    ]
}

/// Returns changes that fit a base of `base` bytes, sorted and without overlaps.
fn fitted(base: usize, drawn: &[Drawn], seed: u8) -> Vec<RawChange> {
    let mut places: Vec<_> = drawn
        .iter()
        .map(|(at, removed, inserted)| (at % (base + 1), *removed, *inserted))
        .collect();
    places.sort_unstable();
    let mut from = 0;
    let change = |(at, removed, inserted): Drawn| {
        let start = at.max(from);
        let end = (start + removed).min(base);
        from = end;
        RawChange {
            range: start as u64..end as u64,
            bytes: content(inserted, seed),
        }
    };
    places.into_iter().map(change).collect()
}

proptest! {
    #![proptest_config(lancet_testing::laws::config_of(lancet_testing::laws::limited(lancet_testing::laws::cases(), 500)))]

    #[test]
    fn hashed_parts_give_the_revision_of_the_whole(
        size in place(),
        edits in prop::collection::vec(prop::collection::vec(change(), 0..4), 1..6),
    ) {
        let mut bytes = content(size, 0);
        let mut known = HashedParts::after_changes(&bytes, &[], None);
        for (number, drawn) in edits.iter().enumerate() {
            let changes = fitted(bytes.len(), drawn, number as u8 + 1);
            let next = HashedParts::after_changes(&bytes, &changes, known.as_ref());
            bytes = apply_raw(&bytes, &changes);
            prop_assert_eq!(next.is_none(), bytes.len() <= SMALL_PART);
            prop_assert_eq!(&next, &HashedParts::after_changes(&bytes, &[], None));
            if let Some(next) = &next {
                prop_assert_eq!(next.length(), bytes.len());
                prop_assert_eq!(next.revision(), Revision::from_content(&bytes));
            }
            known = next;
        }
    }
}
