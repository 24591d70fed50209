//! A session: one conversation of one model, with its ledger of what the model has seen. The calls that go through it are in
//! `api`, above the rooms.

mod grants;
mod pages;
mod state;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lancet_history::{Ledger, LedgerStore, SessionName};

use crate::engine::{Lancet, Notified};
use crate::refusal::Refusal;

pub(crate) use grants::Reach;
pub(crate) use pages::Kept;
use pages::Pages;
pub(crate) use state::{SessionInner, is_unnamed};

/// How many named sessions are kept ready: each may hold 25 MB of what its model has seen.
const SESSIONS_READY: usize = 32;

/// One conversation. Cheap to clone; all clones share one ledger.
#[derive(Clone)]
pub struct Session {
    pub(crate) inner: Arc<SessionInner>,
    /// The engine, as far as this conversation may see it.
    pub(crate) lancet: Lancet,
    reader: Reader,
}

/// Who sees what is read and answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// The model: what is shown counts as seen.
    Model,
    /// The host alone: the ledger stays as it is.
    Host,
}

/// What a call would come to, without any effect.
#[derive(Clone, Debug)]
pub enum Check {
    /// It would go through.
    Passes,
    /// A person would be asked, for this reason.
    Asks {
        /// Why.
        reason: String,
    },
    /// It would be refused.
    Refused(Box<Refusal>),
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("Session");
        shown
            .field("key", &self.key())
            .field("reader", &self.reader);
        shown.finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(lancet: Lancet, inner: Arc<SessionInner>) -> Self {
        Self {
            inner,
            lancet,
            reader: Reader::Model,
        }
    }

    /// The same conversation for the host's own use: what is read through it, and the answers of changes made through it,
    /// do not count as seen by the model, and a Read always answers with text. A host tool is given such a session; what it
    /// passes on to the model it says with [`seen`](Self::seen).
    #[must_use]
    pub fn apart(&self) -> Session {
        Session {
            reader: Reader::Host,
            ..self.clone()
        }
    }

    /// The same conversation, seen through another view of the same engine.
    #[must_use]
    pub fn within(&self, lancet: &Lancet) -> Session {
        Session {
            lancet: lancet.clone(),
            ..self.clone()
        }
    }

    /// Whether the model does not see what is answered.
    pub(crate) fn is_apart(&self) -> bool {
        self.reader == Reader::Host
    }

    /// Says that the host shortened the conversation: what was seen still counts, but the next Read of each file
    /// answers with text.
    pub fn shortened(&self) {
        self.ledger().shortened();
    }

    /// A child conversation that begins with a copy of this one's ledger.
    pub fn fork(&self, name: Option<SessionName>) -> Session {
        self.refresh();
        // What was allowed to the parent was not allowed to the child.
        let new = name.map_or_else(SessionInner::unnamed, SessionInner::named);
        let inner = SessionInner {
            ledger: Mutex::new(self.ledger().fork()),
            told: Notified::like(&self.inner.told),
            ..new
        };
        let child = Session::new(self.lancet.clone(), Arc::new(inner));
        child.keep_all();
        remember(&self.lancet, &child.inner);
        child
    }

    /// The session's name, where it has one.
    pub fn name(&self) -> Option<&SessionName> {
        self.inner.name.as_ref()
    }

    /// What the history calls this session: its name, else one of its own.
    pub fn key(&self) -> &str {
        &self.inner.key
    }

    /// The ledger.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.inner
            .ledger
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// What was found by the searches of this session, for their later pages.
    pub(crate) fn pages(&self) -> MutexGuard<'_, Pages> {
        self.inner
            .pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what the store has of a named session: all of it at the first call, later what other processes of the
    /// same session have seen meanwhile. A store that cannot be read costs a Read, never a file.
    pub(crate) fn refresh(&self) {
        let Some((name, store)) = self.kept() else {
            return;
        };
        let mut ledger = self.ledger();
        if let Ok(loaded) = store.load(name, ledger.cursor()) {
            ledger.take_in(loaded.rows, loaded.cursor);
        }
    }

    /// Keeps one file's entry in the store, where this session has a name. The same holds for a store that cannot be
    /// written.
    pub(crate) fn keep(&self, path: &Path) {
        let Some((name, store)) = self.kept() else {
            return;
        };
        let ledger = self.ledger();
        if let Some(entry) = ledger.peek(path) {
            let _ = store.save(name, &[(path, entry)]);
        }
    }

    /// Forgets a file in the store as well.
    pub(crate) fn forget(&self, path: &Path) {
        if let Some((name, store)) = self.kept() {
            let _ = store.forget(name, path);
        }
    }

    fn keep_all(&self) {
        let Some((name, store)) = self.kept() else {
            return;
        };
        let ledger = self.ledger();
        let entries: Vec<_> = ledger.entries().collect();
        let _ = store.save(name, &entries);
    }

    fn kept(&self) -> Option<(&SessionName, &Arc<dyn LedgerStore>)> {
        Some((self.inner.name.as_ref()?, self.lancet.base().store()?))
    }
}

impl Lancet {
    /// The session of that name: the same one for the same name, its ledger kept in the state folder. Of the sessions
    /// that nobody holds any more the latest are kept ready; an older one begins again with what the state folder has.
    pub fn session(&self, name: &SessionName) -> Session {
        let mut sessions = self.base().sessions();
        let known = sessions
            .iter()
            .position(|session| session.name.as_ref() == Some(name));
        let session = match known {
            Some(at) => {
                let session = sessions.remove(at);
                sessions.push(Arc::clone(&session));
                session
            }
            None => {
                let session = Arc::new(SessionInner::named(name.clone()));
                ready(&mut sessions, Arc::clone(&session));
                session
            }
        };
        Session::new(self.clone(), session)
    }

    /// A session without a name, which ends with its last clone.
    pub fn new_session(&self) -> Session {
        Session::new(self.clone(), Arc::new(SessionInner::unnamed()))
    }
}

/// Makes a named session the one that its name stands for.
fn remember(lancet: &Lancet, session: &Arc<SessionInner>) {
    if session.name.is_some() {
        let mut sessions = lancet.base().sessions();
        sessions.retain(|known| known.name != session.name);
        ready(&mut sessions, Arc::clone(session));
    }
}

/// Keeps a session ready, and drops the oldest that has no handle left.
fn ready(sessions: &mut Vec<Arc<SessionInner>>, session: Arc<SessionInner>) {
    sessions.push(session);
    if sessions.len() > SESSIONS_READY
        && let Some(at) = sessions
            .iter()
            .position(|session| Arc::strong_count(session) == 1)
    {
        sessions.remove(at);
    }
}
