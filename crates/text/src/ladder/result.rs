//! The result of a search: the rung, the places and what changes there, or why nothing does.

use std::collections::BTreeMap;
use std::ops::Range;

use super::remarks::Remark;
use crate::splice::Change;

/// A rung of the ladder: what may differ between the old text and the place that it matches. Rungs are ordered from
/// strict to lenient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rung {
    /// Nothing differs.
    Exact,
    /// The old text ends in a newline and the file ends without one.
    FinalNewline,
    /// The old text has line numbers before every line, as Read shows them.
    Gutter,
    /// Quotes, dashes, spaces and Unicode composition differ.
    LookAlike,
    /// The old text has tags in the short form that some model hosts give them.
    Abbreviation,
    /// Blanks at line ends differ.
    Trailing,
    /// Every line has one more, or one less, indentation in the file.
    Indent,
    /// Indentation is tabs on one side and spaces on the other.
    Tabs,
    /// The old text has one blank line too many at its start, its end, or both.
    BlankEdge,
    /// The old text is escaped once too often, as JSON or HTML.
    Escaped,
}

impl Rung {
    /// Returns the name that results and refusals use.
    pub fn name(self) -> &'static str {
        match self {
            Rung::Exact => "exact",
            Rung::FinalNewline => "final-newline",
            Rung::Gutter => "gutter",
            Rung::LookAlike => "look-alike",
            Rung::Abbreviation => "abbreviation",
            Rung::Trailing => "trailing",
            Rung::Indent => "indent",
            Rung::Tabs => "tabs",
            Rung::BlankEdge => "blank-edge",
            Rung::Escaped => "escaped",
        }
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The old text was found; contains the changes.
    Found(FoundPlaces),
    /// Several places match where one was requested, or the places differ in text where all were requested.
    Ambiguous {
        /// The rung on which the places are equivalent, apart from those in `looser`.
        rung: Rung,
        /// All places in order, overlapping ones included.
        places: Vec<Range<usize>>,
        /// The places, by their index in `places`, that only a later rung finds, with that rung.
        looser: BTreeMap<usize, Rung>,
    },
    /// More than [`MAX_PLACES`](super::query::MAX_PLACES) places match. They are counted; nothing is edited.
    TooMany {
        /// The rung on which the places are equivalent.
        rung: Rung,
        /// The first [`MAX_PLACES`](super::query::MAX_PLACES) places in order.
        first: Vec<Range<usize>>,
        /// The number of places. If one place was requested, overlapping places count; if all were, only those count
        /// that would be edited.
        count: usize,
    },
    /// No place matches, or a guard forbids the edit of the place that does.
    NotFound {
        /// The guard that forbade the edit, if a place was found.
        guard: Option<GuardRefusal>,
    },
    /// The new text carries line numbers that cannot be removed safely.
    Leaked {
        /// A sentence about these line numbers.
        reason: String,
    },
}

/// Why an edit is refused although its place was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardRefusal {
    /// The rung that found the place.
    pub rung: Rung,
    /// The place that was found.
    pub place: Range<usize>,
    /// A sentence about what is wrong with the edit.
    pub reason: String,
}

/// The places of the old text and what changes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPlaces {
    /// The rung that found the places.
    pub rung: Rung,
    /// The places from left to right, without overlaps.
    pub places: Vec<EditedPlace>,
    /// The remarks on the edit that the result should mention.
    pub remarks: Vec<Remark>,
}

/// One place that is edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedPlace {
    /// The matched text. Where whole lines are deleted it includes the blanks around the text and its newline.
    pub range: Range<usize>,
    /// The changes inside the range, in order; text that old and new have in common is in none of them. The last change
    /// may extend over the newline right after the range: it deletes that newline with the last lines, or inserts lines
    /// after it.
    pub changes: Vec<Change>,
}
