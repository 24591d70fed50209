//! A small set of byte strings, with ASCII letters in lower case.

use crate::index::grams::{BLOCK_OVERLAP, GRAM_BYTES};
use crate::index::literal_query::LiteralQuery;

/// The most strings of a set.
const MAX_STRINGS: usize = 64;

/// A set of strings, at most [`MAX_STRINGS`] of at most [`BLOCK_OVERLAP`] bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StringSet(Vec<Vec<u8>>);

impl StringSet {
    /// Returns the set of one string, which is at most [`BLOCK_OVERLAP`] bytes long.
    pub(super) fn from_one(string: &[u8]) -> Self {
        StringSet(vec![string.to_ascii_lowercase()])
    }

    /// Returns the set of the empty string.
    pub(super) fn empty_string() -> Self {
        StringSet(vec![Vec::new()])
    }

    /// Returns a set of short strings; `None` if they are more than `most` in lower case.
    pub(super) fn try_from_few(
        strings: impl IntoIterator<Item = Vec<u8>>,
        most: usize,
    ) -> Option<Self> {
        let strings = strings.into_iter().map(|mut string| {
            string.make_ascii_lowercase();
            string
        });
        let set = Self::from_all(strings.collect());
        (set.0.len() <= most.min(MAX_STRINGS)).then_some(set)
    }

    fn from_all(mut strings: Vec<Vec<u8>>) -> Self {
        strings.sort_unstable();
        strings.dedup();
        StringSet(strings)
    }

    /// Returns each string followed by each of the other set; `None` where these are too many or too long.
    pub(super) fn followed_by(&self, next: &Self) -> Option<Self> {
        let longest = |set: &Self| set.0.iter().map(Vec::len).max().unwrap_or(0);
        if self.0.len() * next.0.len() > MAX_STRINGS
            || longest(self) + longest(next) > BLOCK_OVERLAP
        {
            return None;
        }
        let strings = self.0.iter().flat_map(|first| {
            let joined = |second: &Vec<u8>| [&first[..], second].concat();
            next.0.iter().map(joined)
        });
        Some(Self::from_all(strings.collect()))
    }

    /// Returns the strings of both sets; `None` where these are too many.
    pub(super) fn union(&self, other: &Self) -> Option<Self> {
        let set = Self::from_all([&self.0[..], &other.0[..]].concat());
        (set.0.len() <= MAX_STRINGS).then_some(set)
    }

    /// Returns the beginnings of the strings, as far as they can be part of a gram that ends after them.
    pub(super) fn prefixes(&self) -> Self {
        let head = |string: &Vec<u8>| string[..string.len().min(GRAM_BYTES - 1)].to_vec();
        Self::from_all(self.0.iter().map(head).collect())
    }

    /// Returns the ends of the strings, as far as they can be part of a gram that begins before them.
    pub(super) fn suffixes(&self) -> Self {
        let tail =
            |string: &Vec<u8>| string[string.len().saturating_sub(GRAM_BYTES - 1)..].to_vec();
        Self::from_all(self.0.iter().map(tail).collect())
    }

    /// Returns the query of a text that contains one of the strings.
    pub(super) fn any_of_query(&self) -> LiteralQuery {
        LiteralQuery::any_of(self.0.iter().map(|string| {
            let pieces = string.split(|byte| *byte == b'\n');
            let long = pieces.filter(|piece| piece.len() >= GRAM_BYTES);
            LiteralQuery::all_of(long.map(|piece| LiteralQuery::Literal(piece.to_vec())))
        }))
    }
}
