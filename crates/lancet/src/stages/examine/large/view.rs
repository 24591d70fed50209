//! The text that an answer shows of changes in a large file. Changes near each other are shown together in whole lines;
//! where a line is too long to be read, only its number is given. No shown line may contain a change that is not shown.

use std::ops::Range;

use lancet_history::SeenRanges;
use lancet_text::{Change, Hunk, RawChange, outline_hunks};

use super::{FileSlice, LargeFile, count_newlines, is_line_feed};
use crate::message::message;
use crate::refusal::Refusal;
use crate::stages::examine::view::{LineOffsets, Notes, change_view};
use crate::stages::plan::ChangeView;

/// The most places that an answer shows; a few more where they share a line with the last one.
const MAX_SHOWN_PLACES: usize = 20;
/// How many bytes are read before and after a place to show it.
const READ_DISTANCE: u64 = 64 << 10;

/// Makes the hunks and shown lines of the first places, and the totals of all of them.
pub(super) fn view(
    file: LargeFile<'_>,
    changes: &[RawChange],
    notes: Notes,
    seen: &mut SeenRanges,
) -> Result<ChangeView, Refusal> {
    let mut view = ChangeView {
        notices: notes.into_charged_sentences(file.context),
        ..ChangeView::default()
    };
    let mut told = 0;
    while told < changes.len().min(MAX_SHOWN_PLACES) {
        let group = ChangeGroup::gather_group(file, changes, told)?;
        told = group.changes.end;
        group.add_to_view(file, &changes[group.changes.clone()], &mut view, seen)?;
    }
    let untold: Vec<Hunk> = view
        .patch
        .iter()
        .filter(|hunk| hunk.lines.is_empty())
        .cloned()
        .collect();
    if !untold.is_empty() {
        let lines = untold
            .iter()
            .map(|hunk| hunk.new_start..hunk.new_start + hunk.new_lines);
        view.lines.extend(lines);
        view.lines.sort_by_key(|lines| lines.start);
        view.body.push_str(&format!(
            "changed, too long to show: {}\n",
            outline_hunks(&untold)
        ));
    }
    if let [next, ..] = &changes[told..] {
        let left = changes.len() - told;
        view.coarse = true;
        for change in &changes[told..] {
            view.added += count_newlines(&change.bytes) as usize + 1;
        }
        // All places contain the same text.
        let length = usize::try_from(next.range.end - next.range.start).unwrap_or_default();
        let place = file.read(next.range.start, length)?;
        view.removed += (count_newlines(&place.bytes) as usize + 1) * left;
        view.notices.push(message!(
            "{} further places are not shown; the line totals count each of them by itself",
            left
        ));
    }
    Ok(view)
}

/// Changes that are shown together.
struct ChangeGroup {
    changes: Range<usize>,
    /// The lines around the changes; none where they are too long to be read.
    stretch: Option<FileSlice>,
}

impl ChangeGroup {
    /// Collects the changes from `first` on whose surroundings overlap, with the whole lines that contain them.
    fn gather_group(
        file: LargeFile<'_>,
        changes: &[RawChange],
        first: usize,
    ) -> Result<Self, Refusal> {
        let mut end = first + 1;
        while end < changes.len().min(MAX_SHOWN_PLACES)
            && changes[end].range.start <= changes[end - 1].range.end + 2 * READ_DISTANCE
        {
            end += 1;
        }
        let place = changes[first].range.start..changes[end - 1].range.end;
        let from = place.start.saturating_sub(READ_DISTANCE);
        let length = usize::try_from(place.end + READ_DISTANCE - from).unwrap_or(usize::MAX);
        let mut stretch = file.read(from, length)?;
        let before = usize::try_from(place.start - from).unwrap_or_default();
        let lead = match stretch.bytes[..before].iter().position(is_line_feed) {
            _ if from == 0 => Some(0),
            found => found.map(|at| at + 1),
        };
        let ended = whole_lines(&stretch, file.facts().length(), changes, first..end);
        let stop = ended.map(|(stop, taken)| {
            end = taken;
            stop
        });
        let stretch = lead.zip(stop).map(|(lead, stop)| {
            stretch.bytes.truncate(stop);
            stretch.bytes.drain(..lead);
            stretch.offset += lead as u64;
            stretch
        });
        Ok(ChangeGroup {
            changes: first..end,
            stretch,
        })
    }

    /// Adds this group of changes to the view.
    fn add_to_view(
        &self,
        file: LargeFile<'_>,
        changes: &[RawChange],
        view: &mut ChangeView,
        seen: &mut SeenRanges,
    ) -> Result<(), Refusal> {
        let moved = view.added as i64 - view.removed as i64;
        let document = self
            .stretch
            .as_ref()
            .and_then(|stretch| Some((stretch, stretch.document(file.facts().endings())?)));
        let Some((stretch, document)) = document else {
            return add_line_numbers(file, changes, view);
        };
        let first_line = file.line_of(stretch.offset)? as i64;
        let numbers = LineOffsets {
            old: first_line,
            new: first_line + moved,
        };
        let offset = |at: u64| usize::try_from(at - stretch.offset).unwrap_or_default();
        let shown: Vec<Change> = changes
            .iter()
            .map(|change| Change {
                range: document.view_range(offset(change.range.start)..offset(change.range.end)),
                text: String::from_utf8_lossy(&change.bytes).replace("\r\n", "\n"),
            })
            .collect();
        let (one, lines) = change_view(file.context, &document, &shown, Notes::default(), numbers);
        if !view.body.is_empty() {
            view.body.push_str("…\n");
        }
        view.body.push_str(&one.body);
        view.patch.extend(one.patch);
        view.lines.extend(one.lines);
        view.numbered.extend(one.numbered);
        view.coarse |= one.coarse;
        view.added += one.added;
        view.removed += one.removed;
        for line in lines.into_iter().flatten() {
            let part = document.raw_range(document.line_range_with_end(line));
            seen.add(part.start as u64 + stretch.offset..part.end as u64 + stretch.offset);
        }
        Ok(())
    }
}

/// Finds where a stretch must end so that it consists of whole lines without any change that is not shown, and how many
/// changes are shown then: those that share a line with the last one of the group are included. None where no line ends
/// within the stretch.
fn whole_lines(
    stretch: &FileSlice,
    length: u64,
    changes: &[RawChange],
    group: Range<usize>,
) -> Option<(usize, usize)> {
    let bytes = &stretch.bytes;
    let reach = stretch.offset + bytes.len() as u64;
    let within = |at: u64| usize::try_from(at.min(reach) - stretch.offset).unwrap_or(bytes.len());
    let mut is_fresh = true;
    let mut last = within(changes[group.start].range.start);
    let mut taken = group.start;
    loop {
        let change = changes
            .get(taken)
            .filter(|change| change.range.end <= reach)?;
        let start = within(change.range.start);
        if start > last {
            is_fresh = bytes[start - 1] == b'\n';
        } else if taken == group.start {
            is_fresh = start == 0 || bytes[start - 1] == b'\n';
        }
        // Whether the new text is at the start of a line after this change.
        is_fresh = change.bytes.last().map_or(is_fresh, is_line_feed);
        last = within(change.range.end);
        taken += 1;
        if taken < group.end {
            continue;
        }
        let next = changes.get(taken).map(|next| next.range.start);
        let next = next.filter(|next| *next < reach);
        if next.is_none() && reach >= length {
            return Some((bytes.len(), taken));
        }
        let stop = next.map_or(bytes.len(), within);
        if let Some(at) = bytes[last..stop].iter().rposition(is_line_feed) {
            return Some((last + at + 1, taken));
        }
        if is_fresh && bytes[..last].last().is_some_and(is_line_feed) {
            return Some((last, taken));
        }
    }
}

/// Adds changes by their line numbers only; those that share a line count as one.
fn add_line_numbers(
    file: LargeFile<'_>,
    changes: &[RawChange],
    view: &mut ChangeView,
) -> Result<(), Refusal> {
    view.coarse = true;
    for change in changes {
        let moved = view.added as i64 - view.removed as i64;
        let first = file.line_of(change.range.start)? as usize;
        let last = file.line_of(change.range.end)? as usize;
        // Where whole lines were replaced by whole lines, the following line is unchanged.
        let border = change.range.start.saturating_sub(1);
        let before = file.read(border, 1)?.bytes;
        let ends = file.read(change.range.end.saturating_sub(1), 1)?.bytes;
        let is_fresh = match change.bytes.last() {
            Some(byte) => is_line_feed(byte),
            None => change.range.start == 0 || before == b"\n",
        };
        let behind = usize::from(!(is_fresh && ends == b"\n"));
        let old_lines = last - first + behind;
        let new_lines = count_newlines(&change.bytes) as usize + behind;
        let hunk = Hunk {
            old_start: first + 1,
            old_lines,
            new_start: usize::try_from(first as i64 + moved).unwrap_or_default() + 1,
            new_lines,
            lines: Vec::new(),
        };
        let goes_on = |before: &&mut Hunk| {
            before.lines.is_empty() && before.old_start + before.old_lines == hunk.old_start + 1
        };
        let shared = match view.patch.last_mut().filter(goes_on) {
            Some(before) => {
                before.old_lines += old_lines.saturating_sub(1);
                before.new_lines += new_lines.saturating_sub(1);
                1
            }
            None => {
                view.patch.push(hunk);
                0
            }
        };
        view.removed += old_lines.saturating_sub(shared);
        view.added += new_lines.saturating_sub(shared);
    }
    Ok(())
}
