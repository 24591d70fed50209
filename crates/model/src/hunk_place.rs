//! Where a hunk of whole lines is placed, besides by its old lines.

use crate::non_exhaustive::NonExhaustive;
use lancet_text::HunkBounds;

/// The further conditions on the place of a hunk of whole lines, besides its old lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HunkPlace {
    /// The bounds of the place: anchors, the end of the file, gaps.
    pub bounds: HunkBounds,
    /// The number, from 1, of the first old line in the file before the request. If it is the number of one of several
    /// exact places, it chooses that place.
    pub line_hint: Option<u64>,
    /// The index of the hunk's section among the sections of its file in a diff, from 0. In a later section the line
    /// number may count the file before the request or after the earlier sections: it chooses only where both mean the
    /// same line.
    pub section: usize,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}
