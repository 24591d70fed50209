//! Finds where a text occurs when white space and line breaks do not count. The longest word of the text is searched
//! for, and from each occurrence the rest is compared forwards and backwards.

use std::ops::Range;

use memchr::memmem;

use super::tokens::tokenize;

/// The number of occurrences of the longest word that are checked.
const MAX_TRIED_OCCURRENCES: usize = 2_000;

/// The most places that are returned.
const MAX_PLACES: usize = 20;

/// The number of characters that are compared in all.
const MAX_COMPARED_CHARACTERS: usize = 20_000_000;

/// Returns every place where the text occurs apart from white space, from its first to its last character that is not
/// white space. `None` where there are too many.
pub(super) fn places_ignoring_space(view: &str, text: &str) -> Option<Vec<Range<usize>>> {
    let Some((at, anchor)) = longest_word(text) else {
        return Some(Vec::new());
    };
    let (before, after) = (&text[..at], &text[at + anchor.len()..]);
    let mut found = Vec::new();
    let mut left = MAX_COMPARED_CHARACTERS;
    let finder = memmem::Finder::new(anchor);
    for (tried, place) in finder.find_iter(view.as_bytes()).enumerate() {
        if tried == MAX_TRIED_OCCURRENCES {
            return None;
        }
        let Some(end) = match_forward(view, place + anchor.len(), after, &mut left) else {
            continue;
        };
        let Some(start) = match_backward(view, place, before, &mut left) else {
            continue;
        };
        if left == 0 {
            return None;
        }
        if splits_no_word(view, &(start..end)) {
            found.push(start..end);
        }
        if found.len() > MAX_PLACES {
            return None;
        }
    }
    Some(found)
}

/// Returns the longest word of a text, and its offset; a punctuation mark where it has no words. The file cannot have
/// white space inside it.
fn longest_word(text: &str) -> Option<(usize, &str)> {
    let mut longest: Option<(usize, &str)> = None;
    let mut at = 0;
    for token in tokenize(text) {
        let is_longer = longest.is_none_or(|(_, known)| token.len() > known.len());
        if is_longer && !token.trim().is_empty() {
            longest = Some((at, token));
        }
        at += token.len();
    }
    longest
}

/// Returns the characters that are not white space, with their offsets.
fn non_space_characters(text: &str) -> impl DoubleEndedIterator<Item = (usize, char)> {
    text.char_indices()
        .filter(|(_, character)| !character.is_whitespace())
}

/// Returns where a text that begins at an offset ends; `None` where another text is there.
fn match_forward(view: &str, from: usize, text: &str, left: &mut usize) -> Option<usize> {
    let mut end = from;
    let mut stands = non_space_characters(&view[from..]);
    for (_, wanted) in non_space_characters(text) {
        let (at, character) = stands.next()?;
        *left = left.saturating_sub(1);
        if character != wanted || *left == 0 {
            return None;
        }
        end = from + at + character.len_utf8();
    }
    Some(end)
}

/// Returns where a text that ends at an offset begins; `None` where another text is there.
fn match_backward(view: &str, to: usize, text: &str, left: &mut usize) -> Option<usize> {
    let mut start = to;
    let mut stands = non_space_characters(&view[..to]).rev();
    for (_, wanted) in non_space_characters(text).rev() {
        let (at, character) = stands.next()?;
        *left = left.saturating_sub(1);
        if character != wanted || *left == 0 {
            return None;
        }
        start = at;
    }
    Some(start)
}

/// Returns whether the place neither begins nor ends inside a word.
fn splits_no_word(view: &str, place: &Range<usize>) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let text = &view[place.clone()];
    let splits_start = text.starts_with(is_word) && view[..place.start].ends_with(is_word);
    let splits_end = text.ends_with(is_word) && view[place.end..].starts_with(is_word);
    !splits_start && !splits_end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched_texts<'v>(view: &'v str, text: &str) -> Vec<&'v str> {
        let places = places_ignoring_space(view, text).expect("few places");
        places.into_iter().map(|place| &view[place]).collect()
    }

    #[test]
    fn ignores_line_breaks_and_blanks() {
        let view = "x = call(alpha, beta)\ny = call(\n    alpha,\n    beta\n)\nz = recall(alpha)\n";
        assert_eq!(
            matched_texts(view, "call(alpha,beta)"),
            ["call(alpha, beta)", "call(\n    alpha,\n    beta\n)"]
        );
        assert_eq!(
            matched_texts(view, "x = call(\n  alpha,\n  beta)"),
            ["x = call(alpha, beta)"]
        );
        assert_eq!(
            matched_texts(view, "call (alpha)"),
            [""; 0],
            "no part of a word"
        );
        assert_eq!(matched_texts(view, " \n "), [""; 0]);
        assert_eq!(places_ignoring_space(&"x\n".repeat(5_000), "x"), None);
    }
}
