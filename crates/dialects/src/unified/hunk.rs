//! One hunk of a unified diff. The counts of its header end the hunk if they fit its lines; if not, the lines decide.

use super::names::are_name_lines;
use crate::cursor::Cursor;
use crate::error::ParseStop;
use crate::part::{LineRole, PatchHunk};

/// A hunk, and its added lines with their positions in the reply.
pub(super) struct ReadHunk<'t> {
    pub(super) hunk: PatchHunk,
    pub(super) added: Vec<(usize, &'t str)>,
}

/// The numbers of old and new lines in a header, and the number of the first old line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HunkNumbers {
    start: u64,
    old: u64,
    new: u64,
}

/// Parses the numbers of a hunk header; returns none if the line is not a header, or has no numbers.
pub(crate) fn parse_hunk_numbers(line: &str) -> Option<HunkNumbers> {
    let (old, rest) = line.strip_prefix("@@ ")?.split_once(' ')?;
    let (new, rest) = rest.split_once(' ')?;
    rest.strip_prefix("@@")?;
    let range = |text: &str| -> Option<(u64, u64)> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let (start, old) = range(old.strip_prefix('-')?)?;
    let (_, new) = range(new.strip_prefix('+')?)?;
    Some(HunkNumbers { start, old, new })
}

/// The state of parsing a hunk.
struct HunkProgress<'t> {
    read: ReadHunk<'t>,
    old: u64,
    new: u64,
    /// The counts, as long as they may still fit.
    counts: Option<HunkNumbers>,
    /// The first line after the current run of empty lines: each of them needs it.
    after_empty: usize,
}

impl<'t> HunkProgress<'t> {
    fn is_complete(&self) -> bool {
        self.counts
            .is_some_and(|counts| self.old == counts.old && self.new == counts.new)
    }

    fn push(&mut self, at: usize, role: LineRole, text: &'t str) {
        self.old += u64::from(role != LineRole::Added);
        self.new += u64::from(role != LineRole::Removed);
        if self
            .counts
            .is_some_and(|counts| self.old > counts.old || self.new > counts.new)
        {
            self.counts = None;
        }
        if role == LineRole::Added {
            self.read.added.push((at, text));
        }
        self.read.hunk.push(role, text);
    }
}

/// Parses the hunk whose header is at a line.
pub(super) fn read_hunk<'t>(
    reader: &Cursor<'_, 't>,
    at: usize,
) -> Result<(ReadHunk<'t>, usize), ParseStop> {
    let header = parse_hunk_numbers(reader.lines.get(at));
    let mut progress = HunkProgress {
        read: ReadHunk {
            hunk: PatchHunk::default(),
            added: Vec::new(),
        },
        old: 0,
        new: 0,
        counts: header,
        after_empty: 0,
    };
    progress.read.hunk.line_hint = header.map(|header| header.start).filter(|start| *start > 0);
    let mut next = at + 1;
    loop {
        let Some(line) = reader.line(next)? else {
            let is_short = progress.counts.is_some() && !progress.is_complete();
            if is_short || progress.read.hunk.lines.is_empty() {
                let what = format!(
                    "the hunk that begins at line {} has fewer lines than its header says",
                    at + 1
                );
                return Err(ParseStop::cut_off_error(at, &what));
            }
            break;
        };
        if line.starts_with('\\') {
            mark_missing_newline(&mut progress.read.hunk);
            next += 1;
            continue;
        }
        if progress.is_complete() {
            if !continues_hunk(reader, next)? {
                break;
            }
            // There are more lines than the header says, so its counts are ignored.
            progress.counts = None;
        }
        let is_loose = progress.counts.is_none();
        if is_loose && (are_name_lines(reader, next)? || is_signature(reader, next)?) {
            break;
        }
        match line.as_bytes().first() {
            Some(b' ') => progress.push(next, LineRole::Context, &line[1..]),
            Some(b'-') => progress.push(next, LineRole::Removed, &line[1..]),
            Some(b'+') => progress.push(next, LineRole::Added, &line[1..]),
            None if blank_is_context(reader, next, &mut progress)? => {
                progress.push(next, LineRole::Context, "");
            }
            None => break,
            Some(_) if ends_hunk(reader, next) => break,
            Some(_) => {
                return Err(ParseStop::malformed_error(
                    next,
                    "A line of a hunk begins with a blank, `-` or `+`; this one has no sign.",
                ));
            }
        }
        reader.check_line_count(next)?;
        next += 1;
    }
    if progress.read.hunk.lines.is_empty() {
        return Err(ParseStop::malformed_error(at, "The hunk has no lines."));
    }
    Ok((progress.read, next))
}

/// Applies `\ No newline at end of file` to the line before it. It ties the hunk to the end of the file.
fn mark_missing_newline(hunk: &mut PatchHunk) {
    let Some(last) = hunk.lines.last().map(|line| line.role) else {
        return;
    };
    hunk.old_lacks_newline |= last != LineRole::Added;
    hunk.new_lacks_newline |= last != LineRole::Removed;
    hunk.at_end = true;
}

/// Returns whether a line after the last one that the header counts still belongs to the hunk.
fn continues_hunk(reader: &Cursor<'_, '_>, at: usize) -> Result<bool, ParseStop> {
    let has_sign = reader.lines.get(at).starts_with([' ', '-', '+']);
    Ok(has_sign && !are_name_lines(reader, at)? && !is_signature(reader, at)?)
}

/// Returns whether the signature of a mail begins: two dashes, then the version of git.
fn is_signature(reader: &Cursor<'_, '_>, at: usize) -> Result<bool, ParseStop> {
    if reader.lines.get(at).trim_end() != "--" {
        return Ok(false);
    }
    let next = reader.line(at + 1)?;
    Ok(next.is_none_or(|line| {
        line.is_empty() || line.starts_with(|letter: char| letter.is_ascii_digit())
    }))
}

/// Returns whether an empty line is a context line that lost its leading blank, and not the end of the hunk.
fn blank_is_context(
    reader: &Cursor<'_, '_>,
    at: usize,
    progress: &mut HunkProgress<'_>,
) -> Result<bool, ParseStop> {
    let mut behind = progress.after_empty.max(at);
    while reader.line(behind)?.is_some_and(str::is_empty) {
        behind = reader.lines.skip_empty_lines(behind).max(behind + 1);
    }
    progress.after_empty = behind;
    let blanks = (behind - at) as u64;
    if let Some(counts) = progress.counts
        && progress.old + blanks <= counts.old
        && progress.new + blanks <= counts.new
        && progress.old + blanks == counts.old
        && progress.new + blanks == counts.new
    {
        return Ok(true);
    }
    let Some(line) = reader.line(behind)? else {
        return Ok(false);
    };
    let is_list = |line: &str| line.starts_with("- ") || line.starts_with("+ ");
    let fits = progress.counts.is_some();
    Ok(line.starts_with([' ', '-', '+'])
        && (fits || !is_list(line))
        && !are_name_lines(reader, behind)?
        && !is_signature(reader, behind)?)
}

/// Returns whether a line without a sign ends a hunk.
fn ends_hunk(reader: &Cursor<'_, '_>, at: usize) -> bool {
    let line = reader.lines.get(at);
    line.starts_with("@@")
        || line.starts_with("diff --git ")
        || line.starts_with("Index: ")
        || reader.closes_fence(at)
        || crate::fence::parse_fence(line).is_some()
}
