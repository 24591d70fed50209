//! One file on the context while its edits are laid upon it, each upon the result of the ones before: found, counted, seen,
//! not across one another, and writable in the file's encoding.

use std::borrow::Cow;
use std::ops::Range;

use lancet_history::Seen;
use lancet_text::{
    Change, Document, Draft, EditContext, Found, Leak, Leaks, LineStarts, LineTable, Place, Query,
    Rung, TextKind, Verdict as Ladder, find, leaked_edit, normalize_newlines, without_numbers_of,
};

use super::not_empty;
use super::unseen::Unseen;
use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::CallContext;
use crate::rooms::examine::explain::{
    Asked, Lines, Met, ambiguous, leak, markup, not_found, unencodable,
};
use crate::rooms::examine::read_state::ReadState;
use crate::rooms::examine::view::{Notes, endings_note};
use crate::rooms::locate::Target;
use crate::rooms::request::{EditRequest, Insist};
use crate::wording::quote_path;

/// The largest file that an edit may make, in bytes.
const LARGEST_RESULT: u64 = 512 << 20;

/// How an edit is laid.
#[derive(Clone, Copy, Debug)]
pub(in crate::rooms::examine) struct EditOptions {
    pub(in crate::rooms::examine) insist: Insist,
    pub(in crate::rooms::examine) words: Words,
}

impl EditOptions {
    fn leaks(self) -> Leaks {
        match self.insist {
            Insist::Yes => Leaks::Insisted,
            Insist::No => Leaks::Refuse,
        }
    }
}

/// How much a refusal says: of several in one call only the first is told whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rooms::examine) enum Words {
    All,
    Few,
}

/// One file on the context while its edits are laid upon it.
pub(in crate::rooms::examine) struct EditSession<'d> {
    pub(super) document: &'d Document<'d>,
    pub(super) draft: Option<Draft<'d>>,
    /// The changes of a single edit, without a draft.
    pub(super) changes: Vec<Change>,
    pub(super) rungs: Vec<Rung>,
    pub(super) replacements: usize,
    pub(super) notes: Notes,
}

impl<'d> EditSession<'d> {
    /// A edit_session for this many edits. One alone needs no draft: a copy of 20 MB is saved.
    pub(in crate::rooms::examine) fn new(document: &'d Document<'d>, edits: usize) -> Self {
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
    pub(in crate::rooms::examine) fn apply(
        &mut self,
        context: &CallContext<'_>,
        target: &Target,
        read_state: &Result<ReadState, Refusal>,
        edit: &EditRequest,
        options: EditOptions,
    ) -> Result<Seen, Refusal> {
        let path = target.path();
        let endings = self.document.endings();
        let old = normalize_newlines(&edit.old, endings);
        let new = normalize_newlines(&edit.new, endings);
        if edit.old.is_empty() && !self.text().is_empty() {
            return Err(not_empty(target));
        }
        if edit.old == edit.new {
            return Err(Refusal::new(RefusalKind::NoChange, "old_string and new_string are the same. Nothing was written; send the text that was meant.").with("file_path", quote_path(path)));
        }
        let read_state = read_state.as_ref().map_err(Clone::clone)?;
        self.check_growth(target, edit, &old, &new)?;
        let (found, leak_found) =
            self.search(context, target, read_state, edit, (&old, &new), options)?;
        if let Some(wanted) = edit.expect_count
            && wanted != found.places.len() as u64
        {
            let places = found.places.iter().map(|place| &place.range);
            return Err(self.miscounted(target, places, found.places.len(), wanted));
        }
        let unseen = self.unseen(
            &read_state.seen,
            found.places.iter().map(|place| &place.range),
        );
        if !unseen.is_empty() {
            return Err(match &read_state.merge_refusal {
                Some(refusal) => (**refusal).clone(),
                None => unseen.refusal(context, target),
            });
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
            return Err(
                Refusal::new(RefusalKind::Conflict, text).with("file_path", quote_path(path))
            );
        }
        if options.insist == Insist::No {
            if let Some(reason) = leak_found {
                let bare = without_numbers_of(&edit.old, &edit.new);
                return Err(leak(&reason, bare.as_deref()));
            }
            if let Some(found) = self.leaked(target, edit, &found) {
                return Err(leak(&found.reason, found.mended.as_deref()));
            }
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
            read_state.foreign.as_deref(),
        );
        notes.push_once(endings_note(&edit.new, endings));
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
        Ok(read_state.seen.clone())
    }

    /// Refuses a replacement everywhere that would make the file too large, before anything is made.
    fn check_growth(
        &self,
        target: &Target,
        edit: &EditRequest,
        old: &str,
        new: &str,
    ) -> Result<(), Refusal> {
        let most = usize::try_from(LARGEST_RESULT).unwrap_or(usize::MAX);
        let length = self.text().len();
        let at_most = if edit.replace_all && !old.is_empty() {
            length / old.len() + 1
        } else {
            1
        };
        if at_most.saturating_mul(new.len()).saturating_add(length) <= most {
            return Ok(());
        }
        // Places on a tolerant rung are not counted here; where exact ones are, those are what is replaced.
        let places = if at_most == 1 {
            1
        } else {
            self.text().matches(old).count().max(1)
        };
        if places.saturating_mul(new.len()).saturating_add(length) <= most {
            return Ok(());
        }
        let text = format!(
            "The result would be larger than {} MiB. Nothing was written; send a smaller new_string.",
            LARGEST_RESULT >> 20
        );
        Err(Refusal::new(RefusalKind::TooLarge, text).with("file_path", quote_path(target.path())))
    }

    /// The places of the old text; and, where line numbers were left in the new text, the words about that, which wait
    /// until the places are known to be right.
    fn search(
        &self,
        context: &CallContext<'_>,
        target: &Target,
        read_state: &ReadState,
        edit: &EditRequest,
        (old, new): (&str, &str),
        options: EditOptions,
    ) -> Result<(Found, Option<String>), Refusal> {
        if edit.old.is_empty() {
            // The file is empty: the new text is its whole content.
            let change = Change {
                range: 0..0,
                text: new.to_owned(),
            };
            let place = Place {
                range: 0..0,
                changes: vec![change],
            };
            let found = Found {
                rung: Rung::Exact,
                places: vec![place],
                remarks: Vec::new(),
            };
            return Ok((found, None));
        }
        let damaged = self.damaged();
        let extension = target.path().extension().map(|text| text.to_string_lossy());
        let ask = |leaks| {
            find(&Query {
                text_kind: TextKind::of_extension(extension.as_deref()),
                ..context.query(self.text(), &damaged, old, new, edit, leaks)
            })
        };
        let mut leak_found = None;
        let mut verdict = ask(options.leaks());
        if let Ladder::Leaked { reason } = verdict {
            leak_found = Some(reason);
            verdict = ask(Leaks::Insisted);
        }
        match verdict {
            Ladder::Found(found) => Ok((found, leak_found)),
            Ladder::Leaked { reason } => Err(leak(&reason, None)),
            Ladder::Ambiguous { places, rung } => {
                let unseen =
                    |place: &Range<usize>| !self.unseen(&read_state.seen, [place]).is_empty();
                if places.iter().all(unseen) {
                    return Err(match &read_state.merge_refusal {
                        Some(refusal) => (**refusal).clone(),
                        None => self
                            .unseen(&read_state.seen, &places)
                            .refusal(context, target),
                    });
                }
                if options.words == Words::Few {
                    return Err(Refusal::new(
                        RefusalKind::Ambiguous,
                        "old_string stands at several places.",
                    ));
                }
                let asked = Asked {
                    query: context.query(self.text(), &damaged, old, new, edit, Leaks::Insisted),
                    rung,
                    places: &places,
                    total: places.len(),
                };
                Err(ambiguous(target, &*self.lines(), &asked))
            }
            Ladder::TooMany { rung, first, count } => {
                let asked = Asked {
                    query: context.query(self.text(), &damaged, old, new, edit, Leaks::Insisted),
                    rung,
                    places: &first,
                    total: count,
                };
                Err(self.too_many(context, target, read_state, edit, &asked))
            }
            Ladder::NotFound { guard } => Err(match &read_state.merge_refusal {
                Some(refusal) => (**refusal).clone(),
                None if options.words == Words::Few => {
                    Refusal::new(RefusalKind::NotFound, "old_string was not found.")
                }
                None => {
                    let lines = self.lines();
                    let met = Met {
                        text: Lines {
                            view: self.text(),
                            lines: &*lines,
                        },
                        damaged: &damaged,
                        file: (self.replacements > 0).then_some(Lines {
                            view: self.document.view(),
                            lines: self.document,
                        }),
                    };
                    not_found(context, target, met, (old, new), guard.as_ref())
                }
            }),
        }
    }

    /// What the new text carries that is not meant for a file, judged by the places where it is to stand.
    fn leaked(&self, target: &Target, edit: &EditRequest, found: &Found) -> Option<Leak> {
        let lines = self.lines();
        let first_lines: Vec<usize> = found
            .places
            .iter()
            .map(|place| lines.line_of(place.range.start) + 1)
            .collect();
        let around = EditContext {
            old: &edit.old,
            file: self.document.view(),
            lines: &first_lines,
            markup: markup(target.path()),
        };
        leaked_edit(&around, &edit.new)
    }

    pub(super) fn text(&self) -> &str {
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
    pub(super) fn lines(&self) -> Box<dyn LineTable + '_> {
        match &self.draft {
            None => Box::new(self.document),
            Some(draft) => Box::new(LineStarts::new(draft.text())),
        }
    }

    /// The number of the line, from 1, that holds a position of the current text.
    fn line_number(&self, at: usize) -> usize {
        self.lines().line_of(at) + 1
    }

    /// The lines of the base version that some places touch and that were not seen.
    pub(super) fn unseen<'r>(
        &self,
        seen: &Seen,
        places: impl IntoIterator<Item = &'r Range<usize>>,
    ) -> Unseen {
        let origins = places.into_iter().flat_map(|place| match &self.draft {
            None => vec![place.clone()],
            Some(draft) => draft.origin(place.clone()),
        });
        Unseen::of(self.document, seen, origins)
    }
}
