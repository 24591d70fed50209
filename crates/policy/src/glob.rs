//! One name held against one name of a pattern, both folded. Linear in the name for every pattern with one star, and
//! never worse than the product of both lengths.

use crate::fold::{self, Strength};
use crate::pattern::Piece;

/// A name with wildcards, folded.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    pieces: Vec<Piece>,
}

impl Glob {
    pub(crate) fn new(pieces: &[Piece], strength: Strength) -> Glob {
        let pieces = pieces.iter().map(|piece| match piece {
            Piece::Text(text) => Piece::Text(fold::run(text, strength)),
            Piece::Class { negated, ranges } => Piece::Class {
                negated: *negated,
                ranges: folded_ranges(ranges),
            },
            other => other.clone(),
        });
        Glob {
            pieces: pieces.collect(),
        }
    }

    /// The text of a pattern `*text`.
    pub(crate) fn suffix(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Star, Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The byte that every name it matches begins with, where it begins with text.
    pub(crate) fn first(&self) -> Option<u8> {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text.as_bytes().first().copied(),
            _ => None,
        }
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        let (mut piece, mut rest) = (0, name);
        // Where the last star stood, and what it has not yet taken.
        let mut star: Option<(usize, &str)> = None;
        loop {
            match self.pieces.get(piece) {
                Some(Piece::Star) => {
                    star = Some((piece + 1, rest));
                    piece += 1;
                    continue;
                }
                Some(piece_here) => {
                    if let Some(after) = step(piece_here, rest) {
                        piece += 1;
                        rest = after;
                        continue;
                    }
                }
                None if rest.is_empty() => return true,
                None => {}
            }
            // Back to the last star, which takes one character more.
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

/// What is left of a name behind a piece, where the piece fits.
fn step<'n>(piece: &Piece, rest: &'n str) -> Option<&'n str> {
    if let Piece::Text(text) = piece {
        return rest.strip_prefix(text.as_str());
    }
    let mut characters = rest.chars();
    let character = characters.next()?;
    let fits = match piece {
        Piece::Class { negated, ranges } => {
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
        // `[A-z]` and its like: capitals in the middle of a range have their small letters besides.
        if *first <= 'A' && *last >= 'Z' {
            all.push(('a', 'z'));
        }
    }
    all
}
