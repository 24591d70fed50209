//! The text to which the edits of one call are applied: in memory, or streamed from the disk where the file is too
//! large for that. Everything that differs between the two is behind this trait; checks, refusals, answer and plan are
//! shared.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use lancet_history::{LineChange, SeenRanges};
use lancet_text::{
    Change, EditedPlace, Endings, FoundPlaces, GuardRefusal, LeakPolicy, RawChange, Rung,
    Unencodable, Verdict,
};

use crate::message::{Message, message, verbatim};
use crate::refusal::Refusal;
use crate::request::EditRequest;
use crate::stages::examine::formatted::FormatterEffect;
use crate::stages::examine::view::Notes;
use crate::stages::plan::ChangeView;

/// The largest text that is loaded into memory for an edit, in bytes.
pub(crate) const MAX_RESULT_SIZE: usize = 512 << 20;

/// An edit as it was sent, with its texts normalised to LF line ends.
#[derive(Clone, Copy)]
pub(crate) struct SentEdit<'e> {
    pub(crate) request: &'e EditRequest,
    pub(crate) old: &'e str,
    pub(crate) new: &'e str,
}

/// The places of an old text that occurs more than once.
pub(crate) struct SeveralPlaces<'p> {
    /// The rung of all places that are not in `looser`.
    pub(crate) rung: Rung,
    /// The places, by their index, that only a later rung finds.
    pub(crate) looser: &'p BTreeMap<usize, Rung>,
    /// The places in order: all of them, or only the first ones where there are very many.
    pub(crate) places: &'p [Range<usize>],
    /// The number of all places.
    pub(crate) total: usize,
}

impl SeveralPlaces<'_> {
    /// Returns the addition to a sentence about all places that names their rung; empty for exact places.
    pub(crate) fn rung_suffix(&self) -> Message {
        match (self.rung, self.looser.is_empty()) {
            (_, false) => message!(" (on different rungs)"),
            (Rung::Exact, true) => Message::default(),
            (rung, true) => message!(" (on the rung `{}`)", verbatim(rung.name())),
        }
    }

    /// Returns the addition to the line of one place that names its rung, where the places are not all on the same.
    pub(crate) fn place_rung_suffix(&self, place: usize) -> Message {
        let rung = self.place_rung(place);
        rung.map(|rung| message!(" (rung `{}`)", verbatim(rung.name())))
            .unwrap_or_default()
    }

    /// Returns the rung of one place, where the places are not all on the same.
    pub(crate) fn place_rung(&self, place: usize) -> Option<Rung> {
        let own = || self.looser.get(&place).copied().unwrap_or(self.rung);
        (!self.looser.is_empty()).then(own)
    }
}

/// The changes of all edits together.
pub(crate) struct CombinedChanges {
    /// The changes of the decoded text; empty where it is streamed.
    pub(crate) changes: Vec<Change>,
    /// The same changes as replacements of bytes of the file.
    pub(crate) raw: Vec<RawChange>,
}

/// The position of a line of the current text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineSpan {
    pub(crate) start: usize,
    /// The end of its text, where its line end begins.
    pub(crate) text_end: usize,
    /// The end of the line with its line end.
    pub(crate) end: usize,
}

impl LineSpan {
    /// Returns the place of the line with its line end.
    pub(crate) fn range_with_line_end(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// A text to which edits are applied. A place is a byte range: of the decoded text after the edits so far where the
/// text is in memory, or of the file where it is streamed.
pub(crate) trait TextSource {
    /// How many places an answer names by their lines; in a streamed text each line costs a read.
    const MAX_NUMBERED_PLACES: usize;

    fn endings(&self) -> Endings;
    /// Returns the length of the current text in bytes.
    fn length(&self) -> usize;
    /// Returns the largest result that an edit may make, in bytes.
    fn largest_result(&self) -> usize;
    /// Returns how often the old text occurs exactly in the current text.
    fn count(&self, old: &str) -> Result<usize, Refusal>;
    /// Returns the current text and the text of the file, as far as they are in memory.
    fn current_and_file_text(&self) -> (&str, &str);

    /// Finds the old text.
    fn find(&self, sent: SentEdit<'_>, leaks: LeakPolicy) -> Result<Verdict, Refusal>;
    /// Computes the changes at the places, where [`TextSource::find`] left that until after the checks.
    fn complete_changes(
        &self,
        _sent: SentEdit<'_>,
        _found: &mut FoundPlaces,
    ) -> Result<(), Refusal> {
        Ok(())
    }
    /// Returns the numbers of the lines, from 1, at which places begin.
    fn line_numbers<'p>(
        &self,
        places: impl Iterator<Item = &'p Range<usize>>,
    ) -> Result<Vec<usize>, Refusal>;
    /// Returns whether a place overlaps the edge of what an earlier edit changed. An earlier change that lies entirely
    /// within the exact old text at `quoted` does not count.
    fn overlaps_earlier_edit(&self, _place: &Range<usize>, _quoted: Option<&Range<usize>>) -> bool {
        false
    }
    /// Returns whether the file's encoding has every character of a text.
    fn check_encodable(&self, _text: &str) -> Result<(), Unencodable> {
        Ok(())
    }
    /// Returns the refusal for old text that was not found.
    fn not_found(&self, sent: SentEdit<'_>, guard: Option<&GuardRefusal>) -> Refusal;
    /// Returns the refusal for old text that occurs at several places.
    fn ambiguous(
        &self,
        sent: SentEdit<'_>,
        several: &SeveralPlaces<'_>,
    ) -> Result<Refusal, Refusal>;

    /// Returns how many lines the current text has.
    fn line_count(&self) -> usize;
    /// Returns the position of a line of the current text, counted from 0.
    fn line_span(&self, line: usize) -> Result<LineSpan, Refusal>;
    /// Returns the text of a range with LF line ends. A character that the end of the range cuts off is left out.
    fn text_of(&self, range: Range<usize>) -> Result<Cow<'_, str>, Refusal>;
    /// Returns whether a range contains bytes that are not text.
    fn is_damaged(&self, _range: &Range<usize>) -> bool {
        false
    }
    /// Returns the change that replaces whole lines. The range ends before the line end of the last line, and the new
    /// text has no newline at its end.
    fn replaced_lines(&self, range: Range<usize>, new: &str) -> EditedPlace;
    /// Converts a text with LF line ends to the form that the changes of this source use.
    fn to_source_line_ends(&self, text: String) -> String {
        text
    }
    /// Returns the lines that the edits so far have replaced.
    fn line_changes(&self) -> Vec<LineChange> {
        Vec::new()
    }

    /// Returns whether the whole file was seen.
    fn is_seen_whole(&self, seen: &SeenRanges) -> bool;
    /// Returns the ranges of the unedited text that a place touches and that were not seen.
    fn unseen_ranges(&self, seen: &SeenRanges, place: &Range<usize>) -> Vec<Range<usize>>;
    /// Returns the line, from 0, that contains a position of the unedited text.
    fn line_at(&self, at: usize) -> Result<usize, Refusal>;
    /// Returns the end, line end included, of the line that contains a position of the unedited text.
    fn line_end(&self, at: usize) -> Result<usize, Refusal>;
    /// Returns how many characters of its line precede a position of the unedited text.
    fn column(&self, at: usize) -> Result<usize, Refusal>;

    /// Adds the changes of an edit.
    fn add_places(&mut self, places: Vec<EditedPlace>);
    /// Returns the changes of all edits.
    fn combined_changes(&mut self) -> Result<CombinedChanges, Unencodable>;
    /// Runs the formatter of the file on the result of the edits.
    fn format(&self, laid: &mut CombinedChanges) -> FormatterEffect;
    /// Returns the bytes of the new version that a formatter wrote and the answer does not show.
    fn unshown_ranges(
        &self,
        _laid: &CombinedChanges,
        _formatted: &FormatterEffect,
        _view: &ChangeView,
    ) -> Vec<Range<u64>> {
        Vec::new()
    }
    /// Returns whether the file already contains the result of the changes.
    fn is_unchanged_by(&self, changes: &[RawChange]) -> Result<bool, Refusal>;
    /// Returns the warning about new characters that are invisible to people.
    fn hidden_text_warning(&self, laid: &CombinedChanges) -> Result<Option<Message>, Refusal>;
    /// Returns what the answer shows of the changes; the lines that it shows whole are added to `seen`.
    fn change_view(
        &self,
        laid: &CombinedChanges,
        notes: Notes,
        seen: &mut SeenRanges,
    ) -> Result<ChangeView, Refusal>;
    /// Returns the sentence that the result would be read in a different encoding, or the refusal where it would not be
    /// text.
    fn check_encoding_after(&self, changes: &[RawChange]) -> Result<Option<Message>, Refusal>;
}
