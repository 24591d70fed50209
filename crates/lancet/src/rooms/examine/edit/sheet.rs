//! One file on the desk while its edits are laid upon it, each upon the result of the ones before: found, counted, seen,
//! not across one another, and writable in the file's encoding.

use std::borrow::Cow;
use std::ops::Range;

use lancet_history::Seen;
use lancet_text::{
    Change, Document, Draft, Found, LineStarts, LineTable, Place, RawChange, Rung,
    Verdict as Ladder, apply_raw, find, leaked, sent_text,
};
use lancet_workspace::Snapshot;

use super::Insist;
use crate::ledger::{raw, raw_line};
use crate::refusal::{Kind, Refusal};
use crate::rooms::examine::explain::{ambiguous, leak, not_found, not_these_lines, unencodable};
use crate::rooms::examine::open::configured;
use crate::rooms::examine::standing::{Need, Standing, standing};
use crate::rooms::examine::view::{Notes, Numbers, change_view};
use crate::rooms::locate::Target;
use crate::rooms::plan::ChangeView;
use crate::rooms::{Desk, EditRequest};
use crate::wording::{count, line_list, quote_path};

/// One file on the desk while its edits are laid upon it.
pub(super) struct Sheet<'d> {
    document: &'d Document<'d>,
    draft: Option<Draft<'d>>,
    /// The changes of a single edit, without a draft.
    changes: Vec<Change>,
    rungs: Vec<Rung>,
    replacements: usize,
    notes: Notes,
}

pub(super) type Finished = (ChangeView, Vec<RawChange>, Seen);

/// Raw replacements, hunks and what will have been seen, once all edits of a file are laid.
pub(super) fn finish(
    sheet: Sheet<'_>,
    target: &Target,
    base: &Snapshot,
    mut seen: Seen,
    desk: &Desk<'_>,
) -> Result<Finished, Refusal> {
    let document = sheet.document;
    let changes = sheet.draft.as_ref().map_or(sheet.changes, Draft::changes);
    let raw_changes = document
        .splice(&changes)
        .map_err(|error| unencodable(target, &error))?;
    if raw_changes.iter().all(|change| {
        base.bytes
            .get(change.range.start as usize..change.range.end as usize)
            == Some(&change.bytes)
    }) {
        let text = format!(
            "{} already is what this would make of it. Nothing was written.",
            quote_path(target.path())
        );
        return Err(Refusal::new(Kind::NoChange, text).with("file_path", quote_path(target.path())));
    }
    let (mut view, shown) = change_view(desk, document, &changes, sheet.notes, Numbers::default());
    view.rungs = sheet.rungs;
    view.replacements = sheet.replacements;
    for lines in shown {
        for line in lines {
            seen.add(raw_line(document, line));
        }
    }
    let shifts: Vec<_> = raw_changes
        .iter()
        .map(|change| (change.range.clone(), change.bytes.len() as u64))
        .collect();
    seen.shift(&shifts);
    note_encoding(desk, target, document, base, &raw_changes, &mut view)?;
    Ok((view, raw_changes, seen))
}

/// Says so where the result would be read in another encoding, and refuses one that would no longer be text.
fn note_encoding(
    desk: &Desk<'_>,
    target: &Target,
    document: &Document<'_>,
    base: &Snapshot,
    changes: &[RawChange],
    view: &mut ChangeView,
) -> Result<(), Refusal> {
    let configured = configured(desk.engine(), target);
    let plain =
        document.encoding().is_utf8() && document.damaged().is_empty() && configured.is_none();
    if plain
        && changes
            .iter()
            .all(|change| !change.bytes.contains(&0) && change.range.start > 3)
    {
        // Nothing else could be meant; the whole result need not be made and looked at.
        return Ok(());
    }
    match document.encoding_after(changes, &apply_raw(&base.bytes, changes), configured) {
        Ok(None) => Ok(()),
        Ok(Some(other)) => {
            view.notices.push(format!(
                "with this change the file will be read as {}, no longer as {}",
                other.name(),
                document.encoding().name()
            ));
            Ok(())
        }
        Err(_) => Err(Refusal::new(
            Kind::Binary,
            format!(
                "With this change {} would no longer be text. Leave the NUL characters out.",
                quote_path(target.path())
            ),
        )),
    }
}

/// A document's own index as a table of lines.
struct ByReference<'d>(&'d Document<'d>);

impl LineTable for ByReference<'_> {
    fn line_of(&self, at: usize) -> usize {
        self.0.line_of(at)
    }

    fn line_range(&self, line: usize) -> Range<usize> {
        self.0.line_range(line)
    }

    fn line_count(&self) -> usize {
        self.0.line_count()
    }
}

impl<'d> Sheet<'d> {
    /// A sheet for this many edits. One alone needs no draft: a copy of 20 MB is saved.
    pub(super) fn new(document: &'d Document<'d>, edits: usize) -> Self {
        Self {
            document,
            draft: (edits > 1).then(|| Draft::new(document.view())),
            changes: Vec::new(),
            rungs: Vec::new(),
            replacements: 0,
            notes: Notes::default(),
        }
    }

    /// Lays one edit upon the file. Gives what the session has seen of the base version.
    pub(super) fn lay(
        &mut self,
        desk: &Desk<'_>,
        target: &Target,
        base: &Snapshot,
        edit: &EditRequest,
        insist: Insist,
    ) -> Result<Seen, Refusal> {
        let path = target.path();
        let endings = self.document.endings();
        let old = sent_text(&edit.old, endings);
        let new = sent_text(&edit.new, endings);
        if edit.old.is_empty() && !self.text().is_empty() {
            let text = format!(
                "{} is there and not empty, and old_string is empty. Read it and send the text to replace, or use Write to replace it whole.",
                quote_path(path)
            );
            return Err(Refusal::new(Kind::Exists, text).with("file_path", quote_path(path)));
        }
        if edit.old == edit.new {
            return Err(Refusal::new(Kind::NoChange, "old_string and new_string are the same. Nothing was written; send the text that was meant.").with("file_path", quote_path(path)));
        }
        let standing = standing(
            desk.session,
            path,
            base,
            self.document,
            edit.revision.as_deref(),
            Need::Places,
        )?;
        let found = self.search(desk, target, &standing, edit, &old, &new)?;
        if let Some(wanted) = edit.expect_count
            && wanted != found.places.len() as u64
        {
            let places: Vec<usize> = found
                .places
                .iter()
                .map(|place| self.line_number(place.range.start))
                .collect();
            let text = format!(
                "old_string stands at {} (lines {}), and expect_count is {wanted}. Nothing was written.",
                count(places.len(), "place"),
                line_list(places.clone(), 40)
            );
            return Err(Refusal::new(Kind::Count, text)
                .with("count", places.len())
                .with("file_path", quote_path(path)));
        }
        let unseen = self.unseen(
            &standing.seen,
            found.places.iter().map(|place| &place.range),
        );
        if !unseen.is_empty() {
            return Err(standing
                .merge_refusal
                .map_or_else(|| not_these_lines(target, unseen), |refusal| *refusal));
        }
        if let Some(draft) = &self.draft
            && let Some(place) = found
                .places
                .iter()
                .find(|place| draft.crosses(place.range.clone()))
        {
            let line = self.line_number(place.range.start);
            let text = format!(
                "Its old_string, at line {line} of the text so far, reaches across the border of what an earlier edit of this call changed. Join the two into one edit."
            );
            return Err(Refusal::new(Kind::Conflict, text).with("file_path", quote_path(path)));
        }
        if insist == Insist::No
            && let Some(found) = leaked(Some(&edit.old), &edit.new)
        {
            return Err(leak(&found.reason));
        }
        // An unencodable character is told of the edit that brings it.
        for change in found
            .places
            .first()
            .into_iter()
            .flat_map(|place| &place.changes)
        {
            let alone = Change {
                range: 0..0,
                text: change.text.clone(),
            };
            self.document
                .splice(&[alone])
                .map_err(|error| unencodable(target, &error))?;
        }
        let mut notes = std::mem::take(&mut self.notes);
        notes.edit(
            &found,
            &old,
            self.text(),
            &*self.lines(),
            standing.foreign.as_deref(),
        );
        self.notes = notes;
        self.rungs.push(found.rung);
        self.replacements += found.places.len();
        match &mut self.draft {
            Some(draft) => {
                let places = found.places.iter();
                draft.apply_places(places.map(|place| (place.range.clone(), &place.changes[..])));
            }
            None => {
                self.changes = found
                    .places
                    .into_iter()
                    .flat_map(|place| place.changes)
                    .collect()
            }
        }
        Ok(standing.seen)
    }

    fn search(
        &self,
        desk: &Desk<'_>,
        target: &Target,
        standing: &Standing,
        edit: &EditRequest,
        old: &str,
        new: &str,
    ) -> Result<Found, Refusal> {
        if edit.old.is_empty() {
            // The file is empty: the new text is its whole content.
            let place = Place {
                range: 0..0,
                changes: vec![Change {
                    range: 0..0,
                    text: new.to_owned(),
                }],
            };
            return Ok(Found {
                rung: Rung::Exact,
                places: vec![place],
                joins_next_line: false,
            });
        }
        let damaged = self.damaged();
        let query = desk.query(self.text(), &damaged, old, new, edit);
        match find(&query) {
            Ladder::Found(found) => Ok(found),
            Ladder::Ambiguous { places, rung } => {
                if places
                    .iter()
                    .all(|place| !self.unseen(&standing.seen, [place]).is_empty())
                {
                    return Err(match &standing.merge_refusal {
                        Some(refusal) => (**refusal).clone(),
                        None => not_these_lines(target, self.unseen(&standing.seen, &places)),
                    });
                }
                Err(ambiguous(
                    target,
                    self.text(),
                    &*self.lines(),
                    rung,
                    &places,
                ))
            }
            Ladder::NotFound { guard } => Err(match &standing.merge_refusal {
                Some(refusal) => (**refusal).clone(),
                None => not_found(
                    desk,
                    target,
                    self.text(),
                    &*self.lines(),
                    old,
                    new,
                    guard.as_ref(),
                ),
            }),
            Ladder::Leaked { reason } => Err(leak(&reason)),
        }
    }

    fn text(&self) -> &str {
        self.draft
            .as_ref()
            .map_or(self.document.view(), Draft::text)
    }

    /// Where the current text stands for bytes that could not be decoded.
    fn damaged(&self) -> Cow<'_, [Range<usize>]> {
        let Some(draft) = &self.draft else {
            return Cow::Borrowed(self.document.damaged());
        };
        if self.document.damaged().is_empty() {
            return Cow::Borrowed(&[]);
        }
        let is_damaged = |at: usize| {
            let origin = draft.origin(at..at + char::REPLACEMENT_CHARACTER.len_utf8());
            origin
                .iter()
                .any(|origin| self.document.damaged().contains(origin))
        };
        let marks = draft.text().match_indices(char::REPLACEMENT_CHARACTER);
        let marks = marks.filter(|(at, _)| is_damaged(*at));
        Cow::Owned(marks.map(|(at, mark)| at..at + mark.len()).collect())
    }

    /// The lines of the current text.
    fn lines(&self) -> Box<dyn LineTable + '_> {
        match &self.draft {
            None => Box::new(ByReference(self.document)),
            Some(draft) => Box::new(LineStarts::new(draft.text())),
        }
    }

    /// The number of the line, from 1, that holds a position of the current text.
    fn line_number(&self, at: usize) -> usize {
        self.lines().line_of(at) + 1
    }

    /// The lines, from 1, of the base version that some places touch and that were not seen.
    fn unseen<'r>(
        &self,
        seen: &Seen,
        places: impl IntoIterator<Item = &'r Range<usize>>,
    ) -> Vec<usize> {
        let mut lines = Vec::new();
        for place in places {
            let origins = self
                .draft
                .as_ref()
                .map_or_else(|| vec![place.clone()], |draft| draft.origin(place.clone()));
            for origin in origins {
                if seen.covers(raw(self.document, origin.clone())) {
                    continue;
                }
                let last = self
                    .document
                    .line_of(origin.end.saturating_sub(1).max(origin.start));
                for line in self.document.line_of(origin.start)..=last {
                    let whole = self.document.line_range_whole(line);
                    let part = whole.start.max(origin.start)..whole.end.min(origin.end);
                    if !seen.covers(raw(self.document, part)) {
                        lines.push(line + 1);
                    }
                }
            }
        }
        lines
    }
}
