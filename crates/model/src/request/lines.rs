//! Edits whose old text is a marker.

use super::{EditRequest, Place};

impl EditRequest {
    /// Whether the old text is a marker: it names a place and stays.
    #[doc(hidden)]
    pub fn is_marker(&self) -> bool {
        matches!(
            self.place,
            Place::Before | Place::After | Place::MovedAfter(_)
        )
    }

    /// The name of the old text in the tools' arguments.
    #[doc(hidden)]
    pub fn old_name(&self) -> &'static str {
        match self.is_marker() {
            true => "marker",
            false => "old_string",
        }
    }
}
