//! The stream of events. One lock covers the fact and its event, so numbers become visible in order.

use std::sync::Arc;

use super::{MemoryHistory, SharedState, now};
use crate::activity::OpenSession;
use crate::error::HistoryError;
use crate::event::{EventKind, EventPage, EventStore, RecordedEvent, RecordedFact, SessionBegin};
use crate::operation::{Operation, OperationKind};
use crate::workspace::{KnownWorkspace, WorkspaceRef};

/// An event.
#[derive(Debug)]
pub(super) struct EventRow {
    seq: i64,
    time: i64,
    session: Option<String>,
    fact: EventFact,
}

#[derive(Debug)]
enum EventFact {
    /// An operation changed its file with this index.
    Changed(String, usize),
    Other(EventKind, String),
}

impl SharedState {
    fn next_event_number(&mut self) -> i64 {
        self.newest_event += 1;
        self.newest_event
    }

    /// Adds an event that is not a change of a file.
    pub(super) fn append_event(&mut self, kind: EventKind, session: Option<&str>, body: &str) {
        let seq = self.next_event_number();
        self.events.push(EventRow {
            seq,
            time: now(),
            session: session.map(str::to_owned),
            fact: EventFact::Other(kind, body.to_owned()),
        });
    }

    /// Adds an event for each of these files of an operation. Late bytes were never the content of a file's name.
    pub(super) fn append_changes(&mut self, id: &str, kind: OperationKind, files: &[usize]) {
        if kind == OperationKind::Late {
            return;
        }
        for file in files {
            let seq = self.next_event_number();
            self.events.push(EventRow {
                seq,
                time: now(),
                session: None,
                fact: EventFact::Changed(id.to_owned(), *file),
            });
        }
    }

    fn recorded_event(&self, event: &EventRow) -> Option<RecordedEvent> {
        let mut recorded = RecordedEvent {
            seq: event.seq,
            time: event.time,
            workspace: None,
            session: event.session.clone(),
            client: None,
            fact: RecordedFact::Other(EventKind::Session, String::new()),
        };
        match &event.fact {
            EventFact::Other(kind, body) => {
                recorded.fact = RecordedFact::Other(*kind, body.clone());
            }
            EventFact::Changed(id, at) => {
                let mut all = self.operations.iter().map(|kept| &kept.operation);
                let operation: Operation = all.find(|operation| operation.id == *id)?.clone();
                let file = operation.files.iter().position(|file| file.at == *at)?;
                recorded
                    .workspace
                    .clone_from(&operation.files[file].workspace);
                recorded.session = Some(operation.session.clone());
                recorded.client.clone_from(&operation.client);
                let operation = Arc::new(operation);
                recorded.fact = RecordedFact::Changed { operation, file };
            }
        }
        Some(recorded)
    }
}

impl EventStore for MemoryHistory {
    fn events(&self, since: i64, most: usize) -> Result<EventPage, HistoryError> {
        let kept = self.lock_state();
        let events = kept.events.iter().filter(|event| event.seq > since);
        Ok(EventPage {
            events: events
                .take(most)
                .filter_map(|event| kept.recorded_event(event))
                .collect(),
            removed_to: 0,
            newest: kept.newest_event,
        })
    }

    fn last_event_of_operation(&self, operation: &str) -> Result<Option<i64>, HistoryError> {
        let kept = self.lock_state();
        let mut newest_first = kept.events.iter().rev();
        let last = newest_first
            .find(|event| matches!(&event.fact, EventFact::Changed(id, _) if id == operation));
        Ok(last.map(|event| event.seq))
    }

    fn begin_session(&self, begin: &SessionBegin<'_>) -> Result<(), HistoryError> {
        let mut kept = self.lock_state();
        let is_open = kept.is_open(self.process, begin.session);
        kept.open.push((
            self.process,
            OpenSession {
                session: begin.session.to_owned(),
                client: begin.client.map(str::to_owned),
                version: begin.version.map(str::to_owned),
                since: Some(now()),
                workspace: begin.workspace.as_ref().map(to_known_workspace),
                body: begin.body.to_owned(),
            },
        ));
        if !is_open {
            kept.append_event(
                EventKind::Session,
                Some(begin.session),
                "{\"state\":\"begun\"}",
            );
        }
        Ok(())
    }

    fn end_session(&self, session: &str) -> Result<(), HistoryError> {
        let mut kept = self.lock_state();
        let of = |(process, open): &(u64, OpenSession)| {
            *process == self.process && open.session == session
        };
        if let Some(at) = kept.open.iter().position(of) {
            kept.open.remove(at);
            if !kept.is_open(self.process, session) {
                kept.append_event(EventKind::Session, Some(session), "{\"state\":\"ended\"}");
            }
        }
        Ok(())
    }

    fn end_sessions_of_ended_processes(&self) -> Result<(), HistoryError> {
        let mut kept = self.lock_state();
        let alive = kept.alive.clone();
        let (open, lost) = std::mem::take(&mut kept.open)
            .into_iter()
            .partition(|(process, _)| alive.contains(process));
        kept.open = open;
        let mut lost: Vec<(u64, OpenSession)> = lost;
        lost.dedup_by(|one, other| one.0 == other.0 && one.1.session == other.1.session);
        for (_, session) in lost {
            let body = "{\"state\":\"ended\"}";
            kept.append_event(EventKind::Session, Some(&session.session), body);
        }
        Ok(())
    }
}

impl SharedState {
    fn is_open(&self, process: u64, session: &str) -> bool {
        let mut open = self.open.iter();
        open.any(|(by, open)| *by == process && open.session == session)
    }
}

/// Returns the root that a borrowed one names.
pub(super) fn to_known_workspace(workspace: &WorkspaceRef<'_>) -> KnownWorkspace {
    KnownWorkspace {
        id: workspace.id,
        root: workspace.root.to_path_buf(),
    }
}
