//! Determines which lines a range of line numbers means: the lines that have these numbers now, or the lines that were
//! shown with them and that the session's own edits have moved since. The text of the first and the last line decides.

use std::ops::{Range, RangeInclusive};

use lancet_history::{Mover, Standing};

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
    pub(super) fn whole(&self) -> Range<usize> {
        self.start..self.last.end
    }
}

/// The lines that a range means, and what the answer says about them.
pub(super) struct Resolved {
    pub(super) block: LineBlock,
    pub(super) note: Option<Message>,
}

/// The present place of the lines that were shown with the numbers of a range.
enum Moved {
    /// They still have these numbers, or no longer exist.
    No,
    /// They now are other lines, counted from 0.
    To { first: u64, last: u64, mover: Mover },
    /// Their position is not known.
    Unknown,
}

impl<S: TextSource> EditSession<'_, S> {
    /// Finds the lines that a range means.
    pub(super) fn resolve(
        &self,
        read_state: &ReadState,
        range: &LineRange,
    ) -> Result<Resolved, Refusal> {
        let (first, last) = (range.start.saturating_sub(1), range.end.saturating_sub(1));
        let standing = self.fitting(first, last, range)?;
        let is_seen = |block: &LineBlock| {
            let seen = &read_state.seen;
            self.source.is_seen_whole(seen) || self.source.gaps(seen, &block.whole()).is_empty()
        };
        let moved = self.moved(read_state, first, last);
        let found = match moved {
            Moved::To { first, last, .. } => self.fitting(first, last, range)?.filter(is_seen),
            Moved::No | Moved::Unknown => None,
        };
        match (standing, found, moved) {
            (Some(block), _, Moved::Unknown) => Err(self.unknown_numbers(&block)),
            (Some(block), Some(other), _) if is_seen(&block) => {
                Err(self.two_readings(range, &block, &other))
            }
            (Some(block), None, _) => Ok(Resolved { block, note: None }),
            (_, Some(block), Moved::To { first, last, mover }) => {
                let is_together = last - first == range.end - range.start;
                if mover == Mover::Other || !is_together {
                    return Err(self.not_these(range, Some(&block))?);
                }
                let note = Some(self.moved_note(range, &block));
                Ok(Resolved { block, note })
            }
            _ if range.end > self.source.line_count() as u64 => {
                Err(self.past_the_end(range.start, range.end))
            }
            _ => Err(self.not_these(range, None)?),
        }
    }

    /// Finds where the lines are now that were shown with these numbers, counted from 0.
    fn moved(&self, read_state: &ReadState, first: u64, last: u64) -> Moved {
        let mut numbers = read_state.numbers.clone();
        numbers.changed(&self.source.line_changes(), Mover::Session);
        let (first_at, last_at) = (numbers.standing(first), numbers.standing(last));
        match (first_at, last_at) {
            (Standing::Unknown, _) | (_, Standing::Unknown) => Moved::Unknown,
            // The lines were shown at different times, and are now in another order.
            (
                Standing::At { line, .. },
                Standing::At {
                    line: last_line, ..
                },
            ) if line > last_line => Moved::Unknown,
            (
                Standing::At { line, mover },
                Standing::At {
                    line: last_line,
                    mover: last_mover,
                },
            ) if (line, last_line) != (first, last) => Moved::To {
                first: line,
                last: last_line,
                mover: match mover {
                    Mover::Session => last_mover,
                    Mover::Other => Mover::Other,
                },
            },
            _ => Moved::No,
        }
    }

    /// Refuses a line, counted from 0, whose number was shown with another line. No text proves which of the two is meant.
    pub(super) fn require_unmoved(
        &self,
        read_state: &ReadState,
        line: usize,
    ) -> Result<(), Refusal> {
        match self.moved(read_state, line as u64, line as u64) {
            Moved::No => Ok(()),
            Moved::To { .. } | Moved::Unknown => {
                let last = self.source.line_span(line)?;
                Err(self.unknown_numbers(&LineBlock {
                    lines: line..=line,
                    start: last.start,
                    last,
                }))
            }
        }
    }

    /// These lines, counted from 0, if the first and the last are as expected.
    fn fitting(
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
