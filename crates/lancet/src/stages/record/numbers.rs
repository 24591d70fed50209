//! The numbers that an answer shows before lines: which of them a page shows, and where the lines whose numbers were
//! shown earlier are after a change.

use std::ops::Range;

use lancet_history::{LedgerEntry, LineNumbers, MoveOrigin};
use lancet_workspace::ExpectedState;

use crate::ledger::{patched_lines, roughly_patched_lines};
use crate::stages::examine::read::{AnswerKind, Page};
use crate::stages::plan::{FilePlan, NewContent};

/// Returns the lines that a page shows, counted from 0.
pub(super) fn shown_lines(page: &Page) -> Range<u64> {
    if matches!(
        page.shape,
        AnswerKind::Pdf | AnswerKind::Converted | AnswerKind::Outline
    ) {
        return 0..0;
    }
    let first = page.start.saturating_sub(1) as u64;
    first..first + page.lines as u64
}

/// Returns the positions, after a change, of the lines whose numbers were shown before it or in its answer. `known` is
/// the ledger's entry from before the change.
pub(super) fn line_numbers_after(
    known: Option<&LedgerEntry>,
    file: &FilePlan,
    new: &NewContent,
) -> LineNumbers {
    let is_base = |entry: &LedgerEntry| match &file.expected {
        ExpectedState::Content { revision, .. } => *revision.as_bytes() == entry.revision,
        ExpectedState::Missing | ExpectedState::Link { .. } | ExpectedState::EmptyFolder { .. } => {
            false
        }
    };
    let view = &file.view;
    let mut numbers = match (&view.base_numbers, known) {
        (Some(numbers), _) => numbers.clone(),
        (None, None) => LineNumbers::default(),
        (None, Some(entry)) if is_base(entry) => entry.numbers.clone(),
        (None, Some(_)) => LineNumbers::all_unknown(),
    };
    if matches!(new, NewContent::Copied { .. }) {
        numbers = LineNumbers::all_unknown();
    }
    let changes = match view.coarse {
        true => roughly_patched_lines(&view.patch),
        false => patched_lines(&view.patch),
    };
    numbers.record_changes(&changes, MoveOrigin::Session);
    for lines in &view.numbered {
        numbers.mark_shown(lines.start as u64 - 1..lines.end as u64 - 1);
    }
    numbers
}
