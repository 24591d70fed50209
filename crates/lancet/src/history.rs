//! The history as hosts and the command line read it: the log, contents, sums, and what keeps it small. Nothing here
//! changes a file of the user; going back is a request to a [`Session`](crate::Session).

mod attribution;
mod patch;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lancet_history::{Limits, OperationStore};
use lancet_workspace::{DISPLACED_FOLDER, is_sealed_name};

use crate::engine::{EngineView, Lancet};
use crate::rooms::examine::open::LARGEST;
use crate::rooms::{heal, set_aside};

pub use attribution::{Attribution, Written};
pub use lancet_history::{
    ALREADY_UNDONE, ChangeKind, Compressed, FileChange, IdMatch, LogQuery, Operation,
    OperationKind, OperationState, RecordedState, Removed, Reversible, Statistics, StatisticsQuery,
    StoreError, Totals,
};

/// The shortest beginning of an id that is taken for it.
pub const SHORTEST_ID: usize = 4;

/// The history below the roots of one engine.
///
/// ```
/// use lancet::history::LogQuery;
/// use lancet::tools::WriteArguments;
/// use lancet::{Lancet, Mode};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (folder, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let lancet = Lancet::builder()
///     .root(folder.path())
///     .state_dir(state.path())
///     .mode(Mode::AcceptEdits)
///     .open()?;
/// lancet.new_session().write(WriteArguments::new(folder.path().join("a.txt"), "a\n"));
/// let history = lancet.history().ok_or("no state folder")?;
/// let log = history.log(&LogQuery::default())?;
/// assert_eq!(log.len(), 1);
/// assert!(history.patch(&log[0].files[0])?.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct History {
    engine: Arc<EngineView>,
    store: Arc<dyn OperationStore>,
}

impl Lancet {
    /// The history of changes; none where there is no state folder.
    pub fn history(&self) -> Option<History> {
        History::new(&self.engine())
    }
}

impl History {
    fn new(engine: &Arc<EngineView>) -> Option<Self> {
        let store = Arc::clone(engine.history()?);
        heal::settle_history_once(engine);
        set_aside::observe(engine);
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
            return self.ask(|store| store.log(query));
        }
        let query = LogQuery {
            below: self.roots(),
            ..query.clone()
        };
        self.ask(|store| store.log(&query))
    }

    /// The operation whose id begins like this, of those below the roots where there are any.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn find(&self, beginning: &str) -> Result<IdMatch, StoreError> {
        self.ask(|store| store.find(beginning, &self.roots()))
    }

    /// For each operation the beginning of its id that no other operation's begins with, at least as long as is taken.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn short<'o>(&self, operations: &'o [Operation]) -> Result<Vec<&'o str>, StoreError> {
        let ids: Vec<&str> = operations.iter().map(|found| found.id.as_str()).collect();
        let lengths = self.ask(|store| store.shortest_prefixes(&ids))?;
        let cut = |(id, length): (&'o str, usize)| id.get(..length.max(SHORTEST_ID)).unwrap_or(id);
        Ok(ids.into_iter().zip(lengths).map(cut).collect())
    }

    /// The files of an operation that it parted from their other names (hard links).
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn parted<'o>(&self, operation: &'o Operation) -> Result<Vec<&'o Path>, StoreError> {
        let places = self.ask(|store| store.broken_links(&operation.id))?;
        let files = operation.files.iter();
        Ok(files
            .filter(|file| places.contains(&file.at))
            .map(|file| file.path.as_path())
            .collect())
    }

    /// The bytes of a file at a moment that is on record.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn content(&self, revision: &[u8; 32]) -> Result<Option<Vec<u8>>, StoreError> {
        self.ask(|store| store.content(revision))
    }

    /// Sums. Without folders in the query those below the roots.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn statistics(&self, query: &StatisticsQuery) -> Result<Statistics, StoreError> {
        if !query.below.is_empty() {
            return self.ask(|store| store.statistics(query));
        }
        let query = StatisticsQuery {
            below: self.roots(),
            ..query.clone()
        };
        self.ask(|store| store.statistics(&query))
    }

    /// Removes what is beyond the settings' limits and compresses what is not yet, each for at most `budget`; what is
    /// left is told, for who wants to go on. For all projects: they share one state folder.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn tidy(&self, budget: Duration) -> Result<(Removed, Compressed), StoreError> {
        self.ask(|store| {
            let removed = store.prune(&self.limits(), budget)?;
            Ok((removed, store.compress(budget)?))
        })
    }

    /// Takes in what processes have left in the state folder when they ended, and removes files there that belong to
    /// nothing; how many bytes.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn clean(&self, budget: Duration) -> Result<u64, StoreError> {
        self.ask(|store| {
            store.adopt_left(DISPLACED_FOLDER, &is_sealed_name, budget)?;
            store.sweep()
        })
    }

    /// What [`tidy`](Self::tidy) would remove, to the end. Writes nothing.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn forecast(&self) -> Result<Removed, StoreError> {
        self.ask(|store| store.forecast(&self.limits()))
    }

    fn limits(&self) -> Limits {
        let settings = &self.engine.settings.history;
        Limits {
            size: settings.max_size,
            age: Duration::from_secs(settings.max_age.saturating_mul(24 * 60 * 60)),
        }
    }

    /// Whether the text of a file may be shown by the rules in force here.
    pub fn is_shown(&self, path: &Path) -> bool {
        !crate::rooms::locate::is_hidden(&self.engine, path)
    }

    /// What an operation did to a file, as a patch for people, with the path from its root; what is no UTF-8 text is named
    /// only. None of a file whose text is shown to nobody.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn patch(&self, change: &FileChange) -> Result<Option<String>, StoreError> {
        if !self.is_shown(&change.path) {
            return Ok(None);
        }
        self.ask(|store| patch::for_people(store, change, self.relative(&change.path)))
            .map(Some)
    }

    /// The same in the bytes that `git apply` takes, whatever the file's encoding. None of a file whose text is shown to
    /// nobody, or is no longer kept.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn git_patch(&self, change: &FileChange) -> Result<Option<Vec<u8>>, StoreError> {
        if !self.is_shown(&change.path) {
            return Ok(None);
        }
        self.ask(|store| patch::for_git(store, change, self.relative(&change.path)))
    }

    /// Which lines of a file, as it stands, operations wrote. None where it is gone, may not be read from here, or its
    /// text is shown to nobody.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn attribution(&self, path: &Path) -> Result<Option<Attribution>, StoreError> {
        if !self.is_shown(path) {
            return Ok(None);
        }
        let located = self.engine.workspace.locate_as_spelled(path).ok();
        let now = located
            .filter(|located| located.kind() == lancet_workspace::FileType::File)
            .and_then(|located| located.snapshot(LARGEST).ok());
        now.map(|now| self.ask(|store| attribution::follow(store, path, &now.bytes)))
            .transpose()
    }

    /// A path from its root.
    pub fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        let roots = self.engine.roots().iter();
        roots
            .filter_map(|root| path.strip_prefix(root).ok())
            .min_by_key(|path| path.as_os_str().len())
            .unwrap_or(path)
    }

    /// Asks the store; a damaged database that this came upon is told.
    fn ask<T>(
        &self,
        question: impl FnOnce(&dyn OperationStore) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let answer = question(&*self.store);
        set_aside::observe(&self.engine);
        answer
    }

    fn roots(&self) -> Vec<PathBuf> {
        self.engine.roots().to_vec()
    }
}
