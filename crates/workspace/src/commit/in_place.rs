//! Rewriting in place: for a file whose name must stay with its inode (several hard links, an owner that a new file
//! cannot be given to). The old bytes are put away and flushed first, and come back if anything fails.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::stage::{Staged, check_base};
use super::trial::{Temporary, Trial};
use super::{Barrier, Failure, NewBytes, Write};
use crate::content::{Sink, new_length, write_content};
use crate::disk::{Disk, Open};
use crate::revision::Revision;
use crate::stamp::Stamp;

/// A file about to be rewritten, and its old bytes.
#[derive(Debug)]
pub(super) struct Rewrite {
    pub(super) file: OwnedFd,
    pub(super) old: Temporary,
    /// Where a person finds the old bytes.
    pub(super) kept: PathBuf,
}

pub(super) fn stage(
    trial: &mut Trial,
    write: &Write<'_>,
    handle: &OwnedFd,
    old: Stamp,
) -> Result<Staged, Failure> {
    let located = write.located;
    let disk = Arc::clone(&trial.disk);
    let file = match disk.open_at(located.folder(), &located.name, Open::Rewrite) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Err(Failure::ReadOnly(Barrier::File));
        }
        Err(source) => {
            return Err(Failure::Io {
                step: "open",
                source,
            });
        }
    };
    if !disk
        .stat(file.as_fd())
        .map_err(Failure::at("look"))?
        .same_file(&old)
    {
        return Err(Failure::Changed);
    }
    let (kept, path) = trial
        .create_displaced(&located.folder, located.path())
        .map_err(Failure::at("keep the old bytes"))?;
    let mut sink = Sink::new(&*disk, kept.file.as_fd());
    let unchanged = NewBytes::Streamed { changes: &[] };
    let base = write_content(&unchanged, Some((handle.as_fd(), old.size)), &mut sink)
        .map_err(Failure::at("keep the old bytes"))?;
    check_base(write, base)?;
    disk.sync(kept.file.as_fd())
        .map_err(Failure::at("keep the old bytes"))?;
    disk.sync(kept.folder.as_fd())
        .map_err(Failure::at("keep the old bytes"))?;
    Ok(Staged::InPlace {
        rewrite: Rewrite {
            file,
            old: kept,
            kept: path,
        },
        old,
    })
}

/// Reserves what the new content takes more than the old: a full disk shows here, before a byte is overwritten.
pub(super) fn make_room(
    disk: &dyn Disk,
    write: &Write<'_>,
    rewrite: &Rewrite,
    old: &Stamp,
) -> Result<(), Failure> {
    let file = rewrite.file.as_fd();
    disk.reserve(file, old.size, new_length(&write.new, old.size))
        .map_err(|source| {
            // What was reserved before the room ran out goes back; the content was not touched.
            let _ = disk.set_length(file, old.size);
            let _ = disk.set_modified(file, old.mtime);
            Failure::Io {
                step: "write",
                source,
            }
        })
}

/// Writes the new content over the old.
pub(super) fn overwrite(
    disk: &dyn Disk,
    write: &Write<'_>,
    rewrite: &Rewrite,
    old: &Stamp,
) -> Result<Revision, Failure> {
    let file = rewrite.file.as_fd();
    let mut sink = Sink::new(disk, file);
    write_content(
        &write.new,
        Some((rewrite.old.file.as_fd(), old.size)),
        &mut sink,
    )
    .map_err(Failure::at("write"))?;
    let (length, revision) = sink.finish();
    if length < old.size {
        disk.set_length(file, length)
            .map_err(Failure::at("write"))?;
    }
    if old.permissions() & 0o6000 != 0 {
        // A write clears set-user-id and set-group-id. Where only the owner may set them again they stay cleared, as
        // after any write.
        let _ = disk.set_permissions(file, old.permissions());
    }
    disk.sync(file).map_err(Failure::at("flush"))?;
    Ok(revision)
}

/// Puts the old bytes back, and the time: a write that failed was none.
pub(super) fn restore(disk: &dyn Disk, rewrite: &Rewrite, old: &Stamp) -> io::Result<()> {
    let file = rewrite.file.as_fd();
    let mut sink = Sink::new(disk, file);
    let unchanged = NewBytes::Streamed { changes: &[] };
    write_content(
        &unchanged,
        Some((rewrite.old.file.as_fd(), old.size)),
        &mut sink,
    )?;
    disk.set_length(file, old.size)?;
    // Mode and time are the owner's to set; where the file is somebody else's they are as after any write.
    let denied_is_fine = |error: io::Error| match error.kind() {
        io::ErrorKind::PermissionDenied => Ok(()),
        _ => Err(error),
    };
    disk.set_permissions(file, old.permissions())
        .or_else(denied_is_fine)?;
    disk.set_modified(file, old.mtime).or_else(denied_is_fine)?;
    disk.sync(file)
}
