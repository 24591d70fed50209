//! Whole lines of a file, named by their numbers.
use crate::non_exhaustive::NonExhaustive;

/// Whole lines of a file, named by their numbers and verified by the text of the first and the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineRange {
    /// The number of the first line, counted from 1.
    pub start: u64,
    /// The number of the last line.
    pub end: u64,
    /// The first and the last line without their line ends, or their anchors where Read shows anchors.
    pub expect: [String; 2],
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

impl LineRange {
    /// Makes a range of lines whose first and last line must be as expected.
    pub fn new(start: u64, end: u64, expect: [String; 2]) -> Self {
        Self {
            start,
            end,
            expect,
            non_exhaustive: NonExhaustive,
        }
    }
}
