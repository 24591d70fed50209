//! The sessions of one connection whose beginning was reported as an event (`lancet events`). Their end is reported
//! when the connection is closed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lancet::{AnnouncedSession, Caller, Session};

/// The most sessions that one connection reports: a client that names a new one in each call must not fill the events.
const MAX_SESSIONS: usize = 64;

/// The sessions of a connection, by their keys. The value is none where the state folder could not be written.
#[derive(Clone, Default)]
pub(crate) struct AnnouncedSessions(Arc<Mutex<BTreeMap<String, Option<AnnouncedSession>>>>);

impl AnnouncedSessions {
    /// Reports that a session begins, at its first call. It writes to the state folder, so it runs on the pool.
    pub(crate) fn announce(&self, session: &Session, caller: &Caller) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MAX_SESSIONS && !known.contains_key(session.key()) {
            let announced = session.announce(caller.client.as_deref(), caller.version.as_deref());
            known.insert(session.key().to_owned(), announced);
        }
    }
}
