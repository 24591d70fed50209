//! A three-way merge (diff3) with the old text as base: where the file differs from the old text, the new text gets the
//! file's text, unless the edit changed that part itself. In doubt the new text stays as it was sent.

use std::ops::Range;

/// The number of cells that the table of one comparison may have.
const MAX_TABLE_CELLS: usize = 1 << 20;

/// A difference between the base and one side.
#[derive(Debug, Clone)]
struct SideHunk {
    base: Range<usize>,
    /// The number of items that the side has more than the base here.
    grows: isize,
    side: Side,
}

/// The changed list that a hunk belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Ours,
    Theirs,
}

/// Resolves a conflict: maps the items of base, ours and theirs to the items of the result.
pub(super) type ConflictResolver<'d, T> = &'d dyn Fn(&[T], &[T], &[T]) -> Vec<T>;

/// Returns `ours` with the changes from `base` to `theirs` applied. Where both changed the same items and neither
/// change contains the other, `on_conflict` decides. `None` where the lists are too long.
pub(super) fn merge_lists<T: PartialEq + Clone>(
    base: &[T],
    ours: &[T],
    theirs: &[T],
    on_conflict: ConflictResolver<'_, T>,
) -> Option<Vec<T>> {
    let mut hunks = diff_hunks(base, ours, Side::Ours)?;
    hunks.extend(self::diff_hunks(base, theirs, Side::Theirs)?);
    hunks.sort_by_key(|hunk| (hunk.base.start, hunk.base.end));
    let mut merged = Vec::with_capacity(ours.len());
    let mut done = 0;
    let (mut ours_shift, mut theirs_shift) = (0isize, 0isize);
    let mut rest = hunks.as_slice();
    while let Some((first, _)) = rest.split_first() {
        let mut region = first.base.clone();
        let mut inserted_at = first.base.is_empty().then_some(first.base.start);
        let mut count = 1;
        while let Some(next) = rest.get(count) {
            let touches = next.base.start < region.end
                || (next.base.start == region.end
                    && (next.base.is_empty() || inserted_at == Some(region.end)));
            if !touches {
                break;
            }
            if next.base.is_empty() {
                inserted_at = Some(next.base.start);
            }
            region.end = region.end.max(next.base.end);
            count += 1;
        }
        let (here, later) = rest.split_at(count);
        rest = later;
        let grown = |side: Side| -> isize {
            let of_side = here.iter().filter(|hunk| hunk.side == side);
            of_side.map(|hunk| hunk.grows).sum()
        };
        let image = |shift: isize, grown: isize| {
            region.start.saturating_add_signed(shift)
                ..region.end.saturating_add_signed(shift + grown)
        };
        let (ours_grown, theirs_grown) = (grown(Side::Ours), grown(Side::Theirs));
        let ours_part = ours.get(image(ours_shift, ours_grown))?;
        let theirs_part = theirs.get(image(theirs_shift, theirs_grown))?;
        merged.extend_from_slice(base.get(done..region.start)?);
        merged.extend(resolve_range(
            base.get(region.clone())?,
            ours_part,
            theirs_part,
            on_conflict,
        ));
        done = region.end;
        ours_shift += ours_grown;
        theirs_shift += theirs_grown;
    }
    merged.extend_from_slice(base.get(done..)?);
    Some(merged)
}

/// Returns the result for a range that at least one side changed.
fn resolve_range<T: PartialEq + Clone>(
    base: &[T],
    ours: &[T],
    theirs: &[T],
    on_conflict: ConflictResolver<'_, T>,
) -> Vec<T> {
    if ours == theirs || theirs == base {
        return ours.to_vec();
    }
    if ours == base {
        return theirs.to_vec();
    }
    let head = count_common_start(ours.iter(), theirs.iter());
    let tail = count_common_start(ours[head..].iter().rev(), theirs[head..].iter().rev());
    if head + tail > 0 {
        let (ours_end, theirs_end) = (ours.len() - tail, theirs.len() - tail);
        let middle = resolve_range(
            base,
            &ours[head..ours_end],
            &theirs[head..theirs_end],
            on_conflict,
        );
        return [&ours[..head], &middle, &ours[ours_end..]].concat();
    }
    if !base.is_empty() {
        // One side only put something around what the other side changed.
        if let Some(at) = find_sublist(theirs, base) {
            return [&theirs[..at], ours, &theirs[at + base.len()..]].concat();
        }
        if let Some(at) = find_sublist(ours, base) {
            return [&ours[..at], theirs, &ours[at + base.len()..]].concat();
        }
    }
    // The other side only removed what surrounds a part of the base, so the same is removed here.
    if let Some(at) = find_sublist(base, theirs) {
        let (before, after) = (&base[..at], &base[at + theirs.len()..]);
        let ours = ours.strip_prefix(before).unwrap_or(ours);
        return ours.strip_suffix(after).unwrap_or(ours).to_vec();
    }
    on_conflict(base, ours, theirs)
}

/// Returns the index of the part in the whole.
fn find_sublist<T: PartialEq>(whole: &[T], part: &[T]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    whole.windows(part.len()).position(|window| window == part)
}

/// Returns how many items both iterators begin with.
fn count_common_start<'t, T: PartialEq + 't>(
    one: impl Iterator<Item = &'t T>,
    other: impl Iterator<Item = &'t T>,
) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

/// Returns the differences in order, by a longest common subsequence; `None` where that would take too long.
fn diff_hunks<T: PartialEq>(base: &[T], other: &[T], side: Side) -> Option<Vec<SideHunk>> {
    let mut hunks = Vec::new();
    let (mut base_done, mut other_done) = (0, 0);
    let mut close = |base_at: usize, other_at: usize| {
        if base_at > base_done || other_at > other_done {
            hunks.push(SideHunk {
                base: base_done..base_at,
                grows: (other_at - other_done) as isize - (base_at - base_done) as isize,
                side,
            });
        }
        (base_done, other_done) = (base_at + 1, other_at + 1);
    };
    for (base_at, other_at) in common_subsequence(base, other)? {
        close(base_at, other_at);
    }
    close(base.len(), other.len());
    Some(hunks)
}

/// Returns the index pairs of a longest common subsequence, by dynamic programming; `None` where the lists are too
/// long.
pub(super) fn common_subsequence<T: PartialEq>(
    one: &[T],
    other: &[T],
) -> Option<Vec<(usize, usize)>> {
    let head = count_common_start(one.iter(), other.iter());
    let tail = count_common_start(one[head..].iter().rev(), other[head..].iter().rev());
    let (a, b) = (
        &one[head..one.len() - tail],
        &other[head..other.len() - tail],
    );
    let width = b.len() + 1;
    if (a.len() + 1).saturating_mul(width) > MAX_TABLE_CELLS {
        return None;
    }
    // Each cell holds the length of the longest common subsequence of the rests.
    let mut table = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            table[i * width + j] = if a[i] == b[j] {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs.push((head + i, head + j));
            i += 1;
            j += 1;
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs.extend((0..tail).map(|at| (one.len() - tail + at, other.len() - tail + at)));
    shift_pairs_to_earliest(&mut pairs, one, other);
    Some(pairs)
}

/// Moves pairs among equal neighbouring items to the first of them, so that additional items are found at the same
/// place in both lists.
fn shift_pairs_to_earliest<T: PartialEq>(pairs: &mut [(usize, usize)], one: &[T], other: &[T]) {
    let mut next = (0, 0);
    for pair in pairs {
        let between = &other[next.1..pair.1];
        if let Some(at) = between.iter().position(|item| *item == one[pair.0]) {
            pair.1 = next.1 + at;
        } else if let Some(at) = (next.0..pair.0).find(|&at| one[at] == other[pair.1]) {
            pair.0 = at;
        }
        next = (pair.0 + 1, pair.1 + 1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn merge_text_characters(base: &str, ours: &str, theirs: &str) -> String {
        let list = |text: &str| -> Vec<char> { text.chars().collect() };
        let ours_wins = |_: &[char], ours: &[char], _: &[char]| ours.to_vec();
        merge_lists(&list(base), &list(ours), &list(theirs), &ours_wins)
            .expect("short")
            .into_iter()
            .collect()
    }

    #[test]
    fn merges_changes_of_both_sides() {
        for (base, ours, theirs, wanted) in [
            ("abc", "aBc", "abc", "aBc"),
            ("abc", "abc", "aXc", "aXc"),
            // Additional items of the file stay, also next to a change.
            ("abc", "aBc", "a_bc", "a_Bc"),
            ("abc", "a_Bc", "a_bc", "a_Bc"),
            ("abc", "aBc", "ab_c", "aB_c"),
            // Items that the file lacks are removed, also next to a change.
            ("a_bc", "a_Bc", "abc", "aBc"),
            ("a_bc", "aBc", "abc", "aBc"),
            ("fabf", "faBf", "ab", "aB"),
            // A gap is filled.
            ("a.c", "A.C", "axyzc", "AxyzC"),
            ("abc", "xyz", "aQc", "xyz"),
            // Of several equal items it does not matter which one is additional.
            ("a_bc", "A__bc", "a__bc", "A__bc"),
            ("", "x", "", "x"),
        ] {
            assert_eq!(
                merge_text_characters(base, ours, theirs),
                wanted,
                "{base} {ours} {theirs}"
            );
        }
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn merge_with_unchanged_base_changes_nothing(base in "[ab_]{0,8}", ours in "[abc_]{0,8}") {
            prop_assert_eq!(merge_text_characters(&base, &ours, &base), ours.clone());
            prop_assert_eq!(merge_text_characters(&base, &base, &ours), ours.clone());
            prop_assert_eq!(merge_text_characters(&base, &ours, &ours), ours);
        }

        #[test]
        fn accepts_any_three_texts(base in "[ab_]{0,8}", ours in "[abc_]{0,8}", theirs in "[abc_]{0,8}") {
            merge_text_characters(&base, &ours, &theirs);
        }
    }
}
