//! The place of a hunk of whole lines, besides its old lines.

use lancet_text::HunkBounds;

/// What says where a hunk of whole lines is placed, besides its old lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HunkPlace {
    /// What bounds the place.
    pub bounds: HunkBounds,
    /// The number, from 1, of the first old line in the file as it was before the request. It chooses among exact places
    /// when it is the number of one of them.
    pub line_hint: Option<u64>,
    /// Which section of its file in a diff the hunk belongs to, from 0. In a later section the number counts the lines
    /// before the request or after the sections before it: it chooses only where both mean the same line.
    pub section: usize,
}
