//! A session: one conversation of one model, with its ledger of what the model has seen. The calls of a session are in
//! `api.rs`.

mod announced;
mod grants;
mod late_problems;
mod pages;
mod state;
mod told_flaws;
mod unkept;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lancet_history::{Ledger, LedgerStore, SessionName};

use crate::approval::Approver;
use crate::call::Cancel;
use crate::engine::{Lancet, ReportedDatabases};
use crate::refusal::Refusal;

pub use announced::AnnouncedSession;
pub(crate) use grants::{GrantScope, LastingAnswer};
use pages::Pages;
pub(crate) use pages::{CachedResult, PagedBy};
pub(crate) use state::{SessionInner, is_unnamed};

/// How many named sessions stay in memory. Each may use 25 MB for cached content.
const MAX_SESSIONS_IN_MEMORY: usize = 32;

/// One conversation. Cloning is cheap; all clones share one ledger.
#[derive(Clone)]
pub struct Session {
    pub(crate) inner: Arc<SessionInner>,
    /// The engine as this conversation sees it, possibly narrowed.
    pub(crate) lancet: Lancet,
    /// The approver of the calls through this handle; none where the engine's approver is used.
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// Stops the typed calls through this handle; none where nothing stops them.
    pub(crate) cancel: Option<Cancel>,
    reader: Reader,
}

/// The reader of this handle's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// The model: what is shown counts as seen.
    Model,
    /// The host alone: the ledger is not changed.
    Host,
}

/// The predicted result of a call, without any effect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Check {
    /// The call would be carried out.
    Passes,
    /// A person would be prompted, for this reason.
    Asks {
        /// Why a person would be prompted.
        reason: String,
    },
    /// The call would be refused.
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
            approver: None,
            cancel: None,
            reader: Reader::Model,
        }
    }

    /// Returns a handle on the same conversation whose reads and answers do not count as seen by the model. A Read
    /// through it always answers with text. A host tool gets such a session and uses [`note_seen`](Self::note_seen) to record
    /// what it passes on to the model.
    #[must_use]
    pub fn for_host(&self) -> Session {
        Session {
            reader: Reader::Host,
            ..self.clone()
        }
    }

    /// Returns a handle on the same conversation that uses another view of the same engine.
    #[must_use]
    pub fn with_view(&self, lancet: &Lancet) -> Session {
        Session {
            lancet: lancet.clone(),
            ..self.clone()
        }
    }

    /// Returns a handle on the same conversation whose calls query this approver in place of the engine's: for a host
    /// whose user has seen what will become of the files.
    #[must_use]
    pub fn with_approver(&self, approver: impl Approver + 'static) -> Session {
        Session {
            approver: Some(Arc::new(approver)),
            ..self.clone()
        }
    }

    /// Returns a handle on the same conversation whose typed calls stop when this is cancelled.
    pub(crate) fn with_cancel(&self, cancel: &Cancel) -> Session {
        Session {
            cancel: Some(cancel.clone()),
            ..self.clone()
        }
    }

    /// Returns what stops a typed call through this handle.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone().unwrap_or_default()
    }

    /// Returns whether the model does not see the answers of this handle.
    pub(crate) fn is_for_host(&self) -> bool {
        self.reader == Reader::Host
    }

    /// Records that the host shortened the conversation: what was seen still counts, but the next Read of each file
    /// answers with text.
    pub fn note_compaction(&self) {
        self.ledger().forget_shown_texts();
    }

    /// Releases the cached contents of files, for a conversation that is idle. What was seen still counts, and contents
    /// are cached again as files are read.
    pub fn drop_contents(&self) {
        self.ledger().drop_contents();
    }

    /// Starts a child conversation with a copy of this one's ledger.
    pub fn fork(&self, name: Option<SessionName>) -> Session {
        self.refresh();
        // Grants of the parent are not copied: the person gave them to the parent only.
        let new = name.map_or_else(SessionInner::unnamed, SessionInner::named);
        let inner = SessionInner {
            ledger: Mutex::new(self.ledger().fork_for_child()),
            told: ReportedDatabases::copied_from(&self.inner.told),
            told_flaws: told_flaws::ReportedFlaws::copied_from(&self.inner.told_flaws),
            ..new
        };
        let child = Session::new(self.lancet.clone(), Arc::new(inner));
        child.store_all_entries();
        register_session(&self.lancet, &child.inner);
        child
    }

    /// Returns the session's name; none for an unnamed session.
    pub fn name(&self) -> Option<&SessionName> {
        self.inner.name.as_ref()
    }

    /// Returns the key of this session in the history: its name, or a generated one.
    pub fn key(&self) -> &str {
        &self.inner.key
    }

    /// Locks the ledger.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.inner
            .ledger
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the cached results of this session's searches, for later pages.
    pub(crate) fn pages(&self) -> MutexGuard<'_, Pages> {
        self.inner
            .pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads the stored ledger of a named session: all of it at the first call, later the entries that other processes
    /// of the same session added. If the store cannot be read, the model has to read files again; nothing is lost.
    pub(crate) fn refresh(&self) {
        let Some((name, store)) = self.name_and_store() else {
            return;
        };
        let mut ledger = self.ledger();
        if let Ok(loaded) = store.load_rows(name, ledger.load_cursor()) {
            ledger.merge_rows(loaded.rows, loaded.cursor);
        }
    }

    /// Stores the ledger entry of one file, if this session has a name. If the store cannot be written, the model has
    /// to read the file again.
    pub(crate) fn store_entry(&self, path: &Path) {
        self.store_entries(&[path]);
    }

    /// Stores the ledger entries of several files, in one transaction.
    pub(crate) fn store_entries(&self, paths: &[&Path]) {
        let Some((name, store)) = self.name_and_store() else {
            return;
        };
        let ledger = self.ledger();
        let entries: Vec<_> = paths
            .iter()
            .filter_map(|path| Some((*path, ledger.get_without_use(path)?)))
            .collect();
        if !entries.is_empty() {
            let _ = store.save_entries(name, &entries);
        }
    }

    /// Removes a file's entry, from the store as well.
    pub(crate) fn remove_entry(&self, path: &Path) {
        if let Some((name, store)) = self.name_and_store() {
            let _ = store.forget_file(name, path);
        }
    }

    fn store_all_entries(&self) {
        let Some((name, store)) = self.name_and_store() else {
            return;
        };
        let ledger = self.ledger();
        let entries: Vec<_> = ledger.entries().collect();
        let _ = store.save_entries(name, &entries);
    }

    fn name_and_store(&self) -> Option<(&SessionName, &Arc<dyn LedgerStore>)> {
        Some((self.inner.name.as_ref()?, self.lancet.base().store()?))
    }
}

impl Lancet {
    /// Opens the session of this name. The same name returns the same session, and its ledger is stored in the state
    /// folder. The latest sessions stay in memory after their last handle is dropped; an older one is loaded from the
    /// state folder.
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
                keep_in_memory(&mut sessions, Arc::clone(&session));
                session
            }
        };
        Session::new(self.clone(), session)
    }

    /// Starts a session without a name, which ends with its last clone.
    pub fn new_session(&self) -> Session {
        Session::new(self.clone(), Arc::new(SessionInner::unnamed()))
    }
}

/// Registers a named session under its name.
fn register_session(lancet: &Lancet, session: &Arc<SessionInner>) {
    if session.name.is_some() {
        let mut sessions = lancet.base().sessions();
        sessions.retain(|known| known.name != session.name);
        keep_in_memory(&mut sessions, Arc::clone(session));
    }
}

/// Keeps a session in memory, and drops the oldest one without a handle.
fn keep_in_memory(sessions: &mut Vec<Arc<SessionInner>>, session: Arc<SessionInner>) {
    sessions.push(session);
    if sessions.len() > MAX_SESSIONS_IN_MEMORY
        && let Some(at) = sessions
            .iter()
            .position(|session| Arc::strong_count(session) == 1)
    {
        sessions.remove(at);
    }
}
