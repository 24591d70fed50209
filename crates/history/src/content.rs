//! Applies edits to content in memory in place, so that a file of 20 MB is not copied for each edit of one line.

use std::ops::Range;
use std::sync::Arc;

/// A range of the bytes before the change, and the bytes that replace it.
pub type RawChange<'a> = (Range<u64>, &'a [u8]);

/// The error for changes that are not sorted, overlap, or reach past the end of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the changes do not fit the content: they must be sorted, disjoint and inside it")]
pub struct ChangesDoNotFit;

/// Spare capacity of content that had to grow, so that the next small edits need no allocation.
const SPARE_CAPACITY: usize = 64 * 1024;

/// Applies sorted, disjoint changes to `content`: in place if this is the only reference to it, otherwise to a copy
/// made in the same pass.
///
/// # Errors
/// The changes do not fit; the content is then unchanged.
pub fn apply_changes(
    content: &mut Arc<Vec<u8>>,
    changes: &[RawChange<'_>],
) -> Result<(), ChangesDoNotFit> {
    let growth = length_growth(content.len(), changes)?;
    match Arc::get_mut(content) {
        Some(bytes) => revise_in_place(bytes, changes, growth.most),
        None => *content = Arc::new(revised_copy(content, changes, growth.last)),
    }
    Ok(())
}

/// The number of bytes by which the new content is ahead of the old one: the maximum after any change, and the value
/// after the last one.
struct LengthGrowth {
    most: usize,
    last: isize,
}

fn length_growth(
    length: usize,
    changes: &[RawChange<'_>],
) -> Result<LengthGrowth, ChangesDoNotFit> {
    let mut done = 0;
    let mut growth = LengthGrowth { most: 0, last: 0 };
    for (range, bytes) in changes {
        if range.start < done || range.end < range.start || range.end > length as u64 {
            return Err(ChangesDoNotFit);
        }
        growth.last += bytes.len() as isize - (range.end - range.start) as isize;
        growth.most = growth.most.max(usize::try_from(growth.last).unwrap_or(0));
        done = range.end;
    }
    Ok(growth)
}

/// Moves everything after the first change back by the maximal growth, then copies forward from the front. The time
/// is linear in the length, whatever the number of changes, and writing never overtakes reading.
fn revise_in_place(bytes: &mut Vec<u8>, changes: &[RawChange<'_>], room: usize) {
    let Some((first, _)) = changes.first() else {
        return;
    };
    let old_length = bytes.len();
    let start = first.start as usize;
    if room > 0 {
        if bytes.capacity() - old_length < room {
            bytes.reserve_exact(room + SPARE_CAPACITY);
        }
        bytes.resize(old_length + room, 0);
        bytes.copy_within(start..old_length, start + room);
    }
    let mut written = start;
    let mut done = start;
    for (range, new) in changes {
        let (from, to) = (range.start as usize, range.end as usize);
        if written != done + room {
            bytes.copy_within(done + room..from + room, written);
        }
        written += from - done;
        bytes[written..written + new.len()].copy_from_slice(new);
        written += new.len();
        done = to;
    }
    if written != done + room {
        bytes.copy_within(done + room.., written);
    }
    bytes.truncate(written + old_length - done);
    if bytes.capacity() / 2 > bytes.len() + SPARE_CAPACITY {
        bytes.shrink_to_fit();
    }
}

fn revised_copy(old: &[u8], changes: &[RawChange<'_>], growth: isize) -> Vec<u8> {
    let mut new = Vec::with_capacity(old.len().saturating_add_signed(growth));
    let mut done = 0;
    for (range, bytes) in changes {
        new.extend_from_slice(&old[done..range.start as usize]);
        new.extend_from_slice(bytes);
        done = range.end as usize;
    }
    new.extend_from_slice(&old[done..]);
    new
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn in_place_and_copied_revisions_are_equal(
            old in prop::collection::vec(any::<u8>(), 0..60),
            points in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
            new in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 4),
        ) {
            let mut points: Vec<u64> = points.iter().map(|point| point.index(old.len() + 1) as u64).collect();
            points.sort_unstable();
            let changes: Vec<RawChange<'_>> =
                points.chunks_exact(2).zip(&new).map(|(pair, new)| (pair[0]..pair[1], new.as_slice())).collect();
            // The model applies the changes from the last to the first, so that no position moves before its change
            // is applied.
            let mut model = old.clone();
            for (range, new) in changes.iter().rev() {
                model.splice(range.start as usize..range.end as usize, new.iter().copied());
            }
            let mut alone = Arc::new(old.clone());
            prop_assert_eq!(apply_changes(&mut alone, &changes), Ok(()));
            prop_assert_eq!(&*alone, &model);
            let mut shared = Arc::new(old.clone());
            let other = Arc::clone(&shared);
            prop_assert_eq!(apply_changes(&mut shared, &changes), Ok(()));
            prop_assert_eq!(&*shared, &model);
            prop_assert_eq!(&*other, &old);
        }
    }

    #[test]
    fn revises_unshared_content_in_place() {
        let mut content = Arc::new(vec![b'x'; 1 << 20]);
        apply_changes(&mut content, &[(0..0, b"grown")]).expect("fits");
        let place = content.as_ptr();
        for _ in 0..100 {
            apply_changes(&mut content, &[(5..6, b"yy"), (100..100, b"zzz")]).expect("fits");
            apply_changes(&mut content, &[(7..11, b"")]).expect("fits");
        }
        assert_eq!(content.as_ptr(), place);
        assert_eq!(content.len(), (1 << 20) + 5);
    }

    #[test]
    fn shrunk_content_releases_capacity() {
        let mut content = Arc::new(vec![b'x'; 1 << 20]);
        apply_changes(&mut content, &[(10..1 << 20, b"")]).expect("fits");
        assert!(content.capacity() < SPARE_CAPACITY);
    }

    #[test]
    fn invalid_changes_leave_content_unchanged() {
        let mut content = Arc::new(b"abcdef".to_vec());
        let backwards = Range { start: 3, end: 2 };
        for changes in [
            vec![(0..7, &b"x"[..])],
            vec![(3..4, b"x"), (1..2, b"y")],
            vec![(1..4, b"x"), (3..5, b"y")],
            vec![(backwards, b"x")],
            vec![(u64::MAX..u64::MAX, b"x")],
        ] {
            assert_eq!(apply_changes(&mut content, &changes), Err(ChangesDoNotFit));
        }
        assert_eq!(content.as_slice(), b"abcdef");
    }
}
