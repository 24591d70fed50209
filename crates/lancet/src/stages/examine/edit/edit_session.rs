//! Applies the edits of one file to its text one after the other. Every edit passes the same checks in the same order,
//! whether the text is in memory or streamed. It is refused if the file already has content, nothing would change, the
//! file was not read or is stale, the result would be too large, the old text is not found, ambiguous or miscounted,
//! its lines were not shown, it crosses an earlier edit, the new text is display text, or the encoding lacks a
//! character.

use std::collections::BTreeMap;
use std::ops::Range;

use lancet_history::{LineNumbers, SeenRanges};
use lancet_text::{
    Change, EditContext, EditedPlace, FoundPlaces, Leak, LeakPolicy, Rung, Verdict,
    find_leak_in_edit, normalize_newlines, without_leaked_numbers,
};

use super::refuse::{
    idle_refusal, left_out_refusal, no_change_refusal, not_empty_refusal, too_large_refusal,
};
use super::source::{SentEdit, SeveralPlaces, TextSource};
use super::unseen::UnseenLines;
use crate::message::{message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{EditRequest, Insist, Place as RequestPlace};
use crate::stages::context::CallContext;
use crate::stages::examine::explain::{
    bare_dots_meaning, leak_refusal, markup, unencodable_refusal,
};
use crate::stages::examine::read_state::ReadState;
use crate::stages::examine::view::{Notes, endings_note};
use crate::stages::locate::Target;
use crate::wording::quote_path;

/// Options for applying an edit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EditOptions {
    pub(crate) shared: SharedOptions,
    pub(crate) words: RefusalDetail,
}

/// Options that apply to all edits of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedOptions {
    pub(crate) insist: Insist,
    pub(crate) same_text: SameTextHandling,
}

/// The treatment of an edit whose old and new text are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SameTextHandling {
    /// It is refused as one that changes nothing.
    Refuse,
    /// It is left out where its text is in the file, because other edits of the request change something.
    LeaveOut,
}

/// The level of detail of a refusal: of several refusals in one call only the first is given in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusalDetail {
    All,
    Few,
}

impl RefusalDetail {
    /// Returns the level of detail of the next refusal of a call.
    pub(crate) fn for_next_refusal(failures: &[Option<Refusal>]) -> Self {
        match failures.iter().any(Option::is_some) {
            true => Self::Few,
            false => Self::All,
        }
    }
}

/// The edits of one file, while they are applied to its text.
pub(crate) struct EditSession<'c, S> {
    pub(super) context: &'c CallContext<'c>,
    pub(super) target: &'c Target,
    pub(super) source: S,
    pub(super) rungs: Vec<Rung>,
    pub(super) replacements: usize,
    pub(super) notes: Notes,
    /// Maps line numbers from earlier results to lines in the base. Set only if the base differs from the version in
    /// the ledger.
    pub(super) base_numbers: Option<LineNumbers>,
}

impl<'c, S: TextSource> EditSession<'c, S> {
    pub(crate) fn new(context: &'c CallContext<'c>, target: &'c Target, source: S) -> Self {
        Self {
            context,
            target,
            source,
            rungs: Vec::new(),
            replacements: 0,
            notes: Notes::default(),
            base_numbers: None,
        }
    }

    /// Applies one edit to the text. The result says what the session has seen of the version before all edits.
    pub(crate) fn apply(
        &mut self,
        read_state: &Result<ReadState, Refusal>,
        request: &EditRequest,
        options: EditOptions,
    ) -> Result<SeenRanges, Refusal> {
        let endings = self.source.endings();
        let (old, new) = (
            normalize_newlines(&request.old, endings),
            normalize_newlines(&request.new, endings),
        );
        let sent = SentEdit {
            request,
            old: &old,
            new: &new,
        };
        self.check_line_edit(sent)?;
        if request.creates_or_fills_file() && self.source.length() > 0 {
            return Err(not_empty_refusal(self.target));
        }
        let is_same_text = request.is_same_text();
        if is_same_text && (options.shared.same_text == SameTextHandling::Refuse || old.is_empty())
        {
            return Err(no_change_refusal(self.target));
        }
        let read_state = read_state.as_ref().map_err(Clone::clone)?;
        if (is_same_text || request.is_idle_hunk())
            && !matches!(
                self.source.find(sent, LeakPolicy::Insisted)?,
                Verdict::NotFound { .. }
            )
        {
            return Err(match is_same_text {
                true => left_out_refusal(self.target),
                false => idle_refusal(self.target),
            });
        }
        let is_text = request.place == RequestPlace::Text;
        self.check_growth(sent)?;
        let located = self.locate(read_state, sent, options)?;
        let mut found = located.found;
        if let Some(wanted) = request.expect_count
            && wanted != found.places.len() as u64
        {
            let places = found.places.iter().map(|place| &place.range);
            return Err(self.wrong_count_refusal(places, found.places.len(), wanted)?);
        }
        self.check_places(read_state, request, &located.touched, &found)?;
        if options.shared.insist == Insist::No {
            if let Some(reason) = located.leaked_numbers {
                let bare = without_leaked_numbers(&request.old, &request.new);
                return Err(leak_refusal(verbatim(reason), bare.as_deref()));
            }
            let old = located.replaced.as_deref().unwrap_or(&request.old);
            if let Some(found) = self.find_leak(old, request, &found)? {
                return Err(leak_refusal(&found.reason, found.mended.as_deref()));
            }
        }
        if is_text {
            self.source.complete_changes(sent, &mut found)?;
        }
        // An unencodable character is attributed to the edit that inserts it. All places of an exact old text have the
        // same text, so one is enough.
        let different = if is_text { 1 } else { found.places.len() };
        let places = found.places.iter().take(different);
        for change in places.flat_map(|place| &place.changes) {
            self.source
                .check_encodable(&change.text)
                .map_err(|error| unencodable_refusal(self.target, &error))?;
        }
        self.add_notes(sent, &found, read_state)?;
        self.notes.push_once(located.note);
        if read_state.foreign.is_some() {
            self.base_numbers = Some(read_state.numbers.clone());
        }
        self.rungs.push(found.rung);
        self.replacements += found.places.len();
        self.source.add_places(found.places);
        Ok(read_state.seen.clone())
    }

    /// Refuses a replacement of all occurrences that would make the file too large, before any text is built.
    fn check_growth(&self, SentEdit { request, old, new }: SentEdit<'_>) -> Result<(), Refusal> {
        let (length, most) = (self.source.length(), self.source.largest_result());
        let is_small =
            |places: usize| places.saturating_mul(new.len()).saturating_add(length) <= most;
        let at_most = if request.replace_all && !old.is_empty() {
            length / old.len() + 1
        } else {
            1
        };
        if is_small(at_most) {
            return Ok(());
        }
        // Places on tolerant rungs are not counted here; where there are exact ones, only those are replaced.
        if at_most > 1 && is_small(self.source.count(old)?.max(1)) {
            return Ok(());
        }
        Err(too_large_refusal(self.target, most))
    }

    /// Finds the places of the old text. Where line numbers were left in the new text, it also returns the message
    /// about that, which is used only if the places pass the other checks.
    pub(super) fn find_old_text(
        &self,
        read_state: &ReadState,
        sent: SentEdit<'_>,
        options: EditOptions,
    ) -> Result<(FoundPlaces, Option<String>), Refusal> {
        if sent.request.creates_or_fills_file() {
            return Ok((place_in_empty_file(sent.new), None));
        }
        let leaks = match options.shared.insist {
            Insist::Yes => LeakPolicy::Insisted,
            Insist::No => LeakPolicy::Refuse,
        };
        let mut leaked_numbers = None;
        let mut verdict = self.source.find(sent, leaks)?;
        if let Verdict::Leaked { reason } = verdict {
            leaked_numbers = Some(reason);
            verdict = self.source.find(sent, LeakPolicy::Insisted)?;
        }
        match verdict {
            Verdict::Found(found) => Ok((found, leaked_numbers)),
            Verdict::Leaked { reason } => Err(leak_refusal(verbatim(reason), None)),
            Verdict::Ambiguous {
                places,
                rung,
                looser,
            } => {
                let is_unseen = |place: &Range<usize>| {
                    !self
                        .source
                        .unseen_ranges(&read_state.seen, place)
                        .is_empty()
                };
                if places.iter().all(is_unseen) {
                    let unseen = UnseenLines::find(&self.source, &read_state.seen, places.iter())?;
                    return Err(self.not_shown_refusal(read_state, unseen));
                }
                if options.words == RefusalDetail::Few && sent.request.as_hunk().is_none() {
                    return Err(Refusal::from_message(
                        RefusalKind::Ambiguous,
                        message!("{} matches several places.", sent.request.old_text_name()),
                    ));
                }
                let several = SeveralPlaces {
                    rung,
                    looser: &looser,
                    places: &places,
                    total: places.len(),
                };
                Err(self.source.ambiguous(sent, &several)?)
            }
            Verdict::TooMany { rung, first, count } => {
                let several = SeveralPlaces {
                    rung,
                    looser: &BTreeMap::new(),
                    places: &first,
                    total: count,
                };
                Err(self.too_many_places_refusal(read_state, sent, &several)?)
            }
            Verdict::NotFound { guard } => Err(match &read_state.merge_refusal {
                Some(refusal) => (**refusal).clone(),
                None if options.words == RefusalDetail::Few && sent.request.as_hunk().is_none() => {
                    let name = sent.request.old_text_name();
                    Refusal::from_message(
                        RefusalKind::NotFound,
                        message!("{} was not found.", name),
                    )
                }
                None => self.source.not_found(sent, guard.as_ref()),
            }),
        }
    }

    /// Returns the refusal for places in lines that were not shown. The reason may be a change by another program that
    /// was merged.
    pub(super) fn not_shown_refusal(&self, read_state: &ReadState, unseen: UnseenLines) -> Refusal {
        match &read_state.merge_refusal {
            Some(refusal) => (**refusal).clone(),
            None => unseen.refusal(self.context, self.target),
        }
    }

    /// Refuses ranges, in order, that lie in lines which were not shown.
    pub(super) fn check_shown<'p>(
        &self,
        read_state: &ReadState,
        ranges: impl Iterator<Item = &'p Range<usize>>,
    ) -> Result<(), Refusal> {
        let unseen = UnseenLines::find(&self.source, &read_state.seen, ranges)?;
        match unseen.is_empty() {
            true => Ok(()),
            false => Err(self.not_shown_refusal(read_state, unseen)),
        }
    }

    /// Refuses a place that overlaps the edge of the text that an earlier edit of the call changed. Each place is
    /// paired with the range of its old text where that was found exactly.
    pub(super) fn refuse_crossing<'p>(
        &self,
        request: &EditRequest,
        mut places: impl Iterator<Item = (Range<usize>, Option<&'p Range<usize>>)>,
    ) -> Result<(), Refusal> {
        let crosses = |(place, quoted): &(Range<usize>, Option<&Range<usize>>)| {
            self.source.overlaps_earlier_edit(place, *quoted)
        };
        let Some((place, _)) = places.find(crosses) else {
            return Ok(());
        };
        let line = self.source.line_numbers(std::iter::once(&place))?;
        let place = match &request.place {
            RequestPlace::Lines(_) => "place",
            _ => request.old_text_name(),
        };
        let text = message!(
            "Its {}, at line {} of the text so far, reaches across the border of what an earlier edit of this call changed. Join the two into one edit.",
            place,
            line.first().copied().unwrap_or(1)
        );
        Err(Refusal::from_message(RefusalKind::Conflict, text)
            .with_field("file_path", quote_path(self.target.path())))
    }

    /// Finds display text or a placeholder in the new text, judged by the places where it would be written.
    fn find_leak(
        &self,
        old: &str,
        request: &EditRequest,
        found: &FoundPlaces,
    ) -> Result<Option<Leak>, Refusal> {
        let places = found.places.iter().map(|place| &place.range);
        let file = self.source.current_and_file_text().1;
        let around = EditContext {
            old,
            file,
            lines: &self
                .source
                .line_numbers(places.take(S::MAX_NUMBERED_PLACES))?,
            markup: markup(self.target.path()),
            dots: bare_dots_meaning(self.target.path(), file),
        };
        Ok(find_leak_in_edit(&around, &request.new))
    }

    /// Collects what the answer says about an edit.
    fn add_notes(
        &mut self,
        sent: SentEdit<'_>,
        found: &FoundPlaces,
        read_state: &ReadState,
    ) -> Result<(), Refusal> {
        if found.rung != Rung::Exact && !sent.request.is_marker() {
            let places = found.places.iter().map(|place| &place.range);
            let lines = self.source.line_numbers(places.take(50))?;
            self.notes.add_match(
                found,
                sent.old,
                self.source.current_and_file_text().0,
                lines,
            );
        }
        self.notes.add_remarks(&found.remarks);
        self.notes.add_foreign_change(read_state.foreign.as_deref());
        self.notes
            .push_once(endings_note(&sent.request.new, self.source.endings()));
        Ok(())
    }
}

/// Returns the place of an edit in an empty file, of which the new text becomes the whole content.
fn place_in_empty_file(new: &str) -> FoundPlaces {
    let change = Change {
        range: 0..0,
        text: new.to_owned(),
    };
    let place = EditedPlace {
        range: 0..0,
        changes: vec![change],
    };
    FoundPlaces {
        rung: Rung::Exact,
        places: vec![place],
        remarks: Vec::new(),
    }
}
