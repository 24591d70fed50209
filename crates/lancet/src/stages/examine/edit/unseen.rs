//! Lines that an edit touches and that the session was not shown, and the refusal that names the Read for them.

use std::ops::Range;

use lancet_history::SeenRanges;

use super::source::TextSource;
use crate::message::{CALL_VERB, SEND_THIS_AGAIN, message, verbatim};
use crate::next_call::{ReadRemedy, Remedy};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::wording::{line_list, quote_path};

/// The most unseen lines that are collected.
const MAX_COLLECTED_LINES: usize = 1_000;

/// Lines that were not shown.
#[derive(Default)]
pub(super) struct UnseenLines {
    /// The numbers of the lines, from 1, in the order of the places that touch them.
    lines: Vec<usize>,
    /// How many characters of the first line precede its unseen part.
    column: usize,
}

impl UnseenLines {
    /// Finds the lines of the unedited text that some places, in order, touch and that were not seen.
    pub(super) fn find<'p>(
        source: &impl TextSource,
        seen: &SeenRanges,
        places: impl Iterator<Item = &'p Range<usize>>,
    ) -> Result<Self, Refusal> {
        let mut unseen = UnseenLines::default();
        if source.is_seen_whole(seen) {
            // If the whole file was seen, nothing can be unseen. In UTF-16 each place takes microseconds to convert,
            // and there may be a million places.
            return Ok(unseen);
        }
        let mut named_until = 0;
        for gap in places.flat_map(|place| source.unseen_ranges(seen, place)) {
            // The rest of a line that is already named adds nothing.
            if gap.end <= named_until {
                continue;
            }
            let last_byte = gap.end.saturating_sub(1).max(gap.start);
            let first = source.line_at(gap.start.max(named_until))?;
            let last = source.line_at(last_byte)?;
            named_until = source.line_end(last_byte)?;
            if unseen.lines.is_empty() {
                unseen.column = source.column(gap.start)?;
            }
            // One place may be as long as the whole file, so the number of lines is bounded.
            let room = MAX_COLLECTED_LINES - unseen.lines.len();
            let lines = (first..=last).map(|line| line + 1);
            unseen.lines.extend(lines.take(room));
            if unseen.lines.len() >= MAX_COLLECTED_LINES {
                break;
            }
        }
        Ok(unseen)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the refusal that names these lines.
    pub(super) fn refusal(self, context: &CallContext<'_>, target: &Target) -> Refusal {
        let UnseenLines { mut lines, column } = self;
        // Read shows a line up to this length; the rest needs a Read with `column`.
        let beyond = column >= context.engine().settings.read.max_line_chars;
        let touched_first = lines.first().copied();
        lines.sort_unstable();
        lines.dedup();
        let (first, last) = (
            lines.first().copied().unwrap_or(1),
            lines.last().copied().unwrap_or(1),
        );
        let path = target.path();
        let reach = if last - first < 2_000 {
            last - first + 1
        } else {
            1
        };
        let (call, offset, limit, column) = match touched_first {
            Some(line) if beyond => {
                let call = context.read_column_call(path, line, column + 1);
                (call, line, None, Some(column + 1))
            }
            _ => {
                let call = context.read_call(path, Some(first), Some(reach));
                (call, first, Some(reach), None)
            }
        };
        let remedy = Remedy::Read(ReadRemedy {
            offset: Some(offset),
            limit,
            column,
            ..ReadRemedy::default()
        });
        let text = message!(
            "The text is in lines of {} that were not shown in this session: {}. {} {} and {}.",
            quote_path(path),
            verbatim(line_list(lines.clone(), 60)),
            CALL_VERB,
            verbatim(call),
            SEND_THIS_AGAIN
        );
        Refusal::from_message(RefusalKind::NotRead, text)
            .with_remedy(remedy)
            .with_field("file_path", quote_path(path))
            .with_field("lines", lines.into_iter().take(1_000).collect::<Vec<_>>())
    }
}
