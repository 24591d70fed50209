//! The history as hosts and the command line read it: the log, contents, statistics, and clean-up. No function here
//! changes a file of the user; undo and restore are requests to a [`Session`](crate::Session).

mod apply_hunks;
mod attribution;
mod certain_places;
mod events;
mod life;
mod line_owners;
mod marks;
mod moves;
mod net;
mod net_files;
mod on_disk;
mod patch;
mod projects;
mod roots;
mod similar_ids;
mod sub_agents;
mod uncommitted;
mod verify;
mod withheld;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lancet_history::{HistoryLimits, OperationStore};

use crate::engine::{EngineView, Lancet};
use crate::stages::locate::LinkIndex;
use crate::stages::open::MAX_EDITED_SIZE;
use crate::stages::{heal, set_aside};

pub use crate::engine::moved_files::LostFile;
pub use apply_hunks::{apply_selected_hunks, merge_selected_hunks};
pub use attribution::{Attribution, WrittenLines};
pub use events::{
    ChangedEntry, ChangedFile, EventContent, EventReader, EventWait, EventsSince, HistoryEvent,
    WakeReason,
};
pub use lancet_history::{
    ALREADY_UNDONE_MARK, AnnouncementHandling, CallOwner, CallerFilter, ChangeKind, CompressResult,
    ConversationReport, ConversationRole, DroppedObjects, EventKind, FileChange, FilesBelow,
    FormerRoot, GitHead, HeadMove, HistoryError, IdMatch, KnownWorkspace, LogQuery, MarkQuery,
    Operation, OperationKind, OperationState, ParentFilter, PromptMark, PruneResult, RecordedState,
    ReversalDirection, RunningSubAgent, Statistics, StatisticsQuery, SubAgent, Totals,
    UNATTRIBUTED_TOOL, WATCHED_CLIENT,
};
pub use life::{FileLife, LifeCursor, LifeEvent};
pub use net::{NetChange, NetDifference, Omission};
pub use net_files::NetFile;
pub use on_disk::DiskContent;
pub use projects::RecordedProject;
pub use sub_agents::SubAgents;
pub use uncommitted::{
    ComparedVersions, LineEndUse, OtherWriter, PartOwner, TreeVersion, UncommittedFile,
    UncommittedHunk,
};
pub use verify::{FaultKind, HistoryFault, Verification, VerifyProgress};

/// The shortest part of an id that is accepted in place of the id.
pub const MIN_ACCEPTED_ID_LENGTH: usize = 2;

/// The shortest form in which an id is shown. With two characters, after a thousand further operations, a second id has
/// the same ending in half of the cases. There are 1.7 million endings of four characters, so an id that a user has
/// noted stays unique through ten thousand further operations in 99 of 100 cases.
pub const MIN_SHOWN_ID_LENGTH: usize = 4;

/// The short form of an operation's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShortId<'o> {
    /// The ending to show, which has the same length for nearly all operations.
    pub shown: &'o str,
    /// The shortest ending that no other operation's id has at present; it is the end of `shown`.
    pub unique: &'o str,
}

impl<'o> ShortId<'o> {
    /// Returns an id that is shown whole.
    pub fn unshortened(id: &'o str) -> Self {
        Self {
            shown: id,
            unique: id,
        }
    }
}

/// The history of the files below the roots of one engine.
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
    /// Which changes are listed that also touched files outside the roots.
    files_below: FilesBelow,
}

impl Lancet {
    /// Opens the history; none without a state folder.
    pub fn history(&self) -> Option<History> {
        History::new(&self.engine())
    }
}

impl History {
    fn new(engine: &Arc<EngineView>) -> Option<Self> {
        let store = Arc::clone(engine.history()?);
        heal::settle_history_once(engine);
        set_aside::notify_observers(engine);
        Some(Self {
            engine: Arc::clone(engine),
            store,
            files_below: FilesBelow::All,
        })
    }

    /// Lists operations, newest first. A query without folders means those of the roots. Operations in other folders
    /// that have or had the path of a root, in another container or before the root was recreated, are left out.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn log(&self, query: &LogQuery) -> Result<Vec<Operation>, HistoryError> {
        let mut query = query.clone();
        query.without.extend(self.engine.other_workspaces()?.ids());
        self.log_all(&query)
    }

    /// Lists operations like [`log`](Self::log), including those in other folders that have or had the path of a root.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn log_all(&self, query: &LogQuery) -> Result<Vec<Operation>, HistoryError> {
        let mut query = query.clone();
        if query.below.is_empty() {
            query.below = self.roots();
            query.files_below = self.files_below;
        }
        let mut found = self.query_store(|store| store.query_log(&query))?;
        self.withhold_line_counts(&mut found);
        Ok(found)
    }

    /// Counts the operations that [`log`](Self::log) leaves out of a query because they were made in other folders that
    /// have or had the path of a root.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn count_left_out(&self, query: &LogQuery) -> Result<usize, HistoryError> {
        let others = self.engine.other_workspaces()?.ids();
        if others.is_empty() {
            return Ok(0);
        }
        let query = LogQuery {
            limit: None,
            ..query.clone()
        };
        let all = self.log_all(&query)?.len();
        Ok(all.saturating_sub(self.log(&query)?.len()))
    }

    /// Finds the operation whose id begins like this; operations below the roots are preferred.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn find(&self, part: &str) -> Result<IdMatch, HistoryError> {
        let mut found = self.query_store(|store| store.find(part, &self.roots()))?;
        if let IdMatch::One(operation) = &mut found {
            self.withhold_line_counts(std::slice::from_mut(operation));
        }
        Ok(found)
    }

    /// Returns the short form of each operation's id: an ending that no other operation's id has, of at least
    /// [`MIN_SHOWN_ID_LENGTH`] characters.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn short_ids<'o>(
        &self,
        operations: &'o [Operation],
    ) -> Result<Vec<ShortId<'o>>, HistoryError> {
        let ids: Vec<&str> = operations.iter().map(|found| found.id.as_str()).collect();
        let lengths = self.query_store(|store| store.shortest_unique_endings(&ids))?;
        let cut = |(id, length): (&'o str, usize)| {
            let ending = |length: usize| id.get(id.len().saturating_sub(length)..).unwrap_or(id);
            let unique = ending(length.max(MIN_ACCEPTED_ID_LENGTH));
            ShortId {
                shown: ending(unique.len().max(MIN_SHOWN_ID_LENGTH)),
                unique,
            }
        };
        Ok(ids.into_iter().zip(lengths).map(cut).collect())
    }

    /// Lists the files of an operation that the operation separated from their hard links.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn files_detached_from_hard_links<'o>(
        &self,
        operation: &'o Operation,
    ) -> Result<Vec<&'o Path>, HistoryError> {
        let places = self.query_store(|store| store.broken_links(&operation.id))?;
        let files = operation.files.iter();
        Ok(files
            .filter(|file| places.contains(&file.at))
            .map(|file| file.path.as_path())
            .collect())
    }

    /// Returns the recorded bytes of a revision; none where they are no longer stored.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn content(&self, revision: &[u8; 32]) -> Result<Option<Vec<u8>>, HistoryError> {
        self.query_store(|store| store.content(revision))
    }

    /// Removes what exceeds the settings' limits and compresses contents, each for at most `budget`. The result says
    /// how much is left to do. This covers all projects, which share one state folder.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn tidy(&self, budget: Duration) -> Result<(PruneResult, CompressResult), HistoryError> {
        self.query_store(|store| {
            let removed = store.prune(&self.limits(), budget)?;
            Ok((removed, store.compress(budget)?))
        })
    }

    /// Returns what git has dropped of the objects that checkpoints may need, by root. The state folder still has it.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn dropped_git_objects(&self) -> Result<Vec<DroppedObjects>, HistoryError> {
        self.query_store(|store| store.dropped_objects())
    }

    /// Removes what [`dropped_git_objects`](Self::dropped_git_objects) returns; returns the number of bytes.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn remove_dropped_git_objects(&self) -> Result<u64, HistoryError> {
        self.query_store(|store| store.remove_dropped_objects())
    }

    /// Takes over displaced files that ended processes left in the state folder, removes files there that nothing
    /// refers to, and returns the number of bytes freed.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn clean(&self, budget: Duration) -> Result<u64, HistoryError> {
        self.query_store(|store| {
            store.prune_questions()?;
            heal::adopt_leftover_files(&self.engine, store, budget)?;
            store.remove_orphans()
        })
    }

    /// Computes what [`tidy`](Self::tidy) would remove without a time budget. Nothing is written.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn preview_tidy(&self) -> Result<PruneResult, HistoryError> {
        self.query_store(|store| store.forecast_prune(&self.limits()))
    }

    fn limits(&self) -> HistoryLimits {
        let settings = &self.engine.settings.history;
        HistoryLimits {
            size: settings.max_size,
            checkpoints: self.engine.settings.checkpoint.max_size,
            age: Duration::from_secs(settings.max_age.saturating_mul(24 * 60 * 60)),
        }
    }

    /// Returns whether the rules in force here allow the text of a file to be shown.
    pub fn may_show(&self, path: &Path) -> bool {
        !crate::stages::locate::is_hidden(&self.engine, path)
    }

    /// Returns whether the text of a change may be shown, under the file's name and under the name that it was moved
    /// from.
    pub fn may_show_change(&self, change: &FileChange) -> bool {
        self.may_show(&change.path) && change.moved_from.iter().all(|old| self.may_show(old))
    }

    /// Renders what an operation did to a file as a patch for people, with the path relative to its root. Content that
    /// is not UTF-8 text is only mentioned. None where the rules forbid showing the file's text.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn patch(&self, change: &FileChange) -> Result<Option<String>, HistoryError> {
        if !self.may_show_change(change) {
            return Ok(None);
        }
        self.query_store(|store| {
            patch::patch_for_people(store, change, self.relative_to_root(&change.path))
        })
        .map(Some)
    }

    /// Makes the same patch in the bytes that `git apply` takes, whatever the file's encoding. None where the rules
    /// forbid showing the file's text, or the content is no longer stored.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn git_patch(&self, change: &FileChange) -> Result<Option<Vec<u8>>, HistoryError> {
        if !self.may_show_change(change) {
            return Ok(None);
        }
        let old_path = change.moved_from.as_ref().unwrap_or(&change.path);
        let [old_path, path] = [old_path, &change.path].map(|path| self.relative_to_root(path));
        self.query_store(|store| patch::patch_for_git(store, change, old_path, path))
    }

    /// Finds which operations wrote which lines of the file on the disk. None where the file does not exist, may not be
    /// read, or the rules forbid showing its text.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn attribution(&self, path: &Path) -> Result<Option<Attribution>, HistoryError> {
        let is_shown_by_all_names = || {
            let policy = self.engine.permissions.policy();
            LinkIndex::new(&self.engine, policy).may_show(path)
        };
        if !self.may_show(path) || !is_shown_by_all_names() {
            return Ok(None);
        }
        let located = self.engine.workspace.locate_as_spelled(path).ok();
        let now = located
            .filter(|located| located.kind() == lancet_workspace::FileType::File)
            .and_then(|located| located.read_snapshot(MAX_EDITED_SIZE).ok());
        let others = self.engine.other_workspaces()?.ids();
        now.map(|now| {
            self.query_store(|store| attribution::attribute_lines(store, path, &now.bytes, others))
        })
        .transpose()
    }

    /// Queries the store, and reports a database that was found damaged meanwhile.
    fn query_store<T>(
        &self,
        question: impl FnOnce(&dyn OperationStore) -> Result<T, HistoryError>,
    ) -> Result<T, HistoryError> {
        let answer = question(&*self.store);
        set_aside::notify_observers(&self.engine);
        answer
    }

    fn roots(&self) -> Vec<PathBuf> {
        self.engine.roots().to_vec()
    }
}
