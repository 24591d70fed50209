//! What a look is for, and what comes of it.

use std::path::PathBuf;

use lancet_history::{
    Checkpoint, CheckpointKind, EntryChange, GitHead, HeadMove, HistoryError, OpenCall,
    OperationAuthor, RecordedCall,
};
use lancet_workspace::FolderHandle;

use crate::extent::FoundEntries;
use crate::git_view::GitView;
use crate::listing::ListingBuilder;
use crate::operation::OperationFiles;

/// A call of another program that has ended.
pub struct ProgramCall<'c> {
    /// The checkpoint that was set before it.
    pub since: i64,
    /// The name of the tool.
    pub tool: &'c str,
    /// The session and client that made the call.
    pub author: OperationAuthor<'c>,
    /// The details of the call.
    pub call: RecordedCall,
    /// Its number among the calls that were recorded when they began; none if it was not.
    pub number: Option<i64>,
    /// The files that it names; empty if it may have changed any file.
    pub paths: &'c [PathBuf],
    /// What becomes of files that git has on both sides.
    pub git: GitChanges,
}

/// What becomes of changed files that git has on both sides of the change, as after a checkout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitChanges {
    /// They are part of the operation.
    Listed,
    /// They are counted and left to git.
    Counted,
}

/// How much of the root a look reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookDepth {
    /// The stat of every file.
    Full,
    /// What a process that watches the root reports as changed; everything, if there is none.
    Reported,
}

/// What becomes of changes that no recorded call made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unattributed {
    /// They are recorded if a call was left without its end, and not otherwise.
    AfterLeftCall,
    /// Those since this checkpoint, by default the newest, are recorded, unless a call is open.
    Recorded {
        /// The number of the checkpoint.
        since: Option<i64>,
    },
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
    /// How HEAD of the git work tree moved, if that is part of the operation.
    pub head: Option<HeadMove>,
    /// Whether the call removed the root itself.
    pub is_root_removed: bool,
}

/// The reason why a look failed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The root no longer exists, or is no folder any more.
    #[error("{root} was removed or moved, so nothing can be recorded there", root = root.display())]
    RootGone {
        /// The root.
        root: PathBuf,
    },
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
pub(crate) struct LookPurpose<'p> {
    pub(crate) kind: CheckpointKind,
    pub(crate) name: Option<&'p str>,
    pub(crate) session: &'p str,
    pub(crate) call: Option<&'p ProgramCall<'p>>,
    pub(crate) unattributed: Unattributed,
    pub(crate) depth: LookDepth,
}

/// The circumstances of a look.
pub(crate) struct Moment<'m> {
    pub(crate) root: &'m FolderHandle,
    /// The number of the newest checkpoint.
    pub(crate) newest: Option<i64>,
    /// The other calls that run.
    pub(crate) open: &'m [OpenCall],
    /// The checkpoint since which changes become an operation; none if they do not.
    pub(crate) since: Option<i64>,
    /// HEAD of the git work tree.
    pub(crate) head: Option<&'m GitHead>,
}

/// What a look found to record.
pub(crate) struct ExaminedLook {
    /// The changes since the newest checkpoint.
    pub(crate) changes: Vec<EntryChange>,
    pub(crate) operation: OperationFiles,
    pub(crate) recorded: RecordedCall,
    /// The files that were not read although they are small enough.
    pub(crate) unread: Vec<Vec<u8>>,
    /// Whether unchanged files need no further attention: what git may drop is linked, or in the history.
    pub(crate) is_settled: bool,
}

/// What a look found on the disk, and what it knows of git.
pub(crate) struct FoundLook<'r> {
    pub(crate) found: FoundEntries,
    pub(crate) git: GitView<'r>,
    pub(crate) source: LookSource<'r>,
}

/// Where a look has its entries from.
pub(crate) enum LookSource<'r> {
    /// A process that watches the root.
    Report,
    /// The listing of an earlier scan. The record is the one that its journal lacks.
    Listing(Vec<u8>),
    /// A scan of the root, which is to become the listing.
    Scan(Box<ListingBuilder<'r>>),
}

impl LookPurpose<'_> {
    /// Returns whether files that git has on both sides are counted and not listed.
    pub(crate) fn leaves_to_git(&self) -> bool {
        self.call.is_none_or(|call| call.git == GitChanges::Counted)
    }

    /// Returns the number of the checkpoint since which changes become an operation; none if they do not.
    pub(crate) fn since(&self, newest: Option<&Checkpoint>, open: &[OpenCall]) -> Option<i64> {
        match (self.call, self.unattributed) {
            (Some(call), _) => Some(call.since),
            (None, _) if !open.is_empty() => None,
            (None, Unattributed::AfterLeftCall) => newest
                .filter(|newest| newest.is_left_open)
                .map(|newest| newest.number),
            (None, Unattributed::Recorded { since }) => {
                since.or(newest.map(|newest| newest.number))
            }
        }
    }
}

/// A look whose result is about to be recorded.
pub(crate) struct FinishedLook<'l> {
    /// When it began.
    pub(crate) time: i64,
    /// The number of entries.
    pub(crate) files: u64,
    /// HEAD of the git work tree.
    pub(crate) head: Option<&'l GitHead>,
    /// The checkpoint before it.
    pub(crate) newest: Option<&'l Checkpoint>,
    pub(crate) changes: &'l [EntryChange],
    /// Whether the root itself is gone.
    pub(crate) is_root_removed: bool,
}
