//! The types of a correction that a refusal can offer for an old text that is not in the file.

use std::ops::Range;

use crate::clause::Clause;
use crate::nearest::Region;

/// A correction that a refusal can offer for an old text that is not in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Correction {
    /// The intended place.
    One(CorrectionOffer),
    /// Without its flaws the text is at several places; each offer has a text that occurs once.
    Several(Vec<CorrectionOffer>),
    /// Only regions that are alike; it is uncertain which one is intended.
    Unsure {
        /// Up to three regions.
        regions: Vec<Region>,
        /// Whether the old text has lines such as `...` that represent further lines, and no one place matches the text
        /// around them.
        gaps: bool,
    },
}

/// A corrected text to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorrectionOffer {
    /// The range of the corrected old text in the view. The text occurs nowhere else.
    pub range: Range<usize>,
    /// The lines of the intended place, counted from 0.
    pub lines: Range<usize>,
    /// Sentences about what the old text has that the file has not, and about the new text; at most about 1,000
    /// characters.
    pub flaws: Vec<Clause>,
    /// The differences of the rest: at most five clauses of at most 500 characters, without a full stop.
    pub differences: Vec<Clause>,
    /// The new text to send with it.
    pub new: NewText,
}

/// The correspondence between the lines of the file and those of an old text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineMatch {
    /// Those that are not blank are the same.
    AsSent,
    /// They differ in white space.
    ButForSpace,
}

/// The new text to send with a corrected old text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewText {
    /// The one that was sent.
    AsSent,
    /// This one: the new text had the same flaw, or is extended by the same lines.
    Instead(String),
    /// The new text has the same flaw, and it is uncertain what was meant.
    Unknown,
}
