//! The commit: stages and flushes all files, takes locks and leases, compares the content, swaps the names, and
//! verifies what was displaced. Several files are written all or none; when one fails, those already swapped are
//! rolled back.
//!
//! The promise: a write by another program before, during or just after the commit is never lost silently. Its content
//! is either at the name, or stored and reported.

mod applied;
mod check;
mod exchange;
mod exchange_proof;
mod finish;
mod flush;
mod free_name;
mod fresh_look;
mod guarantee;
mod hard_links;
mod in_place;
mod journal_entry;
mod lease;
mod links;
mod move_aside;
mod names;
mod new_folders;
mod new_link;
mod outcome;
mod owner;
mod ready;
mod request;
mod retry;
mod rollback;
mod scratch;
mod stage;
mod swap;
mod target_folders;

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

pub(crate) use check::is_empty;
pub(crate) use exchange_proof::{PROOF_FILES, prove_exchange};
pub(crate) use free_name::{move_to_free_name, rename_to_free_name};
pub use guarantee::WriteGuarantee;
pub use hard_links::is_package_store;
pub(crate) use in_place::overwrite_from;
pub(crate) use lease::wait_for_lease;
pub(crate) use move_aside::aside_name;
pub use outcome::{CommitError, ReadOnlyReason, UnsafeReason, WriteOutcome, WriteWarning};
pub use request::{
    Durability, ExecutableChange, ExpectedState, FileWrite, HardLinkPolicy, NewBytes, OldFile,
    OldFilePermission, Source, WeakProtectionPolicy, WriteOptions, WriteStrategy,
};
pub(crate) use scratch::{next_name, temporary_name};

use crate::locks::{FolderLocks, LockError, LockScope, WriterMachines};
use crate::roots::Workspace;
use applied::AppliedWrite;
use outcome::{CommitFailure, WriteMethod};
use ready::{ReadyWrite, prepare_swap};
use rollback::roll_back;
use scratch::Scratch;
use stage::StagedWrite;

/// How often a batch is attempted again because a file needs another method.
const MAX_ATTEMPTS: usize = 6;

impl Workspace {
    /// Writes every file of the batch or none. [`CommitError::Partly`] is the one exception, and names what could not
    /// be rolled back.
    pub fn commit(&self, batch: Vec<FileWrite<'_>>) -> Result<Vec<WriteOutcome>, CommitError> {
        refuse_duplicate_paths(&batch)?;
        self.recover_on_first_use()
            .map_err(|source| CommitError::Io {
                index: 0,
                step: "recovery",
                source,
            })?;
        let mut forced = vec![None; batch.len()];
        for _ in 0..MAX_ATTEMPTS {
            match self.attempt_commit(&batch, &forced) {
                Ok(written) => return Ok(written),
                Err(AttemptError::Failed(error)) => return Err(error),
                Err(AttemptError::RetryWith(index, method)) => forced[index] = Some(method),
            }
        }
        Err(CommitFailure::RetryWith(WriteMethod::InPlace).into_commit_error(0))
    }

    fn attempt_commit(
        &self,
        batch: &[FileWrite<'_>],
        forced: &[Option<WriteMethod>],
    ) -> Result<Vec<WriteOutcome>, AttemptError> {
        // Without a usable state folder the old file could not be stored, so nothing is written.
        self.displaced.folder(&*self.disk).map_err(|source| {
            AttemptError::Failed(CommitError::Io {
                index: 0,
                step: "state folder",
                source,
            })
        })?;
        // Declared first, so that it is dropped last: the journal entry is closed after the scratch files are gone.
        let mut row;
        let mut scratch = Scratch::new(self);
        let mut checked = Vec::with_capacity(batch.len());
        for (index, write) in batch.iter().enumerate() {
            checked.push(check::check_current_file(write).map_err(attempt_error(index))?);
        }
        let mut staged = Vec::with_capacity(batch.len());
        for (index, (write, current)) in batch.iter().zip(checked).enumerate() {
            let method = forced.get(index).copied().flatten();
            staged.push(
                stage::stage_write(&mut scratch, write, current, method)
                    .map_err(attempt_error(index))?,
            );
        }
        let guard = self.lock(batch, &staged)?;
        let journal_error = |source| {
            AttemptError::Failed(CommitError::Io {
                index: 0,
                step: "journal",
                source,
            })
        };
        if let Some(index) =
            journal_entry::find_unsettled_write(self, batch).map_err(journal_error)?
        {
            return Err(AttemptError::Failed(CommitError::Unsettled { index }));
        }
        row = journal_entry::JournalEntry::open(self, batch, &staged).map_err(journal_error)?;
        let mut ready = Vec::with_capacity(batch.len());
        for (index, (write, staged)) in batch.iter().zip(staged).enumerate() {
            ready.push(prepare_swap(&mut scratch, write, staged).map_err(attempt_error(index))?);
        }
        if guard.has_expired() {
            return Err(AttemptError::Failed(self.busy_error(0)));
        }
        let mut done: Vec<AppliedWrite> = Vec::with_capacity(batch.len());
        for (index, (write, ready)) in batch.iter().zip(ready).enumerate() {
            let places = target_folders::TargetFolders::for_write(write, &ready, &guard);
            let checked = places.check_not_moved(&scratch);
            match checked.and_then(|()| apply_write(&mut scratch, write, ready)) {
                Ok(swapped) => {
                    done.push(swapped);
                    if let Some(failure) = places.concurrent_move_failure(&scratch) {
                        let error =
                            roll_back(&mut scratch, batch, done, failure.into_commit_error(index));
                        return Err(AttemptError::Failed(error));
                    }
                }
                Err(CommitFailure::RetryWith(method)) => {
                    let cause = CommitFailure::RetryWith(method).into_commit_error(index);
                    return Err(match roll_back(&mut scratch, batch, done, cause) {
                        partly @ CommitError::Partly { .. } => AttemptError::Failed(partly),
                        _ => AttemptError::RetryWith(index, method),
                    });
                }
                Err(failure) => {
                    let error =
                        roll_back(&mut scratch, batch, done, failure.into_commit_error(index));
                    return Err(AttemptError::Failed(error));
                }
            }
        }
        finish::finish_commit(scratch, batch, done, guard, &mut row).map_err(AttemptError::Failed)
    }

    fn lock(
        &self,
        batch: &[FileWrite<'_>],
        staged: &[StagedWrite],
    ) -> Result<FolderLocks, AttemptError> {
        let mut folders: Vec<Arc<OwnedFd>> = Vec::with_capacity(batch.len());
        for (write, staged) in batch.iter().zip(staged) {
            folders.push(Arc::clone(staged.folder(write)));
            if let NewBytes::MovedTo(to) = write.new {
                folders.push(Arc::clone(&to.folder));
            }
        }
        // An exchange is used only where no other machine writes.
        let is_exchange = |staged: &StagedWrite| matches!(staged, StagedWrite::Replace(one, _) if one.method == WriteMethod::Exchange);
        let machines = match staged.iter().all(is_exchange) {
            true => WriterMachines::This,
            false => WriterMachines::All,
        };
        let taken = self.locks.lock_folders(&self.disk, &folders, machines);
        let guard = taken.map_err(|error| {
            AttemptError::Failed(match error {
                LockError::Busy => self.busy_error(0),
                LockError::Io(source) => CommitError::Io {
                    index: 0,
                    step: "lock",
                    source,
                },
            })
        })?;
        if guard.scope == LockScope::AllProcesses {
            self.sweep_folders(&guard);
        }
        Ok(guard)
    }

    fn busy_error(&self, index: usize) -> CommitError {
        CommitError::Busy {
            index,
            waited: self.locks.patience,
        }
    }
}

/// Why an attempt ended without success.
enum AttemptError {
    Failed(CommitError),
    RetryWith(usize, WriteMethod),
}

fn attempt_error(index: usize) -> impl Fn(CommitFailure) -> AttemptError {
    move |failure| match failure {
        CommitFailure::RetryWith(method) => AttemptError::RetryWith(index, method),
        failure => AttemptError::Failed(failure.into_commit_error(index)),
    }
}

fn apply_write(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    ready: ReadyWrite,
) -> Result<AppliedWrite, CommitFailure> {
    match (ready, write.new) {
        (ReadyWrite::Replace(replacement, old_file), _)
            if replacement.method == WriteMethod::MoveAside =>
        {
            move_aside::move_aside(scratch, write, replacement, old_file)
        }
        (ReadyWrite::Replace(replacement, old_file), _) => {
            exchange::exchange_files(scratch, write, replacement, old_file)
        }
        (ReadyWrite::Create(creation), _) => names::create_file(scratch, write, creation),
        (ReadyWrite::InPlace(rewrite, to_rewrite), _) => {
            in_place::rewrite_file(scratch, write, rewrite, to_rewrite)
        }
        (ReadyWrite::Move(target, old_file, aside), NewBytes::MovedTo(to)) => {
            names::rename_file(scratch, write, to, target, old_file, aside)
        }
        (ReadyWrite::Remove(aside, old_file), _) => {
            names::remove_file(scratch, write, aside, old_file)
        }
        // Unreachable: `Ready::Move` is only built from `NewBytes::MovedTo`.
        (ReadyWrite::Move(..), _) => Err(CommitFailure::Changed),
    }
}

fn refuse_duplicate_paths(batch: &[FileWrite<'_>]) -> Result<(), CommitError> {
    if let [one] = batch
        && !matches!(one.new, NewBytes::MovedTo(_))
    {
        return Ok(());
    }
    let mut paths = HashMap::new();
    let mut inodes = HashMap::new();
    for (second, write) in batch.iter().enumerate() {
        let inode = write
            .located
            .stat()
            .map(|stamp| (stamp.device, stamp.inode));
        let mut earlier = paths.insert(write.located.path(), second);
        // Names of one file (hard links) do not interfere where each of them gets a file of its own.
        let is_apart = write.options.permission == OldFilePermission::NotNeeded;
        let other = inode.and_then(|inode| inodes.insert(inode, (second, is_apart)));
        let other = other.filter(|(_, other)| !(is_apart && *other));
        earlier = earlier.or(other.map(|(first, _)| first));
        if let NewBytes::MovedTo(to) = write.new {
            earlier = earlier.or(paths.insert(to.path(), second));
        }
        if let Some(first) = earlier {
            return Err(CommitError::Twice { first, second });
        }
    }
    Ok(())
}
