//! Notifies the browsers that show the page: one thread follows the events of the state folder for all of them, while
//! there is at least one.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use lancet::Lancet;
use lancet::history::{EventWait, EventsSince, WakeReason};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::sync::CancellationToken;

/// The largest number of browsers that listen.
const MAX_BROWSERS: usize = 64;

/// The notifier of the browsers.
pub(super) struct BrowserNotifier {
    lancet: Lancet,
    places: Arc<Semaphore>,
    end: CancellationToken,
    followed: Mutex<Weak<EventFollower>>,
}

/// The thread that follows the events; it ends when this value is dropped.
pub(super) struct EventFollower {
    pub(super) newest: watch::Receiver<i64>,
    _kept: UnixStream,
}

impl BrowserNotifier {
    pub(super) fn new(lancet: Lancet) -> Self {
        Self {
            lancet,
            places: Arc::new(Semaphore::new(MAX_BROWSERS)),
            end: CancellationToken::new(),
            followed: Mutex::default(),
        }
    }

    pub(super) fn end_streams(&self) {
        self.end.cancel();
    }

    /// Returns the token that ends every stream.
    pub(super) fn end_token(&self) -> CancellationToken {
        self.end.clone()
    }

    /// Returns a place for one more browser; none if too many listen.
    pub(super) fn acquire_slot(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    /// Returns the thread that follows the events: the one that runs, or a new one.
    pub(super) fn event_follower(&self) -> Option<Arc<EventFollower>> {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = followed.upgrade()
            && running.newest.has_changed().is_ok()
        {
            return Some(running);
        }
        let (kept, watched) = UnixStream::pair().ok()?;
        let (told, newest) = watch::channel(0);
        let lancet = self.lancet.clone();
        let thread = std::thread::Builder::new().name("lancet-live".to_owned());
        thread
            .spawn(move || publish_events(&lancet, &watched, &told))
            .ok()?;
        let running = Arc::new(EventFollower {
            newest,
            _kept: kept,
        });
        *followed = Arc::downgrade(&running);
        Some(running)
    }
}

/// Publishes the number of each newest event until no browser needs it any more.
fn publish_events(lancet: &Lancet, watched: &UnixStream, told: &watch::Sender<i64>) -> Option<()> {
    let mut wait = EventWait::new(lancet.state_dir()?);
    let mut reader = lancet.history()?.events(&EventsSince::Now).ok()??;
    loop {
        while !reader.next_page().ok()?.is_empty() {}
        told.send(reader.position()).ok()?;
        match wait.wait(watched.as_fd()) {
            Ok(WakeReason::Look) => {}
            _ => return None,
        }
    }
}
