//! Hunks: what changed, in lines. The hunks of an edit follow from its changes; two whole texts are compared by a diff
//! algorithm. Both are bounded in time and size.

mod compare;
mod lines;
mod print;
mod spans;
mod trim;

#[cfg(test)]
mod tests;

use std::ops::Range;

pub use compare::difference;
pub use lines::{LineStarts, LineTable, line_numbers};
pub use print::{outline_hunks, unified_diff};
pub use spans::{hunks_in_contexts, hunks_of_changes};

pub(crate) use lines::line_end;
pub(crate) use trim::{common_prefix, common_suffix};

/// A difference with more bytes of changed lines than this, old and new together, is coarse.
pub const MAX_CHANGED_BYTES: usize = 1_000_000;

/// A difference whose hunks have more bytes than this, context included, is coarse: a context line may be a whole file.
const MAX_HUNK_BYTES: usize = 2_000_000;

/// A run of changed lines with the unchanged lines around it, as in a unified diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The number of the first old line, from 1. Where there is no old line, the number of the line before (0 at the
    /// top).
    pub old_start: usize,
    /// The number of old lines that the hunk covers.
    pub old_lines: usize,
    /// The number of the first new line, from 1. Where there is no new line, the number of the line before.
    pub new_start: usize,
    /// The number of new lines that the hunk covers.
    pub new_lines: usize,
    /// The lines without their newline, each after ` `, `-` or `+`; `\ No newline at end of file` follows a line
    /// that has none. Empty in a coarse difference.
    pub lines: Vec<String>,
}

/// The difference between two texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// The hunks in order. A coarse difference has one hunk without lines.
    pub hunks: Vec<Hunk>,
    /// The number of lines that only the new text has.
    pub added: usize,
    /// The number of lines that only the old text has.
    pub removed: usize,
    /// Whether the difference is too large to show: then its only hunk goes from the first to the last changed line and
    /// has no lines.
    pub coarse: bool,
    /// The changed lines in order, as ranges of old and of new lines, counted from 0.
    pub blocks: Vec<(Range<usize>, Range<usize>)>,
}

impl Difference {
    /// Returns whether the texts are equal.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}
