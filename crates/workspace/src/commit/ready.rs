//! The second phase of a commit, under the locks: the old file of each write is compared and, where possible, leased.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use super::applied::{FileToRewrite, StagedRewrite};
use super::check::compare_without_bytes;
use super::in_place;
use super::lease::{CheckedFile, lease_and_compare};
use super::new_folders::make_folders;
use super::scratch::Scratch;
use super::stage::{StagedCreation, StagedReplacement, StagedWrite};
use super::{CommitFailure, FileWrite, NewBytes};
use crate::stamp::Stamp;

/// A write whose old file was compared and, where possible, leased.
pub(super) enum ReadyWrite {
    Replace(StagedReplacement, CheckedFile),
    Create(StagedCreation),
    InPlace(StagedRewrite, FileToRewrite),
    Remove(OsString, CheckedFile),
    Move(MoveTarget, CheckedFile, OsString),
}

/// The folder that a file is moved to.
pub(super) struct MoveTarget {
    pub(super) folder: Arc<OwnedFd>,
    /// The folders created for it, outermost first.
    pub(super) created_folders: Vec<PathBuf>,
}

/// Names the temporary file of a write, and compares and leases its old file.
pub(super) fn prepare_swap(
    scratch: &mut Scratch<'_>,
    write: &FileWrite<'_>,
    staged: StagedWrite,
) -> Result<ReadyWrite, CommitFailure> {
    match staged {
        StagedWrite::Replace(mut replacement, handle) => {
            let device = replacement.checked.device;
            scratch.assign_name(&mut replacement.temporary, device, replacement.method)?;
            let old_file = compare(scratch, write, handle, &replacement.checked)?;
            Ok(ReadyWrite::Replace(replacement, old_file))
        }
        StagedWrite::Create(creation) => Ok(ReadyWrite::Create(creation)),
        StagedWrite::InPlace(mut rewrite) => {
            in_place::name_stored_copies(scratch, &mut rewrite)?;
            let to_rewrite = in_place::open_and_protect(scratch, write, &rewrite)?;
            Ok(ReadyWrite::InPlace(rewrite, to_rewrite))
        }
        StagedWrite::RemoveOrMove {
            handle,
            checked,
            aside,
        } => {
            let target = match write.new {
                NewBytes::MovedTo(to) => {
                    let (folder, created_folders) = make_folders(scratch, to)?;
                    Some(MoveTarget {
                        folder,
                        created_folders,
                    })
                }
                _ => None,
            };
            let old_file = compare(scratch, write, handle, &checked)?;
            Ok(match target {
                Some(target) => ReadyWrite::Move(target, old_file, aside),
                None => ReadyWrite::Remove(aside, old_file),
            })
        }
    }
}

/// Compares the old file, which `handle` has open, or the old link or folder.
fn compare(
    scratch: &Scratch<'_>,
    write: &FileWrite<'_>,
    handle: Option<OwnedFd>,
    checked: &Stamp,
) -> Result<CheckedFile, CommitFailure> {
    match handle {
        Some(handle) => lease_and_compare(scratch, write, handle, checked),
        None => compare_without_bytes(write),
    }
}
