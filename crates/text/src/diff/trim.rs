//! The common start and the common end of two texts, in whole lines.

/// Returns how many bytes both texts have in common at the start, up to the last line start in both.
pub(crate) fn common_head(old: &str, new: &str) -> usize {
    let shared = common_prefix(old.as_bytes(), new.as_bytes());
    if shared == old.len() && shared == new.len() {
        return shared;
    }
    memchr::memrchr(b'\n', &old.as_bytes()[..shared]).map_or(0, |at| at + 1)
}

/// Returns how many bytes both texts have in common at the end, from a line start in both.
pub(crate) fn common_tail(old: &str, new: &str) -> usize {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let shared = common_suffix(old, new);
    let begins_line = |text: &[u8]| {
        let at = text.len() - shared;
        at == 0 || text[at - 1] == b'\n'
    };
    if begins_line(old) && begins_line(new) {
        return shared;
    }
    let tail = &old[old.len() - shared..];
    memchr::memchr(b'\n', tail).map_or(0, |at| shared - at - 1)
}

/// Slices of this length are compared first, which is as fast as the memory.
const COMPARED_BLOCK: usize = 4096;

/// Returns the length of the common start.
pub(crate) fn common_prefix(old: &[u8], new: &[u8]) -> usize {
    let most = old.len().min(new.len());
    let mut at = 0;
    while at + COMPARED_BLOCK <= most
        && old[at..at + COMPARED_BLOCK] == new[at..at + COMPARED_BLOCK]
    {
        at += COMPARED_BLOCK;
    }
    at + old[at..most]
        .iter()
        .zip(&new[at..most])
        .take_while(|(left, right)| left == right)
        .count()
}

/// Returns the length of the common end.
pub(crate) fn common_suffix(old: &[u8], new: &[u8]) -> usize {
    let most = old.len().min(new.len());
    let (old, new) = (&old[old.len() - most..], &new[new.len() - most..]);
    let mut left = most;
    while left >= COMPARED_BLOCK
        && old[left - COMPARED_BLOCK..left] == new[left - COMPARED_BLOCK..left]
    {
        left -= COMPARED_BLOCK;
    }
    let same = old[..left]
        .iter()
        .rev()
        .zip(new[..left].iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    most - left + same
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_only_whole_lines() {
        assert_eq!(common_head("a\nbc\n", "a\nbd\n"), 2);
        assert_eq!(common_head("a", "a\nb"), 0);
        assert_eq!(common_head("a\n", "a\n"), 2);
        assert_eq!(common_tail("xa\nb\n", "ya\nb\n"), 2);
        assert_eq!(common_tail("b\n", "a\nb\n"), 2);
        assert_eq!(common_tail("ab", "b"), 0);
        assert_eq!(common_tail("a\nb", "b"), 1);
    }

    #[test]
    fn counts_long_common_runs_exactly() {
        let mut old = "x".repeat(COMPARED_BLOCK * 3);
        let mut new = old.clone();
        old.push('a');
        new.push('b');
        assert_eq!(
            common_prefix(old.as_bytes(), new.as_bytes()),
            COMPARED_BLOCK * 3
        );
        let (old, new) = (format!("a{}", &new), format!("b{}", &new));
        assert_eq!(
            common_suffix(old.as_bytes(), new.as_bytes()),
            COMPARED_BLOCK * 3 + 1
        );
    }
}
