//! The text that the edits of one call are laid upon: held in memory, or streamed from the disk where the file is too
//! large for that. Everything that differs between the two is here; checks, refusals, answer and plan are shared.

use std::ops::Range;

use lancet_history::Seen;
use lancet_text::{
    Change, Endings, Found, Guard, Leaks, Place, RawChange, Rung, Unencodable, Verdict,
};

use crate::refusal::Refusal;
use crate::request::EditRequest;
use crate::rooms::examine::view::Notes;
use crate::rooms::plan::ChangeView;

/// The largest text that is held in memory for an edit, in bytes.
pub(crate) const LARGEST_RESULT: usize = 512 << 20;

/// An edit as it was sent, and its texts with LF line ends.
#[derive(Clone, Copy)]
pub(crate) struct SentEdit<'e> {
    pub(crate) request: &'e EditRequest,
    pub(crate) old: &'e str,
    pub(crate) new: &'e str,
}

/// Places of an old text that stands at several.
pub(crate) struct SeveralPlaces<'p> {
    pub(crate) rung: Rung,
    /// The places in order: all of them, or the first where there are very many.
    pub(crate) places: &'p [Range<usize>],
    /// How many there are.
    pub(crate) total: usize,
}

/// The changes that all edits come to.
pub(crate) struct LaidChanges {
    /// The changes of the decoded text; empty where it is streamed.
    pub(crate) changes: Vec<Change>,
    /// The same as replacements of bytes of the file.
    pub(crate) raw: Vec<RawChange>,
}

/// A text that edits are laid upon. A place is a byte range: of the decoded text as the edits so far leave it where the
/// text is held, of the file where it is streamed.
pub(crate) trait TextSource {
    /// How many places are named by their lines; in a streamed text each of them costs a read.
    const NUMBERED: usize;

    fn endings(&self) -> Endings;
    /// The length of the current text in bytes.
    fn length(&self) -> usize;
    /// The largest result that an edit may make, in bytes.
    fn largest_result(&self) -> usize;
    /// How often the old text stands in the current text, exactly.
    fn count(&self, old: &str) -> Result<usize, Refusal>;
    /// The current text and the text of the file, as far as they are in memory.
    fn texts(&self) -> (&str, &str);

    /// Finds the old text.
    fn find(&self, sent: SentEdit<'_>, leaks: Leaks) -> Result<Verdict, Refusal>;
    /// Works out what changes at the places, where [`TextSource::find`] has left that for after the checks.
    fn complete(&self, _sent: SentEdit<'_>, _found: &mut Found) -> Result<(), Refusal> {
        Ok(())
    }
    /// The numbers of the lines, from 1, at which places begin.
    fn line_numbers<'p>(
        &self,
        places: impl Iterator<Item = &'p Range<usize>>,
    ) -> Result<Vec<usize>, Refusal>;
    /// Whether a place reaches across the border of what an earlier edit changed.
    fn crosses(&self, _place: &Range<usize>) -> bool {
        false
    }
    /// Whether the file's encoding has every character of a text.
    fn check_encodable(&self, _text: &str) -> Result<(), Unencodable> {
        Ok(())
    }
    /// The refusal for old text that was not found.
    fn not_found(&self, sent: SentEdit<'_>, guard: Option<&Guard>) -> Refusal;
    /// The refusal for old text that stands at several places.
    fn ambiguous(
        &self,
        sent: SentEdit<'_>,
        several: &SeveralPlaces<'_>,
    ) -> Result<Refusal, Refusal>;

    /// Whether all of the file was seen.
    fn is_seen_whole(&self, seen: &Seen) -> bool;
    /// The ranges of the unedited text that a place touches and that were not seen.
    fn gaps(&self, seen: &Seen, place: &Range<usize>) -> Vec<Range<usize>>;
    /// The line, from 0, of the unedited text that holds a position.
    fn line_at(&self, at: usize) -> Result<usize, Refusal>;
    /// Where the line of the unedited text that holds a position ends, its line end included.
    fn line_end(&self, at: usize) -> Result<usize, Refusal>;
    /// How many characters of its line stand before a position of the unedited text.
    fn column(&self, at: usize) -> Result<usize, Refusal>;

    /// Takes the changes of an edit in.
    fn lay(&mut self, places: Vec<Place>);
    /// The changes of all edits.
    fn laid(&mut self) -> Result<LaidChanges, Unencodable>;
    /// Whether the file holds already what the changes would put there.
    fn is_same(&self, changes: &[RawChange]) -> Result<bool, Refusal>;
    /// The warning about characters brought in that people do not see.
    fn hidden(&self, laid: &LaidChanges) -> Result<Option<String>, Refusal>;
    /// What the answer shows of the changes; the lines that it shows whole are added to `seen`.
    fn view(
        &self,
        laid: &LaidChanges,
        notes: Notes,
        seen: &mut Seen,
    ) -> Result<ChangeView, Refusal>;
    /// The sentence about another encoding that the result would be read in; the refusal where it would be no text.
    fn encoding_after(&self, changes: &[RawChange]) -> Result<Option<String>, Refusal>;
}
