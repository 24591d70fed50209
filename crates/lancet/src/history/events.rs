//! The events of a state folder as programs read them: every change of a file, every question and its decision, every
//! session, of all processes that use the folder, in the order in which they were recorded. Nothing is stored twice:
//! the details of a change are read from its operation.

mod json;
mod wait;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lancet_history::{
    ChangeKind, EventKind, FileChange, HistoryError, Operation, OperationStore, RecordedEvent,
    RecordedFact, RecordedState,
};
use lancet_text::{Hunk, difference};

pub use wait::{EventWait, WakeReason};

use super::History;

/// How many events are read at a time, which bounds the memory that a reader takes.
const EVENTS_PER_READ: usize = 256;
/// The largest content, in bytes, for which a patch is computed.
const MAX_PATCHED_CONTENT: u64 = 1 << 20;
/// The longest time for one patch.
const PATCH_BUDGET: Duration = Duration::from_millis(500);
/// How many unchanged lines a patch shows around changed ones.
const CONTEXT_LINES: usize = 3;

/// Where a reader begins.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventsSince {
    /// With the oldest event that is stored.
    Beginning,
    /// After the newest event.
    Now,
    /// After the event of this number.
    Sequence(i64),
    /// After the last event of the operation with this id.
    Operation(String),
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HistoryEvent {
    /// The number of the event, which rises over the whole state folder. A reader that begins after it continues with
    /// the next event.
    pub seq: i64,
    /// The time at which the event was recorded, in milliseconds since 1970.
    pub time: i64,
    /// The id of the root that the event is about.
    pub workspace: Option<String>,
    /// The session, by its name or generated key.
    pub session: Option<String>,
    /// The name of the client program.
    pub client: Option<String>,
    /// What happened.
    pub fact: EventContent,
}

/// The content of an event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventContent {
    /// Events with these numbers may be missing: they are no longer stored.
    Gap {
        /// The first number.
        from: i64,
        /// The last number.
        to: i64,
    },
    /// A file was changed.
    Changed(Box<ChangedFile>),
    /// Something else: a question, its decision, or a session, with the fields that belong to it.
    Other(EventKind, serde_json::Map<String, serde_json::Value>),
}

/// The change of a file. If the file may not be read, path, revisions and patch are left out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChangedFile {
    /// The operation and everything that is known about it.
    pub operation: Arc<Operation>,
    /// How the file was changed.
    pub kind: ChangeKind,
    /// The file, where it may be named.
    pub path: Option<PathBuf>,
    /// The old path of a file that was renamed.
    pub moved_from: Option<PathBuf>,
    /// The revision before the change; none where there was no file.
    pub before: Option<String>,
    /// The revision after the change; none where there is no file any more.
    pub after: Option<String>,
    /// The hunks of the change; none where the content is not text, is too large or is no longer stored.
    pub patch: Option<Vec<Hunk>>,
    /// What was under the name before and after the change; none where there was nothing, or it may not be shown.
    pub entries: [Option<ChangedEntry>; 2],
    /// Whether another recorded call may have made the change.
    pub is_shared: bool,
}

/// A file, symbolic link or empty folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedEntry {
    /// The permission bits; 0 where they are not known.
    pub mode: u32,
    /// The target, of a symbolic link.
    pub link: Option<PathBuf>,
    /// Whether it is an empty folder.
    pub is_folder: bool,
}

impl From<&RecordedState> for ChangedEntry {
    fn from(state: &RecordedState) -> Self {
        ChangedEntry {
            mode: state.mode & 0o7777,
            link: state.link.clone(),
            is_folder: state.is_folder(),
        }
    }
}

/// Says whether the text of a file may be shown to the reader.
type MayShow = Box<dyn Fn(&Path) -> bool + Send>;

/// Reads events page by page. Any number of readers may follow one state folder, each at its own position.
pub struct EventReader {
    store: Arc<dyn OperationStore>,
    position: i64,
    /// The number up to which gaps were reported.
    told: i64,
    may_show: MayShow,
}

impl History {
    /// Begins to read events. They are those of the whole state folder; files that are not below the roots, or that may
    /// not be read, are not named. `None` where there is no operation of this id, or it has no event any more.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn events(&self, since: &EventsSince) -> Result<Option<EventReader>, HistoryError> {
        let history = self.clone();
        let may_show = move |path: &Path| history.engine.covers(path) && history.may_show(path);
        self.events_shown(since, may_show)
    }

    /// Begins to read events like [`events`](Self::events); `may_show` decides which files may be named and shown.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn events_shown(
        &self,
        since: &EventsSince,
        may_show: impl Fn(&Path) -> bool + Send + 'static,
    ) -> Result<Option<EventReader>, HistoryError> {
        let position = match since {
            EventsSince::Beginning => 0,
            EventsSince::Sequence(number) => (*number).max(0),
            EventsSince::Now => self.query_store(|store| store.events(i64::MAX, 0))?.newest,
            EventsSince::Operation(id) => {
                match self.query_store(|store| store.last_event_of_operation(id))? {
                    Some(number) => number,
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(EventReader {
            store: Arc::clone(&self.store),
            position,
            told: 0,
            may_show: Box::new(may_show),
        }))
    }
}

impl EventReader {
    /// Returns the number of the last event that was read.
    pub fn position(&self) -> i64 {
        self.position
    }

    /// Reads the next events; none where there are none yet.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn next_page(&mut self) -> Result<Vec<HistoryEvent>, HistoryError> {
        let mut page = self.store.events(self.position, EVENTS_PER_READ)?;
        let mut events = Vec::new();
        if page.newest < self.position {
            // The state folder was removed and recreated, so the numbers begin again.
            events.push(gap_event(page.newest + 1, self.position));
            (self.position, self.told) = (0, 0);
            page = self.store.events(0, EVENTS_PER_READ)?;
        }
        if page.removed_to > self.position.max(self.told) {
            events.push(gap_event(self.position.max(self.told) + 1, page.removed_to));
            self.told = page.removed_to;
        }
        for event in page.events {
            self.position = event.seq;
            events.push(self.read(event)?);
        }
        Ok(events)
    }

    fn read(&self, event: RecordedEvent) -> Result<HistoryEvent, HistoryError> {
        let fact = match event.fact {
            RecordedFact::Changed { operation, file } => self.changed_file(operation, file)?,
            RecordedFact::Other(kind, body) => {
                let mut fields = serde_json::from_str(&body).unwrap_or_default();
                json::leave_out_paths(&mut fields, &self.may_show);
                EventContent::Other(kind, fields)
            }
            _ => EventContent::Other(EventKind::Session, serde_json::Map::new()),
        };
        Ok(HistoryEvent {
            seq: event.seq,
            time: event.time,
            workspace: event.workspace.map(|workspace| workspace.short_id()),
            session: event.session,
            client: event.client,
            fact,
        })
    }

    fn changed_file(
        &self,
        operation: Arc<Operation>,
        file: usize,
    ) -> Result<EventContent, HistoryError> {
        let change = &operation.files[file];
        let mut names = std::iter::once(&change.path).chain(&change.moved_from);
        let shown = names.all(|name| (self.may_show)(name));
        let revision = |state: &Option<RecordedState>| {
            let state = state.as_ref().filter(|_| shown)?;
            Some(short_revision(&state.revision))
        };
        let changed = ChangedFile {
            kind: change.kind,
            path: shown.then(|| change.path.clone()),
            moved_from: change.moved_from.clone().filter(|_| shown),
            before: revision(&change.before),
            after: revision(&change.after),
            patch: match shown {
                true => self.patch(change)?,
                false => None,
            },
            entries: [&change.before, &change.after].map(|state| {
                let state = state.as_ref().filter(|_| shown);
                state.map(ChangedEntry::from)
            }),
            is_shared: operation
                .recorded
                .as_ref()
                .is_some_and(|call| call.shared.contains(&change.path)),
            operation: Arc::clone(&operation),
        };
        Ok(EventContent::Changed(Box::new(changed)))
    }

    /// Returns the hunks of a change, where both contents are text of a moderate size.
    fn patch(&self, change: &FileChange) -> Result<Option<Vec<Hunk>>, HistoryError> {
        let text = |state: &Option<RecordedState>| match state {
            None => Ok(Some(String::new())),
            Some(state) if state.size > MAX_PATCHED_CONTENT => Ok(None),
            Some(state) => {
                let bytes = self.store.content(&state.revision)?;
                let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
                Ok(text.filter(|text| !text.contains('\0')))
            }
        };
        let (Some(old), Some(new)) = (text(&change.before)?, text(&change.after)?) else {
            return Ok(None);
        };
        let difference = difference(&old, &new, CONTEXT_LINES, PATCH_BUDGET);
        Ok((!difference.coarse).then_some(difference.hunks))
    }
}

fn gap_event(from: i64, to: i64) -> HistoryEvent {
    HistoryEvent {
        seq: to,
        time: crate::operation::current_milliseconds(),
        workspace: None,
        session: None,
        client: None,
        fact: EventContent::Gap { from, to },
    }
}

fn short_revision(revision: &[u8; 32]) -> String {
    lancet_workspace::Revision::from_bytes(*revision).short_hex()
}
