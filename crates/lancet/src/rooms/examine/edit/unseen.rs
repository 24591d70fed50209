//! Lines that an edit touches and that the session was not shown, and the refusal that names the Read for them.

use std::ops::Range;

use lancet_history::Seen;
use lancet_text::Document;

use crate::ledger::raw;
use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::CallContext;
use crate::rooms::locate::Target;
use crate::wording::{line_list, quote_path};

/// How many are looked for.
const MOST: usize = 1_000;

/// Lines that were not shown.
#[derive(Default)]
pub(super) struct Unseen {
    /// Their numbers, from 1, in the order of the places that touch them.
    lines: Vec<usize>,
    /// How many characters of the first stand before what is missing.
    column: usize,
}

impl Unseen {
    /// The lines of a version that some places of it, in order, touch and that were not seen.
    pub(super) fn of(
        document: &Document,
        seen: &Seen,
        places: impl IntoIterator<Item = Range<usize>>,
    ) -> Self {
        let mut unseen = Unseen::default();
        if seen.is_whole(document.raw().len() as u64) {
            // In UTF-16 the bytes of a place take microseconds to find, and there may be a million places.
            return unseen;
        }
        let mut named_until = 0;
        for gap in places
            .into_iter()
            .flat_map(|place| seen.missing_from(raw(document, place)))
        {
            let gap =
                usize::try_from(gap.start).unwrap_or(0)..usize::try_from(gap.end).unwrap_or(0);
            let gap = document.view_range(gap);
            // Of a line that is named already nothing more is to be found out.
            if gap.end <= named_until {
                continue;
            }
            let first = document.line_of(gap.start.max(named_until));
            let last = document.line_of(gap.end.saturating_sub(1).max(gap.start));
            named_until = document.line_range_whole(last).end;
            if unseen.lines.is_empty() {
                let line = document.line_range(first);
                let before = &document.view()[line.start..gap.start.clamp(line.start, line.end)];
                unseen.column = before.chars().count();
            }
            // One place may be a whole file long.
            let room = MOST - unseen.lines.len();
            let lines = (first..=last).map(|line| line + 1);
            unseen.lines.extend(lines.take(room));
            if unseen.lines.len() >= MOST {
                break;
            }
        }
        unseen
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The refusal for them.
    pub(super) fn refusal(self, context: &CallContext<'_>, target: &Target) -> Refusal {
        let Unseen { mut lines, column } = self;
        // Read shows a line up to there; what stands behind has to be asked for.
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
        let call = match touched_first {
            Some(line) if beyond => context.read_column_call(path, line, column + 1),
            _ => context.read_call(path, Some(first), Some(reach)),
        };
        let text = format!(
            "The text stands in lines of {} that were not shown in this session: {}. Call {call} and send this call again.",
            quote_path(path),
            line_list(lines.clone(), 60),
        );
        Refusal::new(RefusalKind::NotRead, text)
            .with("file_path", quote_path(path))
            .with("lines", lines.into_iter().take(1_000).collect::<Vec<_>>())
    }
}
