//! The journal entry of a commit, from which recovery learns what a crashed process was about to do. It is written
//! after the folders are locked and before any name changes. No lease is held yet, because a flush takes time and a
//! lease blocks other programs. It is closed after the temporary files are removed.

use std::io;
use std::sync::{Arc, PoisonError};

use super::scratch::Naming;
use super::stage::Staged;
use super::{Expected, Method, NewBytes, Write};
use crate::journal::{Act, FileIdentity, Flush, Intent, Journal, Step, Ticket};
use crate::roots::Workspace;

/// An open journal entry, closed on drop. It must be dropped after the temporary files that it names are removed: files
/// that a crash leaves without an entry are not recovered.
pub(super) struct JournalEntry {
    journal: Option<(Arc<dyn Journal>, Ticket)>,
}

impl JournalEntry {
    /// Records what is about to be done. A commit that only creates one file, from a temporary file without a name, has
    /// no entry: a crash leaves nothing of it behind.
    pub(super) fn open(
        workspace: &Workspace,
        batch: &[Write<'_>],
        staged: &[Staged],
    ) -> io::Result<JournalEntry> {
        let alone = batch.len() == 1;
        let leaves_nothing = |staged: &Staged| matches!(staged, Staged::Create(creation) if creation.temporary.naming == Naming::Unnamed);
        let Some(journal) = &workspace.journal else {
            return Ok(JournalEntry { journal: None });
        };
        if alone && staged.iter().all(leaves_nothing) {
            return Ok(JournalEntry { journal: None });
        }
        let mut steps = Vec::with_capacity(batch.len());
        let mut flush = if alone { Flush::Later } else { Flush::Now };
        for (write, staged) in batch.iter().zip(staged) {
            let step = step(write, staged);
            // With these methods a crash can leave the name without a whole file, so the entry must survive a power
            // cut. A single exchange, creation, removal or move leaves a whole file or none at any point.
            if matches!(step.act, Act::MoveAside | Act::InPlace { .. }) {
                flush = Flush::Now;
            }
            steps.push(step);
        }
        let ticket = journal.open(
            &Intent {
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
    pub(super) fn mark(&self) -> io::Result<()> {
        match &self.journal {
            Some((journal, ticket)) => journal.mark(*ticket, Flush::Now),
            None => Ok(()),
        }
    }

    /// Leaves the entry open, so that the next recovery stores an old file that could not be stored now.
    pub(super) fn leave(&mut self) {
        if let Some((journal, ticket)) = self.journal.take() {
            journal.let_go(ticket);
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
pub(super) fn unsettled(workspace: &Workspace, batch: &[Write<'_>]) -> io::Result<Option<usize>> {
    let Some(journal) = &workspace.journal else {
        return Ok(None);
    };
    let mut entries = journal.undecided()?;
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
            entry.names(write.located.path())
                || matches!(write.new, NewBytes::MovedTo(to) if entry.names(to.path()))
        })
    }))
}

fn step(write: &Write<'_>, staged: &Staged) -> Step {
    let located = write.located;
    let old = match (&write.expected, staged) {
        (expected, Staged::Replace(replacement, _)) => {
            expected.revision().map(|revision| FileIdentity {
                inode: replacement.checked.inode,
                revision,
            })
        }
        (Expected::Content { revision, .. }, Staged::InPlace(rewrite)) => Some(FileIdentity {
            inode: rewrite.checked.inode,
            revision: *revision,
        }),
        (expected, Staged::RemoveOrMove { checked, .. }) => {
            expected.revision().map(|revision| FileIdentity {
                inode: checked.inode,
                revision,
            })
        }
        _ => None,
    };
    let (act, temporary, new) = match staged {
        Staged::Replace(replacement, _) => (
            match replacement.method {
                Method::MoveAside => Act::MoveAside,
                _ => Act::Exchange,
            },
            replacement.temporary.name.clone(),
            Some(FileIdentity {
                inode: replacement.ours.inode,
                revision: replacement.revision,
            }),
        ),
        Staged::Create(creation) => (
            Act::Create,
            creation.temporary.name.clone(),
            Some(FileIdentity {
                inode: creation.ours.inode,
                revision: creation.revision,
            }),
        ),
        Staged::InPlace(rewrite) => (
            Act::InPlace {
                kept: rewrite.kept.clone(),
            },
            rewrite.old.name.clone(),
            Some(FileIdentity {
                inode: rewrite.checked.inode,
                revision: rewrite.new,
            }),
        ),
        Staged::RemoveOrMove { aside, .. } => match write.new {
            NewBytes::MovedTo(to) => (
                Act::Move {
                    folder: to.path().parent().map(Into::into).unwrap_or_default(),
                    name: to.name.clone(),
                },
                aside.clone(),
                old,
            ),
            _ => (Act::Remove, aside.clone(), None),
        },
    };
    Step {
        folder: located.path().parent().map(Into::into).unwrap_or_default(),
        name: located.name.clone(),
        temporary,
        act,
        old,
        new,
    }
}
