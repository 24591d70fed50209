//! Checks of the places that an edit changes: that they were shown, and that no other edit of the call changed them.

use std::ops::Range;

use lancet_text::{EditedPlace, FoundPlaces, Rung};

use super::edit_session::EditSession;
use super::source::TextSource;
use crate::refusal::Refusal;
use crate::request::{EditRequest, Place as RequestPlace};
use crate::stages::examine::read_state::ReadState;

impl<S: TextSource> EditSession<'_, S> {
    /// Checks that the places were shown, and that no earlier edit of the call wrote in them.
    pub(super) fn check_places(
        &self,
        read_state: &ReadState,
        request: &EditRequest,
        touched: &Option<Vec<Range<usize>>>,
        found: &FoundPlaces,
    ) -> Result<(), Refusal> {
        match touched {
            Some(touched) => {
                self.check_shown(read_state, touched.iter())?;
                let touched = touched.iter().map(|place| (place.clone(), None));
                self.refuse_crossing(request, touched)
            }
            None => {
                let places = found.places.iter();
                self.check_shown(read_state, places.map(|place| &place.range))?;
                // For a hunk only the changed lines count: its context may be shared with other hunks.
                let places = found.places.iter().map(|place| match request.as_hunk() {
                    Some(_) => changed_range(place),
                    None => place.range.clone(),
                });
                // An edit whose exact old text contains everything that an earlier one inserted there was written with
                // that in mind.
                let is_quote = found.rung == Rung::Exact
                    && (request.place == RequestPlace::Text || request.as_hunk().is_some());
                let quoted = found
                    .places
                    .iter()
                    .map(|place| is_quote.then_some(&place.range));
                self.refuse_crossing(request, places.zip(quoted))
            }
        }
    }
}

/// Returns the range from the first change of a place to its last.
fn changed_range(place: &EditedPlace) -> Range<usize> {
    match (place.changes.first(), place.changes.last()) {
        (Some(first), Some(last)) => first.range.start..last.range.end,
        _ => place.range.clone(),
    }
}
