//! Replaces a file where two names cannot be exchanged: the old file is renamed away and verified, and the new one is
//! linked to the name, which must still be free. Nothing is lost, but the name is missing for some microseconds.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use super::exchange::keep;
use super::free_name::{RenameSafety, rename_to_free_name};
use super::lease::CheckedFile;
use super::retry::twice;
use super::rollback::{Applied, Rollback};
use super::scratch::Scratch;
use super::stage::Replacement;
use super::swap::{self, freshen, verify_and_adopt, written};
use super::{CommitFailure, Guarantee, Write};
use crate::disk::Replace;

pub(super) fn move_aside(
    scratch: &mut Scratch<'_>,
    write: &Write<'_>,
    replacement: Replacement,
    mut old_file: CheckedFile,
) -> Result<Applied, CommitFailure> {
    let disk = scratch.disk();
    freshen(disk, write, &replacement, &old_file)?;
    let temporary = &replacement.temporary;
    let name = &write.located.name;
    let folder = write.located.folder();
    let old = aside_name(&temporary.name);
    disk.rename_at(folder, name, &old, Replace::Over)
        .map_err(|error| swap::refused("move aside", error))?;
    if let Err(failure) = verify_and_adopt(scratch, write, temporary, &old, &mut old_file) {
        return Err(put_back(scratch, write, &old, failure));
    }
    let trust = scratch.rename_trust(folder);
    let given = match rename_to_free_name(disk, trust, folder, &temporary.name, name) {
        Ok(given) => given,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // Another program created the file while the name was missing: its file stays. The old one is kept; it
            // holds the content that was checked.
            keep(scratch, write, &old);
            return Err(CommitFailure::Changed);
        }
        Err(source) => {
            let failure = CommitFailure::Io {
                step: "link",
                source,
            };
            return Err(put_back(scratch, write, &old, failure));
        }
    };
    scratch.release(&temporary.name);
    let guarantee = match given {
        RenameSafety::NeverReplaces => Guarantee::Aside,
        RenameSafety::CheckedFirst => Guarantee::Weak,
    };
    let warnings = given.warnings();
    Ok(Applied {
        written: written(
            disk,
            write,
            &replacement,
            &old_file.stamp,
            guarantee,
            warnings,
        ),
        folder: Arc::clone(&write.located.folder),
        rollback: Rollback::Aside { old, old_file },
    })
}

/// The name that the old file is renamed to, derived from the temporary name of the new one.
pub(crate) fn aside_name(temporary: &OsStr) -> OsString {
    let mut name = temporary.to_owned();
    name.push(".old");
    name
}

/// Renames the old file back, or keeps it where the name has been taken.
pub(super) fn put_back(
    scratch: &Scratch<'_>,
    write: &Write<'_>,
    old: &OsStr,
    failure: CommitFailure,
) -> CommitFailure {
    let disk = scratch.disk();
    let folder = write.located.folder();
    let trust = scratch.rename_trust(folder);
    match twice(|| rename_to_free_name(disk, trust, folder, old, &write.located.name).map(|_| ())) {
        Ok(()) => failure,
        Err(_) => CommitFailure::Conflict(vec![keep(scratch, write, old)]),
    }
}
