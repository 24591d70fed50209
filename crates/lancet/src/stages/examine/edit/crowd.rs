//! Refusals because of the number of matching places: either not the expected number, or more than an answer lists.

use std::ops::Range;

use lancet_text::MAX_PLACES;

use super::edit_session::EditSession;
use super::source::{SentEdit, SeveralPlaces, TextSource};
use super::unseen::UnseenLines;
use crate::message::{OLD_TEXT, message, tool_and_shell_term, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::examine::read_state::ReadState;
use crate::wording::{format_count, name_lines, quote_path};

/// How many lines a refusal for a wrong number names.
const MAX_NAMED_LINES: usize = 40;

impl<S: TextSource> EditSession<'_, S> {
    /// Returns the refusal where the number of places is not the one that the caller expects.
    pub(super) fn wrong_count_refusal<'r>(
        &self,
        places: impl Iterator<Item = &'r Range<usize>>,
        found: usize,
        wanted: u64,
    ) -> Result<Refusal, Refusal> {
        let lines = self
            .source
            .line_numbers(places.take(S::MAX_NUMBERED_PLACES))?;
        let lead = match lines.len() < found {
            true => "the first in ",
            false => "",
        };
        let text = message!(
            "{} matches {} ({}{}), and {} is {}. Nothing was written.",
            OLD_TEXT,
            verbatim(format_count(found, "place")),
            lead,
            verbatim(name_lines(lines, MAX_NAMED_LINES)),
            tool_and_shell_term("expect_count", "--expect-count"),
            wanted
        );
        Ok(Refusal::from_message(RefusalKind::Count, text)
            .with_field("count", found)
            .with_field("file_path", quote_path(self.target.path())))
    }

    /// Returns the refusal for more places than lancet lists: either it is unknown which one is meant, or there are
    /// more than one call may change.
    pub(super) fn too_many_places_refusal(
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
            return self.wrong_count_refusal(places.iter(), total, wanted);
        }
        let path = quote_path(self.target.path());
        let text = message!(
            "{} matches {} in {}, and one call changes at most {}{}{}{}",
            OLD_TEXT,
            verbatim(format_count(total, "place")),
            &path,
            MAX_PLACES,
            tool_and_shell_term(". Send a longer ", ". Make "),
            OLD_TEXT,
            tool_and_shell_term(".", " longer.")
        );
        let unseen = UnseenLines::find(&self.source, &read_state.seen, places.iter())?;
        Ok(match &read_state.merge_refusal {
            _ if unseen.is_empty() => Refusal::from_message(RefusalKind::TooLarge, text)
                .with_field("count", total)
                .with_field("file_path", path),
            Some(refusal) => (**refusal).clone(),
            None => unseen
                .refusal(self.context, self.target)
                .with_paragraph(text),
        })
    }
}
