//! Tests that a lock that this process holds excludes another one, and is available once it is released.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

use super::check::{Check, CheckAnswer, CheckResult, replaced_file_keeps_name};
use super::request::ProofRequest;
use super::role::RoleProcess;
use crate::write_promise::WritePromise;

/// A kind of lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockKind {
    /// `flock` of a folder, which keeps the commits of several lancets apart.
    Folder,
    /// `flock` of a file.
    File,
    /// A lock of bytes that belongs to the open file (`F_OFD_SETLK`).
    Bytes,
}

impl LockKind {
    const ALL: [LockKind; 3] = [LockKind::Folder, LockKind::File, LockKind::Bytes];

    fn name(self) -> &'static str {
        match self {
            LockKind::Folder => "folder",
            LockKind::File => "file",
            LockKind::Bytes => "bytes",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<LockKind> {
        LockKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Takes the lock, or fails with `WouldBlock` if another process holds it. It is released with the handle.
    pub(super) fn take_lock(self, path: &Path) -> io::Result<File> {
        let file = match self {
            LockKind::Folder => File::open(path)?,
            LockKind::File | LockKind::Bytes => {
                fs::OpenOptions::new().read(true).write(true).open(path)?
            }
        };
        match self {
            LockKind::Folder | LockKind::File => {
                flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            }
            LockKind::Bytes => lock_bytes(&file)?,
        }
        Ok(file)
    }
}

#[cfg(target_os = "linux")]
fn lock_bytes(file: &File) -> io::Result<()> {
    use nix::fcntl::{FcntlArg, fcntl};
    let mut range = libc::flock {
        l_type: 0,
        l_whence: 0,
        l_start: 0,
        l_len: 1,
        l_pid: 0,
    };
    range.l_type = libc::c_short::try_from(libc::F_WRLCK).unwrap_or(1);
    match fcntl(file, FcntlArg::F_OFD_SETLK(&range)) {
        Ok(_) => Ok(()),
        Err(nix::errno::Errno::EACCES) => Err(io::ErrorKind::WouldBlock.into()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn lock_bytes(_: &File) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The result of an attempt to take a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockTry {
    Taken,
    KeptOut,
    Failed,
}

impl LockTry {
    const ALL: [LockTry; 3] = [LockTry::Taken, LockTry::KeptOut, LockTry::Failed];

    pub(super) fn from_result(result: &io::Result<File>) -> LockTry {
        match result {
            Ok(_) => LockTry::Taken,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => LockTry::KeptOut,
            Err(_) => LockTry::Failed,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            LockTry::Taken => "taken",
            LockTry::KeptOut => "kept-out",
            LockTry::Failed => "failed",
        }
    }
}

/// Takes each kind of lock while another process holds it, and once it is free.
pub(super) fn check_locks(
    room: &Path,
    promise: &WritePromise,
    request: &ProofRequest<'_>,
) -> io::Result<CheckResult> {
    let file = room.join("locked");
    fs::write(&file, "locked")?;
    let mut words = Vec::new();
    let (mut excludes, mut folder_lets_in) = (true, false);
    for kind in LockKind::ALL {
        let path = match kind {
            LockKind::Folder => room,
            LockKind::File | LockKind::Bytes => &file,
        };
        let found = match kind.take_lock(path) {
            Ok(held) => {
                let meanwhile = try_lock_in_other_process(kind, path, request)?;
                drop(held);
                Some((meanwhile, try_lock_in_other_process(kind, path, request)?))
            }
            Err(_) => None,
        };
        excludes &= found == Some((LockTry::KeptOut, LockTry::Taken));
        folder_lets_in |= kind == LockKind::Folder
            && found.is_some_and(|(meanwhile, _)| meanwhile == LockTry::Taken);
        let what = match found {
            Some((LockTry::KeptOut, LockTry::Taken)) => "keeps out",
            Some((LockTry::Taken, _)) => "is granted to both",
            Some(_) => "is not given to the other process",
            None => "is refused",
        };
        words.push(format!("{} lock {what}", kind.name()));
    }
    let meaning = match (folder_lets_in, replaced_file_keeps_name(promise)) {
        (false, _) => {
            "lancets on this machine write one after the other; where a folder cannot be locked, a file in the state folder is locked instead"
        }
        (true, _) => "lancets on this machine do not keep each other out",
    };
    let answer = CheckAnswer::from(excludes);
    Ok(CheckResult::new(Check::Locks, answer, words.join(", "), meaning).with_contradiction(
        folder_lets_in && replaced_file_keeps_name(promise),
        "lancet relies on the lock of a folder where it exchanges names, and the lock is granted to everybody",
    ))
}

fn try_lock_in_other_process(
    kind: LockKind,
    path: &Path,
    request: &ProofRequest<'_>,
) -> io::Result<LockTry> {
    let words = ["lock".into(), kind.name().into(), path.into()];
    let said = RoleProcess::start(request.role_command(&words))?.finish()?;
    let said = said.trim();
    let found = LockTry::ALL.into_iter().find(|one| one.name() == said);
    found.ok_or_else(|| io::Error::other("the other process did not answer"))
}
