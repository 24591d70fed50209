//! The hunks of an edit, from its changes. The text is neither compared nor scanned, so the cost is that of the changed
//! lines.

use std::borrow::Cow;
use std::ops::Range;

use super::lines::{count_lines, is_line_start, line_at};
use super::print::{ChangedLines, NO_NEWLINE_MARKER, build_difference};
use super::trim::{common_head, common_tail};
use super::{Difference, Hunk, LineTable, MAX_CHANGED_BYTES, line_end};
use crate::splice::Change;

/// Returns the hunks of changes that are sorted and do not overlap, each with `context` unchanged lines around it.
/// Hunks whose contexts touch are joined.
pub fn hunks_of_changes(
    view: &str,
    lines: &dyn LineTable,
    changes: &[Change],
    context: usize,
) -> Difference {
    build_difference(view, lines, &changed_blocks(view, lines, changes), context)
}

/// Returns the same with two contexts, the second wider and only where the first result has lines. The changed lines are
/// found once, and mostly the narrow hunks are parts of the wide ones: 14,000 instructions less at an Edit of 10 KB than
/// with two calls.
pub fn hunks_in_contexts(
    view: &str,
    lines: &dyn LineTable,
    changes: &[Change],
    contexts: (usize, usize),
) -> (Difference, Option<Difference>) {
    let blocks = changed_blocks(view, lines, changes);
    let wide = build_difference(view, lines, &blocks, contexts.1);
    if let Some(hunks) = narrower_hunks(&wide, lines.line_count(), contexts) {
        let narrow = Difference {
            hunks,
            blocks: wide.blocks.clone(),
            ..wide
        };
        return (narrow, Some(wide));
    }
    let narrow = build_difference(view, lines, &blocks, contexts.0);
    let wide = (!narrow.coarse).then_some(wide);
    (narrow, wide)
}

/// Returns the hunks with the first context as parts of those with the second; `None` where these have no lines, or
/// where two narrow hunks are one wide hunk.
fn narrower_hunks(
    wide: &Difference,
    line_count: usize,
    (first, second): (usize, usize),
) -> Option<Vec<Hunk>> {
    let is_joined = |pair: &[(Range<usize>, Range<usize>)]| {
        let gap = pair[1].0.start - pair[0].0.end;
        gap > first.saturating_mul(2) && gap <= second.saturating_mul(2)
    };
    if wide.coarse || wide.blocks.windows(2).any(is_joined) {
        return None;
    }
    let mut starts = wide.blocks.as_slice();
    let hunks = wide.hunks.iter().map(|hunk| {
        let together = 1 + starts
            .windows(2)
            .take_while(|pair| pair[1].0.start - pair[0].0.end <= second.saturating_mul(2))
            .count();
        let (group, rest) = starts.split_at_checked(together)?;
        starts = rest;
        let above = group.first()?.0.start;
        let below = line_count.saturating_sub(group.last()?.0.end);
        let head = above.min(second) - above.min(first);
        let tail = below.min(second) - below.min(first);
        let is_unended = tail > 0 && hunk.lines.last()? == NO_NEWLINE_MARKER;
        let end = hunk.lines.len() - tail - usize::from(is_unended);
        let (old_lines, new_lines) = (hunk.old_lines - head - tail, hunk.new_lines - head - tail);
        // A side that has become empty has the number of the line before it.
        let emptied = |now, was| usize::from(now == 0 && was > 0);
        Some(Hunk {
            old_start: hunk.old_start + head - emptied(old_lines, hunk.old_lines),
            old_lines,
            new_start: hunk.new_start + head - emptied(new_lines, hunk.new_lines),
            new_lines,
            lines: hunk.lines.get(head..end)?.to_vec(),
        })
    });
    hunks.collect()
}

/// Returns the lines that changed. Changes on one line, or without an unchanged line between them, belong to one run.
fn changed_blocks<'t>(
    view: &'t str,
    lines: &dyn LineTable,
    changes: &'t [Change],
) -> Vec<ChangedLines<'t>> {
    let mut blocks: Vec<ChangedLines<'t>> = Vec::new();
    let mut shift = 0isize;
    let mut rest = changes.iter().peekable();
    while let Some(first) = rest.next() {
        let (line, start) = line_at(view, lines, first.range.start);
        let mut new_text = NewTextParts::default();
        new_text.push(&view[start..first.range.start]);
        new_text.push(&first.text);
        let mut cursor = first.range.end;
        // The end of each line is computed once: one line may hold all changes of a large file.
        let mut line_ends = 0;
        let end = loop {
            // Old and new text are both at a line end, so that what follows is unchanged.
            let settled = new_text.ended && is_line_start(view, cursor);
            let end = if settled || cursor == view.len() {
                cursor
            } else {
                if cursor >= line_ends {
                    line_ends = line_end(view, lines, lines.line_of(cursor));
                }
                line_ends
            };
            let goes_on = |next: &&&Change| {
                let at = next.range.start;
                let after_unended_line = at == end && end == view.len() && !view.ends_with('\n');
                at < end || after_unended_line || (!settled && at == cursor)
            };
            let Some(next) = rest.peek().filter(goes_on) else {
                new_text.push(&view[cursor..end]);
                break end;
            };
            new_text.push(&view[cursor..next.range.start]);
            new_text.push(&next.text);
            cursor = next.range.end;
            rest.next();
        };
        let old_lines = if end > start {
            lines.line_of(end - 1) + 1 - line
        } else {
            0
        };
        let new_line = line.saturating_add_signed(shift);
        let whole = ChangedLines {
            old: line..line + old_lines,
            new: new_line..new_line + new_text.line_count(),
            old_bytes: start..end,
            new_text: new_text.text(end - start),
        };
        shift += whole.new.len() as isize - whole.old.len() as isize;
        if let Some(block) = trim_common_lines(view, whole) {
            match blocks.last_mut() {
                Some(last) if last.old.end == block.old.start => join_blocks(last, block),
                _ => blocks.push(block),
            }
        }
    }
    blocks
}

/// Joins two runs without a line between them, so that all old lines come before the new ones.
fn join_blocks<'t>(last: &mut ChangedLines<'t>, block: ChangedLines<'t>) {
    last.old.end = block.old.end;
    last.new.end = block.new.end;
    last.old_bytes.end = block.old_bytes.end;
    last.new_text = match (last.new_text.take(), block.new_text) {
        (Some(one), Some(two)) => Some(one + two),
        _ => None,
    };
}

/// Returns the run without the lines that old and new have in common at its start and end; `None` where nothing is
/// left.
pub(super) fn trim_common_lines<'t>(
    view: &str,
    block: ChangedLines<'t>,
) -> Option<ChangedLines<'t>> {
    let Some(new_text) = block.new_text else {
        return Some(block);
    };
    let old_text = &view[block.old_bytes.clone()];
    let head = common_head(old_text, &new_text);
    let tail = common_tail(&old_text[head..], &new_text[head..]);
    let old_bytes = block.old_bytes.start + head..block.old_bytes.end - tail;
    let kept = head..new_text.len() - tail;
    if old_bytes.is_empty() && kept.is_empty() {
        return None;
    }
    let before = count_lines(&new_text[..head]);
    let after = count_lines(&new_text[kept.end..]);
    Some(ChangedLines {
        old: block.old.start + before..block.old.end - after,
        new: block.new.start + before..block.new.end - after,
        old_bytes,
        new_text: Some(match new_text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[kept]),
            Cow::Owned(text) => Cow::Owned(text[kept].to_owned()),
        }),
    })
}

/// The new text of a run as slices, which are not yet joined: one changed line may be as long as a file.
struct NewTextParts<'t> {
    parts: Vec<&'t str>,
    length: usize,
    ended: bool,
}

impl Default for NewTextParts<'_> {
    fn default() -> Self {
        NewTextParts {
            parts: Vec::new(),
            length: 0,
            ended: true,
        }
    }
}

impl<'t> NewTextParts<'t> {
    fn push(&mut self, part: &'t str) {
        if let Some(last) = part.as_bytes().last() {
            self.ended = *last == b'\n';
            self.length += part.len();
            self.parts.push(part);
        }
    }

    fn line_count(&self) -> usize {
        let newlines: usize = self
            .parts
            .iter()
            .map(|part| memchr::memchr_iter(b'\n', part.as_bytes()).count())
            .sum();
        newlines + usize::from(!self.ended)
    }

    fn text(self, old_length: usize) -> Option<Cow<'t, str>> {
        if self.length + old_length > MAX_CHANGED_BYTES {
            return None;
        }
        Some(match self.parts[..] {
            [] => Cow::Borrowed(""),
            [one] => Cow::Borrowed(one),
            _ => Cow::Owned(self.parts.concat()),
        })
    }
}
