//! Matches one name against one name of a pattern, both folded, by backtracking to the last star: linear in the name
//! for a pattern with one star, and at worst the product of both lengths.

use crate::fold::{self, FoldStrength};
use crate::pattern::WildPart;

/// A name with wildcards, folded.
#[derive(Clone, Debug)]
pub(crate) struct NameGlob {
    pieces: Vec<WildPart>,
}

impl NameGlob {
    pub(crate) fn new(pieces: &[WildPart], strength: FoldStrength) -> NameGlob {
        let pieces = pieces.iter().map(|piece| match piece {
            WildPart::Text(text) => WildPart::Text(fold::fold_pattern_text(text, strength)),
            WildPart::Class { negated, ranges } => WildPart::Class {
                negated: *negated,
                ranges: folded_ranges(ranges),
            },
            other => other.clone(),
        });
        NameGlob {
            pieces: pieces.collect(),
        }
    }

    /// Returns the text of a pattern `*text`.
    pub(crate) fn suffix(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [WildPart::Star, WildPart::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the first byte of every name that matches, if the pattern begins with text.
    pub(crate) fn first_byte(&self) -> Option<u8> {
        match self.pieces.first() {
            Some(WildPart::Text(text)) => text.as_bytes().first().copied(),
            _ => None,
        }
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        let (mut piece, mut rest) = (0, name);
        // The position after the last star, and the text that the star has not consumed yet.
        let mut star: Option<(usize, &str)> = None;
        loop {
            match self.pieces.get(piece) {
                Some(WildPart::Star) => {
                    star = Some((piece + 1, rest));
                    piece += 1;
                    continue;
                }
                Some(piece_here) => {
                    if let Some(after) = match_part(piece_here, rest) {
                        piece += 1;
                        rest = after;
                        continue;
                    }
                }
                None if rest.is_empty() => return true,
                None => {}
            }
            // Backtrack to the last star, which consumes one character more.
            let Some((after_star, from)) = star else {
                return false;
            };
            let mut characters = from.chars();
            if characters.next().is_none() {
                return false;
            }
            star = Some((after_star, characters.as_str()));
            piece = after_star;
            rest = characters.as_str();
        }
    }
}

/// Matches one part of the pattern and returns the rest of the name; none if the part does not match.
fn match_part<'n>(piece: &WildPart, rest: &'n str) -> Option<&'n str> {
    if let WildPart::Text(text) = piece {
        return rest.strip_prefix(text.as_str());
    }
    let mut characters = rest.chars();
    let character = characters.next()?;
    let fits = match piece {
        WildPart::Class { negated, ranges } => {
            ranges
                .iter()
                .any(|(first, last)| (*first..=*last).contains(&character))
                != *negated
        }
        _ => true,
    };
    fits.then_some(characters.as_str())
}

fn folded_ranges(ranges: &[(char, char)]) -> Vec<(char, char)> {
    let lower = |character: char| {
        let mut folded = character.to_lowercase();
        match (folded.next(), folded.next()) {
            (Some(one), None) => one,
            _ => character,
        }
    };
    let mut all = ranges.to_vec();
    for (first, last) in ranges {
        all.push((lower(*first), lower(*last)));
        // A range like `[A-z]` contains all capitals, so their lower-case letters are added.
        if *first <= 'A' && *last >= 'Z' {
            all.push(('a', 'z'));
        }
    }
    all
}
