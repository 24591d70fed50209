//! Turns changed lines into hunks with context, and hunks into text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use super::lines::count_lines;
use super::{Difference, Hunk, LineTable, MAX_CHANGED_BYTES, MAX_HUNK_BYTES, line_end};

/// The line that `diff` prints after a last line without newline.
pub(super) const NO_NEWLINE_MARKER: &str = "\\ No newline at end of file";

/// A run of changed lines, as ranges of old and of new lines.
#[derive(Debug, Clone)]
pub(super) struct ChangedLines<'t> {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    /// The bytes of its old lines in the old text.
    pub(super) old_bytes: Range<usize>,
    /// The text of its new lines; `None` where it is over the limit.
    pub(super) new_text: Option<Cow<'t, str>>,
}

/// Returns the difference that consists of these runs, with its lines if it is small enough to show.
pub(super) fn build_difference(
    view: &str,
    lines: &dyn LineTable,
    blocks: &[ChangedLines<'_>],
    context: usize,
) -> Difference {
    let mut changed = 0usize;
    let mut difference = Difference::default();
    for block in blocks {
        difference.added += block.new.len();
        difference.removed += block.old.len();
        difference
            .blocks
            .push((block.old.clone(), block.new.clone()));
        let new_length = block
            .new_text
            .as_ref()
            .map_or(MAX_CHANGED_BYTES, |text| text.len());
        changed = changed
            .saturating_add(block.old_bytes.len())
            .saturating_add(new_length);
    }
    let shown = (changed <= MAX_CHANGED_BYTES)
        .then(|| hunks_with_lines(view, lines, blocks, context))
        .flatten();
    match shown {
        Some(hunks) => difference.hunks = hunks,
        None => {
            difference.coarse = true;
            difference.hunks = coarse_hunk(&difference.blocks);
        }
    }
    difference
}

/// Returns one hunk without lines, from the first to the last changed line.
pub(super) fn coarse_hunk(blocks: &[(Range<usize>, Range<usize>)]) -> Vec<Hunk> {
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        return Vec::new();
    };
    vec![hunk_without_lines(
        first.0.start..last.0.end,
        first.1.start..last.1.end,
    )]
}

/// Returns a hunk with its line numbers and without lines.
fn hunk_without_lines(old: Range<usize>, new: Range<usize>) -> Hunk {
    // An empty side has the number of the line before it, as in `diff` and `patch`.
    let start = |range: &Range<usize>| range.start + usize::from(!range.is_empty());
    Hunk {
        old_start: start(&old),
        old_lines: old.len(),
        new_start: start(&new),
        new_lines: new.len(),
        lines: Vec::new(),
    }
}

/// Returns the hunks with their lines; `None` where they are too long to show.
fn hunks_with_lines(
    view: &str,
    lines: &dyn LineTable,
    blocks: &[ChangedLines<'_>],
    context: usize,
) -> Option<Vec<Hunk>> {
    let count = lines.line_count();
    let mut shown = 0;
    let mut hunks = Vec::new();
    let mut rest = blocks;
    while let Some(first) = rest.first() {
        let together = 1 + rest
            .windows(2)
            .take_while(|pair| pair[1].old.start - pair[0].old.end <= context.saturating_mul(2))
            .count();
        let (group, others) = rest.split_at(together);
        rest = others;
        let last = &group[together - 1];
        let before = first.old.start.min(context);
        let after = count.saturating_sub(last.old.end).min(context);
        let mut hunk = hunk_without_lines(
            first.old.start - before..last.old.end + after,
            first.new.start - before..last.new.end + after,
        );
        let mut line = first.old.start - before;
        for block in group {
            copy_context_lines(view, lines, line..block.old.start, &mut hunk, &mut shown)?;
            push(&mut hunk, '-', &view[block.old_bytes.clone()], &mut shown)?;
            push(&mut hunk, '+', block.new_text.as_ref()?, &mut shown)?;
            line = block.old.end;
        }
        copy_context_lines(view, lines, line..line + after, &mut hunk, &mut shown)?;
        hunks.push(hunk);
    }
    Some(hunks)
}

/// Adds unchanged lines to the hunk; `None` where that is too much to show.
fn copy_context_lines(
    view: &str,
    lines: &dyn LineTable,
    wanted: Range<usize>,
    hunk: &mut Hunk,
    shown: &mut usize,
) -> Option<()> {
    if wanted.is_empty() {
        return Some(());
    }
    // The context is copied as one slice: finding each of its lines took an eighth of the instructions of an Edit at 10
    // KB.
    let start = lines.line_range(wanted.start).start;
    let text = &view[start..line_end(view, lines, wanted.end - 1)];
    push(hunk, ' ', text, shown)
}

/// Adds lines after this mark to the hunk; `None` where that is too much to show.
fn push(hunk: &mut Hunk, mark: char, text: &str, shown: &mut usize) -> Option<()> {
    *shown += text.len();
    if *shown > MAX_HUNK_BYTES {
        return None;
    }
    hunk.lines.reserve(count_lines(text));
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n');
        // The formatter would take 900 instructions for each line, and an Edit has about eighteen of them.
        let mut shown_line = String::with_capacity(line.len() + 1);
        shown_line.push(mark);
        shown_line.push_str(bare.unwrap_or(line));
        hunk.lines.push(shown_line);
        if bare.is_none() {
            hunk.lines.push(NO_NEWLINE_MARKER.to_owned());
        }
    }
    Some(())
}

/// Returns the hunks as the body of a unified diff, each after its `@@` line. The text is as long as the hunks: the
/// caller limits it.
pub fn unified_diff(hunks: &[Hunk]) -> String {
    let mut text = String::new();
    for hunk in hunks {
        let _ = writeln!(
            text,
            "@@ -{},{} +{},{} @@",
            hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
        );
        for line in &hunk.lines {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// The number of hunks that [`outline_hunks`] names before it counts the rest.
const MAX_OUTLINED_HUNKS: usize = 20;

/// Returns the hunks by line numbers alone, at most twenty of them:
/// `lines 3-5 (now 3-9); after line 20 (now 24); 7 more`.
pub fn outline_hunks(hunks: &[Hunk]) -> String {
    let mut parts: Vec<String> = hunks
        .iter()
        .take(MAX_OUTLINED_HUNKS)
        .map(|hunk| {
            let old = format_line_span(hunk.old_start, hunk.old_lines);
            let new = format_line_span(hunk.new_start, hunk.new_lines);
            match (hunk.old_lines, hunk.new_lines) {
                (0, _) => format!("after line {old} (now {new})"),
                (_, 0) => format!("lines {old} (now gone)"),
                _ => format!("lines {old} (now {new})"),
            }
        })
        .collect();
    if hunks.len() > MAX_OUTLINED_HUNKS {
        parts.push(format!("{} more", hunks.len() - MAX_OUTLINED_HUNKS));
    }
    parts.join("; ")
}

fn format_line_span(start: usize, count: usize) -> String {
    match count {
        0 | 1 => start.to_string(),
        _ => format!("{start}-{}", start + count - 1),
    }
}
