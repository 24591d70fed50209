//! A text in memory, while edits are applied to it, each to the result of the ones before.

use std::borrow::Cow;
use std::ops::Range;

use lancet_history::{LineChange, Seen};
use lancet_text::{
    Change, Document, Draft, Endings, Guard, Leaks, LineStarts, LineTable, Place, Query, RawChange,
    TextKind, Unencodable, Verdict, find, find_hunk, hunks_of_changes, line_numbers,
    replaced_lines,
};

use super::drafted::{built_on, damaged};
use super::encoding_after::encoding_after;
use super::hinted_lines::HintedLines;
use super::planned::is_unshown;
use super::source::{LARGEST_RESULT, LaidChanges, LineSpan, SentEdit, SeveralPlaces, TextSource};
use super::unchanged::leaves_unchanged;
use crate::ledger::{line_changes, raw, raw_lines};
use crate::message::Message;
use crate::refusal::Refusal;
use crate::request::EditRequest;
use crate::stages::context::CallContext;
use crate::stages::examine::explain::{
    Lines, Met, MetHunk, NAMED_PLACES, Searched, ambiguous, hunk_ambiguous, hunk_not_found,
    marker_ambiguous, marker_not_found, not_found, unplaced,
};
use crate::stages::examine::formatted::{Formatted, format_edits, unshown_after};
use crate::stages::examine::hidden;
use crate::stages::examine::view::{LineOffsets, Notes, change_view, unshown_view};
use crate::stages::locate::Target;
use crate::stages::plan::ChangeView;

/// A decoded file, and the edits applied to it so far.
pub(crate) struct HeldText<'d> {
    context: &'d CallContext<'d>,
    target: &'d Target,
    document: &'d Document<'d>,
    /// The text after the edits so far; none where there is only one edit.
    draft: Option<Draft<'d>>,
    /// The changes of a single edit.
    changes: Vec<Change>,
    /// The ranges of the file's text that an edit matched where an earlier one had changed some of it.
    together: Vec<Range<usize>>,
    is_edited: bool,
    /// How lines have moved; none where no hunk has a line number.
    lines: Option<HintedLines>,
    /// Whether the answer shows none of the changed lines.
    is_unshown: bool,
}

impl<'d> HeldText<'d> {
    /// Makes a text for these edits. A single edit needs no draft, which saves a copy of up to 32 MB.
    pub(crate) fn new(
        context: &'d CallContext<'d>,
        target: &'d Target,
        document: &'d Document<'d>,
        edits: &[(usize, &EditRequest)],
    ) -> Self {
        Self {
            context,
            target,
            document,
            draft: (edits.len() > 1).then(|| Draft::new(document.view())),
            changes: Vec::new(),
            together: Vec::new(),
            is_edited: false,
            lines: HintedLines::for_edits(edits),
            is_unshown: is_unshown(edits),
        }
    }

    fn text(&self) -> &str {
        self.draft
            .as_ref()
            .map_or(self.document.view(), Draft::text)
    }

    /// Returns the ranges of the current text that represent bytes which could not be decoded.
    fn damaged(&self) -> Cow<'_, [Range<usize>]> {
        damaged(self.document, self.draft.as_ref())
    }

    /// Returns the line table of the current text.
    fn lines(&self) -> Box<dyn LineTable + '_> {
        match &self.draft {
            None => Box::new(self.document),
            Some(draft) => Box::new(LineStarts::new(draft.text())),
        }
    }

    fn met_hunk<'h>(&'h self, sent: SentEdit<'h>) -> MetHunk<'h> {
        MetHunk {
            target: self.target,
            text: self.text(),
            is_edited: self.is_edited,
            sent,
        }
    }

    fn query<'q>(
        &'q self,
        damaged: &'q [Range<usize>],
        sent: SentEdit<'q>,
        leaks: Leaks,
    ) -> Query<'q> {
        let SentEdit { request, old, new } = sent;
        self.context
            .query(self.text(), damaged, old, new, request, leaks)
    }
}

impl TextSource for HeldText<'_> {
    const NUMBERED: usize = usize::MAX;

    fn endings(&self) -> Endings {
        self.document.endings()
    }

    fn length(&self) -> usize {
        self.text().len()
    }

    fn largest_result(&self) -> usize {
        LARGEST_RESULT
    }

    fn count(&self, old: &str) -> Result<usize, Refusal> {
        Ok(self.text().matches(old).count())
    }

    fn texts(&self) -> (&str, &str) {
        (self.text(), self.document.view())
    }

    fn find(&self, sent: SentEdit<'_>, leaks: Leaks) -> Result<Verdict, Refusal> {
        let damaged = self.damaged();
        let extension = self.target.path().extension();
        let extension = extension.map(|text| text.to_string_lossy());
        let query = Query {
            text_kind: TextKind::of_extension(extension.as_deref()),
            ..self.query(&damaged, sent, leaks)
        };
        let Some(hunk) = sent.request.as_hunk() else {
            return Ok(find(&query));
        };
        let line = self.lines.as_ref().and_then(|lines| lines.line_of(hunk));
        find_hunk(&query, &hunk.bounds, line).map_err(|miss| unplaced(self.met_hunk(sent), &miss))
    }

    fn line_numbers<'p>(
        &self,
        places: impl Iterator<Item = &'p Range<usize>>,
    ) -> Result<Vec<usize>, Refusal> {
        let numbers = match &self.draft {
            None => places
                .map(|place| self.document.line_of(place.start) + 1)
                .collect(),
            // Otherwise the table of all lines would be built again for each of many edits.
            Some(draft) => line_numbers(draft.text(), places.map(|place| place.start)),
        };
        Ok(numbers)
    }

    fn crosses(&self, place: &Range<usize>, quoted: Option<&Range<usize>>) -> bool {
        let draft = self.draft.as_ref();
        draft.is_some_and(|draft| draft.crosses(place, quoted))
    }

    fn check_encodable(&self, text: &str) -> Result<(), Unencodable> {
        let alone = Change {
            range: 0..0,
            text: text.to_owned(),
        };
        self.document.splice(&[alone]).map(|_| ())
    }

    fn not_found(&self, sent: SentEdit<'_>, guard: Option<&Guard>) -> Refusal {
        if sent.request.as_hunk().is_some() {
            return hunk_not_found(self.met_hunk(sent), guard);
        }
        let (lines, damaged) = (self.lines(), self.damaged());
        let met = Met {
            text: Lines {
                view: self.text(),
                lines: &*lines,
            },
            damaged: &damaged,
            file: self.is_edited.then_some(Lines {
                view: self.document.view(),
                lines: self.document,
            }),
        };
        match sent.request.is_marker() {
            true => marker_not_found(self.context, self.target, Some(met), sent.old),
            false => not_found(self.context, self.target, Some(met), sent, guard),
        }
    }

    fn ambiguous(
        &self,
        sent: SentEdit<'_>,
        several: &SeveralPlaces<'_>,
    ) -> Result<Refusal, Refusal> {
        if sent.request.as_hunk().is_some() {
            let numbers = self.line_numbers(several.places.iter().take(NAMED_PLACES))?;
            return Ok(hunk_ambiguous(self.met_hunk(sent), several, numbers));
        }
        let (lines, damaged) = (self.lines(), self.damaged());
        let searched = Searched {
            query: self.query(&damaged, sent, Leaks::Insisted),
            lines: &*lines,
        };
        let numbers = self.line_numbers(several.places.iter().take(NAMED_PLACES))?;
        if sent.request.is_marker() {
            let searched = Some(searched);
            return Ok(marker_ambiguous(self.target, several, &numbers, searched));
        }
        Ok(ambiguous(
            self.context,
            self.target,
            several,
            &numbers,
            Some(searched),
        ))
    }

    fn line_count(&self) -> usize {
        self.lines().line_count()
    }

    fn line_span(&self, line: usize) -> Result<LineSpan, Refusal> {
        let text = self.lines().line_range(line);
        let end = self.text().len().min(text.end + 1);
        Ok(LineSpan {
            start: text.start,
            text_end: text.end,
            end,
        })
    }

    fn text_of(&self, range: Range<usize>) -> Result<Cow<'_, str>, Refusal> {
        let text = self.text();
        let end = text.floor_char_boundary(range.end);
        Ok(Cow::Borrowed(
            text.get(range.start..end).unwrap_or_default(),
        ))
    }

    fn is_damaged(&self, range: &Range<usize>) -> bool {
        let overlaps = |mark: &Range<usize>| mark.start < range.end && range.start < mark.end;
        self.damaged().iter().any(overlaps)
    }

    fn replaced_lines(&self, range: Range<usize>, new: &str) -> Place {
        replaced_lines(self.text(), range, new)
    }

    fn line_changes(&self) -> Vec<LineChange> {
        let Some(draft) = self.draft.as_ref().filter(|_| self.is_edited) else {
            return Vec::new();
        };
        let changes = draft.changes();
        line_changes(&hunks_of_changes(
            self.document.view(),
            self.document,
            &changes,
            0,
        ))
    }

    fn is_seen_whole(&self, seen: &Seen) -> bool {
        seen.is_whole(self.document.raw().len() as u64)
    }

    fn gaps(&self, seen: &Seen, place: &Range<usize>) -> Vec<Range<usize>> {
        let missing = |origin: Range<usize>| {
            let gaps = seen.missing_from(raw(self.document, origin));
            gaps.into_iter().map(|gap| {
                let start = usize::try_from(gap.start).unwrap_or(0);
                let end = usize::try_from(gap.end).unwrap_or(0);
                self.document.view_range(start..end)
            })
        };
        match &self.draft {
            None => missing(place.clone()).collect(),
            Some(draft) => {
                let origins = draft.origin(place.clone()).into_iter();
                origins.flat_map(missing).collect()
            }
        }
    }

    fn line_at(&self, at: usize) -> Result<usize, Refusal> {
        Ok(self.document.line_of(at))
    }

    fn line_end(&self, at: usize) -> Result<usize, Refusal> {
        let line = self.document.line_of(at);
        Ok(self.document.line_range_whole(line).end)
    }

    fn column(&self, at: usize) -> Result<usize, Refusal> {
        let line = self.document.line_range(self.document.line_of(at));
        let before = &self.document.view()[line.start..at.clamp(line.start, line.end)];
        Ok(before.chars().count())
    }

    fn lay(&mut self, places: Vec<Place>) {
        self.is_edited = true;
        if let Some(mut lines) = self.lines.take() {
            lines.record(self.text(), &places);
            self.lines = Some(lines);
        }
        match &mut self.draft {
            Some(draft) => {
                let built_on = places
                    .iter()
                    .filter_map(|place| built_on(draft, &place.range));
                self.together.extend(built_on);
                let places = places.iter();
                draft.apply_places(places.map(|place| (place.range.clone(), &place.changes[..])));
            }
            None => {
                let changes = places.into_iter().flat_map(|place| place.changes);
                self.changes = changes.collect();
            }
        }
    }

    fn laid(&mut self) -> Result<LaidChanges, Unencodable> {
        let changes = match &self.draft {
            Some(draft) => draft.changes(),
            None => std::mem::take(&mut self.changes),
        };
        let raw = self.document.splice(&changes)?;
        Ok(LaidChanges { changes, raw })
    }

    fn format(&self, laid: &mut LaidChanges) -> Formatted {
        format_edits(self.context, self.target, self.document, laid)
    }

    fn unshown(
        &self,
        laid: &LaidChanges,
        formatted: &Formatted,
        view: &ChangeView,
    ) -> Vec<Range<u64>> {
        if self.is_unshown {
            return std::iter::once(0..u64::MAX).collect();
        }
        unshown_after(self.document, &laid.raw, view, &formatted.lines)
    }

    fn is_same(&self, changes: &[RawChange]) -> Result<bool, Refusal> {
        Ok(leaves_unchanged(self.document.raw(), changes))
    }

    fn hidden(&self, laid: &LaidChanges) -> Result<Option<Message>, Refusal> {
        Ok(hidden::of_changes(self.document.view(), &laid.changes))
    }

    fn view(
        &self,
        laid: &LaidChanges,
        notes: Notes,
        seen: &mut Seen,
    ) -> Result<ChangeView, Refusal> {
        if self.is_unshown {
            let document = self.document;
            return Ok(unshown_view(self.context, document, &laid.changes, notes));
        }
        let (mut view, shown) = change_view(
            self.context,
            self.document,
            &laid.changes,
            notes,
            LineOffsets::default(),
        );
        let lines = |range: &Range<usize>| {
            self.document.line_of(range.start)..self.document.line_of(range.end) + 1
        };
        view.together = self.together.iter().map(lines).collect();
        for lines in shown {
            seen.add(raw_lines(self.document, lines));
        }
        Ok(view)
    }

    fn encoding_after(&self, changes: &[RawChange]) -> Result<Option<Message>, Refusal> {
        encoding_after(self.context, self.target, self.document, changes)
    }
}
