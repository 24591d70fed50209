//! Frees the cached file contents of HTTP clients' sessions that were not used for some time. There may be a thousand
//! such sessions, and each may hold 25 MB.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use lancet::Session;

/// The time without a call after which a session's contents are freed.
const RESTS_AFTER: Duration = Duration::from_secs(5 * 60);

/// The session of one connection, and when it was last used.
pub(crate) struct OwnSession {
    session: Session,
    used: Mutex<Instant>,
}

/// The sessions whose contents are freed when they are unused.
#[derive(Default)]
pub(crate) struct Resting(Mutex<Vec<Weak<OwnSession>>>);

impl OwnSession {
    pub(crate) fn new(session: Session) -> Arc<Self> {
        let used = Mutex::new(Instant::now());
        Arc::new(Self { session, used })
    }

    /// Returns the session for a call, and marks it as used now.
    pub(crate) fn session(&self) -> &Session {
        *self.used() = Instant::now();
        &self.session
    }

    fn used(&self) -> MutexGuard<'_, Instant> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resting {
    /// Adds a session to those that are checked, for as long as its connection has it.
    pub(crate) fn add(&self, own: &Arc<OwnSession>) {
        self.lock().push(Arc::downgrade(own));
    }

    /// Frees the contents of unused sessions, and forgets sessions that have ended.
    pub(crate) fn look(&self) {
        self.look_after(RESTS_AFTER);
    }

    fn look_after(&self, rests_after: Duration) {
        self.lock().retain(|own| {
            let own = own.upgrade();
            if let Some(own) = &own
                && own.used().elapsed() >= rests_after
            {
                own.session.drop_contents();
            }
            own.is_some()
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<OwnSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
