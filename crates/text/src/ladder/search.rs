//! Finds every occurrence of one sequence in another, overlapping ones included, in time linear in both: `memmem` for
//! bytes, the algorithm of Knuth, Morris and Pratt for anything else and for periodic needles.

use memchr::memmem::Finder;

/// After this many overlapping occurrences in a row the needle is assumed to be periodic, and the search continues by
/// Knuth-Morris-Pratt: starting `memmem` again after each occurrence would cost the length of the needle every time.
const OVERLAPS_BEFORE_STEADY_SEARCH: usize = 16;

/// Returns the offsets of all occurrences of `needle`, overlapping ones included. An empty needle has no occurrence.
pub(super) fn occurrences(haystack: &str, needle: &str) -> Vec<usize> {
    let mut found = Vec::new();
    each_occurrence(haystack, needle, |at| found.push(at));
    found
}

/// Calls `take` with the offset of each occurrence in order. There may be as many as the haystack has bytes, so a
/// caller that only counts needs no list.
pub(super) fn each_occurrence(haystack: &str, needle: &str, take: impl FnMut(usize)) {
    each_place(&Finder::new(needle.as_bytes()), haystack.as_bytes(), take);
}

/// Does the same as [`each_occurrence`] in bytes, with a finder that can be used for several haystacks.
pub(crate) fn each_place(finder: &Finder<'_>, haystack: &[u8], mut take: impl FnMut(usize)) {
    let needle = finder.needle();
    if needle.is_empty() {
        return;
    }
    let mut from = 0;
    let mut last: Option<usize> = None;
    let mut overlaps = 0;
    while let Some(offset) = finder.find(&haystack[from..]) {
        let place = from + offset;
        let overlapping = last.is_some_and(|last| place - last < needle.len());
        overlaps = if overlapping { overlaps + 1 } else { 0 };
        if overlaps == OVERLAPS_BEFORE_STEADY_SEARCH {
            let rest = &haystack[place..];
            each_sequence(
                needle.len(),
                rest.len(),
                |a, b| needle[a] == needle[b],
                |at, b| rest[at] == needle[b],
                |at| take(place + at),
            );
            return;
        }
        take(place);
        last = Some(place);
        from = place + 1;
    }
}

/// Returns the starts of all windows of a text that equal the pattern item by item. `same` compares two items of the
/// pattern, `matches` an item of the text with one of the pattern; together they must be an equivalence. An empty
/// pattern matches before every item and at the end.
pub(super) fn sequences(
    pattern: usize,
    text: usize,
    same: impl Fn(usize, usize) -> bool,
    matches: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    let mut found = Vec::new();
    each_sequence(pattern, text, same, matches, |at| found.push(at));
    found
}

/// Runs Knuth-Morris-Pratt over items that are given by their index.
fn each_sequence(
    pattern: usize,
    text: usize,
    same: impl Fn(usize, usize) -> bool,
    matches: impl Fn(usize, usize) -> bool,
    mut take: impl FnMut(usize),
) {
    if pattern == 0 {
        (0..=text).for_each(take);
        return;
    }
    // The failure function: `borders[i]` is the length of the longest proper border of the pattern's first `i + 1`
    // items.
    let mut borders = vec![0; pattern];
    let mut length = 0;
    for at in 1..pattern {
        while length > 0 && !same(at, length) {
            length = borders[length - 1];
        }
        if same(at, length) {
            length += 1;
        }
        borders[at] = length;
    }
    length = 0;
    for at in 0..text {
        while length > 0 && (length == pattern || !matches(at, length)) {
            length = borders[length - 1];
        }
        if matches(at, length) {
            length += 1;
        }
        if length == pattern {
            take(at + 1 - pattern);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(haystack: &str, needle: &str) -> Vec<usize> {
        (0..haystack.len())
            .filter(|&at| haystack.as_bytes()[at..].starts_with(needle.as_bytes()))
            .collect()
    }

    #[test]
    fn a_periodic_needle_is_counted_at_every_place() {
        let haystack = "a".repeat(300_000);
        let needle = "a".repeat(100_000);
        assert_eq!(occurrences(&haystack, &needle).len(), 200_001);
    }

    #[test]
    fn an_empty_pattern_stands_everywhere_and_an_empty_needle_nowhere() {
        assert_eq!(sequences(0, 2, |_, _| true, |_, _| true), [0, 1, 2]);
        assert!(occurrences("abc", "").is_empty());
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn occurrences_are_those_of_trying_every_offset(
            haystack in "[ab]{0,60}", needle in "[ab]{1,5}"
        ) {
            prop_assert_eq!(occurrences(&haystack, &needle), naive(&haystack, &needle));
            let (text, pattern) = (haystack.as_bytes(), needle.as_bytes());
            let steady = sequences(
                pattern.len(), text.len(),
                |a, b| pattern[a] == pattern[b], |at, b| text[at] == pattern[b],
            );
            prop_assert_eq!(steady, naive(&haystack, &needle));
        }
    }
}
