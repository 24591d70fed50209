//! The journal entry of a commit, from which recovery learns what a crashed process was about to do. It is written
//! after the folders are locked and before any name changes. No lease is held yet, because a flush takes time and a
//! lease blocks other programs. It is closed after the temporary files are removed.

use std::io;
use std::sync::{Arc, PoisonError};

use super::scratch::NameState;
use super::stage::StagedWrite;
use super::{ExpectedState, FileWrite, NewBytes, WriteMethod};
use crate::journal::{
    CommitIntent, EntryId, FileIdentity, FlushTime, IntentStep, Journal, StepAction,
};
use crate::roots::Workspace;

/// An open journal entry, closed on drop. It must be dropped after the temporary files that it names are removed: files
/// that a crash leaves without an entry are not recovered.
pub(super) struct JournalEntry {
    journal: Option<(Arc<dyn Journal>, EntryId)>,
}

impl JournalEntry {
    /// Records what is about to be done. A commit that only creates one file, from a temporary file without a name, has
    /// no entry: a crash leaves nothing of it behind.
    pub(super) fn open(
        workspace: &Workspace,
        batch: &[FileWrite<'_>],
        staged: &[StagedWrite],
    ) -> io::Result<JournalEntry> {
        let alone = batch.len() == 1;
        let leaves_nothing = |staged: &StagedWrite| matches!(staged, StagedWrite::Create(creation) if creation.temporary.naming == NameState::Unnamed);
        let Some(journal) = &workspace.journal else {
            return Ok(JournalEntry { journal: None });
        };
        if alone && staged.iter().all(leaves_nothing) {
            return Ok(JournalEntry { journal: None });
        }
        let mut steps = Vec::with_capacity(batch.len());
        let mut flush = if alone {
            FlushTime::Later
        } else {
            FlushTime::Now
        };
        for (write, staged) in batch.iter().zip(staged) {
            let step = journal_step(write, staged);
            // With these methods a crash can leave the name without a whole file, so the entry must survive a power
            // cut. A single exchange, creation, removal or move leaves a whole file or none at any point.
            if matches!(step.act, StepAction::MoveAside | StepAction::InPlace { .. }) {
                flush = FlushTime::Now;
            }
            steps.push(step);
        }
        let ticket = journal.open(
            &CommitIntent {
                boot: workspace.disk.boot(),
                steps,
            },
            flush,
        )?;
        Ok(JournalEntry {
            journal: Some((Arc::clone(journal), ticket)),
        })
    }

    /// Marks a commit of several files as decided: from here on recovery completes it instead of rolling it back.
    pub(super) fn mark_decided(&self) -> io::Result<()> {
        match &self.journal {
            Some((journal, ticket)) => journal.mark_decided(*ticket, FlushTime::Now),
            None => Ok(()),
        }
    }

    /// Leaves the entry open, so that the next recovery stores an old file that could not be stored now.
    pub(super) fn leave_open(&mut self) {
        if let Some((journal, ticket)) = self.journal.take() {
            journal.release(ticket);
        }
    }
}

impl Drop for JournalEntry {
    fn drop(&mut self) {
        if let Some((journal, ticket)) = self.journal.take() {
            // If the entry stays open all the same, the next recovery finds the commit completed or rolled back.
            if journal.close(ticket).is_err() {
                let _ = journal.close(ticket);
            }
        }
    }
}

/// Finds a write of the batch whose file belongs to an interrupted commit that is not settled. Called under the locks
/// of the batch: a running commit of these files would hold them.
pub(super) fn find_unsettled_write(
    workspace: &Workspace,
    batch: &[FileWrite<'_>],
) -> io::Result<Option<usize>> {
    let Some(journal) = &workspace.journal else {
        return Ok(None);
    };
    let mut entries = journal.undecided_entries()?;
    if entries.is_empty() {
        return Ok(None);
    }
    let out_of_reach = workspace
        .out_of_reach
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    entries.retain(|entry| !out_of_reach.contains(&entry.ticket));
    Ok(batch.iter().position(|write| {
        entries.iter().any(|entry| {
            entry.concerns_path(write.located.path())
                || matches!(write.new, NewBytes::MovedTo(to) if entry.concerns_path(to.path()))
        })
    }))
}

fn journal_step(write: &FileWrite<'_>, staged: &StagedWrite) -> IntentStep {
    let located = write.located;
    let old = match (&write.expected, staged) {
        (expected, StagedWrite::Replace(replacement, _)) => {
            expected.revision().map(|revision| FileIdentity {
                inode: replacement.checked.inode,
                revision,
            })
        }
        (ExpectedState::Content { revision, .. }, StagedWrite::InPlace(rewrite)) => {
            Some(FileIdentity {
                inode: rewrite.checked.inode,
                revision: *revision,
            })
        }
        (expected, StagedWrite::RemoveOrMove { checked, .. }) => {
            expected.revision().map(|revision| FileIdentity {
                inode: checked.inode,
                revision,
            })
        }
        _ => None,
    };
    let (act, temporary, new) = match staged {
        StagedWrite::Replace(replacement, _) => (
            match replacement.method {
                WriteMethod::MoveAside => StepAction::MoveAside,
                _ => StepAction::Exchange,
            },
            replacement.temporary.name.clone(),
            Some(FileIdentity {
                inode: replacement.ours.inode,
                revision: replacement.revision,
            }),
        ),
        StagedWrite::Create(creation) => (
            StepAction::Create,
            creation.temporary.name.clone(),
            Some(FileIdentity {
                inode: creation.ours.inode,
                revision: creation.revision,
            }),
        ),
        StagedWrite::InPlace(rewrite) => (
            StepAction::InPlace {
                kept: rewrite.kept.clone(),
            },
            rewrite.old.name.clone(),
            Some(FileIdentity {
                inode: rewrite.checked.inode,
                revision: rewrite.new,
            }),
        ),
        StagedWrite::RemoveOrMove { aside, .. } => match write.new {
            NewBytes::MovedTo(to) => (
                StepAction::Move {
                    folder: to.path().parent().map(Into::into).unwrap_or_default(),
                    name: to.name.clone(),
                },
                aside.clone(),
                old,
            ),
            _ => (StepAction::Remove, aside.clone(), None),
        },
    };
    IntentStep {
        folder: located.path().parent().map(Into::into).unwrap_or_default(),
        name: located.name.clone(),
        temporary,
        act,
        old,
        new,
    }
}
