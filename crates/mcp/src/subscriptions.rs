//! Subscriptions to resources: a thread waits for changes of the files and notifies the client.
//!
//! Each client gets a thread for this when it first subscribes. The folder of a file is watched, not the file, because
//! a file's own watch is lost when an editor saves by a rename.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, PipeWriter};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lancet::resource::FileWatch;
use tokio::sync::mpsc::{Receiver, channel};

/// The most files that one connection may subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1_000;
/// How many changes are queued for a client that does not read. When the queue is full the thread waits.
const MAX_QUEUED_CHANGES: usize = 64;

/// The subscriptions of one client. The thread ends when this is dropped.
pub(crate) struct Subscriptions {
    watch: Arc<FileWatch>,
    uris: Arc<Mutex<Uris>>,
    _end: PipeWriter,
}

/// The URIs that a client named each file by.
type Uris = BTreeMap<PathBuf, BTreeSet<String>>;

/// The limit of subscriptions is reached.
#[derive(Debug)]
pub(crate) struct TooMany;

impl Subscriptions {
    /// Begins with no subscription. The receiver yields the URIs of changed files.
    pub(crate) fn begin() -> io::Result<(Self, Receiver<String>)> {
        let (end, held) = io::pipe()?;
        let (tell, told) = channel(MAX_QUEUED_CHANGES);
        let watch = Arc::new(FileWatch::new());
        let uris: Arc<Mutex<Uris>> = Arc::default();
        let (watching, known) = (Arc::clone(&watch), Arc::clone(&uris));
        let wait = move || {
            while let Ok(Some(files)) = watching.wait(end.as_fd()) {
                for uri in uris_of_files(&known, &files) {
                    if tell.blocking_send(uri).is_err() {
                        return;
                    }
                }
            }
        };
        let thread = std::thread::Builder::new().name("lancet-subscriptions".to_owned());
        thread.spawn(wait)?;
        let subscriptions = Self {
            watch,
            uris,
            _end: held,
        };
        Ok((subscriptions, told))
    }

    /// Subscribes to a file.
    pub(crate) fn add(&self, file: PathBuf, uri: String) -> Result<(), TooMany> {
        let mut uris = lock_uris(&self.uris);
        if uris.values().map(BTreeSet::len).sum::<usize>() >= MAX_SUBSCRIPTIONS {
            return Err(TooMany);
        }
        self.watch.add(&file);
        uris.entry(file).or_default().insert(uri);
        Ok(())
    }

    /// Ends the subscriptions to a URI.
    pub(crate) fn remove(&self, uri: &str) {
        lock_uris(&self.uris).retain(|file, uris| {
            uris.remove(uri);
            if uris.is_empty() {
                self.watch.remove(file);
            }
            !uris.is_empty()
        });
    }
}

fn lock_uris(uris: &Mutex<Uris>) -> MutexGuard<'_, Uris> {
    uris.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the URIs by which the client named these files.
fn uris_of_files(uris: &Mutex<Uris>, files: &[PathBuf]) -> Vec<String> {
    let uris = lock_uris(uris);
    let named = files.iter().filter_map(|file| uris.get(file));
    named.flatten().cloned().collect()
}
