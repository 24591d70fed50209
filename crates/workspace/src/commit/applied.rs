//! A write that was applied, with the data needed to undo it.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use super::WriteOutcome;
use super::lease::{CheckedFile, LeaseProtection};
use super::scratch::TemporaryFile;
use crate::revision::Revision;
use crate::stamp::Stamp;

/// A write that was applied, with the data needed to undo it.
pub(super) struct AppliedWrite {
    pub(super) written: WriteOutcome,
    /// The folder whose flush makes the write durable.
    pub(super) folder: Arc<OwnedFd>,
    pub(super) rollback: RollbackData,
}

pub(super) enum RollbackData {
    /// The old file has the temporary name; exchanging the names again undoes the write.
    Exchange {
        temporary: TemporaryFile,
        old_file: CheckedFile,
    },
    /// The old file was renamed to this name.
    Aside {
        old: OsString,
        old_file: CheckedFile,
    },
    Create {
        temporary: TemporaryFile,
    },
    InPlace {
        rewrite: StagedRewrite,
        to_rewrite: FileToRewrite,
    },
    Move {
        to_folder: Arc<OwnedFd>,
        to: OsString,
        old_file: CheckedFile,
    },
}

/// The stored copies of a file that is about to be rewritten.
#[derive(Debug)]
pub(super) struct StagedRewrite {
    pub(super) old: TemporaryFile,
    /// The path of the old bytes.
    pub(super) kept: PathBuf,
    pub(super) checked: Stamp,
    /// The revision of the new content, which distinguishes a complete rewrite from a torn one after a crash.
    pub(super) new: Revision,
    /// The new bytes, which distinguish a torn rewrite from another program's write. `None` without a state folder,
    /// where there is no recovery.
    pub(super) next: Option<TemporaryFile>,
}

/// A file that is open for rewriting, compared and leased.
#[derive(Debug)]
pub(super) struct FileToRewrite {
    pub(super) file: OwnedFd,
    pub(super) stamp: Stamp,
    pub(super) protection: LeaseProtection,
}
