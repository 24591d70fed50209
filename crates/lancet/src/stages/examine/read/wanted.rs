//! The range of a file that a Read requests.

use lancet_history::ReadRange;

use crate::arguments::ReadArguments;
use crate::stages::context::CallContext;

/// The range that a call requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WantedRange {
    /// The first line, from 0.
    pub(crate) first: usize,
    pub(crate) most: usize,
    /// The first character, from 0, of a line shown alone.
    pub(crate) column: Option<usize>,
    /// The range exactly as requested, to recognise the same request later.
    pub(crate) asked: ReadRange,
}

impl WantedRange {
    pub(super) fn new(context: &CallContext<'_>, arguments: &ReadArguments) -> Self {
        let most = context.engine().settings.read.max_lines;
        let limit = arguments
            .limit
            .map_or(most, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Self {
            first: usize::try_from(arguments.offset.unwrap_or(1).max(1) - 1).unwrap_or(usize::MAX),
            most: limit.max(1),
            column: arguments
                .column
                .map(|column| usize::try_from(column.max(1) - 1).unwrap_or(usize::MAX)),
            asked: ReadRange {
                offset: arguments.offset.unwrap_or(1).max(1),
                limit: arguments.limit.unwrap_or(0),
                column: arguments.column.unwrap_or(0),
            },
        }
    }

    /// Returns whether the call requests no particular part of the file.
    pub(super) fn is_whole_file(&self) -> bool {
        self.asked.offset == 1 && self.asked.limit == 0 && self.column.is_none()
    }

    /// Returns the number of lines that the call requests; all lines where it gives no number.
    pub(super) fn requested_line_count(&self) -> usize {
        match self.asked.limit {
            0 => usize::MAX,
            limit => usize::try_from(limit).unwrap_or(usize::MAX),
        }
    }
}
