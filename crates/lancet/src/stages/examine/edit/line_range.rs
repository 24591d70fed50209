//! Determines which lines a range of line numbers means: the lines that have these numbers now, or the lines that were
//! shown with them and that the session's own edits have moved since. The text of the first and the last line decides.

use std::ops::{Range, RangeInclusive};

use lancet_history::{LinePlace, MoveOrigin};

use super::edit_session::EditSession;
use super::source::{LineSpan, TextSource};
use crate::gutter::{anchor_letters, parse_anchor};
use crate::message::Message;
use crate::refusal::Refusal;
use crate::request::LineRange;
use crate::settings::Gutter;
use crate::stages::examine::read_state::ReadState;

/// Whole lines of the current text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineBlock {
    /// The lines, counted from 0.
    pub(super) lines: RangeInclusive<usize>,
    /// The offset at which the first line begins.
    pub(super) start: usize,
    /// The last line.
    pub(super) last: LineSpan,
}

impl LineBlock {
    /// Returns the place of the lines with their line ends.
    pub(super) fn range_with_line_ends(&self) -> Range<usize> {
        self.start..self.last.end
    }
}

/// The lines that a range means, and what the answer says about them.
pub(super) struct ResolvedLines {
    pub(super) block: LineBlock,
    pub(super) note: Option<Message>,
}

/// The present place of the lines that were shown with the numbers of a range.
enum MovedLines {
    /// They still have these numbers, or no longer exist.
    No,
    /// They now are other lines, counted from 0.
    To {
        first: u64,
        last: u64,
        mover: MoveOrigin,
    },
    /// Their position is not known.
    Unknown,
}

impl<S: TextSource> EditSession<'_, S> {
    /// Finds the lines that a range means.
    pub(super) fn resolve_line_range(
        &self,
        read_state: &ReadState,
        range: &LineRange,
    ) -> Result<ResolvedLines, Refusal> {
        let (first, last) = (range.start.saturating_sub(1), range.end.saturating_sub(1));
        let standing = self.block_if_expected(first, last, range)?;
        let is_seen = |block: &LineBlock| {
            let seen = &read_state.seen;
            self.source.is_seen_whole(seen)
                || self
                    .source
                    .unseen_ranges(seen, &block.range_with_line_ends())
                    .is_empty()
        };
        let moved = self.find_moved_lines(read_state, first, last);
        let found = match moved {
            MovedLines::To { first, last, .. } => {
                self.block_if_expected(first, last, range)?.filter(is_seen)
            }
            MovedLines::No | MovedLines::Unknown => None,
        };
        match (standing, found, moved) {
            (Some(block), _, MovedLines::Unknown) => Err(self.unknown_numbers_refusal(&block)),
            (Some(block), Some(other), _) if is_seen(&block) => {
                Err(self.two_readings_refusal(range, &block, &other))
            }
            (Some(block), None, _) => Ok(ResolvedLines { block, note: None }),
            (_, Some(block), MovedLines::To { first, last, mover }) => {
                let is_together = last - first == range.end - range.start;
                if mover == MoveOrigin::Other || !is_together {
                    return Err(self.unexpected_lines_refusal(range, Some(&block))?);
                }
                let note = Some(self.moved_lines_sentence(range, &block));
                Ok(ResolvedLines { block, note })
            }
            _ if range.end > self.source.line_count() as u64 => {
                Err(self.past_the_end_refusal(range.start, range.end))
            }
            _ => Err(self.unexpected_lines_refusal(range, None)?),
        }
    }

    /// Finds where the lines are now that were shown with these numbers, counted from 0.
    fn find_moved_lines(&self, read_state: &ReadState, first: u64, last: u64) -> MovedLines {
        let mut numbers = read_state.numbers.clone();
        numbers.record_changes(&self.source.line_changes(), MoveOrigin::Session);
        let (first_at, last_at) = (numbers.current_place(first), numbers.current_place(last));
        match (first_at, last_at) {
            (LinePlace::Unknown, _) | (_, LinePlace::Unknown) => MovedLines::Unknown,
            // The lines were shown at different times, and are now in another order.
            (
                LinePlace::At { line, .. },
                LinePlace::At {
                    line: last_line, ..
                },
            ) if line > last_line => MovedLines::Unknown,
            (
                LinePlace::At { line, mover },
                LinePlace::At {
                    line: last_line,
                    mover: last_mover,
                },
            ) if (line, last_line) != (first, last) => MovedLines::To {
                first: line,
                last: last_line,
                mover: match mover {
                    MoveOrigin::Session => last_mover,
                    MoveOrigin::Other => MoveOrigin::Other,
                },
            },
            _ => MovedLines::No,
        }
    }

    /// Refuses a line, counted from 0, whose number was shown with another line. No text proves which of the two is meant.
    pub(super) fn require_unmoved(
        &self,
        read_state: &ReadState,
        line: usize,
    ) -> Result<(), Refusal> {
        match self.find_moved_lines(read_state, line as u64, line as u64) {
            MovedLines::No => Ok(()),
            MovedLines::To { .. } | MovedLines::Unknown => {
                let last = self.source.line_span(line)?;
                Err(self.unknown_numbers_refusal(&LineBlock {
                    lines: line..=line,
                    start: last.start,
                    last,
                }))
            }
        }
    }

    /// These lines, counted from 0, if the first and the last are as expected.
    fn block_if_expected(
        &self,
        first: u64,
        last: u64,
        range: &LineRange,
    ) -> Result<Option<LineBlock>, Refusal> {
        if first > last || last >= self.source.line_count() as u64 {
            return Ok(None);
        }
        let (first, last) = (first as usize, last as usize);
        let [expected_first, expected_last] = &range.expect;
        let first_span = self.source.line_span(first)?;
        if !self.is_expected(&first_span, expected_first, range.start)? {
            return Ok(None);
        }
        let last_span = self.source.line_span(last)?;
        if !self.is_expected(&last_span, expected_last, range.end)? {
            return Ok(None);
        }
        Ok(Some(LineBlock {
            lines: first..=last,
            start: first_span.start,
            last: last_span,
        }))
    }

    /// Returns whether a line is the text of an entry of `expect`, or has its anchor, whose number must be the one
    /// given.
    pub(super) fn is_expected(
        &self,
        span: &LineSpan,
        entry: &str,
        number: u64,
    ) -> Result<bool, Refusal> {
        let text = span.start..span.text_end;
        if text.len() == entry.len() && self.source.text_of(text.clone())? == entry {
            return Ok(true);
        }
        let shows_anchors = self.context.engine().settings.read.gutter == Gutter::Hash;
        Ok(match parse_anchor(entry).filter(|_| shows_anchors) {
            Some((anchored, letters)) if anchored == number => {
                anchor_letters(&self.source.text_of(text)?) == letters
            }
            _ => false,
        })
    }
}
