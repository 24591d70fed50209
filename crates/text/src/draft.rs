//! Several edits of one view in order, each made on the result of the ones before. A draft contains the text so far,
//! its difference from the original, and the borders that a later edit must not cross.

mod borders;
mod compose;

use crate::splice::{Change, apply_changes};
use borders::{ChangedParts, changed_part};
use std::borrow::Cow;
use std::ops::Range;

/// A view with edits on top. Places are offsets in the current text unless stated otherwise.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    original: &'a str,
    text: Cow<'a, str>,
    /// The replaced ranges in order. The text between two of them is that of the original.
    spans: Vec<Span>,
    borders: ChangedParts,
}

/// A range of the original and the range of the current text that replaced it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    original: Range<usize>,
    current: Range<usize>,
    /// Whether one edit or several contributed to it.
    made_by: ChangeCount,
}

/// Whether one edit made a span or several did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeCount {
    One,
    /// Together they may leave lines as they were.
    Several,
}

impl<'a> Draft<'a> {
    /// Returns a draft without edits.
    pub fn new(view: &'a str) -> Draft<'a> {
        Draft {
            original: view,
            text: Cow::Borrowed(view),
            spans: Vec::new(),
            borders: ChangedParts::default(),
        }
    }

    /// Returns the current text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text before any edit.
    pub fn original(&self) -> &'a str {
        self.original
    }

    /// Makes changes, which are sorted and do not overlap, without recording borders.
    pub fn apply(&mut self, changes: &[Change]) {
        let moves = changes.iter().map(|change| {
            let growth = change.text.len() as isize - change.range.len() as isize;
            (change.range.clone(), growth)
        });
        self.borders.shift(&moves.collect::<Vec<_>>());
        self.compose(changes);
    }

    /// Makes the changes of one edit and records the borders of what it changed. All changes are inside `place`, the
    /// text that it matched; only the last one may extend over the newline right after the place, and then ends in a
    /// newline itself.
    pub fn apply_edit(&mut self, place: Range<usize>, changes: &[Change]) {
        self.apply_places(std::iter::once((place, changes)));
    }

    /// Does the same as [`Draft::apply_edit`] for an edit of several places, which are sorted and do not overlap, in
    /// one pass over the text.
    pub fn apply_places<'c>(
        &mut self,
        places: impl IntoIterator<Item = (Range<usize>, &'c [Change])>,
    ) {
        let mut all = Vec::new();
        let mut moves = Vec::new();
        let mut fresh = Vec::new();
        let mut shift = 0;
        for (place, changes) in places {
            let local: Vec<Change> = changes
                .iter()
                .map(|change| Change {
                    range: change.range.start - place.start..change.range.end - place.start,
                    text: change.text.clone(),
                })
                .collect();
            let reach = local.last().map_or(0, |change| change.range.end);
            let reach = place.start..place.end.max(place.start + reach);
            let mut new = apply_changes(&self.text[reach.clone()], &local);
            if reach.end > place.end {
                // The newline after the place is still there, whichever line it now ends.
                new.truncate(new.len() - usize::from(new.ends_with('\n')));
            }
            let old = &self.text[place.clone()];
            let start = place.start.strict_add_signed(shift);
            let growth = new.len() as isize - old.len() as isize;
            if let Some(part) = changed_part(old, &new) {
                fresh.push(start + part.start..start + part.end);
                // Borders in shared lines after the changed part move along with them.
                let replaced = part.start..part.end.strict_add_signed(-growth);
                moves.push((
                    place.start + replaced.start..place.start + replaced.end,
                    growth,
                ));
            }
            shift += growth;
            all.extend_from_slice(changes);
        }
        self.borders.shift(&moves);
        self.borders.add(fresh);
        self.compose(&all);
    }

    /// Returns whether an edit of this place would cross the border of text that an earlier edit changed. A place
    /// wholly inside or wholly outside such text does not. `quoted` is the place of the edit's old text if that was
    /// found exactly: it may contain all of an earlier edit's new text, since it was written with that result in mind.
    pub fn crosses_earlier_edit(
        &self,
        place: &Range<usize>,
        quoted: Option<&Range<usize>>,
    ) -> bool {
        self.borders.has_border_inside(place, quoted)
    }

    /// Returns the difference from the original as changes of it: sorted, not overlapping, without those that change
    /// nothing.
    pub fn changes(&self) -> Vec<Change> {
        self.spans
            .iter()
            .filter_map(|span| {
                let old = &self.original[span.original.clone()];
                let new = &self.text[span.current.clone()];
                let (head, tail) = match span.made_by {
                    _ if old == new => return None,
                    ChangeCount::One => (0, 0),
                    ChangeCount::Several => borders::shared_lines(old, new),
                };
                Some(Change {
                    range: span.original.start + head..span.original.end - tail,
                    text: new[head..new.len() - tail].to_owned(),
                })
            })
            .collect()
    }

    /// Returns the ranges of the original whose text is still in this place. Text that edits wrote has no origin and is
    /// left out.
    pub fn original_ranges(&self, place: Range<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let first = self
            .spans
            .partition_point(|span| span.current.end <= place.start);
        let before = first.checked_sub(1).map(|index| &self.spans[index]);
        // Copied text starts where the span before it ends.
        let (mut current, mut original) =
            before.map_or((0, 0), |span| (span.current.end, span.original.end));
        let mut add = |stretch: Range<usize>, original: usize| {
            let start = place.start.max(stretch.start);
            let end = place.end.min(stretch.end);
            let holds = if place.is_empty() {
                start <= end
            } else {
                start < end
            };
            if holds {
                let at = |current: usize| original + (current - stretch.start);
                found.push(at(start)..at(end));
            }
        };
        for span in &self.spans[first..] {
            if span.current.start > place.end {
                break;
            }
            add(current..span.current.start, original);
            (current, original) = (span.current.end, span.original.end);
        }
        let rest = self.original.len() - original;
        add(current..current + rest, original);
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests;
