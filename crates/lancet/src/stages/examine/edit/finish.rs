//! Computes the result of all edits of a file: the byte replacements, what the answer shows, what counts as seen, and
//! whether the result is still text.

use lancet_history::SeenRanges;
use lancet_text::RawChange;

use super::edit_session::EditSession;
use super::source::TextSource;
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::examine::explain::unencodable_refusal;
use crate::stages::plan::ChangeView;
use crate::wording::quote_path;

/// The computed change of a file.
pub(super) struct Finished {
    pub(super) view: ChangeView,
    pub(super) changes: Vec<RawChange>,
    /// The parts of the new version that the session will have seen.
    pub(super) seen: SeenRanges,
}

impl<S: TextSource> EditSession<'_, S> {
    /// Computes the result of the edits. `seen` is what the session has seen of the version before them.
    pub(super) fn finish(mut self, mut seen: SeenRanges) -> Result<Finished, Refusal> {
        let mut laid = self
            .source
            .combined_changes()
            .map_err(|error| unencodable_refusal(self.target, &error))?;
        let formatted = self.source.format(&mut laid);
        if self.source.is_unchanged_by(&laid.raw)? {
            let path = quote_path(self.target.path());
            let told = formatted.notice.filter(|_| !formatted.lines.is_empty());
            let told = told.map(|told| message!(" ({})", told));
            let text = message!(
                "{} already is what this would make of it{}. Nothing was written.",
                &path,
                told
            );
            return Err(
                Refusal::from_message(RefusalKind::NoChange, text).with_field("file_path", path)
            );
        }
        let encoding_note = self.source.check_encoding_after(&laid.raw)?;
        let mut notes = self.notes;
        notes.push_once(formatted.notice.clone());
        notes.push_once(self.source.hidden_text_warning(&laid)?);
        let mut view = self.source.change_view(&laid, notes, &mut seen)?;
        view.rungs = self.rungs;
        view.replacements = self.replacements;
        view.notices.extend(encoding_note);
        view.base_numbers = self.base_numbers;
        let shifts: Vec<_> = laid
            .raw
            .iter()
            .map(|change| (change.range.clone(), change.bytes.len() as u64))
            .collect();
        seen.apply_edit(&shifts);
        view.unshown = self.source.unshown_ranges(&laid, &formatted, &view);
        for range in &view.unshown {
            seen.remove(range.clone());
        }
        Ok(Finished {
            view,
            changes: laid.raw,
            seen,
        })
    }

    /// Computes the result of edits to the text of a new file: the replacements, and what the answer says about them.
    pub(crate) fn finish_new(mut self) -> Result<(Vec<RawChange>, ChangeView), Refusal> {
        let laid = self
            .source
            .combined_changes()
            .map_err(|error| unencodable_refusal(self.target, &error))?;
        let view = ChangeView {
            rungs: self.rungs,
            replacements: self.replacements,
            notices: self.notes.into_sentences(),
            ..ChangeView::default()
        };
        Ok((laid.raw, view))
    }
}
