//! The rung `escaped`: the old text is escaped once too often, as JSON or as HTML. It is taken where the unescaped text
//! is in the file byte for byte, that place looks unescaped itself, and the new text uses the same kinds of escapes, so
//! that unescaping it is certainly what was meant.

mod html;
mod json;
mod literal;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::look_alike::is_blank;

use super::exact::exact_places;
use super::text_lines::TextLines;
use super::verdict::{ambiguous_verdict, choose_places, edit_places, forbidden_verdict};
use super::{Rung, SearchTask, Verdict};

/// One kind of escape: the letter after the backslash, or the name of the entity.
type EscapeKind = String;

/// A text split by one kind of escaping.
#[derive(Debug, Default)]
struct UnescapedText {
    /// The text without its escapes.
    text: String,
    /// The kinds of escapes that occur in it.
    kinds: BTreeSet<EscapeKind>,
    /// The characters that are escaped.
    escaped: BTreeSet<char>,
    /// The characters that are not escaped.
    bare: BTreeSet<char>,
    /// The range of each escape in the text as it was sent, and the character that it means. Characters that are not
    /// escaped are not listed: a list of all of them takes 24 times the memory of the text.
    escapes: Vec<(Range<usize>, char)>,
}

/// A format in which text is escaped.
#[derive(Debug, Clone, Copy)]
enum Escaping {
    Json,
    Html,
}

impl Escaping {
    /// Returns the text without its escapes; `None` where it has an escape sequence that is not valid.
    fn unescape(self, text: &str) -> Option<UnescapedText> {
        match self {
            Escaping::Json => json::unescape(text),
            Escaping::Html => html::unescape(text),
        }
    }

    /// Returns whether the text contains anything that reads as an escape.
    fn has_escape(self, text: &str) -> bool {
        match self {
            Escaping::Json => text.contains('\\'),
            Escaping::Html => html::contains_entity(text),
        }
    }
}

impl UnescapedText {
    /// Returns the characters and escapes as they were sent, each with the character that it means.
    fn pieces<'t>(&'t self, sent: &'t str) -> impl Iterator<Item = (&'t str, char)> {
        let mut escapes = self.escapes.iter().peekable();
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at;
            let escape = escapes.next_if(|(range, _)| range.start == start);
            let meant = match escape {
                Some((range, meant)) => {
                    at = range.end;
                    *meant
                }
                None => {
                    let character = sent.get(start..)?.chars().next()?;
                    at += character.len_utf8();
                    character
                }
            };
            Some((&sent[start..at], meant))
        })
    }

    /// Returns a character that is not escaped although `other` escapes its kind. Numeric escapes count as one kind for
    /// all characters beyond ASCII.
    fn unescaped_although_escaped_in(&self, other: &UnescapedText) -> Option<char> {
        let beyond_ascii = other.escaped.iter().any(|character| !character.is_ascii())
            && other.kinds.iter().any(|kind| kind == "u" || kind == "#");
        self.bare
            .iter()
            .copied()
            .find(|bare| other.escaped.contains(bare) || (beyond_ascii && !bare.is_ascii()))
    }
}

pub(super) fn find(task: &SearchTask<'_>) -> Option<Verdict> {
    let mut found: Vec<(Escaping, UnescapedText, Vec<Range<usize>>)> = Vec::new();
    for escaping in [Escaping::Json, Escaping::Html] {
        // Most texts have no escape at all, and need not be split.
        let old = match escaping.has_escape(task.old) {
            true => escaping.unescape(task.old),
            false => None,
        };
        let Some(old) = old else {
            continue;
        };
        let mixed = old.unescaped_although_escaped_in(&old).is_some();
        if old.kinds.is_empty() || mixed || is_blank(&old.text) || escaping.has_escape(&old.text) {
            continue;
        }
        let places = exact_places(task.source, &old.text);
        if !places.is_empty() {
            found.push((escaping, old, places));
        }
    }
    if found.len() > 1 {
        let mut places: Vec<_> = found.into_iter().flat_map(|(.., places)| places).collect();
        places.sort_by_key(|place| (place.start, place.end));
        return Some(ambiguous_verdict(Rung::Escaped, places, Vec::new()));
    }
    let (escaping, old, places) = found.pop()?;
    let places = match choose_places(task, Rung::Escaped, places, None) {
        Ok(places) => places,
        Err(verdict) => return Some(verdict),
    };
    let new = match unescape_new(escaping, &old, task) {
        Ok(new) => new,
        Err(reason) => return Some(forbidden_verdict(Rung::Escaped, places[0].clone(), reason)),
    };
    let (old, new) = (TextLines::new(&old.text), TextLines::new(&new));
    Some(edit_places(task, Rung::Escaped, places, &old, &new, None))
}

/// Returns the unescaped new text if it has only kinds of escapes that the old text has. The error is the reason why a
/// guard forbids the edit.
fn unescape_new(
    escaping: Escaping,
    old: &UnescapedText,
    task: &SearchTask<'_>,
) -> Result<String, String> {
    let new = escaping.unescape(task.new).ok_or(
        "The old text is escaped once too often, but the new text has something in it that is no escape.",
    )?;
    if let Some(kind) = new.kinds.difference(&old.kinds).next() {
        return Err(format!(
            "The old text is escaped once too often, but the new text has a kind of escape that the old text does not show ({kind}), so it is unknown whether it is meant."
        ));
    }
    if let Some(bare) = new.unescaped_although_escaped_in(old) {
        return Err(format!(
            "The old text is escaped once too often, but the new text has {bare:?} unescaped, which the old text escapes."
        ));
    }
    if let Some(escape) = literal::escape_added_inside_literal(old, task.old, &new, task.new) {
        return Err(format!(
            "The old text is escaped once too often, but the new text adds {escape:?} inside a quoted literal, where it may be meant as it is."
        ));
    }
    Ok(new.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unescape_lists_escapes_and_keeps_all_text() {
        let cases = [
            (Escaping::Json, "plain \u{e9} text", 0),
            (Escaping::Json, "a\\tb\\u00e9", 2),
            (Escaping::Html, "plain & text", 0),
            (Escaping::Html, "a &lt; b &#38; c", 2),
        ];
        for (escaping, sent, escapes) in cases {
            let unescaped = escaping.unescape(sent).expect("valid escapes");
            assert_eq!(unescaped.escapes.len(), escapes, "{sent}");
            let (texts, meant): (Vec<&str>, String) = unescaped.pieces(sent).unzip();
            assert_eq!(texts.concat(), sent);
            assert_eq!(meant, unescaped.text);
        }
    }
}
