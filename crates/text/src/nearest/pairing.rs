//! Aligns the lines of a text with lines of the file, where lines were changed, left out or added: Needleman and
//! Wunsch's alignment, except that lines of the file before and after the match cost nothing.
//!
//! A pair scores its likeness times the weight of the line, so that a pair of alike lines always beats two gaps, and
//! long lines count more than brackets. A rewritten line costs a little less than a gap on one side, so that it pairs
//! with the line in its place.

use std::ops::Range;

use super::likeness::TextProfile;

/// The number of lines of the text that are aligned. The cost is the product with [`MAX_TRIED_LINES`].
pub(super) const MAX_WANTED_LINES: usize = 80;
/// The number of lines of the file that are aligned.
pub(super) const MAX_TRIED_LINES: usize = 300;

/// The score of a line on one side without a counterpart on the other.
const GAP_PENALTY: f32 = -0.1;

/// The score of two lines that have nothing in common: the line was rewritten.
const MISMATCH_PENALTY: f32 = -0.08;

/// Two lines less alike than this have nothing in common.
const MIN_LIKENESS: f32 = 0.3;

/// Returns the range of `tried`, by index, from the line paired with the first wanted line to the one paired with the
/// last; `None` where nothing pairs.
pub(super) fn pair_lines(wanted: &[TextProfile], tried: &[TextProfile]) -> Option<Range<usize>> {
    // Each cell holds the best score so far, and the line of the file where that alignment began.
    let mut row: Vec<(f32, usize)> = (0..=tried.len()).map(|at| (0.0, at)).collect();
    for line in wanted {
        let mut diagonal = row[0];
        row[0].0 += GAP_PENALTY;
        for (at, other) in tried.iter().enumerate() {
            let paired = (diagonal.0 + pairing_score(line, other), diagonal.1);
            diagonal = row[at + 1];
            let left_out = (row[at + 1].0 + GAP_PENALTY, row[at + 1].1);
            let added = (row[at].0 + GAP_PENALTY, row[at].1);
            let ways = [left_out, added].into_iter();
            row[at + 1] = ways.fold(paired, |best, way| if way.0 > best.0 { way } else { best });
        }
    }
    let mut end = 0;
    for at in 1..row.len() {
        if row[at].0 > row[end].0 {
            end = at;
        }
    }
    (row[end].0 > 0.0 && row[end].1 < end).then(|| row[end].1..end)
}

/// Returns the score of pairing two lines.
fn pairing_score(wanted: &TextProfile, other: &TextProfile) -> f32 {
    match (wanted.is_blank(), other.is_blank()) {
        (true, true) => return wanted.distinctiveness(),
        (false, false) => {}
        _ => return 2.0 * GAP_PENALTY,
    }
    let alike = wanted.rough_likeness(other);
    if alike < MIN_LIKENESS {
        MISMATCH_PENALTY
    } else {
        alike * wanted.distinctiveness()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired_range(wanted: &str, tried: &str) -> Option<Range<usize>> {
        let profiles =
            |text: &str| -> Vec<TextProfile> { text.split('\n').map(TextProfile::new).collect() };
        pair_lines(&profiles(wanted), &profiles(tried))
    }

    const SAMPLE_FILE: &str = "zero\n\nfirst line\nsecond line\n}\nthird one\n\nafter it";

    #[test]
    fn pairs_changed_missing_and_added_lines() {
        assert_eq!(
            paired_range("first line\nsecond line\n}", SAMPLE_FILE),
            Some(2..5)
        );
        assert_eq!(
            paired_range("first line\n}\nthird one", SAMPLE_FILE),
            Some(2..6)
        );
        assert_eq!(
            paired_range("first line\nsecond line\nmore and more\n}", SAMPLE_FILE),
            Some(2..5)
        );
        assert_eq!(
            paired_range("first line\nquite other words\n}\nthird one", SAMPLE_FILE),
            Some(2..6)
        );
        assert_eq!(paired_range("nothing of it", SAMPLE_FILE), None);
        assert_eq!(paired_range("nothing of it", ""), None);
    }
}
