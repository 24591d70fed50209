//! Splits texts into words, punctuation marks and blanks; the edit distance of two texts in words, and a three-way
//! merge by words where a merge by lines is in doubt.

use std::collections::HashSet;

use super::merge::{common_subsequence, merge_lists};

/// Texts with more words than this, without common start and end, count as different in all of them.
const MAX_COMPARED_WORDS: usize = 800;

/// The number of words that are compared by their spelling.
const MAX_SPELLING_COMPARISONS: usize = 20;

/// Words are merged where at most one word in this many differs between old text and file.
const MIN_WORDS_PER_DIFFERENCE: usize = 4;

/// Returns the words, punctuation marks and runs of blanks of a text. A line break and the indentation after it are one
/// token.
pub(super) fn tokenize(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first == '\n' {
            1 + leading_blanks_len(&rest[1..])
        } else if is_word_character(first) {
            rest.find(|character| !is_word_character(character))
                .unwrap_or(rest.len())
        } else {
            leading_blanks_len(rest).max(first.len_utf8())
        };
        let (token, behind) = rest.split_at(length);
        found.push(token);
        rest = behind;
    }
    found
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns how many bytes of blanks, without line breaks, a text starts with.
fn leading_blanks_len(text: &str) -> usize {
    text.find(|character: char| !character.is_whitespace() || character == '\n')
        .unwrap_or(text.len())
}

/// Returns the Levenshtein distance of two texts in words, counted in half words. White space does not count, and
/// replacing a word by one that is spelled nearly alike counts half.
pub(super) fn token_distance(one: &str, other: &str) -> usize {
    let solid = |text| -> Vec<&str> {
        let mut found = tokenize(text);
        found.retain(|token| !token.trim().is_empty());
        found
    };
    let (one, other) = (solid(one), solid(other));
    let head = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[head..], &other[head..]);
    let tails = one.iter().rev().zip(other.iter().rev());
    let tail = tails.take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[..one.len() - tail], &other[..other.len() - tail]);
    if one.len() > MAX_COMPARED_WORDS || other.len() > MAX_COMPARED_WORDS {
        return 2 * one.len().max(other.len());
    }
    let mut row: Vec<usize> = (0..=other.len()).map(|at| 2 * at).collect();
    for (i, wanted) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = 2 * (i + 1);
        for (j, token) in other.iter().enumerate() {
            let through = diagonal + substitution_cost(wanted, token);
            diagonal = row[j + 1];
            row[j + 1] = through.min(row[j + 1] + 2).min(row[j] + 2);
        }
    }
    row[other.len()]
}

/// Returns whether two texts have a word in common, spelled alike or nearly so.
pub(super) fn share_word(one: &str, other: &str) -> bool {
    let words = |text| -> Vec<&str> {
        let found = tokenize(text).into_iter();
        let found = found.filter(|token| token.len() > 1 && token.starts_with(is_word_character));
        found.take(MAX_COMPARED_WORDS).collect()
    };
    let (one, other) = (words(one), words(other));
    let known: HashSet<&str> = other.iter().copied().collect();
    one.is_empty()
        || one.iter().any(|word| known.contains(word))
        || one
            .iter()
            .take(MAX_SPELLING_COMPARISONS)
            .any(|word| other.iter().any(|near| substitution_cost(word, near) < 2))
}

/// Returns whether at least half of the words and marks of two lines are the same.
pub(crate) fn have_similar_words(one: &str, other: &str) -> bool {
    let count = |text| {
        tokenize(text)
            .iter()
            .filter(|token| !token.trim().is_empty())
            .count()
    };
    token_distance(one, other) <= count(one).max(count(other))
}

/// Returns the cost of replacing one word by another, in half words.
fn substitution_cost(one: &str, other: &str) -> usize {
    if one == other {
        return 0;
    }
    if one.eq_ignore_ascii_case(other) {
        return 1;
    }
    let (long, short) = (one.len().max(other.len()), one.len().min(other.len()));
    let head = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let tails = one.bytes().rev().zip(other.bytes().rev());
    let tail = tails
        .take_while(|(a, b)| a == b)
        .count()
        .min(short - head.min(short));
    // Words are nearly alike where one run of at most a quarter of the word differs.
    if long >= 4 && (long - head - tail) * 4 <= long {
        1
    } else {
        2
    }
}

/// Returns the pairs of single words where one list has a word and the other has another one in its place.
pub(super) fn exchanged_words<'t, 'o>(
    one: &[&'t str],
    other: &[&'o str],
) -> Vec<(&'t str, &'o str)> {
    let Some(mut pairs) = common_subsequence(one, other) else {
        return Vec::new();
    };
    pairs.push((one.len(), other.len()));
    let mut found = Vec::new();
    let mut next = (0, 0);
    for pair in pairs {
        if pair == (next.0 + 1, next.1 + 1) {
            found.push((one[next.0], other[next.1]));
        }
        next = (pair.0 + 1, pair.1 + 1);
    }
    found
}

/// Returns the lines of `ours` with the differences between `base` and `theirs` applied word by word, where these two
/// are close.
pub(super) fn merge_words(base: &[&str], ours: &[&str], theirs: &[&str]) -> Vec<String> {
    let as_sent = || ours.iter().map(|line| (*line).to_owned()).collect();
    if base.is_empty() || ours.is_empty() || theirs.is_empty() {
        return as_sent();
    }
    let (base, ours, theirs) = (base.join("\n"), ours.join("\n"), theirs.join("\n"));
    let base_tokens = tokenize(&base);
    let words = base_tokens
        .iter()
        .filter(|token| !token.trim().is_empty())
        .count();
    let far = token_distance(&base, &theirs);
    // White space inside a line that the new text rewrites is that of the new text.
    let rewrites = || {
        token_distance(&base, &ours) * MIN_WORDS_PER_DIFFERENCE
            > 2 * words.max(MIN_WORDS_PER_DIFFERENCE)
    };
    if (far == 0 && rewrites())
        || far * MIN_WORDS_PER_DIFFERENCE > 2 * words.max(MIN_WORDS_PER_DIFFERENCE)
    {
        return as_sent();
    }
    let (ours_tokens, theirs_tokens) = (tokenize(&ours), tokenize(&theirs));
    match merge_lists(&base_tokens, &ours_tokens, &theirs_tokens, &|_, ours, _| {
        ours.to_vec()
    }) {
        Some(merged) => merged.concat().split('\n').map(str::to_owned).collect(),
        None => as_sent(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_text_into_words_marks_and_blanks() {
        assert_eq!(
            tokenize("a_1 = f(é)"),
            ["a_1", " ", "=", " ", "f", "(", "é", ")"]
        );
        assert_eq!(tokenize("a\n  b\n\nc"), ["a", "\n  ", "b", "\n", "\n", "c"]);
        assert!(tokenize("").is_empty());
    }

    #[test]
    fn computes_token_distances() {
        assert_eq!(token_distance("a = b + c", "a = b + c"), 0);
        assert_eq!(token_distance("a = b + c", "a=b  +\nc"), 0);
        assert_eq!(token_distance("a = b + c", "a = x + c"), 2);
        assert_eq!(token_distance("total_price", "total_prices"), 1);
        assert_eq!(token_distance("a b c", "a c"), 2);
        assert_eq!(token_distance("two", "TWO"), 1);
    }

    #[test]
    fn merges_lines_word_by_word() {
        let merged = merge_words(
            &["foo(itens, 1)"],
            &["foo(itens, 2)", "bar()"],
            &["foo(items, 1)"],
        );
        assert_eq!(merged, ["foo(items, 2)", "bar()"]);
        let merged = merge_words(&["f(a, b)"], &["g()"], &["f (a, b)"]);
        assert_eq!(merged, ["g()"]);
        let merged = merge_words(&["foo(itens)"], &["quite(other)"], &["foo(items)"]);
        assert_eq!(merged, ["quite(other)"]);
    }
}
