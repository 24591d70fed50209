//! Refusals of an edit for the number of its places: not the number that was expected, or more than are listed at all.

use std::ops::Range;

use lancet_text::PLACES_MOST;

use super::edit_session::EditSession;
use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::CallContext;
use crate::rooms::examine::explain::{Asked, ambiguous};
use crate::rooms::examine::read_state::ReadState;
use crate::rooms::locate::Target;
use crate::rooms::request::EditRequest;
use crate::wording::{count, lines_named, quote_path};

/// The most lines that a refusal for the wrong number names.
const LINES_NAMED: usize = 40;

impl EditSession<'_> {
    /// The refusal for another number of places than the caller expects.
    pub(super) fn miscounted<'r>(
        &self,
        target: &Target,
        places: impl Iterator<Item = &'r Range<usize>>,
        found: usize,
        wanted: u64,
    ) -> Refusal {
        let table = self.lines();
        let lines: Vec<usize> = places.map(|place| table.line_of(place.start) + 1).collect();
        let lead = match lines.len() < found {
            true => "the first in ",
            false => "",
        };
        let text = format!(
            "old_string stands at {} ({lead}{}), and expect_count is {wanted}. Nothing was written.",
            count(found, "place"),
            lines_named(lines, LINES_NAMED)
        );
        Refusal::new(RefusalKind::Count, text)
            .with("count", found)
            .with("file_path", quote_path(target.path()))
    }

    /// The refusal for more places than are listed: which one is meant is unknown, or they are more than one call
    /// changes.
    pub(super) fn too_many(
        &self,
        context: &CallContext<'_>,
        target: &Target,
        read_state: &ReadState,
        edit: &EditRequest,
        asked: &Asked<'_>,
    ) -> Refusal {
        let first = asked.places;
        if !edit.replace_all {
            return ambiguous(target, &*self.lines(), asked);
        }
        if let Some(wanted) = edit.expect_count
            && wanted != asked.total as u64
        {
            return self.miscounted(target, first.iter(), asked.total, wanted);
        }
        let text = format!(
            "old_string stands at {} in {}, and one call changes at most {PLACES_MOST}. Send a longer old_string.",
            count(asked.total, "place"),
            quote_path(target.path())
        );
        let unseen = self.unseen(&read_state.seen, first);
        match &read_state.merge_refusal {
            _ if unseen.is_empty() => Refusal::new(RefusalKind::TooLarge, text)
                .with("count", asked.total)
                .with("file_path", quote_path(target.path())),
            Some(refusal) => (**refusal).clone(),
            None => unseen.refusal(context, target).followed_by(&text),
        }
    }
}
