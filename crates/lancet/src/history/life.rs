//! The life of a file: the operations that changed it, newest first, followed into the past through the names that it
//! had.

use std::path::{Path, PathBuf};

use lancet_history::{HistoryError, LogQuery, Operation};

use super::History;

/// One change in the life of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LifeEvent {
    /// The operation.
    pub operation: Operation,
    /// The index of the file in the operation's list of files.
    pub file: usize,
}

/// A part of the life of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileLife {
    /// The changes, newest first.
    pub events: Vec<LifeEvent>,
    /// Where the older part begins; none where this is the oldest part that is stored.
    pub older: Option<LifeCursor>,
}

/// A place in the life of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LifeCursor {
    /// The name that the file had then.
    pub path: PathBuf,
    /// The [`sequence`](Operation::sequence) of the oldest operation that was listed.
    pub before: i64,
}

impl History {
    /// Lists at most `most` changes of the file that has this name now, or of the one at the cursor, newest first. What
    /// happened under the name before the file was moved there belongs to another file and is left out.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn life(
        &self,
        path: &Path,
        from: Option<&LifeCursor>,
        most: usize,
    ) -> Result<FileLife, HistoryError> {
        let mut name = from.map_or_else(|| path.to_path_buf(), |cursor| cursor.path.clone());
        let mut before = from.map(|cursor| cursor.before);
        let mut events: Vec<LifeEvent> = Vec::new();
        loop {
            let wanted = most.saturating_sub(events.len());
            // One more than wanted shows whether there is an older part.
            let found = self.log(&LogQuery {
                path: Some(name.clone()),
                before_sequence: before,
                limit: Some(wanted + 1),
                ..LogQuery::default()
            })?;
            let is_rest = found.len() <= wanted;
            let mut moved_from = None;
            for operation in found {
                if events.len() == most {
                    break;
                }
                let Some(file) = operation
                    .files
                    .iter()
                    .position(|file| file.path == name || file.moved_from.as_ref() == Some(&name))
                else {
                    continue;
                };
                before = Some(operation.sequence);
                let change = &operation.files[file];
                if change.path == name {
                    moved_from.clone_from(&change.moved_from);
                }
                events.push(LifeEvent { operation, file });
                if moved_from.is_some() {
                    break;
                }
            }
            let is_renamed = moved_from.is_some();
            if let Some(earlier) = moved_from {
                name = earlier;
            }
            if events.len() >= most && (is_renamed || !is_rest) {
                let older = before.map(|before| LifeCursor { path: name, before });
                return Ok(FileLife { events, older });
            }
            if !is_renamed {
                return Ok(FileLife {
                    events,
                    older: None,
                });
            }
        }
    }
}
