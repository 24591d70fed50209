//! The swap of every staged file in order, and the way back when one of them fails. Between the last look and the
//! swap nothing is waited for.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use super::check;
use super::in_place::{self, Rewrite};
use super::stage::{Staged, later_than};
use super::trial::Trial;
use super::{CommitError, Failure, NewBytes, Write, Written};
use crate::content::{Sink, write_content};
use crate::disk::{Disk, Open, Replace};
use crate::revision::Revision;
use crate::stamp::Stamp;

/// A file that was swapped, with what it takes to swap it back.
struct Done {
    written: Written,
    /// The folder whose flush makes it durable.
    folder: Option<Arc<OwnedFd>>,
    back: Back,
}

enum Back {
    /// A single write needs no way back: nothing can fail after it.
    None,
    /// The old file under another name.
    Rename {
        folder: Arc<OwnedFd>,
        kept: OsString,
    },
    Remove {
        folder: Arc<OwnedFd>,
    },
    Restore {
        rewrite: Rewrite,
        old: Stamp,
    },
}

pub(super) fn swap_all(
    mut trial: Trial,
    batch: &[Write<'_>],
    staged: Vec<Staged>,
) -> Result<Vec<Written>, CommitError> {
    let mut done: Vec<Done> = Vec::with_capacity(staged.len());
    let alone = staged.len() == 1;
    for (index, (write, staged)) in batch.iter().zip(staged).enumerate() {
        let swapped = match staged {
            Staged::Replace {
                temporary,
                revision,
                old,
            } => replace(
                &mut trial,
                write,
                temporary.file,
                &temporary.name,
                revision,
                &old,
                alone,
            ),
            Staged::Create {
                temporary,
                revision,
                created_folders,
            } => create(
                &mut trial,
                write,
                &temporary.folder,
                temporary.file.as_fd(),
                &temporary.name,
            )
            .map(|stamp| Done {
                written: Written {
                    stamp,
                    revision,
                    guarantee: "create",
                    durable: false,
                    created_folders,
                },
                folder: Some(Arc::clone(&temporary.folder)),
                back: Back::Remove {
                    folder: temporary.folder,
                },
            }),
            Staged::InPlace { rewrite, old } => {
                match rewrite_in_place(&mut trial, write, rewrite, old) {
                    Ok(done) => Ok(done),
                    Err((failure, None)) => Err(failure),
                    Err((failure, Some(kept))) => {
                        // This file itself could not be put back.
                        return Err(roll_back(
                            trial,
                            batch,
                            done,
                            index,
                            failure,
                            vec![index],
                            vec![kept],
                        ));
                    }
                }
            }
        };
        match swapped {
            Ok(swapped) => done.push(swapped),
            Err(failure) => {
                return Err(roll_back(
                    trial,
                    batch,
                    done,
                    index,
                    failure,
                    Vec::new(),
                    Vec::new(),
                ));
            }
        }
    }
    trial.release_folders();
    let mut flushed: Vec<(Arc<OwnedFd>, bool)> = Vec::new();
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

fn flush_once(
    disk: &dyn Disk,
    folder: Arc<OwnedFd>,
    flushed: &mut Vec<(Arc<OwnedFd>, bool)>,
) -> bool {
    if let Some((_, result)) = flushed
        .iter()
        .find(|(other, _)| Arc::ptr_eq(other, &folder))
    {
        return *result;
    }
    let result = disk.sync(folder.as_fd()).is_ok();
    flushed.push((folder, result));
    result
}

fn replace(
    trial: &mut Trial,
    write: &Write<'_>,
    file: OwnedFd,
    temporary: &OsStr,
    revision: Revision,
    old: &Stamp,
    alone: bool,
) -> Result<Done, Failure> {
    let disk = Arc::clone(&trial.disk);
    let located = write.located;
    let back = if alone {
        Back::None
    } else {
        let kept = keep(trial, write, old).map_err(Failure::at("keep the old file"))?;
        Back::Rename {
            folder: Arc::clone(&located.folder),
            kept,
        }
    };
    disk.rename_at(located.folder(), temporary, &located.name, Replace::Over)
        .map_err(Failure::at("rename"))?;
    trial.release(temporary);
    let stamp = stamp_after(&*disk, file.as_fd(), Some(old));
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
fn create(
    trial: &mut Trial,
    write: &Write<'_>,
    folder: &Arc<OwnedFd>,
    file: BorrowedFd<'_>,
    temporary: &OsStr,
) -> Result<Stamp, Failure> {
    let disk = Arc::clone(&trial.disk);
    let name = &write.located.name;
    let taken_or = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => Failure::Exists,
        _ => Failure::Io {
            step: "rename",
            source,
        },
    };
    match disk.rename_at(folder.as_fd(), temporary, name, Replace::Never) {
        Ok(()) => trial.release(temporary),
        Err(error) if !is_unsupported(&error) => return Err(taken_or(error)),
        Err(_) => match disk.link_at(folder.as_fd(), temporary, name) {
            Ok(()) => trial.discard(temporary),
            Err(error)
                if !is_unsupported(&error) && error.kind() != io::ErrorKind::PermissionDenied =>
            {
                return Err(taken_or(error));
            }
            // Neither way is known here: all that is left is to look first.
            Err(_) => match disk.stat_at(folder.as_fd(), name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    disk.rename_at(folder.as_fd(), temporary, name, Replace::Over)
                        .map_err(Failure::at("rename"))?;
                    trial.release(temporary);
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
    Ok(stamp_after(&*disk, file, None))
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
    )
}

/// On failure the path of the old bytes, if they could not be put back.
fn rewrite_in_place(
    trial: &mut Trial,
    write: &Write<'_>,
    rewrite: Rewrite,
    old: Stamp,
) -> Result<Done, (Failure, Option<PathBuf>)> {
    let disk = Arc::clone(&trial.disk);
    match in_place::rewrite(&*disk, write, &rewrite, &old) {
        Ok(revision) => {
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
        Err(failure) => Err((failure, restore(trial, &rewrite, &old).err())),
    }
}

/// Puts old bytes back; where that fails they are kept, and their path is the error.
fn restore(trial: &mut Trial, rewrite: &Rewrite, old: &Stamp) -> Result<(), PathBuf> {
    let disk = Arc::clone(&trial.disk);
    in_place::restore(&*disk, rewrite, old)
        .or_else(|_| in_place::restore(&*disk, rewrite, old))
        .map_err(|_| {
            trial.release(&rewrite.old.name);
            rewrite.kept.clone()
        })
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

/// Takes back what was swapped, last first, and says why.
fn roll_back(
    mut trial: Trial,
    batch: &[Write<'_>],
    done: Vec<Done>,
    failed: usize,
    failure: Failure,
    mut standing: Vec<usize>,
    mut kept_paths: Vec<PathBuf>,
) -> CommitError {
    let disk = Arc::clone(&trial.disk);
    for (index, Done { written, back, .. }) in done.into_iter().enumerate().rev() {
        let name = &batch[index].located.name;
        let still_ours = |folder: &OwnedFd| {
            let now = disk
                .stat_at(folder.as_fd(), name)
                .or_else(|_| disk.stat_at(folder.as_fd(), name));
            now.is_ok_and(|now| now.same_file(&written.stamp) && now.mtime == written.stamp.mtime)
        };
        let twice = |action: &dyn Fn() -> io::Result<()>| action().or_else(|_| action()).is_ok();
        let is_back = match back {
            Back::None => true,
            Back::Rename { folder, kept } => {
                let renamed = still_ours(&folder)
                    && twice(&|| disk.rename_at(folder.as_fd(), &kept, name, Replace::Over));
                if renamed {
                    trial.release(&kept);
                }
                renamed
            }
            Back::Remove { folder } => {
                still_ours(&folder) && twice(&|| disk.remove_at(folder.as_fd(), name))
            }
            Back::Restore { rewrite, old } => match restore(&mut trial, &rewrite, &old) {
                Ok(()) => true,
                Err(path) => {
                    kept_paths.push(path);
                    false
                }
            },
        };
        if !is_back {
            standing.push(index);
        }
    }
    if standing.is_empty() {
        return failure.of(failed);
    }
    let (step, source) = match failure {
        Failure::Io { step, source } => (step, source),
        other => ("check", io::Error::other(other.of(failed))),
    };
    CommitError::Partly {
        index: failed,
        step,
        source,
        standing,
        kept: kept_paths,
    }
}
