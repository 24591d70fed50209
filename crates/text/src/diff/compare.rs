//! The difference of two whole texts, by the histogram algorithm of imara-diff on what is between their common start
//! and end. That library cannot be interrupted, so the size of its input is bounded beforehand.
//!
//! The budget is a time, but the clock is not read: the constants below say how much input a millisecond pays for, so
//! the same texts always give the same result.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use imara_diff::{Algorithm, Diff, InternedInput, Token};

use super::lines::count_lines;
use super::print::{ChangedLines, build_difference, coarse_hunk};
use super::spans::trim_common_lines;
use super::trim::{common_head, common_tail};
use super::{Difference, LineStarts};

/// The number of bytes between common start and end that a millisecond of budget pays for.
const BYTES_PER_MILLISECOND: usize = 200_000;

/// The number of lines between common start and end that a millisecond of budget pays for.
const LINES_PER_MILLISECOND: usize = 2_500;

/// A line that occurs more often than this is no anchor for imara-diff's histogram. Where a run has only such lines,
/// each is compared with each, in quadratic time.
const FREQUENT_LINE_THRESHOLD: u32 = 63;

/// The number of pairs of frequent lines that a millisecond of budget pays for.
const PAIRS_PER_MILLISECOND: usize = 500_000;

/// The number of lines of the common start and end that are included in the comparison, so that a changed run can slide
/// to where a reader would put it.
const SLIDE_LINES: usize = 32;

/// Returns the difference between `old` and `new`. It is coarse where there are more changed lines than can be shown,
/// or where the comparison would take longer than `budget`.
pub fn difference(old: &str, new: &str, context: usize, budget: Duration) -> Difference {
    let index = LineStarts::new(old);
    match compare(old, new, budget) {
        CompareOutcome::Lines(blocks) => build_difference(old, &index, &blocks, context),
        CompareOutcome::TooMuch(block) => Difference {
            hunks: coarse_hunk(std::slice::from_ref(&block)),
            added: block.1.len(),
            removed: block.0.len(),
            coarse: true,
            blocks: vec![block],
        },
    }
}

/// The changed lines, or where they are if comparing them would take too long.
enum CompareOutcome<'t> {
    Lines(Vec<ChangedLines<'t>>),
    TooMuch((Range<usize>, Range<usize>)),
}

fn compare<'t>(old: &'t str, new: &'t str, budget: Duration) -> CompareOutcome<'t> {
    let head = common_head(old, new);
    let tail = common_tail(&old[head..], &new[head..]);
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    if head == old_end && head == new_end {
        return CompareOutcome::Lines(Vec::new());
    }
    let first = count_lines(&old[..head]);
    let changed = (
        count_lines(&old[head..old_end]),
        count_lines(&new[head..new_end]),
    );
    let whole = (first..first + changed.0, first..first + changed.1);
    let milliseconds = usize::try_from(budget.as_millis()).unwrap_or(usize::MAX);
    let bytes = (old_end - head) + (new_end - head);
    if bytes > milliseconds.saturating_mul(BYTES_PER_MILLISECOND)
        || changed.0 + changed.1 > milliseconds.saturating_mul(LINES_PER_MILLISECOND)
    {
        return CompareOutcome::TooMuch(whole);
    }
    let from = line_start_slide_before(old, head);
    let given = line_start_slide_after(old, old_end) - old_end;
    let (old_part, new_part) = (&old[from..old_end + given], &new[from..new_end + given]);
    let above = first - count_lines(&old[from..head]);
    let mut input = InternedInput::default();
    input.update_before(old_part.split_inclusive('\n'));
    input.update_after(new_part.split_inclusive('\n'));
    let compared = match make_frequent_lines_unique(
        &input,
        milliseconds.saturating_mul(PAIRS_PER_MILLISECOND),
    ) {
        None => {
            let mut diff = Diff::compute(Algorithm::Histogram, &input);
            diff.postprocess_lines(&input);
            changed_blocks(old_part, new_part, from, above, &diff)
        }
        Some((before, after, kinds)) => {
            let mut diff = Diff::default();
            diff.compute_with(Algorithm::Histogram, &before, &after, kinds);
            let blocks = changed_blocks(old_part, new_part, from, above, &diff);
            blocks
                .into_iter()
                .filter_map(|block| trim_common_lines(old, block))
                .collect()
        }
    };
    CompareOutcome::Lines(compared)
}

/// Returns the lines with each frequent line made different from all others, so that the comparison stays within its
/// budget; `None` where that is not needed. What frequent lines have in common at the edges of a changed run is found
/// again by trimming it.
fn make_frequent_lines_unique(
    input: &InternedInput<&str>,
    pairs_most: usize,
) -> Option<(Vec<Token>, Vec<Token>, u32)> {
    let count = |tokens: &[Token]| {
        let mut counts = vec![0u32; input.interner.num_tokens() as usize];
        for token in tokens {
            counts[token.0 as usize] += 1;
        }
        counts
    };
    let (before, after) = (count(&input.before), count(&input.after));
    let is_frequent = |token: &Token| {
        before[token.0 as usize].max(after[token.0 as usize]) > FREQUENT_LINE_THRESHOLD
    };
    let frequent = |tokens: &[Token]| tokens.iter().filter(|token| is_frequent(token)).count();
    if frequent(&input.before).saturating_mul(frequent(&input.after)) <= pairs_most {
        return None;
    }
    let mut kinds = input.interner.num_tokens();
    let mut unlike = |tokens: &[Token]| -> Vec<Token> {
        tokens
            .iter()
            .map(|token| {
                if !is_frequent(token) {
                    return *token;
                }
                kinds += 1;
                Token(kinds - 1)
            })
            .collect()
    };
    let (before, after) = (unlike(&input.before), unlike(&input.after));
    Some((before, after, kinds))
}

/// Returns the offset up to [`SLIDE_LINES`] lines before a line start.
fn line_start_slide_before(text: &str, at: usize) -> usize {
    let mut ends = memchr::memrchr_iter(b'\n', &text.as_bytes()[..at]);
    // The first newline found ends the line just before `at`.
    ends.nth(SLIDE_LINES).map_or(0, |end| end + 1)
}

/// Returns the offset up to [`SLIDE_LINES`] lines after a line start.
fn line_start_slide_after(text: &str, at: usize) -> usize {
    let mut ends = memchr::memchr_iter(b'\n', &text.as_bytes()[at..]);
    ends.nth(SLIDE_LINES - 1)
        .map_or(text.len(), |end| at + end + 1)
}

fn changed_blocks<'t>(
    old: &str,
    new: &'t str,
    from: usize,
    above: usize,
    diff: &Diff,
) -> Vec<ChangedLines<'t>> {
    let mut old_cursor = LineCursor::new(old);
    let mut new_cursor = LineCursor::new(new);
    diff.hunks()
        .map(|hunk| {
            let (before, after) = (to_usize_range(&hunk.before), to_usize_range(&hunk.after));
            let bytes = old_cursor.advance_over_lines(&before);
            ChangedLines {
                old_bytes: from + bytes.start..from + bytes.end,
                new_text: Some(Cow::Borrowed(&new[new_cursor.advance_over_lines(&after)])),
                old: above + before.start..above + before.end,
                new: above + after.start..above + after.end,
            }
        })
        .collect()
}

fn to_usize_range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Finds the offsets of line numbers that only grow.
struct LineCursor<'t> {
    text: &'t str,
    line: usize,
    at: usize,
}

impl<'t> LineCursor<'t> {
    fn new(text: &'t str) -> Self {
        LineCursor {
            text,
            line: 0,
            at: 0,
        }
    }

    fn advance_over_lines(&mut self, lines: &Range<usize>) -> Range<usize> {
        self.skip_to(lines.start);
        let from = self.at;
        self.skip_to(lines.end);
        from..self.at
    }

    fn skip_to(&mut self, line: usize) {
        while self.line < line {
            let rest = &self.text.as_bytes()[self.at..];
            self.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            self.line += 1;
        }
    }
}
