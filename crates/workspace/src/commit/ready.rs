//! The second phase of a commit, under the locks: the old file of each write is compared and, where possible, leased.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use super::applied::{FileToRewrite, Rewrite};
use super::check::compare_without_bytes;
use super::in_place;
use super::lease::{CheckedFile, lease_and_compare};
use super::scratch::Scratch;
use super::stage::{Creation, Replacement, Staged, make_folders};
use super::{CommitFailure, NewBytes, Write};
use crate::stamp::Stamp;

/// A write whose old file was compared and, where possible, leased.
pub(super) enum Ready {
    Replace(Replacement, CheckedFile),
    Create(Creation),
    InPlace(Rewrite, FileToRewrite),
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
pub(super) fn make_ready(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    staged: Staged,
) -> Result<Ready, CommitFailure> {
    match staged {
        Staged::Replace(mut replacement, handle) => {
            let device = replacement.checked.device;
            scratch.name(&mut replacement.temporary, device, replacement.method)?;
            let old_file = compare(scratch, write, handle, &replacement.checked)?;
            Ok(Ready::Replace(replacement, old_file))
        }
        Staged::Create(creation) => Ok(Ready::Create(creation)),
        Staged::InPlace(mut rewrite) => {
            in_place::name_copies(scratch, &mut rewrite)?;
            let to_rewrite = in_place::protection(scratch, write, &rewrite)?;
            Ok(Ready::InPlace(rewrite, to_rewrite))
        }
        Staged::RemoveOrMove {
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
                Some(target) => Ready::Move(target, old_file, aside),
                None => Ready::Remove(aside, old_file),
            })
        }
    }
}

/// Compares the old file, which `handle` has open, or the old link or folder.
fn compare(
    scratch: &Scratch<'_>,
    write: &Write<'_>,
    handle: Option<OwnedFd>,
    checked: &Stamp,
) -> Result<CheckedFile, CommitFailure> {
    match handle {
        Some(handle) => lease_and_compare(scratch, write, handle, checked),
        None => compare_without_bytes(write),
    }
}
