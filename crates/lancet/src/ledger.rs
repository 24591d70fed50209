//! Between the ledger, which records byte ranges, and documents, which have lines: conversion of both, and carrying the
//! seen ranges from one version of a file to the next.

use std::ops::Range;
use std::sync::Arc;

use lancet_history::{ChangeDetail, FileVersion, LedgerEntry, LineChange, SeenRanges, StampRecord};
use lancet_text::{Difference, Document, Hunk};
use lancet_workspace::{Revision, Snapshot, Stamp};

/// Makes a ledger entry for a version read from the disk.
pub(crate) fn entry_for(snapshot: &Snapshot, seen: SeenRanges) -> LedgerEntry {
    let mut entry = LedgerEntry::new(version(&snapshot.revision, &snapshot.stamp));
    entry.seen = seen;
    entry.content = Some(Arc::clone(&snapshot.bytes));
    entry
}

/// Converts a revision and stamp to the ledger's version.
pub(crate) fn version(revision: &Revision, stamp: &Stamp) -> FileVersion {
    FileVersion {
        revision: *revision.as_bytes(),
        size: stamp.size,
        stamp: stamp_record(stamp),
    }
}

/// Returns the raw bytes of one line with its line end. The first line begins at the file's first byte, byte order mark
/// included.
pub(crate) fn raw_line(document: &Document<'_>, line: usize) -> Range<u64> {
    raw_range(document, document.line_range_with_end(line))
}

/// Returns the raw bytes of consecutive lines with their line ends, as [`raw_line`] does. Each line that is looked up
/// by itself takes about 1,000 instructions.
pub(crate) fn raw_lines(document: &Document<'_>, lines: Range<usize>) -> Range<u64> {
    if lines.is_empty() {
        return 0..0;
    }
    let start = document.line_range(lines.start).start;
    raw_range(
        document,
        start..document.line_range_with_end(lines.end - 1).end,
    )
}

/// Returns the raw bytes of a range of the view. A range from the view's start includes the byte order mark.
pub(crate) fn raw_range(document: &Document<'_>, view: Range<usize>) -> Range<u64> {
    let from_start = view.start == 0;
    let raw = document.raw_range(view);
    let start = if from_start { 0 } else { raw.start as u64 };
    start..raw.end as u64
}

/// Carries the seen ranges of `before` over to `after`, for the text that is unchanged in it.
pub(crate) fn carry_over_seen(
    before: &Document<'_>,
    before_raw: &[u8],
    seen: &SeenRanges,
    after: &Document<'_>,
    after_raw: &[u8],
    difference: &Difference,
) -> SeenRanges {
    let mut carried = SeenRanges::default();
    let mut old_line = 0;
    let mut new_line = 0;
    let ends = (
        before.line_count()..before.line_count(),
        after.line_count()..after.line_count(),
    );
    for (old, new) in difference.blocks.iter().cloned().chain([ends]) {
        let old_run = raw_lines(before, old_line..old.start);
        let new_run = raw_lines(after, new_line..new.start);
        carry_over_run(
            before,
            before_raw,
            old_line..old.start,
            &old_run,
            seen,
            after,
            after_raw,
            new_line,
            &new_run,
            &mut carried,
        );
        old_line = old.end;
        new_line = new.end;
    }
    carried
}

/// Returns the lines that differ between two versions.
pub(crate) fn line_changes(difference: &Difference) -> Vec<LineChange> {
    let detail = match difference.coarse {
        true => ChangeDetail::Coarse,
        false => ChangeDetail::Exact,
    };
    let blocks = difference.blocks.iter();
    let changes = blocks.map(|(old, new)| LineChange {
        old: old.start as u64..old.end as u64,
        new: new.len() as u64,
        detail,
    });
    changes.collect()
}

/// Returns the lines that the hunks of a patch replace.
pub(crate) fn patched_lines(patch: &[Hunk]) -> Vec<LineChange> {
    let mut changes: Vec<LineChange> = Vec::new();
    for hunk in patch {
        let mut at = first_old_line(hunk);
        let mut change: Option<LineChange> = None;
        for line in &hunk.lines {
            let (removed, added) = match line.as_bytes().first() {
                Some(b'-') => (1, 0),
                Some(b'+') => (0, 1),
                Some(b' ') => {
                    changes.extend(change.take());
                    at += 1;
                    continue;
                }
                _ => continue,
            };
            let change = change.get_or_insert(LineChange {
                old: at..at,
                new: 0,
                detail: ChangeDetail::Exact,
            });
            change.old.end += removed;
            change.new += added;
            at += removed;
        }
        changes.extend(change);
    }
    changes
}

/// Returns the same for a patch that does not contain every line: all lines from its first on may have changed or
/// moved.
pub(crate) fn roughly_patched_lines(patch: &[Hunk]) -> Vec<LineChange> {
    let first = patch.first().map_or(0, first_old_line);
    vec![LineChange {
        old: first..u64::MAX,
        new: 0,
        detail: ChangeDetail::Coarse,
    }]
}

/// Returns the first old line of a hunk, counted from 0. A hunk without old lines names the line before it.
fn first_old_line(hunk: &Hunk) -> u64 {
    let first = match hunk.old_lines {
        0 => hunk.old_start,
        _ => hunk.old_start.saturating_sub(1),
    };
    first as u64
}

#[allow(clippy::too_many_arguments)]
fn carry_over_run(
    before: &Document<'_>,
    before_raw: &[u8],
    lines: Range<usize>,
    old: &Range<u64>,
    seen: &SeenRanges,
    after: &Document<'_>,
    after_raw: &[u8],
    new_line: usize,
    new: &Range<u64>,
    carried: &mut SeenRanges,
) {
    if old.end - old.start == new.end - new.start
        && slice_of_range(before_raw, old) == slice_of_range(after_raw, new)
    {
        for part in seen.ranges() {
            let (start, end) = (part.start.max(old.start), part.end.min(old.end));
            if start < end {
                carried.add(start - old.start + new.start..end - old.start + new.start);
            }
        }
        return;
    }
    // The text is the same but its bytes differ (line ends or encoding changed). A line that was seen whole still
    // counts as seen whole.
    for (step, line) in lines.enumerate() {
        if seen.covers(raw_line(before, line)) {
            carried.add(raw_line(after, new_line + step));
        }
    }
}

fn slice_of_range<'b>(bytes: &'b [u8], range: &Range<u64>) -> Option<&'b [u8]> {
    bytes.get(range.start as usize..range.end as usize)
}

/// Converts a stamp to the ledger's record of it.
pub(crate) fn stamp_record(stamp: &Stamp) -> StampRecord {
    let mut numbers = [0; StampRecord::NUMBER_COUNT];
    let fields = [
        stamp.device as i64,
        stamp.inode as i64,
        stamp.size as i64,
        stamp.mtime.0,
        i64::from(stamp.mtime.1),
        stamp.ctime.0,
        i64::from(stamp.ctime.1),
        i64::from(stamp.mode),
        i64::from(stamp.uid),
        i64::from(stamp.gid),
        stamp.links as i64,
        stamp.taken.0,
        i64::from(stamp.taken.1),
    ];
    numbers[..fields.len()].copy_from_slice(&fields);
    StampRecord(numbers)
}

/// Converts the ledger's record back to a stamp.
pub(crate) fn stamp_from_record(record: &StampRecord) -> Stamp {
    let number = |at: usize| record.0[at];
    let small = |at: usize| u32::try_from(record.0[at]).unwrap_or_default();
    Stamp {
        device: number(0) as u64,
        inode: number(1) as u64,
        size: number(2) as u64,
        mtime: (number(3), small(4)),
        ctime: (number(5), small(6)),
        mode: small(7),
        uid: small(8),
        gid: small(9),
        links: number(10) as u64,
        taken: (number(11), small(12)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamp_survives_conversion_to_record() {
        let stamp = Stamp {
            device: u64::MAX,
            inode: 2,
            size: 3,
            mtime: (-4, 999_999_999),
            ctime: (6, 7),
            mode: 0o100_644,
            uid: u32::MAX,
            gid: 10,
            links: 11,
            taken: (12, 13),
        };
        let kept = stamp_from_record(&stamp_record(&stamp));
        assert_eq!(format!("{kept:?}"), format!("{stamp:?}"));
    }
}
