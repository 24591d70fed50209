//! A query on its way through the rungs.

use std::ops::Range;

use super::line_matcher::LineMatcher;
use super::query::{Deletion, LeakPolicy, Occurrences, TextKind, Tolerance};
use super::result::Rung;
use super::source::SourceText;

/// A query while the rungs try it. A rung that rewrites the texts passes a changed copy to other rungs.
#[derive(Clone, Copy)]
pub(super) struct SearchTask<'a> {
    pub(super) source: &'a SourceText<'a>,
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) occurrences: Occurrences,
    pub(super) deletion: Deletion,
    pub(super) tolerance: Tolerance,
    pub(super) abbreviations: &'a [(String, String)],
    pub(super) leaks: LeakPolicy,
    pub(super) text_kind: TextKind,
    pub(super) further: FurtherMatches,
    /// Finds the places of later rungs. It is passed along because it uses all rungs, and each of them uses it.
    pub(super) further_places: FindFurtherPlaces,
}

/// See [`further_places`](super::further::further_places).
pub(super) type FindFurtherPlaces = fn(
    &SearchTask<'_>,
    Rung,
    &[Range<usize>],
    Option<&LineMatcher<'_>>,
) -> Vec<(Rung, Range<usize>)>;

/// The matches that are also compared with the places that later rungs find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FurtherMatches {
    /// Those from `look-alike` on. A match on an earlier rung has no error that could have been another one.
    OfTolerantRungs,
    /// Those on any rung: the text is the rest of an old text that was tolerated already.
    OfAllRungs,
}
