//! A text in memory, while edits are applied to it, each to the result of the ones before.

use std::borrow::Cow;
use std::ops::Range;

use lancet_history::{LineChange, SeenRanges};
use lancet_text::{
    Change, Document, Draft, EditedPlace, Endings, GuardRefusal, LeakPolicy, LineStarts, LineTable,
    Query, RawChange, TextKind, Unencodable, Verdict, find, find_hunk, line_numbers,
    replace_whole_lines,
};

use super::drafted::{changed_lines, damaged_ranges, partly_edited_range, unseen_ranges};
use super::encoding_after::encoding_after;
use super::hinted_lines::HintedLines;
use super::planned::is_unshown;
use super::source::{
    CombinedChanges, LineSpan, MAX_RESULT_SIZE, SentEdit, SeveralPlaces, TextSource,
};
use super::unchanged::leaves_unchanged;
use crate::ledger::raw_lines;
use crate::message::Message;
use crate::refusal::Refusal;
use crate::request::EditRequest;
use crate::stages::context::CallContext;
use crate::stages::examine::explain::{
    HunkInText, LinedText, MAX_NAMED_PLACES, SearchedText, TargetText, ambiguous,
    hunk_ambiguous_refusal, hunk_not_found_refusal, marker_ambiguous_refusal,
    marker_not_found_refusal, not_found, unplaced_refusal,
};
use crate::stages::examine::formatted::{
    FormatterEffect, format_edits, unshown_lines_after_format,
};
use crate::stages::examine::hidden;
use crate::stages::examine::view::{LineOffsets, Notes, change_view, unshown_view};
use crate::stages::locate::Target;
use crate::stages::plan::ChangeView;

/// A decoded file, and the edits applied to it so far.
pub(crate) struct InMemoryText<'d> {
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

impl<'d> InMemoryText<'d> {
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
    fn damaged_ranges(&self) -> Cow<'_, [Range<usize>]> {
        damaged_ranges(self.document, self.draft.as_ref())
    }

    /// Returns the line table of the current text.
    fn lines(&self) -> Box<dyn LineTable + '_> {
        match &self.draft {
            None => Box::new(self.document),
            Some(draft) => Box::new(LineStarts::new(draft.text())),
        }
    }

    fn hunk_in_text<'h>(&'h self, sent: SentEdit<'h>) -> HunkInText<'h> {
        HunkInText {
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
        leaks: LeakPolicy,
    ) -> Query<'q> {
        let SentEdit { request, old, new } = sent;
        self.context
            .query(self.text(), damaged, old, new, request, leaks)
    }
}

impl TextSource for InMemoryText<'_> {
    const MAX_NUMBERED_PLACES: usize = usize::MAX;

    fn endings(&self) -> Endings {
        self.document.endings()
    }

    fn length(&self) -> usize {
        self.text().len()
    }

    fn largest_result(&self) -> usize {
        MAX_RESULT_SIZE
    }

    fn count(&self, old: &str) -> Result<usize, Refusal> {
        Ok(self.text().matches(old).count())
    }

    fn current_and_file_text(&self) -> (&str, &str) {
        (self.text(), self.document.view())
    }

    fn find(&self, sent: SentEdit<'_>, leaks: LeakPolicy) -> Result<Verdict, Refusal> {
        let damaged = self.damaged_ranges();
        let extension = self.target.path().extension();
        let extension = extension.map(|text| text.to_string_lossy());
        let query = Query {
            text_kind: TextKind::for_extension(extension.as_deref()),
            ..self.query(&damaged, sent, leaks)
        };
        let Some(hunk) = sent.request.as_hunk() else {
            return Ok(find(&query));
        };
        let line = self.lines.as_ref().and_then(|lines| lines.line_of(hunk));
        find_hunk(&query, &hunk.bounds, line)
            .map_err(|miss| unplaced_refusal(self.hunk_in_text(sent), &miss))
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

    fn overlaps_earlier_edit(&self, place: &Range<usize>, quoted: Option<&Range<usize>>) -> bool {
        let draft = self.draft.as_ref();
        draft.is_some_and(|draft| draft.crosses_earlier_edit(place, quoted))
    }

    fn check_encodable(&self, text: &str) -> Result<(), Unencodable> {
        let alone = Change {
            range: 0..0,
            text: text.to_owned(),
        };
        self.document.raw_changes(&[alone]).map(|_| ())
    }

    fn not_found(&self, sent: SentEdit<'_>, guard: Option<&GuardRefusal>) -> Refusal {
        if sent.request.as_hunk().is_some() {
            return hunk_not_found_refusal(self.hunk_in_text(sent), guard);
        }
        let (lines, damaged) = (self.lines(), self.damaged_ranges());
        let met = TargetText {
            text: LinedText {
                view: self.text(),
                lines: &*lines,
            },
            damaged: &damaged,
            file: self.is_edited.then_some(LinedText {
                view: self.document.view(),
                lines: self.document,
            }),
        };
        match sent.request.is_marker() {
            true => marker_not_found_refusal(self.context, self.target, Some(met), sent.old),
            false => not_found(self.context, self.target, Some(met), sent, guard),
        }
    }

    fn ambiguous(
        &self,
        sent: SentEdit<'_>,
        several: &SeveralPlaces<'_>,
    ) -> Result<Refusal, Refusal> {
        let (lines, damaged) = (self.lines(), self.damaged_ranges());
        let searched = SearchedText {
            query: self.query(&damaged, sent, LeakPolicy::Insisted),
            lines: &*lines,
        };
        let numbers = self.line_numbers(several.places.iter().take(MAX_NAMED_PLACES))?;
        if sent.request.as_hunk().is_some() {
            let met = self.hunk_in_text(sent);
            return Ok(hunk_ambiguous_refusal(met, several, numbers, searched));
        }
        if sent.request.is_marker() {
            let searched = Some(searched);
            return Ok(marker_ambiguous_refusal(
                self.target,
                several,
                &numbers,
                searched,
            ));
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
        self.damaged_ranges().iter().any(overlaps)
    }

    fn replaced_lines(&self, range: Range<usize>, new: &str) -> EditedPlace {
        replace_whole_lines(self.text(), range, new)
    }

    fn line_changes(&self) -> Vec<LineChange> {
        let draft = self.draft.as_ref().filter(|_| self.is_edited);
        draft.map_or_else(Vec::new, |draft| changed_lines(self.document, draft))
    }

    fn is_seen_whole(&self, seen: &SeenRanges) -> bool {
        seen.is_whole(self.document.raw().len() as u64)
    }

    fn unseen_ranges(&self, seen: &SeenRanges, place: &Range<usize>) -> Vec<Range<usize>> {
        unseen_ranges(self.document, self.draft.as_ref(), seen, place)
    }

    fn line_at(&self, at: usize) -> Result<usize, Refusal> {
        Ok(self.document.line_of(at))
    }

    fn line_end(&self, at: usize) -> Result<usize, Refusal> {
        let line = self.document.line_of(at);
        Ok(self.document.line_range_with_end(line).end)
    }

    fn column(&self, at: usize) -> Result<usize, Refusal> {
        let line = self.document.line_range(self.document.line_of(at));
        let before = &self.document.view()[line.start..at.clamp(line.start, line.end)];
        Ok(before.chars().count())
    }

    fn add_places(&mut self, places: Vec<EditedPlace>) {
        self.is_edited = true;
        if let Some(mut lines) = self.lines.take() {
            lines.record(self.text(), &places);
            self.lines = Some(lines);
        }
        match &mut self.draft {
            Some(draft) => {
                let built_on = places
                    .iter()
                    .filter_map(|place| partly_edited_range(draft, &place.range));
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

    fn combined_changes(&mut self) -> Result<CombinedChanges, Unencodable> {
        let changes = match &self.draft {
            Some(draft) => draft.changes(),
            None => std::mem::take(&mut self.changes),
        };
        let raw = self.document.raw_changes(&changes)?;
        Ok(CombinedChanges { changes, raw })
    }

    fn format(&self, laid: &mut CombinedChanges) -> FormatterEffect {
        format_edits(self.context, self.target, self.document, laid)
    }

    fn unshown_ranges(
        &self,
        laid: &CombinedChanges,
        formatted: &FormatterEffect,
        view: &ChangeView,
    ) -> Vec<Range<u64>> {
        if self.is_unshown {
            return std::iter::once(0..u64::MAX).collect();
        }
        unshown_lines_after_format(self.document, &laid.raw, view, &formatted.lines)
    }

    fn is_unchanged_by(&self, changes: &[RawChange]) -> Result<bool, Refusal> {
        Ok(leaves_unchanged(self.document.raw(), changes))
    }

    fn hidden_text_warning(&self, laid: &CombinedChanges) -> Result<Option<Message>, Refusal> {
        Ok(hidden::hidden_in_changes(
            self.document.view(),
            &laid.changes,
        ))
    }

    fn change_view(
        &self,
        laid: &CombinedChanges,
        notes: Notes,
        seen: &mut SeenRanges,
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

    fn check_encoding_after(&self, changes: &[RawChange]) -> Result<Option<Message>, Refusal> {
        encoding_after(self.context, self.target, self.document, changes)
    }
}
