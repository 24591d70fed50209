//! The commit: stages and flushes all files, takes locks and leases, compares the content, swaps the names, and
//! verifies what was displaced. Several files are written all or none; when one fails, those already swapped are
//! rolled back.
//!
//! The promise: a write by another program before, during or just after the commit is never lost silently. It is at
//! the name, or it is kept and reported.
//!
//! The promise: a write by anybody else, before, during or just after, is never lost silently. It stands at the name, or
//! it is kept and told.

mod aside;
mod back;
mod check;
mod exchange;
mod finish;
mod guarantee;
mod hold;
mod in_place;
mod intent;
mod names;
mod outcome;
mod place;
mod request;
mod stage;
mod trial;

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::sync::Arc;

pub(crate) use aside::give_name;
pub use guarantee::Guarantee;
pub(crate) use in_place::write_over;
pub use outcome::{CommitError, ReadOnlyReason, Warning, Written};
pub use request::{
    Durability, Expected, HardLinkPolicy, NewBytes, OldFile, Source, Strategy, Weak, Write,
    WriteOptions,
};
pub use stage::is_package_store;
pub(crate) use trial::next_name;

use crate::locks::{Guard, Kept, LockError};
use crate::roots::Workspace;
use back::{Done, roll_back};
use hold::Held;
use in_place::{Gripped, Rewrite};
use outcome::{Failure, Rung};
use stage::{Creation, Replacement, Staged};
use trial::Scratch;

/// How often a batch is attempted again because a file needs another method.
const ATTEMPTS: usize = 6;

impl Workspace {
    /// Writes every file of the batch or none. [`CommitError::Partly`] is the one exception, and names what could not
    /// be rolled back.
    pub fn commit(&self, batch: Vec<Write<'_>>) -> Result<Vec<Written>, CommitError> {
        refuse_doubles(&batch)?;
        self.recover_once().map_err(|source| CommitError::Io {
            index: 0,
            step: "recovery",
            source,
        })?;
        let mut forced = vec![None; batch.len()];
        for _ in 0..ATTEMPTS {
            match self.attempt(&batch, &forced) {
                Ok(written) => return Ok(written),
                Err(Stopped::For(error)) => return Err(error),
                Err(Stopped::Again(index, rung)) => forced[index] = Some(rung),
            }
        }
        Err(Failure::Again(Rung::InPlace).of(0))
    }

    fn attempt(
        &self,
        batch: &[Write<'_>],
        forced: &[Option<Rung>],
    ) -> Result<Vec<Written>, Stopped> {
        // Without a usable state folder the old file could not be kept, so nothing is written.
        self.displaced.folder(&*self.disk).map_err(|source| {
            Stopped::For(CommitError::Io {
                index: 0,
                step: "state folder",
                source,
            })
        })?;
        // Declared first, so that it is dropped last: the journal entry is closed after the scratch files are gone.
        let mut row;
        let mut trial = Scratch::new(self);
        let mut checked = Vec::with_capacity(batch.len());
        for (index, write) in batch.iter().enumerate() {
            checked.push(check::check(write).map_err(stopped(index))?);
        }
        let mut staged = Vec::with_capacity(batch.len());
        for (index, (write, current)) in batch.iter().zip(checked).enumerate() {
            let rung = forced.get(index).copied().flatten();
            staged.push(stage::stage(&mut trial, write, current, rung).map_err(stopped(index))?);
        }
        let guard = self.lock(batch, &staged)?;
        trial.locked(&guard);
        row = intent::Row::open(self, batch, &staged).map_err(|source| {
            Stopped::For(CommitError::Io {
                index: 0,
                step: "journal",
                source,
            })
        })?;
        let mut ready = Vec::with_capacity(batch.len());
        for (index, (write, staged)) in batch.iter().zip(staged).enumerate() {
            ready.push(make_ready(&mut trial, write, staged).map_err(stopped(index))?);
        }
        let mut done: Vec<Done> = Vec::with_capacity(batch.len());
        for (index, (write, ready)) in batch.iter().zip(ready).enumerate() {
            let places = place::Places::of(write, &ready, &guard);
            let checked = places.check(&trial);
            match checked.and_then(|()| swap(&mut trial, write, ready)) {
                Ok(swapped) => {
                    done.push(swapped);
                    if let Some(failure) = places.moved_meanwhile(&trial) {
                        let error = roll_back(&mut trial, batch, done, failure.of(index));
                        return Err(Stopped::For(error));
                    }
                }
                Err(Failure::Again(rung)) => {
                    let cause = Failure::Again(rung).of(index);
                    return Err(match roll_back(&mut trial, batch, done, cause) {
                        partly @ CommitError::Partly { .. } => Stopped::For(partly),
                        _ => Stopped::Again(index, rung),
                    });
                }
                Err(failure) => {
                    let error = roll_back(&mut trial, batch, done, failure.of(index));
                    return Err(Stopped::For(error));
                }
            }
        }
        finish::finish(trial, batch, done, guard, &mut row).map_err(Stopped::For)
    }

    fn lock(&self, batch: &[Write<'_>], staged: &[Staged]) -> Result<Guard, Stopped> {
        let mut folders: Vec<Arc<OwnedFd>> = Vec::with_capacity(batch.len());
        for (write, staged) in batch.iter().zip(staged) {
            folders.push(Arc::clone(staged.folder(write)));
            if let NewBytes::MovedTo(to) = write.new {
                folders.push(Arc::clone(&to.folder));
            }
        }
        let guard = self.locks.take(&self.disk, &folders).map_err(|error| {
            Stopped::For(match error {
                LockError::Busy => CommitError::Busy {
                    index: 0,
                    waited: self.locks.patience,
                },
                LockError::Io(source) => CommitError::Io {
                    index: 0,
                    step: "lock",
                    source,
                },
            })
        })?;
        if guard.kept == Kept::Out {
            self.sweep(&guard, &folders);
        }
        Ok(guard)
    }
}

/// Why an attempt ended without success.
enum Stopped {
    For(CommitError),
    Again(usize, Rung),
}

fn stopped(index: usize) -> impl Fn(Failure) -> Stopped {
    move |failure| match failure {
        Failure::Again(rung) => Stopped::Again(index, rung),
        failure => Stopped::For(failure.of(index)),
    }
}

/// A write whose old file was compared and, where possible, leased.
enum Ready {
    Replace(Replacement, Held),
    Create(Creation),
    InPlace(Rewrite, Gripped),
    Remove(OsString, Held),
    Move(Arc<OwnedFd>, Held),
}

fn make_ready(
    trial: &mut Scratch<'_>,
    write: &Write<'_>,
    staged: Staged,
) -> Result<Ready, Failure> {
    match staged {
        Staged::Replace(mut replacement, handle) => {
            let device = replacement.checked.device;
            trial.name(&mut replacement.temporary, device, replacement.rung)?;
            let held = hold::hold(trial, write, handle, &replacement.checked)?;
            Ok(Ready::Replace(replacement, held))
        }
        Staged::Create(creation) => Ok(Ready::Create(creation)),
        Staged::InPlace(mut rewrite) => {
            in_place::name_copies(trial, &mut rewrite)?;
            let gripped = in_place::grip(trial, write, &rewrite)?;
            Ok(Ready::InPlace(rewrite, gripped))
        }
        Staged::Leave {
            handle,
            checked,
            aside,
        } => {
            let to_folder = match write.new {
                NewBytes::MovedTo(to) => Some(stage::make_folders(trial, to)?.0),
                _ => None,
            };
            let held = hold::hold(trial, write, handle, &checked)?;
            Ok(match to_folder {
                Some(folder) => Ready::Move(folder, held),
                None => Ready::Remove(aside, held),
            })
        }
    }
}

fn swap(trial: &mut Scratch<'_>, write: &Write<'_>, ready: Ready) -> Result<Done, Failure> {
    match (ready, write.new) {
        (Ready::Replace(replacement, held), _) if replacement.rung == Rung::Aside => {
            aside::aside(trial, write, replacement, held)
        }
        (Ready::Replace(replacement, held), _) => {
            exchange::exchange(trial, write, replacement, held)
        }
        (Ready::Create(creation), _) => names::create(trial, write, creation),
        (Ready::InPlace(rewrite, gripped), _) => in_place::rewrite(trial, write, rewrite, gripped),
        (Ready::Move(folder, held), NewBytes::MovedTo(to)) => {
            names::rename(trial, write, to, folder, held)
        }
        (Ready::Remove(aside, held), _) => names::remove(trial, write, aside, held),
        // Unreachable: `Ready::Move` is only built from `NewBytes::MovedTo`.
        (Ready::Move(..), _) => Err(Failure::Changed),
    }
}

fn refuse_doubles(batch: &[Write<'_>]) -> Result<(), CommitError> {
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
        earlier = earlier.or(inode.and_then(|inode| inodes.insert(inode, second)));
        if let NewBytes::MovedTo(to) = write.new {
            earlier = earlier.or(paths.insert(to.path(), second));
        }
        if let Some(first) = earlier {
            return Err(CommitError::Twice { first, second });
        }
    }
    Ok(())
}
