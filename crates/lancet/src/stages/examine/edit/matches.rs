//! The place of an edit that replaces the matches of a regular expression.

use lancet_search::{Substitution, SubstitutionError};
use lancet_text::{Change, EditedPlace, FoundPlaces, Rung};

use super::edit_session::EditSession;
use super::line_place::LocatedEdit;
use super::source::TextSource;
use crate::message::{Message, message};
use crate::refusal::{Refusal, RefusalKind};
use crate::wording::quote_path;

impl<S: TextSource> EditSession<'_, S> {
    /// Finds the matches that the edit replaces.
    pub(super) fn locate_matches(
        &self,
        substitution: &Substitution,
    ) -> Result<LocatedEdit, Refusal> {
        let path = quote_path(self.target.path());
        let refused = |kind, text: Message| {
            Refusal::from_message(kind, text).with_field("file_path", path.to_string())
        };
        let (text, most) = (
            self.source.current_and_file_text().0,
            self.source.largest_result(),
        );
        let cancel = &self.context.cancel;
        let over = || cancel.stopped().is_some();
        let changes = match substitution.compute_changes(text, most, &over) {
            Ok(changes) if changes.is_empty() => {
                let text = message!(
                    "{} has no match that would change. Nothing was written.",
                    &path
                );
                return Err(refused(RefusalKind::NotFound, text));
            }
            Ok(changes) => changes,
            Err(SubstitutionError::Stopped) => {
                self.context.check_time()?;
                return Err(refused(
                    RefusalKind::Timeout,
                    message!("The search was stopped. Nothing was written."),
                ));
            }
            Err(SubstitutionError::TooLarge) => {
                let text = message!(
                    "The result in {} would be larger than {} MiB. Nothing was written; replace by a shorter text.",
                    &path,
                    most >> 20
                );
                return Err(refused(RefusalKind::TooLarge, text));
            }
            Err(SubstitutionError::SplitsCharacter(at)) => {
                let line = self.source.line_numbers(std::iter::once(&(at..at)))?;
                let text = message!(
                    "A match at line {} of {} begins or ends inside of a character. Nothing was written; write the pattern without (?-u).",
                    line.first().copied().unwrap_or(1),
                    &path
                );
                return Err(refused(RefusalKind::Invalid, text));
            }
        };
        if let Some((damaged, _)) = changes
            .iter()
            .find(|(range, _)| self.source.is_damaged(range))
        {
            let line = self.source.line_numbers(std::iter::once(damaged))?;
            let text = message!(
                "A match at line {} of {} holds bytes that are no text in the file's encoding (shown as \u{fffd}), and those are not changed. Nothing was written; write the pattern so that it does not match them.",
                line.first().copied().unwrap_or(1),
                &path
            );
            return Err(refused(RefusalKind::NotFound, text));
        }
        let places = changes.into_iter().map(|(range, text)| EditedPlace {
            changes: vec![Change {
                range: range.clone(),
                text,
            }],
            range,
        });
        let found = FoundPlaces {
            rung: Rung::Exact,
            places: places.collect(),
            remarks: Vec::new(),
        };
        Ok(LocatedEdit::new(found, None))
    }
}
