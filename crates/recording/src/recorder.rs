//! Scans the files of a root (a "look"), and records what changed since an earlier look.

use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use lancet_git::GlobalFiles;
use lancet_history::{
    Checkpoint, CheckpointDraft, CheckpointEntry, CheckpointKind, CheckpointOutcome,
    CheckpointQuery, HistoryError, OpenCall, OperationAuthor, OperationDraft, OperationKind,
    OperationStore, RecordedCall, UNATTRIBUTED_TOOL, WorkspaceRef,
};
use lancet_workspace::{Disk, FolderHandle};

use crate::changes::ComparedLook;
use crate::compare::{DifferenceUse, compare_entries};
use crate::contents::{ContentRecorder, ObjectRetention};
use crate::coverage::ScanCoverage;
use crate::extent::{CheckpointReader, FoundEntries};
use crate::git_view::GitView;
use crate::look::{
    ExaminedLook, FinishedLook, FoundLook, LookDepth, LookPurpose, LookSource, Moment, ProgramCall,
    RecordError, RecordedLook, Unattributed,
};
use crate::operation::{Folders, OperationFiles, count_lines, file_drafts};
use crate::reported::ChangeSource;

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
    /// The file of the state folder for the listing of the root; none where there is no state folder.
    pub listing: Option<&'r Path>,
    /// Makes the ids of checkpoints and operations.
    pub new_id: &'r dyn Fn() -> String,
    /// Files that are reached later are not read, since a call may already be changing them.
    pub read_until: Option<Instant>,
    /// The process that watches the root; none if none is to be asked.
    pub changes: Option<&'r dyn ChangeSource>,
    /// The root as it was opened before the call that a look is for; none if it was not. A call that removed the root
    /// is recognised by it.
    pub held_root: Option<&'r FolderHandle>,
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
        depth: LookDepth,
    ) -> Result<RecordedLook, RecordError> {
        self.attempt_look(&LookPurpose {
            kind,
            name,
            session,
            call: None,
            unattributed,
            depth,
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
            depth: LookDepth::Reported,
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
        let time = now_in_milliseconds();
        let newest_number = newest.as_ref().map(|newest| newest.number);
        let is_removed = self.is_root_removed();
        let reported = self.changes.filter(|_| !is_removed).and_then(|changes| {
            let known = newest_number.filter(|_| purpose.depth == LookDepth::Reported);
            let reported = changes.changes_since(known)?;
            Some(reported.only_covered(self.workspace.root, &self.coverage))
        });
        let position = reported.as_ref().map(|reported| reported.position);
        let since = purpose.since(newest.as_ref(), &open);
        let report = reported.and_then(FoundEntries::from_report);
        let FoundLook {
            found,
            mut git,
            source,
        } = self.find_entries(&root, report, newest.as_ref(), since)?;
        let files = found.files;
        let head = git.head.take();
        let moment = Moment {
            root: &root,
            newest: newest_number,
            open: &open,
            since,
            head: head.as_ref(),
        };
        let examined = self.examine(purpose, &moment, found, git)?;
        let look = FinishedLook {
            time,
            files,
            head: head.as_ref(),
            newest: newest.as_ref(),
            changes: &examined.changes,
            is_root_removed: is_removed,
        };
        let stored =
            self.store_checkpoint(purpose, &look, examined.operation, examined.recorded)?;
        let Some(stored) = stored else {
            return Ok(None);
        };
        // A file that was reached too late was not read, so the next look compares everything.
        let is_late = self.read_until.is_some_and(|end| Instant::now() >= end);
        if let (Some(changes), Some(position)) = (self.changes, position)
            && !is_late
        {
            changes.note_checkpoint(stored.number, position);
        }
        match (source, newest) {
            (LookSource::Scan(built), _) if examined.is_settled && !is_late => {
                self.store_listing(*built, &stored.id, &examined.unread);
            }
            (source, Some(newest)) => {
                self.extend_listing(source, &newest, &stored.id, &examined.changes);
            }
            (_, None) => {}
        }
        Ok(Some(stored))
    }

    /// Compares what was found with the checkpoints before, and stores the contents that are needed.
    fn examine(
        &self,
        purpose: &LookPurpose<'_>,
        moment: &Moment<'_>,
        found: FoundEntries,
        mut git: GitView<'_>,
    ) -> Result<ExaminedLook, RecordError> {
        let (index, mut clean) = (git.index.take(), git.clean.take());
        let checkpoints = CheckpointReader {
            workspace: self.workspace,
            store: self.store,
            newest: moment.newest,
        };
        let before = checkpoints.entries(moment.newest, &found.extent)?;
        // What a call changed is part of an operation, which the limit of the history bounds.
        let (largest, limit) = (self.coverage.largest_file, self.coverage.most_bytes);
        let most = purpose.call.map_or(limit, |_| u64::MAX);
        let objects = (git.objects.take(), git.retention());
        let contents = ContentRecorder::new(moment.root, self.store, objects, largest, most);
        let mut contents = contents.until(self.read_until);
        // If another look was made in between, the call's own changes are those since its own checkpoint.
        let again = match moment.since.filter(|_| moment.since != moment.newest) {
            Some(since) => Some((since, checkpoints.extend_back_to(since, found.clone())?)),
            None => None,
        };
        let (wanted, mut folders) = match moment.since {
            None => (DifferenceUse::CheckpointOnly, Folders::default()),
            Some(_) => {
                let folders = folders_of_looks(&checkpoints, moment.newest, &before, &found)?;
                (DifferenceUse::Operation, folders)
            }
        };
        git.need_unlinked(&before);
        let mut differences =
            compare_entries(before, found.entries, wanted, &mut clean, &mut contents)?;
        let copied = match git.retention() {
            ObjectRetention::Linked => Vec::new(),
            ObjectRetention::InGitOnly => {
                let real = differences.real.iter();
                contents.copy_superseded(real.filter_map(|one| one.before.as_ref()))?
            }
        };
        let is_settled =
            git.link_objects(&differences.changes, &contents) && !differences.rests_on_git;
        if let Some((since, found)) = again {
            let before = checkpoints.entries(Some(since), &found.extent)?;
            folders = folders_of_looks(&checkpoints, Some(since), &before, &found)?;
            let own = compare_entries(before, found.entries, wanted, &mut clean, &mut contents)?;
            (differences.real, differences.left) = (own.real, own.left);
        }
        let look = ComparedLook {
            workspace: self.workspace,
            store: self.store,
            coverage: &self.coverage,
            moment,
            folders: &folders,
            changes: &differences.changes,
            index: index.as_deref(),
            left: &differences.left,
        };
        let since = moment.since.map(|since| self.find(since)).transpose()?;
        let (operation, recorded) = match since.flatten() {
            Some(since) => {
                let real = differences.real;
                look.attribute_changes(purpose, &since, real, &mut clean, &mut contents)?
            }
            None => (OperationFiles::default(), RecordedCall::default()),
        };
        contents.flush()?;
        self.store.identify_blobs(&self.workspace.id, &copied)?;
        Ok(ExaminedLook {
            changes: differences.changes,
            operation,
            recorded,
            unread: differences.unread,
            is_settled,
        })
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
            kind: match look.is_root_removed {
                true => CheckpointKind::RootRemoved,
                false => purpose.kind,
            },
            name: purpose.name,
            session: purpose.session,
            workspace: self.workspace,
            previous: look.newest.map(|newest| newest.number),
            changes: look.changes,
            files: look.files,
            head: look.head,
        };
        let (head, parent) = (recorded.head.clone(), recorded.parent.clone());
        // A call that changed only files which cannot be restored is an operation, too.
        let is_named = purpose.call.is_some() && !changed.not_kept.is_empty();
        let is_any = !changed.files.is_empty() || head.is_some() || is_named;
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
                    parent: parent.as_deref(),
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
            is_root_removed: look.is_root_removed,
        }))
    }

    pub(crate) fn open_git(&self) -> GitView<'_> {
        let (root, links) = (self.workspace.root, self.linked_objects);
        match self.is_root_removed() {
            true => GitView::with_linked_objects(&self.disk, links),
            false => GitView::open(root, &self.disk, self.outside, links),
        }
    }

    /// Returns the newest checkpoint of the root.
    pub(crate) fn newest(&self) -> Result<Option<Checkpoint>, HistoryError> {
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

    /// Returns a checkpoint of the root; none if it has been removed.
    fn find(&self, number: i64) -> Result<Option<Checkpoint>, HistoryError> {
        let query = CheckpointQuery {
            workspace: Some(self.workspace.id),
            number: Some(number),
            ..CheckpointQuery::default()
        };
        Ok(self.store.checkpoints(&query)?.into_iter().next())
    }
}

/// Returns the folders at a checkpoint, which has these entries of the extent, and the present ones.
fn folders_of_looks(
    checkpoints: &CheckpointReader<'_>,
    number: Option<i64>,
    before: &[CheckpointEntry],
    found: &FoundEntries,
) -> Result<Folders, HistoryError> {
    Ok(Folders {
        before: checkpoints.folders_at(number, before, &found.extent)?,
        after: checkpoints.folders_now(found)?,
    })
}

fn now_in_milliseconds() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
}
