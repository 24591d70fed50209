//! Refusals because of the number of matching places: either not the expected number, or more than an answer lists.

use std::ops::Range;

use lancet_text::PLACES_MOST;

use super::edit_session::EditSession;
use super::source::{SentEdit, SeveralPlaces, TextSource};
use super::unseen::Unseen;
use crate::message::{OLD, message, term, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::examine::read_state::ReadState;
use crate::wording::{count, lines_named, quote_path};

/// How many lines a refusal for a wrong number names.
const LINES_NAMED: usize = 40;

impl<S: TextSource> EditSession<'_, S> {
    /// Returns the refusal where the number of places is not the one that the caller expects.
    pub(super) fn miscounted<'r>(
        &self,
        places: impl Iterator<Item = &'r Range<usize>>,
        found: usize,
        wanted: u64,
    ) -> Result<Refusal, Refusal> {
        let lines = self.source.line_numbers(places.take(S::NUMBERED))?;
        let lead = match lines.len() < found {
            true => "the first in ",
            false => "",
        };
        let text = message!(
            "{} matches {} ({}{}), and {} is {}. Nothing was written.",
            OLD,
            verbatim(count(found, "place")),
            lead,
            verbatim(lines_named(lines, LINES_NAMED)),
            term("expect_count", "--expect-count"),
            wanted
        );
        Ok(Refusal::stating(RefusalKind::Count, text)
            .with("count", found)
            .with("file_path", quote_path(self.target.path())))
    }

    /// Returns the refusal for more places than lancet lists: either it is unknown which one is meant, or there are
    /// more than one call may change.
    pub(super) fn too_many(
        &self,
        read_state: &ReadState,
        sent: SentEdit<'_>,
        several: &SeveralPlaces<'_>,
    ) -> Result<Refusal, Refusal> {
        let SeveralPlaces { places, total, .. } = *several;
        if !sent.request.replace_all {
            return self.source.ambiguous(sent, several);
        }
        if let Some(wanted) = sent.request.expect_count
            && wanted != total as u64
        {
            return self.miscounted(places.iter(), total, wanted);
        }
        let path = quote_path(self.target.path());
        let text = message!(
            "{} matches {} in {}, and one call changes at most {}{}{}{}",
            OLD,
            verbatim(count(total, "place")),
            &path,
            PLACES_MOST,
            term(". Send a longer ", ". Make "),
            OLD,
            term(".", " longer.")
        );
        let unseen = Unseen::find(&self.source, &read_state.seen, places.iter())?;
        Ok(match &read_state.merge_refusal {
            _ if unseen.is_empty() => Refusal::stating(RefusalKind::TooLarge, text)
                .with("count", total)
                .with("file_path", path),
            Some(refusal) => (**refusal).clone(),
            None => unseen.refusal(self.context, self.target).and_then(text),
        })
    }
}
