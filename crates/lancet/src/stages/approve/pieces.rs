//! Splits the change of a file into pieces that can be written independently. A piece is a hunk of the diff, or several
//! hunks where one edit matched what an earlier edit had changed. A change that cannot be split safely is one piece.

use lancet_model::non_exhaustive::NonExhaustive;
use std::ops::Range;

use lancet_history::OperationKind;
use lancet_text::{Document, Hunk, RawChange, unified_diff};
use lancet_workspace::ExecutableChange;

use crate::approval::Piece;
use crate::stages::plan::{FilePlan, NewContent, PartialApproval, PlanRecord};

/// A run of changed lines: old lines and new lines, counted from 0.
pub(super) type Block = (Range<usize>, Range<usize>);

/// The pieces of one file.
pub(super) struct Pieces {
    /// The hunks of each piece.
    hunks: Vec<Range<usize>>,
    /// The replacements of each hunk; empty where the file is one piece.
    changes: Vec<Vec<RawChange>>,
}

impl Pieces {
    /// Splits the change of a file in a plan with this origin.
    pub(super) fn for_file(origin: &PlanRecord, file: &FilePlan) -> Self {
        let hunks = file.view.patch.len();
        // A file from the history is restored as a whole. For a file whose text is not shown, the changed lines are not
        // named.
        let is_one = origin.kind != OperationKind::Change
            || origin.parts == PartialApproval::Inseparable
            || file.executable != ExecutableChange::Keep
            || hunks < 2
            || file.view.coarse
            || file.is_withheld()
            || file.view.patch.iter().any(|hunk| hunk.lines.is_empty());
        let changes = match is_one {
            true => None,
            false => changes_by_hunk(file),
        };
        match changes {
            None => Self {
                hunks: std::iter::once(0..hunks).collect(),
                changes: Vec::new(),
            },
            Some(changes) => Self {
                hunks: group_hunks(&file.view.patch, &file.view.together),
                changes,
            },
        }
    }

    /// Counts the pieces; there is at least one.
    pub(super) fn count(&self) -> usize {
        self.hunks.len()
    }

    /// Returns the hunks of some pieces, in order.
    pub(super) fn hunks_of(&self, pieces: &[usize]) -> Vec<usize> {
        let hunks = pieces.iter().filter_map(|at| self.hunks.get(*at));
        hunks.flat_map(Clone::clone).collect()
    }

    /// Returns the replacements of some hunks, in order.
    pub(super) fn changes_of(&self, hunks: &[usize]) -> Vec<RawChange> {
        let changes = hunks.iter().filter_map(|at| self.changes.get(*at));
        changes.flatten().cloned().collect()
    }

    /// Returns the pieces in the form of the question.
    pub(super) fn to_question_pieces(&self, file: &FilePlan) -> Vec<Piece> {
        let show = |hunks: &Range<usize>| Piece {
            diff: unified_diff(&file.view.patch[hunks.clone()]),
            hunks: hunks.clone(),
            non_exhaustive: NonExhaustive,
        };
        self.hunks.iter().map(show).collect()
    }
}

/// Returns the runs of changed lines in a hunk.
pub(super) fn changed_blocks(hunk: &Hunk) -> Vec<Block> {
    let mut old = hunk.old_start - usize::from(hunk.old_lines > 0);
    let mut new = hunk.new_start - usize::from(hunk.new_lines > 0);
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    for line in &hunk.lines {
        match line.as_bytes().first() {
            Some(b'-') => {
                old += 1;
                open.get_or_insert((old - 1..old, new..new)).0.end = old;
            }
            Some(b'+') => {
                new += 1;
                open.get_or_insert((old..old, new - 1..new)).1.end = new;
            }
            Some(b'\\') => {}
            _ => {
                blocks.extend(open.take());
                (old, new) = (old + 1, new + 1);
            }
        }
    }
    blocks.extend(open);
    blocks
}

/// Returns the old lines from the first to the last change of a hunk.
fn changed_old_lines(hunk: &Hunk) -> Range<usize> {
    let blocks = changed_blocks(hunk);
    match (blocks.first(), blocks.last()) {
        (Some((first, _)), Some((last, _))) => first.start..last.end,
        _ => hunk.old_start..hunk.old_start,
    }
}

/// Groups hunks into pieces. Hunks that touch the same range of lines that belong together are one piece.
fn group_hunks(hunks: &[Hunk], together: &[Range<usize>]) -> Vec<Range<usize>> {
    let cores: Vec<Range<usize>> = hunks.iter().map(changed_old_lines).collect();
    let mut goes_on = vec![false; hunks.len()];
    for lines in together {
        let first = cores.partition_point(|core| core.end < lines.start);
        let after = cores.partition_point(|core| core.start <= lines.end);
        for joins in goes_on.iter_mut().take(after).skip(first + 1) {
            *joins = true;
        }
    }
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for (at, joins) in goes_on.into_iter().enumerate() {
        match pieces.last_mut() {
            Some(last) if joins => last.end = at + 1,
            _ => pieces.push(at..at + 1),
        }
    }
    pieces
}

/// Returns the replacements of each hunk; none where they cannot be separated.
fn changes_by_hunk(file: &FilePlan) -> Option<Vec<Vec<RawChange>>> {
    let base = file.base.as_ref()?;
    let old = Document::decode(&base.bytes, Some(file.encoding)).ok()?;
    if old.encoding() != file.encoding {
        return None;
    }
    match &file.new {
        NewContent::Changes(changes) => Some(assign_changes(&old, &file.view.patch, changes)),
        NewContent::Whole(bytes) => {
            let new = Document::decode(bytes, Some(file.encoding)).ok()?;
            let same = new.encoding() == file.encoding;
            same.then(|| cut_hunks_from_new_text(&old, &new, &file.view.patch))
                .flatten()
        }
        _ => None,
    }
}

/// Assigns each replacement to the hunk that shows it. One that no hunk shows, such as a line end alone, is assigned to the
/// nearest hunk.
fn assign_changes(
    old: &Document<'_>,
    hunks: &[Hunk],
    changes: &[RawChange],
) -> Vec<Vec<RawChange>> {
    let cores: Vec<Range<u64>> = hunks
        .iter()
        .map(|hunk| {
            let lines = changed_old_lines(hunk);
            line_offset(old, lines.start) as u64..line_offset(old, lines.end) as u64
        })
        .collect();
    let mut assigned = vec![Vec::new(); hunks.len()];
    for change in changes {
        let part = differing_bytes(old.raw(), change);
        let after = cores.partition_point(|core| core.end < part.start);
        let before = after.checked_sub(1);
        let nearest = match (before, cores.get(after)) {
            (Some(before), Some(next))
                if distance(&cores[before], &part) < distance(next, &part) =>
            {
                before
            }
            (Some(before), None) => before,
            _ => after,
        };
        if let Some(hunk) = assigned.get_mut(nearest) {
            hunk.push(change.clone());
        }
    }
    assigned
}

/// Returns the bytes of a replaced range that the replacement changes.
fn differing_bytes(raw: &[u8], change: &RawChange) -> Range<u64> {
    let at = |offset: u64| usize::try_from(offset).unwrap_or(raw.len()).min(raw.len());
    let old = &raw[at(change.range.start)..at(change.range.end)];
    let pairs = old.iter().zip(&change.bytes);
    let head = pairs.take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[head..], &change.bytes[head..]);
    let pairs = old.iter().rev().zip(new.iter().rev());
    let tail = pairs.take_while(|(old, new)| old == new).count();
    change.range.start + head as u64..change.range.end - tail as u64
}

fn distance(one: &Range<u64>, other: &Range<u64>) -> u64 {
    let after = other.start.saturating_sub(one.end);
    after.max(one.start.saturating_sub(other.end))
}

/// Cuts the lines of each hunk out of the new text. Lines that are in both texts keep the file's bytes.
fn cut_hunks_from_new_text(
    old: &Document<'_>,
    new: &Document<'_>,
    hunks: &[Hunk],
) -> Option<Vec<Vec<RawChange>>> {
    let of_block = |(lines, new_lines): Block| {
        let range = line_offset(old, lines.start) as u64..line_offset(old, lines.end) as u64;
        let bytes = line_offset(new, new_lines.start)..line_offset(new, new_lines.end);
        let bytes = new.raw().get(bytes)?.to_vec();
        Some(RawChange { range, bytes })
    };
    let of_hunk = |hunk: &Hunk| changed_blocks(hunk).into_iter().map(of_block).collect();
    hunks.iter().map(of_hunk).collect()
}

/// Returns the offset at which a line begins in the file; the end of the file for a line that does not exist.
fn line_offset(document: &Document<'_>, line: usize) -> usize {
    match line < document.line_count() {
        true => document.raw_range(document.line_range_with_end(line)).start,
        false => document.raw().len(),
    }
}
