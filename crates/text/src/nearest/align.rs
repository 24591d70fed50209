//! Approximate string matching by Sellers' algorithm: the part of a text that is the fewest edits away from a pattern.
//! The cost is the product of both lengths, so both must be short.

use std::ops::Range;

/// Which edge of the text the match must include.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchAnchor {
    /// Neither: the match may be anywhere.
    Free,
    /// The match begins where the text begins.
    Start,
    /// The match ends where the text ends.
    End,
}

/// Returns the part of `text` that is the fewest edits away from `pattern`; among equally good ones the longest, then
/// the first.
pub(super) fn best_alignment(pattern: &str, text: &str, anchor: MatchAnchor) -> Range<usize> {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut places: Vec<(usize, char)> = text.char_indices().collect();
    if anchor == MatchAnchor::End {
        // A match at the end is a match at the start of the reversed texts.
        let mirrored: Vec<char> = pattern.iter().rev().copied().collect();
        places.reverse();
        let characters: Vec<char> = places.iter().map(|(_, character)| *character).collect();
        let found = align_by_dynamic_programming(&mirrored, &characters, MatchAnchor::Start);
        let start = if found.end == 0 {
            text.len()
        } else {
            places[found.end - 1].0
        };
        return start..text.len();
    }
    let characters: Vec<char> = places.iter().map(|(_, character)| *character).collect();
    let found = align_by_dynamic_programming(&pattern, &characters, anchor);
    let offset = |at: usize| places.get(at).map_or(text.len(), |(offset, _)| *offset);
    offset(found.start)..offset(found.end)
}

/// Runs Sellers' dynamic programming: Levenshtein's, except that a match may begin anywhere unless it is anchored.
fn align_by_dynamic_programming(
    pattern: &[char],
    text: &[char],
    anchor: MatchAnchor,
) -> Range<usize> {
    // Each cell holds the number of edits so far, and where in the text that match began.
    let begin = |at: usize| {
        if anchor == MatchAnchor::Start {
            (at, 0)
        } else {
            (0, at)
        }
    };
    let mut row: Vec<(usize, usize)> = (0..=text.len()).map(begin).collect();
    for (i, wanted) in pattern.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = (i + 1, 0);
        for (j, character) in text.iter().enumerate() {
            let through = (diagonal.0 + usize::from(wanted != character), diagonal.1);
            let missing = (row[j + 1].0 + 1, row[j + 1].1);
            let extra = (row[j].0 + 1, row[j].1);
            diagonal = row[j + 1];
            // Among equally short matches the one that began first is chosen: characters between two characters of the
            // pattern belong to the match, and its first character is not given up for them.
            row[j + 1] = through.min(missing).min(extra);
        }
    }
    let rank = |at: usize| (row[at].0, usize::MAX - (at - row[at].1));
    let end = (0..row.len()).min_by_key(|&at| rank(at)).unwrap_or(0);
    row[end].1..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligns_anywhere_without_anchor() {
        assert_eq!(best_alignment("b d", "a b c d", MatchAnchor::Free), 2..5);
        assert_eq!(best_alignment("bcd", "aabxdee", MatchAnchor::Free), 2..5);
        assert_eq!(best_alignment("x", "", MatchAnchor::Free), 0..0);
        assert_eq!(best_alignment("", "abc", MatchAnchor::Free), 0..0);
    }

    #[test]
    fn alignment_includes_extra_characters_near_its_ends() {
        assert_eq!(
            best_alignment("f(a, b)", "x = f (a, b)", MatchAnchor::Free),
            4..12
        );
        assert_eq!(
            best_alignment("${HOME}/bin", "a $ {HOME}/bin", MatchAnchor::Free),
            2..14
        );
        assert_eq!(
            best_alignment("(a, b)f", "(a, b) f = x", MatchAnchor::Free),
            0..8
        );
    }

    #[test]
    fn aligns_at_anchored_edge() {
        assert_eq!(best_alignment("abc", "abd, e", MatchAnchor::Start), 0..3);
        assert_eq!(best_alignment("foo(", "  x = fo(", MatchAnchor::End), 6..9);
        assert_eq!(best_alignment("é(", "x = è(", MatchAnchor::End), 4..7);
    }
}
