//! Recovery: completes or rolls back what the commits of dead processes left half done, under the locks they held. It
//! can be killed at any point and run again: it renames, it stores files, and it removes only what is proved to be
//! ours. Another program's file is never taken for ours; anything unclear is stored and reported.

mod direction;
mod exchanged;
mod made;
mod occupant;
mod step;
mod torn;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use crate::disk::Disk;
use crate::displaced::DisplacedLimits;
use crate::journal::{CommitProgress, EntryId, IntentStep, Journal, OpenEntry, StepAction};
use crate::locate::LocateError;
use crate::locks::{LockError, WriterMachines};
use crate::roots::Workspace;
use direction::{RecoveryDirection, StepState};
use step::{EntryBoot, RecoveryGoal, StepRecovery};

/// What recovery did about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveredFile {
    /// The path of the file.
    pub path: PathBuf,
    /// What recovery did.
    pub outcome: RecoveryOutcome,
    /// The journal entry: the files of one commit have the same.
    pub entry: EntryId,
}

/// What recovery did about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// The change had been made; recovery removed what was left over.
    Finished,
    /// The change is one of several that were not all made; recovery made the others.
    Completed,
    /// The change was undone, or had never been made.
    RolledBack,
    /// Another program had written the file meanwhile: its version remains, and the other is stored at this path.
    Kept(PathBuf),
    /// The commit of several files could be neither completed nor rolled back; this file has its change.
    Changed,
    /// The commit of several files could be neither completed nor rolled back; this file does not have its change.
    Unchanged,
}

impl Workspace {
    /// Recovers crashed commits below the roots; creates nothing if there are none. It runs by itself before the first
    /// commit. A program may call it at its start, and should call it after [`CommitError::Unsettled`].
    ///
    /// [`CommitError::Unsettled`]: crate::CommitError::Unsettled
    pub fn recover_commits(&self) -> io::Result<Vec<RecoveredFile>> {
        let mut recovered = self
            .recovered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let recovered_files = self.recover_all()?;
        *recovered = true;
        Ok(recovered_files)
    }

    /// Returns the commits of other processes that may be half done: being made, or being recovered. The content of
    /// their files may still change.
    pub fn undecided_commits(&self) -> io::Result<Vec<OpenEntry>> {
        match &self.journal {
            Some(journal) => journal.undecided_entries(),
            None => Ok(Vec::new()),
        }
    }

    pub(crate) fn recover_on_first_use(&self) -> io::Result<()> {
        let mut recovered = self
            .recovered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !*recovered {
            self.recover_all()?;
            *recovered = true;
        }
        drop(recovered);
        self.pruned.call_once(|| {
            // A failed pruning must not prevent the write; it is tried again later.
            let _ = self.prune(DisplacedLimits::default());
        });
        Ok(())
    }

    fn recover_all(&self) -> io::Result<Vec<RecoveredFile>> {
        let Some(journal) = &self.journal else {
            return Ok(Vec::new());
        };
        let (mut folders, files): (Vec<OpenEntry>, Vec<OpenEntry>) = journal
            .list()?
            .into_iter()
            .partition(OpenEntry::is_of_auxiliaries);
        let mut all = Vec::new();
        let mut is_all = true;
        for record in files {
            match self.recover_record(&**journal, &record)? {
                Some(recovered_files) => {
                    all.extend(recovered_files);
                    journal.close(record.ticket)?;
                }
                // The entry is for other roots, or its files are in use: leave it for later.
                None => {
                    is_all = false;
                    journal.release(record.ticket);
                }
            }
        }
        // A temporary link may still become a file, and folders can be empty only after the files are restored; innermost
        // first.
        folders.sort_by_key(|record| std::cmp::Reverse(record.depth()));
        for record in folders {
            let recovered_files = self.recover_record(&**journal, &record)?;
            let stays = |one: &RecoveredFile| matches!(one.outcome, RecoveryOutcome::Kept(_));
            let is_kept = |recovered_files: Vec<RecoveredFile>| {
                let mut staying = recovered_files.iter().filter(|one| stays(one));
                staying.all(|folder| is_all && journal.record_kept_folder(&folder.path).is_ok())
            };
            match recovered_files.map(is_kept) {
                Some(true) => journal.close(record.ticket)?,
                // The folder may contain files of an entry that was left for later.
                _ => journal.release(record.ticket),
            }
        }
        Ok(all)
    }

    fn recover_record(
        &self,
        journal: &dyn Journal,
        record: &OpenEntry,
    ) -> io::Result<Option<Vec<RecoveredFile>>> {
        let mut places = Vec::new();
        let mut folders = Vec::new();
        for step in &record.intent.steps {
            let Some(found) = self.open_recorded_folder(&step.folder)? else {
                self.release_unreachable(record.ticket);
                return Ok(None);
            };
            let other = match &step.act {
                StepAction::Move { folder, .. } => match self.open_recorded_folder(folder)? {
                    Some(other) => other,
                    None => {
                        self.release_unreachable(record.ticket);
                        return Ok(None);
                    }
                },
                _ => RecordedFolder::Gone,
            };
            folders.extend(
                [&found, &other]
                    .into_iter()
                    .filter_map(|place| place.open_handle().cloned()),
            );
            places.push((step, found, other));
        }
        let _guard = match self
            .locks
            .lock_folders(&self.disk, &folders, WriterMachines::All)
        {
            Ok(guard) => guard,
            Err(LockError::Busy) => return Ok(None),
            Err(LockError::Io(error)) => return Err(error),
        };
        let boot = self.record_boot(record);
        let steps: Vec<StepRecovery<'_>> = places
            .iter()
            .filter_map(|(step, place, other)| {
                // A folder that no longer exists took everything with it.
                let folder = place.open_handle()?;
                Some(StepRecovery {
                    workspace: self,
                    step,
                    folder,
                    other: other.open_handle(),
                    boot,
                })
            })
            .collect();
        let ending = match (record.progress, places.len()) {
            (CommitProgress::Decided, _) => CommitEnding::without_direction(RecoveryGoal::Complete),
            // A single file: if its swap was made, it stays.
            (CommitProgress::Begun, 1) => CommitEnding::without_direction(RecoveryGoal::AsFound),
            (CommitProgress::Begun, _) => CommitEnding::recover_several(&steps)?,
        };
        if ending.direction == Some(RecoveryDirection::Forward) {
            journal.mark_decided(record.ticket, crate::journal::FlushTime::Now)?;
        }
        let mut recovered_files = Vec::new();
        for (at, recovery) in steps.iter().enumerate().rev() {
            let outcome = match recovery.recover_step(ending.goal) {
                // Another program is writing the file. The next run finds done what was done so far.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                other => other?,
            };
            recovered_files.push(RecoveredFile {
                path: step_path(recovery.step),
                outcome: ending.reported_outcome(at, outcome),
                entry: record.ticket,
            });
        }
        for folder in &folders {
            use std::os::fd::AsFd as _;
            let _ = self.disk.sync(folder.as_fd());
        }
        Ok(Some(recovered_files))
    }

    /// Returns the boot in which a record was made.
    fn record_boot(&self, record: &OpenEntry) -> EntryBoot {
        // If either boot id is unknown, inode numbers are trusted.
        let (then, now) = (&record.intent.boot, self.disk.boot());
        if then.is_empty() || now.is_empty() || *then == now {
            EntryBoot::This
        } else {
            EntryBoot::Another
        }
    }

    /// Records an entry that names a file outside the roots, so that commits here do not wait for its recovery.
    fn release_unreachable(&self, ticket: EntryId) {
        let mut entries = self
            .out_of_reach
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        entries.insert(ticket);
    }

    /// Opens a recorded folder, if it is below a root of this workspace.
    fn open_recorded_folder(&self, path: &Path) -> io::Result<Option<RecordedFolder>> {
        use std::os::fd::AsFd as _;
        let Some((root, rest)) = self.root_containing(path) else {
            return Ok(None);
        };
        let root = &self.roots[root];
        match root.check_place(&*self.disk) {
            Ok(()) => {}
            Err(LocateError::Io(error)) => return Err(error),
            Err(_) => return Ok(None),
        }
        if rest == Path::new("") {
            return Ok(Some(RecordedFolder::Open(Arc::clone(&root.handle))));
        }
        match open_by_components(&*self.disk, root.handle.as_fd(), rest) {
            Ok(folder) => Ok(Some(RecordedFolder::Open(Arc::new(folder)))),
            Err(error) if is_folder_missing(&error) => Ok(Some(RecordedFolder::Gone)),
            Err(error) => Err(error),
        }
    }
}

/// How an interrupted commit is ended, and what is reported about its files.
struct CommitEnding {
    goal: RecoveryGoal,
    /// Set if the files decide: for a commit of several files that was not decided.
    direction: Option<RecoveryDirection>,
    states: Vec<StepState>,
}

impl CommitEnding {
    fn without_direction(goal: RecoveryGoal) -> CommitEnding {
        CommitEnding {
            goal,
            direction: None,
            states: Vec::new(),
        }
    }

    /// Decides by the content of the files; if the commit can be completed, writes the files that are not written yet.
    fn recover_several(steps: &[StepRecovery<'_>]) -> io::Result<CommitEnding> {
        loop {
            let states = steps
                .iter()
                .map(StepRecovery::current_state)
                .collect::<io::Result<Vec<_>>>()?;
            let states = StepState::resolve_unclear_states(&states);
            let direction = RecoveryDirection::from_states(&states);
            let mut is_disturbed = false;
            if direction == RecoveryDirection::Forward {
                for (step, state) in steps.iter().zip(&states) {
                    if *state == StepState::Unwritten && !step.write_remaining()? {
                        // Another program was faster. Its file is not taken for the old one in the next round.
                        is_disturbed = true;
                        break;
                    }
                }
            }
            if !is_disturbed {
                return Ok(CommitEnding {
                    goal: direction.recovery_goal(),
                    direction: Some(direction),
                    states,
                });
            }
        }
    }

    fn reported_outcome(&self, at: usize, outcome: RecoveryOutcome) -> RecoveryOutcome {
        let stays = self.states.get(at) == Some(&StepState::WrittenOver);
        match (self.direction, outcome) {
            (Some(RecoveryDirection::Neither), _) if stays => RecoveryOutcome::Changed,
            (Some(RecoveryDirection::Neither), _) => RecoveryOutcome::Unchanged,
            (Some(RecoveryDirection::Forward), RecoveryOutcome::Finished) => {
                RecoveryOutcome::Completed
            }
            (_, outcome) => outcome,
        }
    }
}

/// Returns whether the folder does not exist, or a link or file is in its place.
fn is_folder_missing(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(
        Errno::from_io_error(error),
        Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
    )
}

enum RecordedFolder {
    Open(Arc<OwnedFd>),
    Gone,
}

impl RecordedFolder {
    fn open_handle(&self) -> Option<&Arc<OwnedFd>> {
        match self {
            RecordedFolder::Open(folder) => Some(folder),
            RecordedFolder::Gone => None,
        }
    }
}

fn step_path(step: &IntentStep) -> PathBuf {
    step.folder.join(&step.name)
}

/// Opens a folder below another without following a link: in one call, or component by component on older kernels.
fn open_by_components(
    disk: &dyn Disk,
    root: std::os::fd::BorrowedFd<'_>,
    rest: &Path,
) -> io::Result<OwnedFd> {
    use crate::disk::OpenMode;
    use std::os::fd::AsFd as _;
    if let Ok(folder) = disk.open_beneath(root, rest) {
        return Ok(folder);
    }
    let mut here: Option<OwnedFd> = None;
    for part in rest.components() {
        let from = here.as_ref().map_or(root, |folder| folder.as_fd());
        let next = disk.open_at(from, part.as_os_str(), OpenMode::Folder)?;
        here = Some(next);
    }
    here.ok_or_else(|| io::ErrorKind::NotFound.into())
}
