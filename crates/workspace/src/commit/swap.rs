//! The swap of every staged file in order. Between the last look and the swap nothing is waited for.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::Arc;

use super::back::{Back, Done, Standing, flush_once, restore, roll_back};
use super::check;
use super::in_place;
use super::stage::{Staged, later_than};
use super::trial::{Temporary, Trial};
use super::{CommitError, Failure, NewBytes, Write, Written};
use crate::content::{Sink, write_content};
use crate::disk::{Disk, Open, Replace};
use crate::revision::Revision;
use crate::stamp::Stamp;

/// Is there a write after this one whose failure would call it back?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Company {
    Alone,
    OfSeveral,
}

pub(super) fn swap_all(
    mut trial: Trial,
    batch: &[Write<'_>],
    staged: Vec<Staged>,
) -> Result<Vec<Written>, CommitError> {
    let company = if staged.len() == 1 {
        Company::Alone
    } else {
        Company::OfSeveral
    };
    let mut done: Vec<Done> = Vec::with_capacity(staged.len());
    for (index, (write, staged)) in batch.iter().zip(staged).enumerate() {
        let mut standing = Standing::default();
        // All were looked at just before; the swaps of the ones before this one have taken their time since.
        let looked = if index == 0 {
            Ok(())
        } else {
            staged.look_again(write)
        };
        match looked.and_then(|()| swap(&mut trial, write, staged, company, index, &mut standing)) {
            Ok(swapped) => done.push(swapped),
            Err(failure) => return Err(roll_back(trial, batch, done, failure.of(index), standing)),
        }
    }
    trial.release_folders();
    let mut flushed = Vec::new();
    let mut results = Vec::with_capacity(done.len());
    for Done {
        mut written,
        folder,
        ..
    } in done
    {
        written.durable =
            folder.is_none_or(|folder| flush_once(&*trial.disk, folder, &mut flushed));
        results.push(written);
    }
    Ok(results)
}

fn swap(
    trial: &mut Trial,
    write: &Write<'_>,
    staged: Staged,
    company: Company,
    index: usize,
    standing: &mut Standing,
) -> Result<Done, Failure> {
    match staged {
        Staged::Replace {
            temporary,
            revision,
            old,
        } => replace(trial, write, temporary, revision, &old, company),
        Staged::Create {
            temporary,
            revision,
            created_folders,
        } => {
            let stamp = create(trial, write, &temporary)?;
            let written = Written {
                stamp,
                revision,
                guarantee: "create",
                durable: false,
                created_folders,
            };
            let folder = temporary.folder;
            Ok(Done {
                written,
                folder: Some(Arc::clone(&folder)),
                back: Back::Remove { folder },
            })
        }
        Staged::InPlace { rewrite, old } => {
            let disk = Arc::clone(&trial.disk);
            in_place::make_room(&*disk, write, &rewrite, &old)?;
            let revision = match in_place::overwrite(&*disk, write, &rewrite, &old) {
                Ok(revision) => revision,
                Err(failure) => {
                    if let Err(kept) = restore(trial, &rewrite, &old) {
                        standing.writes.push(index);
                        standing.kept.push(kept);
                    }
                    return Err(failure);
                }
            };
            let stamp = stamp_after(&*disk, rewrite.file.as_fd(), Some(&old));
            let written = Written {
                stamp,
                revision,
                guarantee: "in-place",
                durable: true,
                created_folders: Vec::new(),
            };
            Ok(Done {
                written,
                folder: None,
                back: Back::Restore { rewrite, old },
            })
        }
    }
}

fn replace(
    trial: &mut Trial,
    write: &Write<'_>,
    temporary: Temporary,
    revision: Revision,
    old: &Stamp,
    company: Company,
) -> Result<Done, Failure> {
    let disk = Arc::clone(&trial.disk);
    let located = write.located;
    let back = if company == Company::Alone {
        Back::Never
    } else {
        let kept = keep(trial, write, old).map_err(Failure::at("keep the old file"))?;
        Back::Rename {
            folder: Arc::clone(&located.folder),
            kept,
        }
    };
    disk.rename_at(
        located.folder(),
        &temporary.name,
        &located.name,
        Replace::Over,
    )
    .map_err(Failure::at("rename"))?;
    trial.release(&temporary.name);
    let stamp = stamp_after(&*disk, temporary.file.as_fd(), Some(old));
    let written = Written {
        stamp,
        revision,
        guarantee: "rename",
        durable: false,
        created_folders: Vec::new(),
    };
    Ok(Done {
        written,
        folder: Some(Arc::clone(&located.folder)),
        back,
    })
}

/// The old file under a second name; a copy of it where the file system knows no second names.
fn keep(trial: &mut Trial, write: &Write<'_>, old: &Stamp) -> io::Result<OsString> {
    let located = write.located;
    if let Ok(name) = trial.link(&located.folder, &located.name) {
        return Ok(name);
    }
    let disk = Arc::clone(&trial.disk);
    let source = disk.open_at(located.folder(), &located.name, Open::Read)?;
    let copy = trial.create(&located.folder, 0o600)?;
    let mut sink = Sink::new(&*disk, copy.file.as_fd());
    let unchanged = NewBytes::Streamed { changes: &[] };
    write_content(&unchanged, Some((source.as_fd(), old.size)), &mut sink)?;
    disk.set_owner(copy.file.as_fd(), old.uid, old.gid)?;
    disk.copy_attributes(source.as_fd(), copy.file.as_fd())?;
    disk.set_permissions(copy.file.as_fd(), old.permissions())?;
    disk.set_modified(copy.file.as_fd(), old.mtime)?;
    disk.sync(copy.file.as_fd())?;
    check::look_again(write, old).map_err(|_| io::Error::other("the file changed meanwhile"))?;
    Ok(copy.name)
}

/// Gives the new file its name, unless that is taken.
fn create(trial: &mut Trial, write: &Write<'_>, temporary: &Temporary) -> Result<Stamp, Failure> {
    let disk = Arc::clone(&trial.disk);
    let folder = temporary.folder.as_fd();
    let name = &write.located.name;
    let taken_or = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => Failure::Exists,
        _ => Failure::Io {
            step: "rename",
            source,
        },
    };
    match disk.rename_at(folder, &temporary.name, name, Replace::Never) {
        Ok(()) => trial.release(&temporary.name),
        Err(error) if !is_unsupported(&error) => return Err(taken_or(error)),
        Err(_) => match disk.link_at(folder, &temporary.name, name) {
            Ok(()) => trial.discard(&temporary.name),
            Err(error)
                if !is_unsupported(&error) && error.kind() != io::ErrorKind::PermissionDenied =>
            {
                return Err(taken_or(error));
            }
            // Neither way is known here: all that is left is to look first.
            Err(_) => match disk.stat_at(folder, name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    disk.rename_at(folder, &temporary.name, name, Replace::Over)
                        .map_err(Failure::at("rename"))?;
                    trial.release(&temporary.name);
                }
                Err(error) => {
                    return Err(Failure::Io {
                        step: "rename",
                        source: error,
                    });
                }
                Ok(_) => return Err(Failure::Exists),
            },
        },
    }
    Ok(stamp_after(&*disk, temporary.file.as_fd(), None))
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
    )
}

/// The stamp of a file that has just been written. The write stands whatever happens here, so a failure gives a stamp
/// that equals no other: the next look compares content.
fn stamp_after(disk: &dyn Disk, file: BorrowedFd<'_>, old: Option<&Stamp>) -> Stamp {
    let stamp = disk.stat(file).or_else(|_| disk.stat(file));
    let too_early = |stamp: &Stamp| old.is_some_and(|old| stamp.mtime <= old.mtime);
    match (stamp, old) {
        (Ok(stamp), Some(old)) if too_early(&stamp) => {
            // Rewritten within one tick of the clock, or on a file system that keeps whole seconds.
            let _ = disk.set_modified(file, later_than(old.mtime, disk.now()));
            if disk.stat(file).is_ok_and(|stamp| too_early(&stamp)) {
                let _ = disk.set_modified(file, (old.mtime.0.saturating_add(2), 0));
            }
            disk.stat(file).unwrap_or(stamp)
        }
        (Ok(stamp), _) => stamp,
        (Err(_), _) => Stamp {
            device: 0,
            inode: 0,
            size: 0,
            mtime: (0, 0),
            ctime: (0, 0),
            mode: 0,
            uid: 0,
            gid: 0,
            links: 0,
            taken: (0, 0),
        },
    }
}
