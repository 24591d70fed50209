//! Counts how many items two lists share at their beginning and at their end, so that only the items between are
//! replaced.

/// Returns the number of items that both lists begin with, and the number that both end with. No item counts twice.
pub(crate) fn shared_ends<A, B>(
    old: &[A],
    new: &[B],
    is_same: impl Fn(&A, &B) -> bool,
) -> (usize, usize) {
    let same = |pair: &(&A, &B)| is_same(pair.0, pair.1);
    let before = old.iter().zip(new).take_while(same).count();
    let (old, new) = (&old[before..], &new[before..]);
    let from_the_end = old.iter().rev().zip(new.iter().rev());
    (before, from_the_end.take_while(same).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_ends_do_not_overlap() {
        let ends =
            |old: &str, new: &str| shared_ends(old.as_bytes(), new.as_bytes(), |a, b| a == b);
        assert_eq!(ends("abc", "axc"), (1, 1));
        assert_eq!(ends("aa", "aaa"), (2, 0));
        assert_eq!(ends("ab", "ab"), (2, 0));
        assert_eq!(ends("xab", "ab"), (0, 2));
        assert_eq!(ends("", "ab"), (0, 0));
    }
}
