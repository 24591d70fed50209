//! Scans the files of a root (a "look"), and records what changed since an earlier look.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use lancet_git::{CleanFiles, Index, ObjectReader, OutsideFiles, Repository};
use lancet_history::{
    Author, Checkpoint, CheckpointDraft, CheckpointEntry, CheckpointKind, CheckpointOutcome,
    CheckpointQuery, Draft, EntryChange, HistoryError, LogQuery, OperationKind, OperationStore,
    RecordedCall, UNATTRIBUTED, WorkspaceRef,
};
use lancet_workspace::{Disk, FolderHandle, Workspace};

use crate::compare::{Differences, compare};
use crate::contents::Contents;
use crate::coverage::Coverage;
use crate::operation::{OperationFiles, count_lines, drafts, files};
use crate::scan::scan;

/// The number of times that a look is started again because another process looked at the same time.
const TRIES: usize = 5;

/// Scans and records the files below one root.
pub struct Recorder<'r> {
    /// The root.
    pub workspace: WorkspaceRef<'r>,
    /// The disk.
    pub disk: Arc<dyn Disk>,
    /// The history.
    pub store: &'r dyn OperationStore,
    /// The files that are scanned.
    pub coverage: Coverage<'r>,
    /// git's configuration outside the repository.
    pub outside: OutsideFiles<'r>,
    /// Makes the ids of checkpoints and operations.
    pub new_id: &'r dyn Fn() -> String,
}

/// A call of another program that has ended.
pub struct ProgramCall<'c> {
    /// The checkpoint that was set before it.
    pub since: i64,
    /// The name of the tool.
    pub tool: &'c str,
    /// The session and client that made the call.
    pub author: Author<'c>,
    /// The details of the call.
    pub call: RecordedCall,
}

/// A look that was recorded.
#[derive(Clone, Debug)]
#[must_use]
pub struct RecordedLook {
    /// The number of the checkpoint.
    pub number: i64,
    /// Its id.
    pub id: String,
    /// The number of files, links and empty folders.
    pub files: u64,
    /// The operation that was recorded with it, with the number of its files.
    pub operation: Option<(String, usize)>,
    /// Changed files that cannot be restored.
    pub not_kept: Vec<PathBuf>,
}

/// The reason why a look failed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The root cannot be listed.
    #[error("{root} cannot be looked at: {source}", root = root.display())]
    Unreadable {
        /// The root.
        root: PathBuf,
        /// The system's own error.
        source: std::io::Error,
    },
    /// The history cannot be read or written.
    #[error(transparent)]
    Store(#[from] HistoryError),
    /// Other processes kept looking at the same files at the same time.
    #[error("other processes record the same folder all the time")]
    Overtaken,
}

/// The purpose of a look.
struct LookPurpose<'p> {
    kind: CheckpointKind,
    name: Option<&'p str>,
    session: &'p str,
    call: Option<&'p ProgramCall<'p>>,
}

impl Recorder<'_> {
    /// Sets a checkpoint. If the process of an earlier call ended before the call was recorded, the changes of that
    /// call become an operation `unattributed`.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn look(
        &self,
        kind: CheckpointKind,
        name: Option<&str>,
        session: &str,
    ) -> Result<RecordedLook, RecordError> {
        self.attempt(&LookPurpose {
            kind,
            name,
            session,
            call: None,
        })
    }

    /// Sets a checkpoint after a call. The changes since the checkpoint before the call that are not in the history
    /// yet become one operation; none if nothing changed.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn record(&self, call: &ProgramCall<'_>) -> Result<RecordedLook, RecordError> {
        self.attempt(&LookPurpose {
            kind: CheckpointKind::After,
            name: None,
            session: call.author.session,
            call: Some(call),
        })
    }

    fn attempt(&self, purpose: &LookPurpose<'_>) -> Result<RecordedLook, RecordError> {
        for _ in 0..TRIES {
            if let Some(look) = self.once(purpose)? {
                return Ok(look);
            }
        }
        Err(RecordError::Overtaken)
    }

    fn once(&self, purpose: &LookPurpose<'_>) -> Result<Option<RecordedLook>, RecordError> {
        let root = self.open_root()?;
        let query = CheckpointQuery {
            workspace: Some(self.workspace.id),
            limit: Some(1),
            ..CheckpointQuery::default()
        };
        let newest = self.store.checkpoints(&query)?.into_iter().next();
        let (index, mut clean, objects) = self.repository();
        let seen = scan(&root, self.workspace.root, &self.coverage, index.as_deref()).map_err(
            |source| RecordError::Unreadable {
                root: self.workspace.root.to_path_buf(),
                source,
            },
        )?;
        let count = seen.len() as u64;
        let before = self.entries(newest.as_ref().map(|newest| newest.number))?;
        // What a call changed is part of an operation, which the limit of the history bounds.
        let most = match purpose.call {
            Some(_) => u64::MAX,
            None => self.coverage.most_bytes,
        };
        let largest = self.coverage.largest_file;
        let mut contents = Contents::new(&root, self.store, objects, largest, most);
        // If another look was made in between, the call's own changes are those since its own checkpoint.
        let own = purpose.call.filter(|call| {
            newest
                .as_ref()
                .is_some_and(|newest| newest.number != call.since)
        });
        let again = own
            .is_some()
            .then(|| scan(&root, self.workspace.root, &self.coverage, index.as_deref()));
        let mut found_folders = folders(self.workspace.root, &before);
        let mut differences = compare(before, seen, &mut clean, &mut contents)?;
        if let (Some(call), Some(Ok(seen))) = (own, again) {
            let before = self.entries(Some(call.since))?;
            found_folders = folders(self.workspace.root, &before);
            differences.real = compare(before, seen, &mut clean, &mut contents)?.real;
        }
        let since = match purpose.call {
            Some(call) => self.sequence_of(call.since)?,
            None => newest
                .as_ref()
                .filter(|newest| newest.is_left_open)
                .map(|newest| newest.sequence),
        };
        let changed = match since {
            Some(since) => {
                self.operation(since, &mut differences, &found_folders, &mut contents)?
            }
            None => OperationFiles::default(),
        };
        contents.flush()?;
        self.put(
            purpose,
            newest.as_ref(),
            &differences.changes,
            count,
            changed,
        )
    }

    /// Records the checkpoint and what changed before it; returns none if another process was faster.
    fn put(
        &self,
        purpose: &LookPurpose<'_>,
        newest: Option<&Checkpoint>,
        changes: &[EntryChange],
        files: u64,
        mut changed: OperationFiles,
    ) -> Result<Option<RecordedLook>, RecordError> {
        count_lines(&mut changed.files, self.store)?;
        let (id, operation) = ((self.new_id)(), (self.new_id)());
        let time = milliseconds();
        let draft = CheckpointDraft {
            id: &id,
            time,
            kind: purpose.kind,
            name: purpose.name,
            session: purpose.session,
            workspace: self.workspace,
            previous: newest.map(|newest| newest.number),
            changes,
            files,
        };
        let recorded = match purpose.call {
            Some(call) => call.call.clone(),
            None => RecordedCall::default(),
        };
        let recorded = RecordedCall {
            not_kept: changed.not_kept.clone(),
            ..recorded
        };
        let is_any = !changed.files.is_empty();
        let operations: Vec<(Draft<'_>, RecordedCall)> = is_any
            .then(|| {
                let draft = Draft {
                    id: &operation,
                    time,
                    kind: OperationKind::Change,
                    author: purpose.call.map_or(
                        Author {
                            session: UNATTRIBUTED,
                            ..Author::default()
                        },
                        |call| call.author,
                    ),
                    tool: purpose.call.map_or(UNATTRIBUTED, |call| call.tool),
                    rungs: Vec::new(),
                    approved: None,
                    question: None,
                    parent: None,
                    files: drafts(&changed.files, self.workspace),
                    takes_back: Vec::new(),
                    takes_part_of: Vec::new(),
                };
                (draft, recorded)
            })
            .into_iter()
            .collect();
        let outcome = self.store.put_checkpoint(&draft, &operations)?;
        let CheckpointOutcome::Recorded(number) = outcome else {
            return Ok(None);
        };
        let number_of_files = changed.files.len();
        drop(operations);
        Ok(Some(RecordedLook {
            number,
            id,
            files,
            operation: is_any.then_some((operation, number_of_files)),
            not_kept: changed.not_kept,
        }))
    }

    fn operation(
        &self,
        since: i64,
        differences: &mut Differences,
        folders: &BTreeSet<PathBuf>,
        contents: &mut Contents<'_>,
    ) -> Result<OperationFiles, HistoryError> {
        let query = LogQuery {
            below: vec![self.workspace.root.to_path_buf()],
            after: Some(since),
            ..LogQuery::default()
        };
        let mut between = self.store.log(&query)?;
        between.retain(|operation| operation.kind != OperationKind::Late);
        let real = std::mem::take(&mut differences.real);
        files(self.workspace.root, real, folders, &between, contents)
    }

    fn entries(&self, number: Option<i64>) -> Result<Vec<CheckpointEntry>, HistoryError> {
        match number {
            Some(number) => self.store.checkpoint_entries(&self.workspace.id, number),
            None => Ok(Vec::new()),
        }
    }

    fn sequence_of(&self, number: i64) -> Result<Option<i64>, HistoryError> {
        let query = CheckpointQuery {
            workspace: Some(self.workspace.id),
            ..CheckpointQuery::default()
        };
        let found = self.store.checkpoints(&query)?.into_iter();
        let mut found = found.filter(|checkpoint| checkpoint.number == number);
        Ok(found.next().map(|checkpoint| checkpoint.sequence))
    }

    fn open_root(&self) -> Result<FolderHandle, RecordError> {
        let root = self.workspace.root;
        let unreadable = |source: std::io::Error| RecordError::Unreadable {
            root: root.to_path_buf(),
            source,
        };
        let workspace = Workspace::open(&[root.to_path_buf()], Arc::clone(&self.disk), None);
        let workspace = workspace.map_err(|error| unreadable(std::io::Error::other(error)))?;
        let located = workspace.locate_as_spelled(root);
        let located = located.map_err(|error| unreadable(std::io::Error::other(error)))?;
        located
            .open_folder()
            .map_err(|error| unreadable(std::io::Error::other(error)))
    }

    /// Returns the repository whose work tree is the root. An unreadable repository counts as none.
    fn repository(&self) -> (Option<Arc<Index>>, Option<CleanFiles>, Option<ObjectReader>) {
        let root = self.workspace.root;
        let repository = Repository::around(&root.join("any"), &self.disk)
            .ok()
            .flatten();
        let Some(repository) = repository.filter(|found| found.work_tree() == root) else {
            return (None, None, None);
        };
        let index = repository.index().ok().flatten().map(Arc::new);
        let clean = index
            .as_ref()
            .and_then(|index| CleanFiles::open(&repository, Arc::clone(index), self.outside).ok());
        (index, clean, repository.objects().ok())
    }
}

/// Returns the folders that contain entries, and empty folders.
fn folders(root: &Path, entries: &[CheckpointEntry]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in entries {
        let path = root.join(OsStr::from_bytes(&entry.name));
        if entry.kind == lancet_history::CheckpointEntryKind::EmptyFolder {
            found.insert(path.clone());
        }
        for folder in path
            .ancestors()
            .skip(1)
            .take_while(|folder| *folder != root)
        {
            if !found.insert(folder.to_path_buf()) {
                break;
            }
        }
    }
    found
}

fn milliseconds() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
}
