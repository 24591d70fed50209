//! Frees the cached file contents of HTTP clients' sessions that were not used for some time. There may be a thousand
//! such sessions, and each may hold 25 MB.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use lancet::Session;

/// The time without a call after which a session's contents are freed.
const IDLE_TIME: Duration = Duration::from_secs(5 * 60);

/// The session of one connection, and when it was last used.
pub(crate) struct ConnectionSession {
    session: Session,
    used: Mutex<Instant>,
}

/// The sessions whose contents are freed when they are unused.
#[derive(Default)]
pub(crate) struct IdleSessions(Mutex<Vec<Weak<ConnectionSession>>>);

impl ConnectionSession {
    pub(crate) fn new(session: Session) -> Arc<Self> {
        let used = Mutex::new(Instant::now());
        Arc::new(Self { session, used })
    }

    /// Returns the session for a call, and marks it as used now.
    pub(crate) fn session(&self) -> &Session {
        *self.lock_last_use() = Instant::now();
        &self.session
    }

    fn lock_last_use(&self) -> MutexGuard<'_, Instant> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IdleSessions {
    /// Adds a session to those that are checked, for as long as its connection has it.
    pub(crate) fn add(&self, own: &Arc<ConnectionSession>) {
        self.lock().push(Arc::downgrade(own));
    }

    /// Frees the contents of unused sessions, and forgets sessions that have ended.
    pub(crate) fn free_idle_sessions(&self) {
        self.free_sessions_idle_for(IDLE_TIME);
    }

    fn free_sessions_idle_for(&self, rests_after: Duration) {
        self.lock().retain(|own| {
            let own = own.upgrade();
            if let Some(own) = &own
                && own.lock_last_use().elapsed() >= rests_after
            {
                own.session.drop_contents();
            }
            own.is_some()
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<ConnectionSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
