//! The line numbers before the lines that Read and the writing tools show.

use std::fmt::Write;

use crate::settings::Gutter;

impl Gutter {
    /// Writes the number of a line, counted from 1.
    pub(crate) fn write(self, out: &mut String, line: usize) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Arrow => write!(out, "{line}→"),
            Self::Tab => write!(out, "{line}\t"),
            Self::Aligned => write!(out, "{line:>6}→"),
            Self::None => Ok(()),
        };
    }
}
