//! The requests of a client that have no answer yet, each under its id. Their number is bounded: a client that sends
//! faster than it reads, or no longer reads at all, is not read from until an answer has gone out.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many requests may wait for their answers. More would wait for the same few threads, and their answers for the
/// same stream.
const MOST: usize = 256;

/// A place among the requests under way.
pub(crate) type Place = OwnedSemaphorePermit;

/// The requests under way. Clones are one list.
#[derive(Clone)]
pub(crate) struct Unanswered {
    places: Arc<Semaphore>,
    taken: Arc<Mutex<HashMap<RequestId, Place>>>,
}

impl Default for Unanswered {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(MOST)),
            taken: Arc::default(),
        }
    }
}

impl Unanswered {
    /// Waits until there is a place for one more line of the client. None: never, since nothing closes the list.
    pub(crate) async fn place(&self) -> Option<Place> {
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Takes a request in, until it is answered. The place comes back where the id is that of one that has no answer yet.
    pub(crate) fn enter(&self, id: &RequestId, place: Place) -> Result<(), Place> {
        match self.lock().entry(id.clone()) {
            Entry::Occupied(_) => Err(place),
            Entry::Vacant(free) => {
                free.insert(place);
                Ok(())
            }
        }
    }

    /// A request is answered, or cancelled: then nobody waits for an answer. Its place is free once it is dropped.
    pub(crate) fn leave(&self, id: &RequestId) -> Option<Place> {
        self.lock().remove(id)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Place>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
