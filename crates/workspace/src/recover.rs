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
use crate::displaced::Limits;
use crate::journal::{Act, Journal, Progress, Record, Step, Ticket};
use crate::locate::LocateError;
use crate::locks::{LockError, Machines};
use crate::roots::Workspace;
use direction::{Direction, StepState};
use step::{Boot, Goal, StepRecovery};

/// What recovery did about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The path of the file.
    pub path: PathBuf,
    /// What recovery did.
    pub outcome: RecoveryOutcome,
    /// The journal entry: the files of one commit have the same.
    pub entry: Ticket,
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
    pub fn recover(&self) -> io::Result<Vec<Recovered>> {
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
    pub fn undecided(&self) -> io::Result<Vec<Record>> {
        match &self.journal {
            Some(journal) => journal.undecided(),
            None => Ok(Vec::new()),
        }
    }

    pub(crate) fn recover_once(&self) -> io::Result<()> {
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
            let _ = self.prune(Limits::default());
        });
        Ok(())
    }

    fn recover_all(&self) -> io::Result<Vec<Recovered>> {
        let Some(journal) = &self.journal else {
            return Ok(Vec::new());
        };
        let (mut folders, files): (Vec<Record>, Vec<Record>) = journal
            .list()?
            .into_iter()
            .partition(Record::is_of_auxiliaries);
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
                    journal.let_go(record.ticket);
                }
            }
        }
        // A temporary link may still become a file, and folders can be empty only after the files are restored; innermost
        // first.
        folders.sort_by_key(|record| std::cmp::Reverse(record.depth()));
        for record in folders {
            let recovered_files = self.recover_record(&**journal, &record)?;
            let stays = |one: &Recovered| matches!(one.outcome, RecoveryOutcome::Kept(_));
            let is_kept = |recovered_files: Vec<Recovered>| {
                let mut staying = recovered_files.iter().filter(|one| stays(one));
                staying.all(|folder| is_all && journal.keep_folder(&folder.path).is_ok())
            };
            match recovered_files.map(is_kept) {
                Some(true) => journal.close(record.ticket)?,
                // The folder may contain files of an entry that was left for later.
                _ => journal.let_go(record.ticket),
            }
        }
        Ok(all)
    }

    fn recover_record(
        &self,
        journal: &dyn Journal,
        record: &Record,
    ) -> io::Result<Option<Vec<Recovered>>> {
        let mut places = Vec::new();
        let mut folders = Vec::new();
        for step in &record.intent.steps {
            let Some(found) = self.open_recorded(&step.folder)? else {
                self.note_out_of_reach(record.ticket);
                return Ok(None);
            };
            let other = match &step.act {
                Act::Move { folder, .. } => match self.open_recorded(folder)? {
                    Some(other) => other,
                    None => {
                        self.note_out_of_reach(record.ticket);
                        return Ok(None);
                    }
                },
                _ => RecordedFolder::Gone,
            };
            folders.extend(
                [&found, &other]
                    .into_iter()
                    .filter_map(|place| place.handle().cloned()),
            );
            places.push((step, found, other));
        }
        let _guard = match self.locks.take(&self.disk, &folders, Machines::All) {
            Ok(guard) => guard,
            Err(LockError::Busy) => return Ok(None),
            Err(LockError::Io(error)) => return Err(error),
        };
        let boot = self.boot_of(record);
        let steps: Vec<StepRecovery<'_>> = places
            .iter()
            .filter_map(|(step, place, other)| {
                // A folder that no longer exists took everything with it.
                let folder = place.handle()?;
                Some(StepRecovery {
                    workspace: self,
                    step,
                    folder,
                    other: other.handle(),
                    boot,
                })
            })
            .collect();
        let ending = match (record.progress, places.len()) {
            (Progress::Decided, _) => CommitEnding::plain(Goal::Complete),
            // A single file: if its swap was made, it stays.
            (Progress::Begun, 1) => CommitEnding::plain(Goal::AsFound),
            (Progress::Begun, _) => CommitEnding::of_several(&steps)?,
        };
        if ending.direction == Some(Direction::Forward) {
            journal.mark(record.ticket, crate::journal::Flush::Now)?;
        }
        let mut recovered_files = Vec::new();
        for (at, recovery) in steps.iter().enumerate().rev() {
            let outcome = match recovery.recover(ending.goal) {
                // Another program is writing the file. The next run finds done what was done so far.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                other => other?,
            };
            recovered_files.push(Recovered {
                path: path_of(recovery.step),
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
    fn boot_of(&self, record: &Record) -> Boot {
        // If either boot id is unknown, inode numbers are trusted.
        let (then, now) = (&record.intent.boot, self.disk.boot());
        if then.is_empty() || now.is_empty() || *then == now {
            Boot::This
        } else {
            Boot::Another
        }
    }

    /// Records an entry that names a file outside the roots, so that commits here do not wait for its recovery.
    fn note_out_of_reach(&self, ticket: Ticket) {
        let mut entries = self
            .out_of_reach
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        entries.insert(ticket);
    }

    /// Opens a recorded folder, if it is below a root of this workspace.
    fn open_recorded(&self, path: &Path) -> io::Result<Option<RecordedFolder>> {
        use std::os::fd::AsFd as _;
        let Some((root, rest)) = self.root_around(path) else {
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
        match open_walking(&*self.disk, root.handle.as_fd(), rest) {
            Ok(folder) => Ok(Some(RecordedFolder::Open(Arc::new(folder)))),
            Err(error) if is_gone(&error) => Ok(Some(RecordedFolder::Gone)),
            Err(error) => Err(error),
        }
    }
}

/// How an interrupted commit is ended, and what is reported about its files.
struct CommitEnding {
    goal: Goal,
    /// Set if the files decide: for a commit of several files that was not decided.
    direction: Option<Direction>,
    states: Vec<StepState>,
}

impl CommitEnding {
    fn plain(goal: Goal) -> CommitEnding {
        CommitEnding {
            goal,
            direction: None,
            states: Vec::new(),
        }
    }

    /// Decides by the content of the files; if the commit can be completed, writes the files that are not written yet.
    fn of_several(steps: &[StepRecovery<'_>]) -> io::Result<CommitEnding> {
        loop {
            let states = steps
                .iter()
                .map(StepRecovery::state)
                .collect::<io::Result<Vec<_>>>()?;
            let states = StepState::clarified(&states);
            let direction = Direction::from_states(&states);
            let mut is_disturbed = false;
            if direction == Direction::Forward {
                for (step, state) in steps.iter().zip(&states) {
                    if *state == StepState::Unwritten && !step.carry_out()? {
                        // Another program was faster. Its file is not taken for the old one in the next round.
                        is_disturbed = true;
                        break;
                    }
                }
            }
            if !is_disturbed {
                return Ok(CommitEnding {
                    goal: direction.goal(),
                    direction: Some(direction),
                    states,
                });
            }
        }
    }

    fn reported_outcome(&self, at: usize, outcome: RecoveryOutcome) -> RecoveryOutcome {
        let stays = self.states.get(at) == Some(&StepState::WrittenOver);
        match (self.direction, outcome) {
            (Some(Direction::Neither), _) if stays => RecoveryOutcome::Changed,
            (Some(Direction::Neither), _) => RecoveryOutcome::Unchanged,
            (Some(Direction::Forward), RecoveryOutcome::Finished) => RecoveryOutcome::Completed,
            (_, outcome) => outcome,
        }
    }
}

/// Returns whether the folder does not exist, or a link or file is in its place.
fn is_gone(error: &io::Error) -> bool {
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
    fn handle(&self) -> Option<&Arc<OwnedFd>> {
        match self {
            RecordedFolder::Open(folder) => Some(folder),
            RecordedFolder::Gone => None,
        }
    }
}

fn path_of(step: &Step) -> PathBuf {
    step.folder.join(&step.name)
}

/// Opens a folder below another without following a link: in one call, or component by component on older kernels.
fn open_walking(
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
