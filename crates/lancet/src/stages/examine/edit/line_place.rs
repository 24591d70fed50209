//! The place of an edit that works on whole lines: before or after the line of a marker, at lines given by their
//! numbers, or both where lines are moved.

use std::ops::Range;

use lancet_text::{Change, EditedPlace as FoundPlace, FoundPlaces, Rung};

use super::edit_session::{EditOptions, EditSession};
use super::line_range::LineBlock;
use super::source::{LineSpan, SentEdit, TextSource};
use crate::message::{Message, message};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{LineRange, Place};
use crate::stages::examine::read_state::ReadState;
use crate::wording::quote_path;
use lancet_model::rung_names::name_rung;

/// The place of an edit, and the ranges that the checks use.
pub(super) struct LocatedEdit {
    pub(super) found: FoundPlaces,
    /// The message about line numbers that were left in the new text.
    pub(super) leaked_numbers: Option<String>,
    /// The ranges that must have been shown and must not overlap an earlier edit; none where these are the places
    /// themselves.
    pub(super) touched: Option<Vec<Range<usize>>>,
    /// The text that the new text replaces, where that is not the old text.
    pub(super) replaced: Option<String>,
    /// The sentence of the answer about the place.
    pub(super) note: Option<Message>,
}

impl LocatedEdit {
    /// Returns the place of old text.
    pub(super) fn new(found: FoundPlaces, leaked_numbers: Option<String>) -> Self {
        Self {
            found,
            leaked_numbers,
            touched: None,
            replaced: None,
            note: None,
        }
    }
}

/// The line before or after which lines are inserted.
struct Marker {
    rung: Rung,
    /// The text that the marker fits.
    place: Range<usize>,
    /// The offset at which lines are inserted.
    at: usize,
    /// The line that the new lines follow; the first one at the top of the file.
    followed: LineSpan,
    /// Whether the line before the offset has a line end.
    is_ended: bool,
    note: Option<Message>,
}

/// The side of a marker on which lines are inserted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkerSide {
    Before,
    After,
}

impl<S: TextSource> EditSession<'_, S> {
    /// Finds where an edit is made.
    #[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
    pub(super) fn locate(
        &self,
        read_state: &ReadState,
        sent: SentEdit<'_>,
        options: EditOptions,
    ) -> Result<LocatedEdit, Refusal> {
        match &sent.request.place {
            Place::Before => self.locate_insertion(read_state, sent, options, MarkerSide::Before),
            Place::After => self.locate_insertion(read_state, sent, options, MarkerSide::After),
            Place::AfterLine(line) => self.locate_after_line(read_state, sent, *line),
            Place::Lines(range) => self.locate_lines(read_state, sent, range),
            Place::MovedAfter(range) => self.locate_move(read_state, sent, options, range),
            Place::Matches(substitution) => self.locate_matches(substitution),
            Place::Planned(planned) => Ok(self.locate_planned(planned)),
            Place::Text | Place::Hunk(_) => {
                let (found, leaked_numbers) = self.find_old_text(read_state, sent, options)?;
                Ok(LocatedEdit::new(found, leaked_numbers))
            }
            _ => Err(Refusal::unknown_request()),
        }
    }

    /// Refuses edits that are invalid for whole lines, before the file is examined.
    pub(super) fn check_line_edit(&self, sent: SentEdit<'_>) -> Result<(), Refusal> {
        let request = sent.request;
        let place = &request.place;
        let refused = |kind, text: &'static str| {
            Err(Refusal::from_message(kind, text)
                .with_field("file_path", quote_path(self.target.path())))
        };
        if matches!(
            place,
            Place::Text | Place::Hunk(_) | Place::Matches(_) | Place::Planned(_)
        ) {
            return Ok(());
        }
        if request.replace_all {
            return refused(
                RefusalKind::Invalid,
                "replace_all goes with an old text alone. Send one edit for each place.",
            );
        }
        if request.is_marker() && request.old.is_empty() {
            return refused(
                RefusalKind::Invalid,
                "marker is empty. Send text that occurs once in the file.",
            );
        }
        match place {
            Place::Before | Place::After | Place::AfterLine(_) if request.new.is_empty() => {
                refused(
                    RefusalKind::NoChange,
                    "content is empty. Nothing was written; send the lines to insert.",
                )
            }
            Place::Lines(range) | Place::MovedAfter(range)
                if range.start == 0 || range.start > range.end =>
            {
                Err(self.no_lines_refusal(range))
            }
            _ => Ok(()),
        }
    }

    fn locate_insertion(
        &self,
        read_state: &ReadState,
        sent: SentEdit<'_>,
        options: EditOptions,
        side: MarkerSide,
    ) -> Result<LocatedEdit, Refusal> {
        let marker = self.find_marker(read_state, sent, options, side)?;
        Ok(LocatedEdit {
            touched: Some(vec![
                marker.place.clone(),
                marker.followed.range_with_line_end(),
            ]),
            replaced: Some(String::new()),
            note: marker.note.clone(),
            ..LocatedEdit::new(
                marker.found_places(vec![self.insertion(&marker, sent.new)]),
                None,
            )
        })
    }

    fn locate_after_line(
        &self,
        read_state: &ReadState,
        sent: SentEdit<'_>,
        number: u64,
    ) -> Result<LocatedEdit, Refusal> {
        if number > self.source.line_count() as u64 {
            return Err(self.past_the_end_refusal(number, number));
        }
        let line = usize::try_from(number).unwrap_or_default().checked_sub(1);
        if let Some(line) = line {
            self.require_unmoved(read_state, line)?;
        }
        let first = match self.source.line_count() {
            // An empty file has no line that could be unseen.
            0 => LineSpan::default(),
            _ => self.source.line_span(line.unwrap_or_default())?,
        };
        let beside = Marker {
            rung: Rung::Exact,
            place: first.range_with_line_end(),
            at: line.map_or(first.start, |_| first.end),
            is_ended: line.is_none() || first.end > first.text_end,
            followed: first,
            note: None,
        };
        Ok(LocatedEdit {
            touched: Some(vec![beside.followed.range_with_line_end()]),
            replaced: Some(String::new()),
            ..LocatedEdit::new(
                beside.found_places(vec![self.insertion(&beside, sent.new)]),
                None,
            )
        })
    }

    fn locate_lines(
        &self,
        read_state: &ReadState,
        sent: SentEdit<'_>,
        range: &LineRange,
    ) -> Result<LocatedEdit, Refusal> {
        let resolved = self.resolve_line_range(read_state, range)?;
        let block = resolved.block;
        self.refuse_damaged(&block)?;
        // Lines that were shown are few enough for memory.
        self.check_shown(read_state, [&block.range_with_line_ends()].into_iter())?;
        let text = self
            .source
            .text_of(block.range_with_line_ends())?
            .into_owned();
        if !sent.old.is_empty() && sent.old != text {
            return Err(Refusal::from_message(
                RefusalKind::Stale,
                "The lines changed while this call was at work. Nothing was written; send the call again if it still fits.",
            )
            .with_field("file_path", quote_path(self.target.path())));
        }
        let place = match sent.new {
            "" => deletion(block.range_with_line_ends()),
            new => {
                let new = new.strip_suffix('\n').unwrap_or(new);
                self.source
                    .replaced_lines(block.start..block.last.text_end, new)
            }
        };
        let found = FoundPlaces {
            rung: Rung::Exact,
            places: vec![place],
            remarks: Vec::new(),
        };
        Ok(LocatedEdit {
            touched: Some(vec![block.range_with_line_ends()]),
            replaced: Some(text),
            note: resolved.note,
            ..LocatedEdit::new(found, None)
        })
    }

    fn locate_move(
        &self,
        read_state: &ReadState,
        sent: SentEdit<'_>,
        options: EditOptions,
        range: &LineRange,
    ) -> Result<LocatedEdit, Refusal> {
        let resolved = self.resolve_line_range(read_state, range)?;
        let block = resolved.block;
        self.refuse_damaged(&block)?;
        let marker = self.find_marker(read_state, sent, options, MarkerSide::After)?;
        let whole = block.range_with_line_ends();
        let path = quote_path(self.target.path());
        if marker.place.start < whole.end && whole.start < marker.place.end {
            let text = message!(
                "The marker is among the moved lines, {} of {}. Nothing was written; send a marker outside of them.",
                block.numbers(),
                &path
            );
            return Err(
                Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
            );
        }
        if marker.at == whole.start {
            let text = message!(
                "The lines follow the marker in {} already. Nothing was written.",
                &path
            );
            return Err(
                Refusal::from_message(RefusalKind::NoChange, text).with_field("file_path", path)
            );
        }
        self.check_shown(read_state, [&whole].into_iter())?;
        let text = self.source.text_of(block.start..block.last.text_end)?;
        let insertion = self.insertion(&marker, &text);
        // The lines at the end of a file that has no final newline include the line end before them.
        let is_tail = block.last.end == block.last.text_end;
        let before = block.lines.start().checked_sub(1).filter(|_| is_tail);
        let start = match before {
            Some(before) => self.source.line_span(before)?.text_end,
            None => whole.start,
        };
        let mut places = vec![deletion(start..whole.end), insertion];
        places.sort_by_key(|place| place.range.start);
        let mut touched = vec![
            whole,
            marker.place.clone(),
            marker.followed.range_with_line_end(),
        ];
        touched.sort_by_key(|range| range.start);
        let notes: Vec<Message> = resolved
            .note
            .into_iter()
            .chain(marker.note.clone())
            .collect();
        Ok(LocatedEdit {
            touched: Some(touched),
            replaced: Some(text.into_owned()),
            note: (!notes.is_empty()).then(|| Message::joined(notes, "; ")),
            ..LocatedEdit::new(marker.found_places(places), None)
        })
    }

    /// Finds the marker, and where lines are inserted next to it.
    fn find_marker(
        &self,
        read_state: &ReadState,
        sent: SentEdit<'_>,
        options: EditOptions,
        side: MarkerSide,
    ) -> Result<Marker, Refusal> {
        // A marker is not changed, so it is its own new text.
        let as_marker = SentEdit {
            new: sent.old,
            ..sent
        };
        let (found, _) = self.find_old_text(read_state, as_marker, options)?;
        let place = found.places.first().map(|place| place.range.clone());
        let place = place.unwrap_or_default();
        let last = place.end.saturating_sub(1).max(place.start);
        let ends = [place.start..place.start, last..last];
        let numbers = self.source.line_numbers(ends.iter())?;
        let first_line = numbers.first().map_or(0, |number| number - 1);
        let last_line = numbers.last().map_or(0, |number| number - 1);
        let (at, followed, is_ended) = match side {
            MarkerSide::Before => {
                let first = self.source.line_span(first_line)?;
                let before = first_line.checked_sub(1);
                let followed = before.map(|line| self.source.line_span(line)).transpose()?;
                (first.start, followed.unwrap_or(first), true)
            }
            MarkerSide::After => {
                let last = self.source.line_span(last_line)?;
                (last.end, last.clone(), last.end > last.text_end)
            }
        };
        let note = (found.rung != Rung::Exact).then(|| {
            message!(
                "the marker was matched {} at line {}",
                name_rung(found.rung),
                first_line + 1
            )
        });
        Ok(Marker {
            rung: found.rung,
            place,
            at,
            followed,
            is_ended,
            note,
        })
    }

    /// Returns the change that inserts a text next to a marker, on separate lines.
    fn insertion(&self, marker: &Marker, text: &str) -> FoundPlace {
        let lines = text.strip_suffix('\n').unwrap_or(text);
        let text = match marker.is_ended {
            true => format!("{lines}\n"),
            false => format!("\n{lines}"),
        };
        let range = marker.at..marker.at;
        let changes = vec![Change {
            range: range.clone(),
            text: self.source.to_source_line_ends(text),
        }];
        FoundPlace { range, changes }
    }

    /// Refuses lines with bytes that are not text in the file's encoding.
    fn refuse_damaged(&self, block: &LineBlock) -> Result<(), Refusal> {
        if !self.source.is_damaged(&block.range_with_line_ends()) {
            return Ok(());
        }
        let path = quote_path(self.target.path());
        let text = message!(
            "{} of {} hold bytes that are no text in the file's encoding (shown as \u{fffd}), and those are not changed. Name the lines before and after them.",
            block.numbers(),
            &path
        );
        Err(Refusal::from_message(RefusalKind::NotFound, text).with_field("file_path", path))
    }
}

impl Marker {
    /// Returns the changes next to the marker.
    fn found_places(&self, places: Vec<FoundPlace>) -> FoundPlaces {
        FoundPlaces {
            rung: self.rung,
            places,
            remarks: Vec::new(),
        }
    }
}

fn deletion(range: Range<usize>) -> FoundPlace {
    let changes = vec![Change {
        range: range.clone(),
        text: String::new(),
    }];
    FoundPlace { range, changes }
}
