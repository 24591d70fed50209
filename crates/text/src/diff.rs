//! Hunks: what changed, in lines. For an edit they follow from its spans; for two whole texts a diff is made.
//! Both are bounded. Nothing here finds or applies a change.

mod compare;
mod lines;
mod print;
mod spans;
mod trim;

#[cfg(test)]
mod tests;

use std::ops::Range;

pub use compare::difference;
pub use lines::{LineStarts, LineTable};
pub use print::{outline, unified};
pub use spans::hunks_of_changes;

pub(crate) use lines::line_end;
pub(crate) use trim::{common_prefix, common_suffix};

/// Bytes of changed lines, old and new together, beyond which a difference is coarse.
pub const CHANGED_MOST: usize = 1_000_000;

/// Bytes of hunks with their context beyond which a difference is coarse: a context line may be a whole file.
const SHOWN_MOST: usize = 2_000_000;

/// A run of changed lines with the unchanged ones around it, as in a unified diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// First old line, from 1; with no old lines the line before (0 at the top).
    pub old_start: usize,
    /// Old lines covered.
    pub old_lines: usize,
    /// First new line, from 1; with no new lines the line before.
    pub new_start: usize,
    /// New lines covered.
    pub new_lines: usize,
    /// The lines without their newline, each after ` `, `-` or `+`; `\ No newline at end of file` follows a line
    /// that has none. Empty in a coarse difference.
    pub lines: Vec<String>,
}

/// How two texts differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// The changes in order; one without lines where the difference is coarse.
    pub hunks: Vec<Hunk>,
    /// Lines that the new text has and the old had not.
    pub added: usize,
    /// Lines that the old text had and the new has not.
    pub removed: usize,
    /// Too large to show: one hunk from the first to the last changed line, without its lines.
    pub coarse: bool,
    /// The changed lines, old and new, counted from 0, in order.
    pub blocks: Vec<(Range<usize>, Range<usize>)>,
}

impl Difference {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}
