//! Gives the memory of contents back that sessions of clients over HTTP have cached and not used for some time: there may
//! be a thousand such sessions, and each may hold 25 MB.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use lancet::Session;

/// After this time without a call a session rests.
const RESTS_AFTER: Duration = Duration::from_secs(5 * 60);

/// The session of one connection, and when it was last used.
pub(crate) struct OwnSession {
    session: Session,
    used: Mutex<Instant>,
}

/// The sessions whose contents are given back when they rest.
#[derive(Default)]
pub(crate) struct Resting(Mutex<Vec<Weak<OwnSession>>>);

impl OwnSession {
    pub(crate) fn new(session: Session) -> Arc<Self> {
        let used = Mutex::new(Instant::now());
        Arc::new(Self { session, used })
    }

    /// The session, for a call.
    pub(crate) fn session(&self) -> &Session {
        *self.used() = Instant::now();
        &self.session
    }

    fn used(&self) -> MutexGuard<'_, Instant> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resting {
    /// Also looks after this session, for as long as its connection has it.
    pub(crate) fn add(&self, own: &Arc<OwnSession>) {
        self.lock().push(Arc::downgrade(own));
    }

    /// Gives the contents of sessions back that rest, and forgets sessions that have ended.
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
