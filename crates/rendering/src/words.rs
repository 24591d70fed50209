//! Finds the words in which two lines differ.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// The longest lines that are compared, in bytes.
const MAX_LINE_BYTES: usize = 4096;
/// Lines that share less than this fraction of their characters are not similar; everything in them would be marked.
const MIN_SIMILARITY: f64 = 0.35;

/// The ranges of two lines that differ.
#[derive(Debug, PartialEq, Eq)]
pub struct ChangedWords {
    /// Those of the old line, in bytes.
    pub old: Vec<Range<usize>>,
    /// Those of the new line, in bytes.
    pub new: Vec<Range<usize>>,
}

/// Finds the words that differ; returns none if the lines are not similar.
pub fn changed_words(old: &str, new: &str) -> Option<ChangedWords> {
    if old.len() > MAX_LINE_BYTES || new.len() > MAX_LINE_BYTES {
        return None;
    }
    let (old_words, new_words) = (split_words(old), split_words(new));
    let mut input = InternedInput::default();
    input.update_before(old_words.iter().map(|word| &old[word.clone()]));
    input.update_after(new_words.iter().map(|word| &new[word.clone()]));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let (mut old_ranges, mut new_ranges) = (Vec::new(), Vec::new());
    let (mut common, mut end) = (0, 0);
    let mut count_common = |range: Range<usize>| {
        let alike = join_word_ranges(&old_words, range);
        common += alike.map_or(0, |range| old[range].trim().len());
    };
    for hunk in diff.hunks() {
        let before = hunk.before.start as usize..hunk.before.end as usize;
        count_common(end..before.start);
        end = before.end;
        old_ranges.extend(join_word_ranges(&old_words, before));
        let after = hunk.after.start as usize..hunk.after.end as usize;
        new_ranges.extend(join_word_ranges(&new_words, after));
    }
    count_common(end..old_words.len());
    let longer = old.trim().len().max(new.trim().len());
    let alike = common as f64 / longer.max(1) as f64;
    (alike >= MIN_SIMILARITY).then_some(ChangedWords {
        old: old_ranges,
        new: new_ranges,
    })
}

/// Returns the range from the first of some words to the last.
fn join_word_ranges(words: &[Range<usize>], range: Range<usize>) -> Option<Range<usize>> {
    let words = words.get(range)?;
    Some(words.first()?.start..words.last()?.end)
}

/// Splits a line into words: runs of letters and digits, runs of blanks, and every other character by itself.
fn split_words(line: &str) -> Vec<Range<usize>> {
    #[derive(PartialEq, Eq)]
    enum Kind {
        Word,
        Blank,
        Other,
    }
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => Kind::Word,
        c if c.is_whitespace() => Kind::Blank,
        _ => Kind::Other,
    };
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for (at, c) in line.char_indices() {
        let now = kind(c);
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(word) if now != Kind::Other && last.as_ref() == Some(&now) => word.end = end,
            _ => words.push(at..end),
        }
        last = Some(now);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words themselves.
    fn changed_texts(old: &str, new: &str) -> Option<(String, String)> {
        let found = changed_words(old, new)?;
        let join = |line: &str, ranges: Vec<Range<usize>>| {
            let words = ranges.into_iter().map(|range| line[range].to_owned());
            words.collect::<Vec<_>>().join("|")
        };
        Some((join(old, found.old), join(new, found.new)))
    }

    #[test]
    fn finds_changed_words_on_both_sides() {
        let some = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(
            changed_texts("foo(a, b)", "bar(a, b, c)"),
            some("foo", "bar|, c")
        );
        assert_eq!(changed_texts("one", "two"), None);
        assert_eq!(changed_texts("", ""), None);
        assert_eq!(changed_texts("  x = 1", "    x = 1"), some("  ", "    "));
    }
}
