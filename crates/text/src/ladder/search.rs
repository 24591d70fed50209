//! Finds every occurrence of one sequence in another, overlapping ones included, in time linear in both: `memmem` for
//! bytes, the algorithm of Knuth, Morris and Pratt for anything else and for periodic needles.

use memchr::memmem::Finder;

/// After this many overlapping occurrences in a row the needle is assumed to be periodic, and the search continues by
/// Knuth-Morris-Pratt: starting `memmem` again after each occurrence would cost the length of the needle every time.
const OVERLAPS_BEFORE_STEADY_SEARCH: usize = 16;

/// Returns the offsets of all occurrences of `needle`, overlapping ones included. An empty needle has no occurrence.
pub(super) fn occurrences(haystack: &str, needle: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for_each_occurrence(haystack, needle, |at| found.push(at));
    found
}

/// Calls `take` with the offset of each occurrence in order. There may be as many as the haystack has bytes, so a
/// caller that only counts needs no list.
pub(super) fn for_each_occurrence(haystack: &str, needle: &str, take: impl FnMut(usize)) {
    for_each_place(&Finder::new(needle.as_bytes()), haystack.as_bytes(), take);
}

/// Does the same as [`for_each_occurrence`] in bytes, with a finder that can be used for several haystacks.
pub(crate) fn for_each_place(finder: &Finder<'_>, haystack: &[u8], mut take: impl FnMut(usize)) {
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
            for_each_matching_window(
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
pub(super) fn matching_windows(
    pattern: usize,
    text: usize,
    same: impl Fn(usize, usize) -> bool,
    matches: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    let mut found = Vec::new();
    for_each_matching_window(pattern, text, same, matches, |at| found.push(at));
    found
}

/// Runs Knuth-Morris-Pratt over items that are given by their index.
fn for_each_matching_window(
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

    fn naive_occurrences(haystack: &str, needle: &str) -> Vec<usize> {
        (0..haystack.len())
            .filter(|&at| haystack.as_bytes()[at..].starts_with(needle.as_bytes()))
            .collect()
    }

    #[test]
    fn counts_overlapping_occurrences_of_periodic_needle() {
        let haystack = "a".repeat(300_000);
        let needle = "a".repeat(100_000);
        assert_eq!(occurrences(&haystack, &needle).len(), 200_001);
    }

    #[test]
    fn empty_pattern_matches_everywhere_and_empty_needle_nowhere() {
        assert_eq!(matching_windows(0, 2, |_, _| true, |_, _| true), [0, 1, 2]);
        assert!(occurrences("abc", "").is_empty());
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn occurrences_agree_with_naive_search(
            haystack in "[ab]{0,60}", needle in "[ab]{1,5}"
        ) {
            prop_assert_eq!(occurrences(&haystack, &needle), naive_occurrences(&haystack, &needle));
            let (text, pattern) = (haystack.as_bytes(), needle.as_bytes());
            let steady = matching_windows(
                pattern.len(), text.len(),
                |a, b| pattern[a] == pattern[b], |at, b| text[at] == pattern[b],
            );
            prop_assert_eq!(steady, naive_occurrences(&haystack, &needle));
        }
    }
}
