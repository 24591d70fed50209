//! The history as hosts and the command line read it: the log, contents, sums, and what keeps it small. Nothing here
//! changes a file of the user; going back is a request to a [`Session`](crate::Session).

mod patch;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lancet_history::{
    FileChange, Found, Limits, LogQuery, Operation, OperationStore, Removed, Sealed, Statistics,
    StatisticsQuery, StoreError,
};

use crate::engine::Inner;
use crate::rooms::heal;

/// The history below the roots of one engine.
#[derive(Clone)]
pub struct History {
    engine: Arc<Inner>,
    store: Arc<dyn OperationStore>,
}

impl History {
    pub(crate) fn new(engine: &Arc<Inner>) -> Option<Self> {
        let store = Arc::clone(engine.history()?);
        heal::once(engine);
        Some(Self {
            engine: Arc::clone(engine),
            store,
        })
    }

    /// Operations, newest first. Without folders in the query those below the roots.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn log(&self, query: &LogQuery) -> Result<Vec<Operation>, StoreError> {
        if !query.below.is_empty() {
            return self.store.log(query);
        }
        self.store.log(&LogQuery {
            below: self.roots(),
            ..query.clone()
        })
    }

    /// The operation whose id begins like this.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn find(&self, beginning: &str) -> Result<Found, StoreError> {
        self.store.find(beginning)
    }

    /// The bytes of a file at a moment that is on record.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn content(&self, revision: &[u8; 32]) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.content(revision)
    }

    /// Sums. Without folders in the query those below the roots.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn statistics(&self, query: &StatisticsQuery) -> Result<Statistics, StoreError> {
        if !query.below.is_empty() {
            return self.store.statistics(query);
        }
        self.store.statistics(&StatisticsQuery {
            below: self.roots(),
            ..query.clone()
        })
    }

    /// Removes what is beyond the settings' limits and compresses what is not yet, each for at most `budget`. For all
    /// projects: they share one state folder.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn tidy(&self, budget: Duration) -> Result<(Removed, Sealed), StoreError> {
        let settings = &self.engine.settings.history;
        let limits = Limits {
            size: settings.max_size,
            age: Duration::from_secs(settings.max_age.saturating_mul(24 * 60 * 60)),
        };
        let removed = self.store.prune(&limits, budget)?;
        let sealed = self.store.seal(budget)?;
        Ok((removed, sealed))
    }

    /// What an operation did to a file, as a patch that `git apply` takes, with the path from its root. None of a file
    /// whose text is shown to nobody.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn patch(&self, change: &FileChange) -> Result<Option<String>, StoreError> {
        if crate::rooms::locate::is_hidden(&self.engine, &change.path) {
            return Ok(None);
        }
        patch::patch(&*self.store, change, self.relative(&change.path)).map(Some)
    }

    /// A path from its root.
    pub fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        let roots = self.engine.roots().iter();
        roots
            .filter_map(|root| path.strip_prefix(root).ok())
            .min_by_key(|path| path.as_os_str().len())
            .unwrap_or(path)
    }

    fn roots(&self) -> Vec<PathBuf> {
        self.engine.roots().to_vec()
    }
}
