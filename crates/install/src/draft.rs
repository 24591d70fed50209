//! A text that is changed by splices, with all data needed to reverse them.

use std::ops::Range;

use serde_json::{Value, json};

/// One replaced piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// Its offset in bytes, which is the same in the text before and after this splice.
    pub at: usize,
    /// The text that was replaced.
    pub removed: String,
    /// The text that replaced it.
    pub inserted: String,
}

impl Splice {
    /// Returns the splice as JSON.
    pub fn to_json(&self) -> Value {
        json!({ "at": self.at, "removed": self.removed, "inserted": self.inserted })
    }

    /// Reads a splice from JSON.
    pub fn from_object(object: &Value) -> Option<Self> {
        let text = |key: &str| Some(object.get(key)?.as_str()?.to_owned());
        Some(Self {
            at: usize::try_from(object.get("at")?.as_u64()?).ok()?,
            removed: text("removed")?,
            inserted: text("inserted")?,
        })
    }
}

/// A text and the splices that led to it, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsDraft {
    text: String,
    splices: Vec<Splice>,
}

impl SettingsDraft {
    /// Creates a draft of an unchanged text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            splices: Vec::new(),
        }
    }

    /// Returns the text as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the splices in order; the offsets of each refer to the text that the one before it left.
    pub fn splices(&self) -> &[Splice] {
        &self.splices
    }

    /// Consumes the draft and returns the text and the splices.
    pub fn into_parts(self) -> (String, Vec<Splice>) {
        (self.text, self.splices)
    }

    /// Replaces a range of the text. A range that does not fit the text is ignored.
    pub(crate) fn replace(&mut self, range: Range<usize>, with: &str) {
        let Some(removed) = self.text.get(range.clone()) else {
            debug_assert!(false, "{range:?} is no range of the text");
            return;
        };
        if removed == with {
            return;
        }
        self.splices.push(Splice {
            at: range.start,
            removed: removed.to_owned(),
            inserted: with.to_owned(),
        });
        self.text.replace_range(range, with);
    }

    /// Inserts text.
    pub(crate) fn insert(&mut self, at: usize, text: &str) {
        self.replace(at..at, text);
    }
}

/// Reverses splices, the last one first. Returns `None` if the text is not the one that they led to.
pub fn revert_splices(text: &str, splices: &[Splice]) -> Option<String> {
    let mut text = text.to_owned();
    for splice in splices.iter().rev() {
        let range = splice.at..splice.at.checked_add(splice.inserted.len())?;
        if text.get(range.clone())? != splice.inserted {
            return None;
        }
        text.replace_range(range, &splice.removed);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverts_splices_in_reverse_order() {
        let mut draft = SettingsDraft::new("one two three");
        draft.insert(3, ",");
        draft.replace(5..8, "2");
        draft.insert(0, "> ");
        assert_eq!(draft.text(), "> one, 2 three");
        let back = revert_splices(draft.text(), draft.splices());
        assert_eq!(back.as_deref(), Some("one two three"));
        assert_eq!(revert_splices("> one, 3 three", draft.splices()), None);
    }

    #[test]
    fn splice_round_trips_through_json() {
        let splice = Splice {
            at: 7,
            removed: "é".to_owned(),
            inserted: "\n\"".to_owned(),
        };
        assert_eq!(Splice::from_object(&splice.to_json()), Some(splice));
        assert_eq!(Splice::from_object(&json!({ "at": -1 })), None);
    }
}
