//! Edits whose old text is a marker.

use super::{EditRequest, Place};

impl EditRequest {
    /// Returns whether the old text is a marker: it names a place and is not replaced.
    #[doc(hidden)]
    pub fn is_marker(&self) -> bool {
        matches!(
            self.place,
            Place::Before | Place::After | Place::MovedAfter(_)
        )
    }

    /// Returns the name of the old text in the tools' arguments.
    #[doc(hidden)]
    pub fn old_text_name(&self) -> &'static str {
        match self.is_marker() {
            true => "marker",
            false => "old_string",
        }
    }
}
