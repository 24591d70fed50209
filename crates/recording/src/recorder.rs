//! Scans the files of a root (a "look"), and records what changed since an earlier look.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use lancet_git::{GitIndex, GlobalFiles};
use lancet_history::{
    Checkpoint, CheckpointDraft, CheckpointEntry, CheckpointEntryKind, CheckpointKind,
    CheckpointOutcome, CheckpointQuery, HistoryError, OpenCall, OperationAuthor, OperationDraft,
    OperationKind, OperationStore, RecordedCall, UNATTRIBUTED_TOOL, WorkspaceRef,
};
use lancet_workspace::{Disk, FileType, FolderHandle, Workspace};

use crate::changes::ComparedLook;
use crate::compare::compare_entries;
use crate::contents::{ContentRecorder, ObjectRetention};
use crate::coverage::ScanCoverage;
use crate::git_view::GitView;
use crate::look::{
    FinishedLook, LookPurpose, ProgramCall, RecordError, RecordedLook, Unattributed,
};
use crate::operation::{Folders, OperationFiles, count_lines, file_drafts};
use crate::scan::{ScannedEntry, scan_root};

/// The number of times that a look is started again because another process looked at the same time.
const MAX_LOOK_TRIES: usize = 5;

/// Scans and records the files below one root.
pub struct Recorder<'r> {
    /// The root.
    pub workspace: WorkspaceRef<'r>,
    /// The disk.
    pub disk: Arc<dyn Disk>,
    /// The history.
    pub store: &'r dyn OperationStore,
    /// The files that are scanned.
    pub coverage: ScanCoverage<'r>,
    /// git's configuration outside the repository.
    pub outside: GlobalFiles<'r>,
    /// The folder of the state folder for hard links to git's objects; none where there is no state folder.
    pub linked_objects: Option<&'r Path>,
    /// Makes the ids of checkpoints and operations.
    pub new_id: &'r dyn Fn() -> String,
    /// Files that are reached later are not read, since a call may already be changing them.
    pub read_until: Option<Instant>,
}

impl Recorder<'_> {
    /// Sets a checkpoint. Changes that no recorded call made become an operation `unattributed`, where that is wanted.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn set_checkpoint(
        &self,
        kind: CheckpointKind,
        name: Option<&str>,
        session: &str,
        unattributed: Unattributed,
    ) -> Result<RecordedLook, RecordError> {
        self.attempt_look(&LookPurpose {
            kind,
            name,
            session,
            call: None,
            unattributed,
        })
    }

    /// Sets a checkpoint after a call. The changes since the checkpoint before the call that are not in the history
    /// yet become one operation; none if nothing changed.
    ///
    /// # Errors
    /// The root cannot be listed, or the history cannot be written.
    pub fn record_call(&self, call: &ProgramCall<'_>) -> Result<RecordedLook, RecordError> {
        self.attempt_look(&LookPurpose {
            kind: CheckpointKind::After,
            name: None,
            session: call.author.session,
            call: Some(call),
            unattributed: Unattributed::AfterLeftCall,
        })
    }

    fn attempt_look(&self, purpose: &LookPurpose<'_>) -> Result<RecordedLook, RecordError> {
        for _ in 0..MAX_LOOK_TRIES {
            if let Some(look) = self.try_look(purpose)? {
                return Ok(look);
            }
        }
        Err(RecordError::Overtaken)
    }

    fn try_look(&self, purpose: &LookPurpose<'_>) -> Result<Option<RecordedLook>, RecordError> {
        let root = self.open_root()?;
        let newest = self.newest()?;
        let open = self.running_calls(purpose)?;
        let root_path = self.workspace.root;
        let (disk, links) = (&self.disk, self.linked_objects);
        let mut git = GitView::open(root_path, disk, self.outside, links);
        let (index, mut clean) = (git.index.take(), git.clean.take());
        let head = git.head.take();
        let time = now_in_milliseconds();
        let seen = self.scan(&root, index.as_deref())?;
        let files = seen.len() as u64;
        let newest_number = newest.as_ref().map(|newest| newest.number);
        let before = self.checkpoint_entries(newest_number)?;
        // What a call changed is part of an operation, which the limit of the history bounds.
        let most = match purpose.call {
            Some(_) => u64::MAX,
            None => self.coverage.most_bytes,
        };
        let largest = self.coverage.largest_file;
        let objects = (git.objects.take(), git.retention());
        let contents = ContentRecorder::new(&root, self.store, objects, largest, most);
        let mut contents = contents.until(self.read_until);
        let since = purpose.since(newest.as_ref(), &open);
        // If another look was made in between, the call's own changes are those since its own checkpoint.
        let other = since.filter(|_| since != newest_number);
        let again = other.map(|since| (since, seen.clone()));
        git.need_unlinked(&before);
        let mut found_folders = Folders {
            before: containing_folders(root_path, before.iter().map(described)),
            after: containing_folders(root_path, seen.iter().map(|seen| (&seen.name, seen.kind))),
        };
        let mut differences = compare_entries(before, seen, &mut clean, &mut contents)?;
        let copied = match git.retention() {
            ObjectRetention::Linked => Vec::new(),
            ObjectRetention::InGitOnly => {
                let real = differences.real.iter();
                contents.copy_superseded(real.filter_map(|one| one.before.as_ref()))?
            }
        };
        git.link_objects(&differences.changes, &contents);
        if let Some((since, seen)) = again {
            let before = self.checkpoint_entries(Some(since))?;
            found_folders.before = containing_folders(root_path, before.iter().map(described));
            differences.real = compare_entries(before, seen, &mut clean, &mut contents)?.real;
        }
        let look = ComparedLook {
            workspace: self.workspace,
            store: self.store,
            coverage: &self.coverage,
            root: &root,
            folders: &found_folders,
            open: &open,
            newest: newest_number,
            changes: &differences.changes,
            index: index.as_deref(),
            head: head.as_ref(),
        };
        let since = since.map(|since| self.find(since)).transpose()?.flatten();
        let (changed, recorded) = match since {
            Some(since) => {
                let real = differences.real;
                look.attribute_changes(purpose, &since, real, &mut clean, &mut contents)?
            }
            None => (OperationFiles::default(), RecordedCall::default()),
        };
        contents.flush()?;
        self.store.identify_blobs(&self.workspace.id, &copied)?;
        let look = FinishedLook {
            time,
            head: head.as_ref(),
            files,
            newest: newest.as_ref(),
            changes: &differences.changes,
        };
        self.store_checkpoint(purpose, &look, changed, recorded)
    }

    /// Records the checkpoint and what changed before it; returns none if another process was faster.
    fn store_checkpoint(
        &self,
        purpose: &LookPurpose<'_>,
        look: &FinishedLook<'_>,
        mut changed: OperationFiles,
        recorded: RecordedCall,
    ) -> Result<Option<RecordedLook>, RecordError> {
        count_lines(&mut changed.files, self.store)?;
        let (id, operation) = ((self.new_id)(), (self.new_id)());
        let draft = CheckpointDraft {
            id: &id,
            time: look.time,
            kind: purpose.kind,
            name: purpose.name,
            session: purpose.session,
            workspace: self.workspace,
            previous: look.newest.map(|newest| newest.number),
            changes: look.changes,
            files: look.files,
            head: look.head,
        };
        let head = recorded.head.clone();
        let is_any = !changed.files.is_empty() || head.is_some();
        let operations: Vec<(OperationDraft<'_>, RecordedCall)> = is_any
            .then(|| {
                let draft = OperationDraft {
                    id: &operation,
                    time: now_in_milliseconds(),
                    kind: OperationKind::Change,
                    author: purpose.call.map_or(
                        OperationAuthor {
                            session: UNATTRIBUTED_TOOL,
                            ..OperationAuthor::default()
                        },
                        |call| call.author,
                    ),
                    tool: purpose.call.map_or(UNATTRIBUTED_TOOL, |call| call.tool),
                    rungs: Vec::new(),
                    approved: None,
                    question: None,
                    parent: None,
                    files: file_drafts(&changed.files, self.workspace),
                    takes_back: Vec::new(),
                    takes_part_of: Vec::new(),
                };
                (draft, recorded)
            })
            .into_iter()
            .collect();
        let outcome = self.store.store_checkpoint(&draft, &operations)?;
        let CheckpointOutcome::Recorded(number) = outcome else {
            return Ok(None);
        };
        let number_of_files = changed.files.len();
        drop(operations);
        Ok(Some(RecordedLook {
            number,
            id,
            files: look.files,
            operation: is_any.then_some((operation, number_of_files)),
            not_kept: changed.not_kept,
            head,
        }))
    }

    fn checkpoint_entries(
        &self,
        number: Option<i64>,
    ) -> Result<Vec<CheckpointEntry>, HistoryError> {
        match number {
            Some(number) => self.store.checkpoint_entries(&self.workspace.id, number),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the newest checkpoint of the root.
    fn newest(&self) -> Result<Option<Checkpoint>, HistoryError> {
        let query = CheckpointQuery {
            workspace: Some(self.workspace.id),
            limit: Some(1),
            ..CheckpointQuery::default()
        };
        Ok(self.store.checkpoints(&query)?.into_iter().next())
    }

    /// Returns the calls below the root that run now, except the one that a look is for.
    fn running_calls(&self, purpose: &LookPurpose<'_>) -> Result<Vec<OpenCall>, HistoryError> {
        let own = purpose.call.and_then(|call| call.number);
        let mut open = self.store.open_program_calls(&self.workspace.id)?;
        open.retain(|call| {
            let is_running = call.since.is_some() && !call.has_ended;
            is_running && Some(call.number) != own
        });
        Ok(open)
    }

    fn scan(
        &self,
        root: &FolderHandle,
        index: Option<&GitIndex>,
    ) -> Result<Vec<ScannedEntry>, RecordError> {
        let seen = scan_root(root, self.workspace.root, &self.coverage, index);
        seen.map_err(|source| RecordError::Unreadable {
            root: self.workspace.root.to_path_buf(),
            source,
        })
    }

    /// Returns a checkpoint of the root; none if it has been removed.
    fn find(&self, number: i64) -> Result<Option<Checkpoint>, HistoryError> {
        let query = CheckpointQuery {
            workspace: Some(self.workspace.id),
            ..CheckpointQuery::default()
        };
        let mut found = self.store.checkpoints(&query)?.into_iter();
        Ok(found.find(|checkpoint| checkpoint.number == number))
    }

    fn open_root(&self) -> Result<FolderHandle, RecordError> {
        let root = self.workspace.root;
        let unreadable = |source: std::io::Error| match self.disk.stat_path(root) {
            Ok(found) if found.kind() == FileType::Directory => RecordError::Unreadable {
                root: root.to_path_buf(),
                source,
            },
            _ => RecordError::RootGone {
                root: root.to_path_buf(),
            },
        };
        let workspace = Workspace::open(&[root.to_path_buf()], Arc::clone(&self.disk), None);
        let workspace = workspace.map_err(|error| unreadable(std::io::Error::other(error)))?;
        let located = workspace.locate_as_spelled(root);
        let located = located.map_err(|error| unreadable(std::io::Error::other(error)))?;
        located
            .open_folder()
            .map_err(|error| unreadable(std::io::Error::other(error)))
    }
}

fn described(entry: &CheckpointEntry) -> (&Vec<u8>, CheckpointEntryKind) {
    (&entry.name, entry.kind)
}

/// Returns the folders that contain entries, and empty folders.
fn containing_folders<'e>(
    root: &Path,
    entries: impl Iterator<Item = (&'e Vec<u8>, CheckpointEntryKind)>,
) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for (name, kind) in entries {
        let path = root.join(OsStr::from_bytes(name));
        if kind == CheckpointEntryKind::EmptyFolder {
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

fn now_in_milliseconds() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
}
