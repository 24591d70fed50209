//! The unanswered requests of a client, by id. Their number is bounded: while too many are unanswered, because the
//! client sends faster than it reads, nothing more is read from it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many requests may be unanswered. Calls that wait for a person are unanswered for minutes, and a thousand of them
/// may wait. More would only wait for the same few threads, and their answers for the same stream.
const MAX_UNANSWERED: usize = 1_024;

/// A permit that counts as one unanswered request.
pub(crate) type Place = OwnedSemaphorePermit;

/// The unanswered requests. Clones share one list.
#[derive(Clone)]
pub(crate) struct UnansweredRequests {
    places: Arc<Semaphore>,
    taken: Arc<Mutex<HashMap<RequestId, Place>>>,
}

impl Default for UnansweredRequests {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(MAX_UNANSWERED)),
            taken: Arc::default(),
        }
    }
}

impl UnansweredRequests {
    /// Waits until one more request may be read. It is always Some, because the semaphore is never closed.
    pub(crate) async fn acquire_permit(&self) -> Option<Place> {
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Registers a request until it is answered. Returns the permit if an unanswered request already has the id.
    pub(crate) fn register(&self, id: &RequestId, place: Place) -> Result<(), Place> {
        match self.lock().entry(id.clone()) {
            Entry::Occupied(_) => Err(place),
            Entry::Vacant(free) => {
                free.insert(place);
                Ok(())
            }
        }
    }

    /// Removes a request that was answered or cancelled. Its permit is free once it is dropped.
    pub(crate) fn unregister(&self, id: &RequestId) -> Option<Place> {
        self.lock().remove(id)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Place>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
