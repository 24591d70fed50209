//! A damaged database of the state folder that was renamed, so that a new one could be created.

use std::fmt;
use std::path::PathBuf;

/// A database that was damaged and renamed, or removed by another program while it was in use. Its text is for the
/// user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAsideDatabase {
    /// The path of the damaged file; none if it was removed.
    pub moved_to: Option<PathBuf>,
    /// What was wrong with the database.
    pub reason: String,
    /// The number of operations that could still be read and were copied to the new database.
    pub brought_over: u64,
}

impl fmt::Display for SetAsideDatabase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reason, changes) = (&self.reason, self.brought_over);
        match &self.moved_to {
            Some(place) => write!(
                formatter,
                "the database in the state folder was damaged ({reason}); it was set aside as {} and a new one was begun with the {changes} changes that could still be read. The others are missing from `lancet log` and cannot be undone; `lancet doctor` says what to do",
                place.display()
            ),
            None => write!(
                formatter,
                "{reason}; a new one was begun with the {changes} changes that could still be read. The others, mostly those of large files, are missing from `lancet log` and cannot be undone"
            ),
        }
    }
}
