//! The sessions of one connection that were told to have begun (`lancet events`). Their end is told when the connection is closed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lancet::{AnnouncedSession, Session};

use crate::link::Link;

/// The most sessions that one connection tells of: a client that names a new one in each call must not fill the events.
const MOST: usize = 64;

/// The sessions of a connection.
#[derive(Clone)]
pub(crate) struct AnnouncedSessions {
    /// The sessions by their keys; none where the state folder could not be written.
    known: Arc<Mutex<BTreeMap<String, Option<AnnouncedSession>>>>,
    most: usize,
}

impl AnnouncedSessions {
    /// No session yet. Over HTTP none is told of: a connection may be a single request there.
    pub(crate) fn new(link: Link) -> Self {
        Self {
            known: Arc::default(),
            most: match link {
                Link::Streams => MOST,
                Link::Http => 0,
            },
        }
    }

    /// Tells that a session begins, at its first call. It writes to the state folder, so it runs on the pool.
    pub(crate) fn announce(&self, session: &Session, client: Option<&str>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < self.most && !known.contains_key(session.key()) {
            let announced = session.announce(client);
            known.insert(session.key().to_owned(), announced);
        }
    }
}
