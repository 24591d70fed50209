//! The places of connections. A connection that has shown no token yet is a stranger. There are few places for
//! strangers, and when they are full the oldest stranger has to leave, so that silent connections cannot block
//! others. A connection that has shown a token has one of a limited number of places for as long as it lasts.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until, timeout};

/// The largest number of connections.
const MAX_CONNECTIONS: usize = 1_024;
/// The largest number of strangers among them.
const MAX_UNAUTHENTICATED: usize = 256;
/// The minimum time that a stranger has to show a token, even when many others come, so that clients which connect
/// all at once do not displace each other.
const MIN_STAY: Duration = Duration::from_millis(200);
/// The time for which a stranger that has shown a token waits for a place.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// All places of a server.
pub(crate) struct ConnectionSlots {
    known: Arc<Semaphore>,
    strangers: Mutex<VecDeque<UnauthenticatedConnection>>,
    max_unauthenticated: usize,
    /// Notified when a stranger has left or has become known.
    freed: Notify,
}

struct UnauthenticatedConnection {
    since: Instant,
    leave: Arc<Notify>,
}

/// One connection and its place.
#[derive(Clone)]
pub(crate) struct ConnectionSlot(Arc<SlotState>);

struct SlotState {
    places: Arc<ConnectionSlots>,
    leave: Arc<Notify>,
    has_asked: AtomicBool,
    place: Mutex<Option<OwnedSemaphorePermit>>,
}

impl ConnectionSlots {
    /// Creates the places of a process with this limit of open files; half of the limit is left for files.
    pub(crate) fn new(open_files: u64) -> Arc<Self> {
        let half = usize::try_from(open_files / 2).unwrap_or(MAX_CONNECTIONS);
        let most = half.clamp(2, MAX_CONNECTIONS);
        let strangers = MAX_UNAUTHENTICATED.min(most / 2);
        Self::with_limits(most - strangers, strangers)
    }

    fn with_limits(known: usize, max_unauthenticated: usize) -> Arc<Self> {
        Arc::new(Self {
            known: Arc::new(Semaphore::new(known)),
            strangers: Mutex::default(),
            max_unauthenticated,
            freed: Notify::new(),
        })
    }

    /// Adds a new connection to the strangers; if they are full, the oldest has to leave.
    pub(crate) async fn add_connection(self: &Arc<Self>) -> ConnectionSlot {
        let leave = Arc::new(Notify::new());
        loop {
            let until = {
                let mut strangers = self.lock();
                let stays = strangers.front().map(|oldest| oldest.since + MIN_STAY);
                match stays.filter(|_| strangers.len() >= self.max_unauthenticated) {
                    Some(until) if until > Instant::now() => until,
                    full => {
                        let oldest = full.and_then(|_| strangers.pop_front());
                        if let Some(oldest) = oldest {
                            oldest.leave.notify_one();
                        }
                        let (since, leave) = (Instant::now(), leave.clone());
                        strangers.push_back(UnauthenticatedConnection { since, leave });
                        break;
                    }
                }
            };
            tokio::select! {
                () = sleep_until(until) => {}
                () = self.freed.notified() => {}
            }
        }
        ConnectionSlot(Arc::new(SlotState {
            places: self.clone(),
            leave,
            has_asked: AtomicBool::new(false),
            place: Mutex::new(None),
        }))
    }

    /// Removes a connection from the strangers.
    fn remove_connection(&self, leave: &Arc<Notify>) {
        self.lock()
            .retain(|stranger| !Arc::ptr_eq(&stranger.leave, leave));
        self.freed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<UnauthenticatedConnection>> {
        self.strangers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlot {
    /// Records that the head of a request has arrived.
    pub(crate) fn record_request(&self) {
        self.0.has_asked.store(true, Ordering::Relaxed);
    }

    /// Returns whether the head of a request has arrived.
    pub(crate) fn has_sent_request(&self) -> bool {
        self.0.has_asked.load(Ordering::Relaxed)
    }

    /// Waits until the connection has to leave for another.
    pub(crate) async fn wait_for_eviction(&self) {
        self.0.leave.notified().await;
    }

    /// Gives a connection that has shown a token its lasting place; returns false if none became free in time.
    pub(crate) async fn acquire_permit(&self) -> bool {
        if self.lock_permit().is_some() {
            return true;
        }
        let known = Arc::clone(&self.0.places.known);
        let Ok(Ok(place)) = timeout(PERMIT_TIMEOUT, known.acquire_owned()).await else {
            return false;
        };
        *self.lock_permit() = Some(place);
        self.0.places.remove_connection(&self.0.leave);
        true
    }

    fn lock_permit(&self) -> MutexGuard<'_, Option<OwnedSemaphorePermit>> {
        self.0.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SlotState {
    fn drop(&mut self) {
        self.places.remove_connection(&self.leave);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn evicts_oldest_unauthenticated_connection_and_keeps_authenticated() {
        let places = ConnectionSlots::with_limits(1, 2);
        let known = places.add_connection().await;
        assert!(known.acquire_permit().await);
        let (first, second) = (places.add_connection().await, places.add_connection().await);
        let third = places.add_connection().await;
        first.wait_for_eviction().await;
        for stays in [&known, &second, &third] {
            let leaves = timeout(Duration::ZERO, stays.wait_for_eviction()).await;
            assert!(leaves.is_err());
        }
        assert_eq!(places.lock().len(), 2);
        drop((first, second, third));
        assert_eq!(places.lock().len(), 0);
        assert_eq!(places.known.available_permits(), 0);
        drop(known);
        assert_eq!(places.known.available_permits(), 1);
    }

    #[test]
    fn connections_use_at_most_half_of_the_open_files() {
        for (open_files, known, strangers) in [
            (u64::MAX, 768, 256),
            (2_048, 768, 256),
            (256, 64, 64),
            (0, 1, 1),
        ] {
            let places = ConnectionSlots::new(open_files);
            assert_eq!(places.known.available_permits(), known, "{open_files}");
            assert_eq!(places.max_unauthenticated, strangers, "{open_files}");
        }
    }
}
