//! The lock of a folder that several machines may write to, where `flock` excludes only processes of this machine: a
//! folder of a fixed name inside it. Creating a folder is the only call that was never seen to succeed on two machines
//! at once, while creating a hard link was. It contains an empty folder whose name identifies the holder. The lock is
//! taken over only from a process of this machine that has ended, or from one that was silent for long.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Key, LockError};
use crate::disk::{Disk, FileSystemHost, OpenMode};
use crate::process_identity::{Liveness, ProcessIdentity};
use crate::random::random;

/// The name of the lock. Like the temporary files of a commit it is left out of listings and searches.
const LOCK_NAME: &str = ".lancet-lock.tmp";
/// How long to wait until a mount has learned of what the last holder did on another machine.
const SETTLE_DELAY: Duration = Duration::from_millis(25);
/// The same if another holder certainly had the lock a moment ago.
const SETTLE_DELAY_AFTER_OTHER: Duration = Duration::from_millis(60);
/// A holder that is not finished in this time starts again, so that no other process takes the lock over while it
/// writes.
const MAX_HOLD_TIME: Duration = Duration::from_secs(10);
/// A holder that is seen for longer than this is gone. It is measured by this machine's clock.
const SILENT_HOLDER_TIMEOUT: Duration = Duration::from_secs(30);
/// The same by the times of the file system, in seconds, for a process that has not waited for so long. Clocks of
/// machines differ.
const ABANDONED_LOCK_SECONDS: i64 = 900;
/// A lock without its holder's name that is seen for longer than this has no holder: the holder ended between the two
/// calls that take a lock. Short enough that a process with the usual patience of two seconds gets the lock.
const NAMELESS_LOCK_TIMEOUT: Duration = Duration::from_secs(1);
/// A process that needs longer than this to name its lock starts again, so that no other process takes over a lock that
/// it believes to have.
const MAX_NAMING_TIME: Duration = Duration::from_millis(400);
/// How long to wait before the lock's holder is examined. The kernel caches lookups for a second.
const HOLDER_CHECK_DELAY: Duration = Duration::from_millis(300);
const HOLDER_CHECK_INTERVAL: Duration = Duration::from_millis(1100);

/// When a holder was first seen: the folder that is locked, and the holder's token. A lock without a name has the time
/// of its folder in place of the token, so that two of them are distinguished.
static SEEN: Mutex<Option<HashMap<(Key, OsString), Instant>>> = Mutex::new(None);

/// A lock that this process holds; released on drop.
#[derive(Debug)]
pub(super) struct VolumeLock {
    disk: Arc<dyn Disk>,
    folder: Arc<OwnedFd>,
    token: OsString,
    since: Instant,
}

impl VolumeLock {
    /// Returns whether it has been held for so long that other processes may soon take it for abandoned.
    pub(super) fn has_expired(&self) -> bool {
        self.since.elapsed() > MAX_HOLD_TIME
    }
}

impl Drop for VolumeLock {
    fn drop(&mut self) {
        remove(&*self.disk, &self.folder, &self.token);
    }
}

/// The result of one attempt to take a lock.
enum LockAttempt {
    Taken(VolumeLock),
    Held,
    /// No folder can be created there, for lack of permission or disk space: the lock cannot be taken.
    Impossible,
}

/// Takes the locks of those of the folders that other machines may write to: all of them or none.
pub(super) fn lock_folders(
    disk: &Arc<dyn Disk>,
    folders: &[(Key, Arc<OwnedFd>)],
    deadline: Instant,
) -> Result<Vec<VolumeLock>, LockError> {
    let shared: Vec<&(Key, Arc<OwnedFd>)> = folders
        .iter()
        .filter(|(key, folder)| is_shared(&**disk, *key, folder))
        .collect();
    if shared.is_empty() {
        return Ok(Vec::new());
    }
    let begun = Instant::now();
    let mut next_look = begun + HOLDER_CHECK_DELAY;
    let mut settle = SETTLE_DELAY;
    loop {
        match try_lock_all(disk, &shared) {
            Ok(locks) => {
                if !locks.is_empty() {
                    disk.sleep(settle);
                }
                return Ok(locks);
            }
            Err((key, folder)) => {
                settle = SETTLE_DELAY_AFTER_OTHER;
                let now = Instant::now();
                if now >= next_look {
                    next_look = now + HOLDER_CHECK_INTERVAL;
                    remove_abandoned(&**disk, key, &folder);
                } else if now >= deadline {
                    return Err(LockError::Busy);
                }
                disk.sleep(Duration::from_micros(2000 + random() % 6000));
            }
        }
    }
}

/// Returns whether other machines may write to a folder. A device number with a major part is a disk of this machine.
fn is_shared(disk: &dyn Disk, (device, _): Key, folder: &OwnedFd) -> bool {
    rustix::fs::major(device) == 0
        && disk
            .file_system_host(folder.as_fd())
            .is_ok_and(|host| host == FileSystemHost::Network)
}

/// Takes all locks; if one is held, takes none and returns the folder of that one.
fn try_lock_all(
    disk: &Arc<dyn Disk>,
    folders: &[&(Key, Arc<OwnedFd>)],
) -> Result<Vec<VolumeLock>, (Key, Arc<OwnedFd>)> {
    let mut locks = Vec::with_capacity(folders.len());
    for (key, folder) in folders {
        match try_lock(disk, folder) {
            LockAttempt::Taken(lock) => locks.push(lock),
            LockAttempt::Held => return Err((*key, Arc::clone(folder))),
            LockAttempt::Impossible => {}
        }
    }
    Ok(locks)
}

fn try_lock(disk: &Arc<dyn Disk>, folder: &Arc<OwnedFd>) -> LockAttempt {
    let lock = OsStr::new(LOCK_NAME);
    let begun = Instant::now();
    match disk.make_folder_at(folder.as_fd(), lock) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return LockAttempt::Held,
        Err(_) => return LockAttempt::Impossible,
    }
    let token = OsString::from(format!(
        "{}-{:016x}",
        ProcessIdentity::of_current_process(),
        random()
    ));
    let named = disk
        .open_at(folder.as_fd(), lock, OpenMode::Folder)
        .and_then(|inside| disk.make_folder_at(inside.as_fd(), &token));
    if named.is_err() || begun.elapsed() > MAX_NAMING_TIME {
        // Another process has taken the empty lock for an abandoned one, or may be about to; it is tried again.
        remove(&**disk, folder, &token);
        return LockAttempt::Held;
    }
    LockAttempt::Taken(VolumeLock {
        disk: Arc::clone(disk),
        folder: Arc::clone(folder),
        token,
        since: Instant::now(),
    })
}

/// Removes the lock of this holder. A lock that has another holder by now is not empty, and stays.
fn remove(disk: &dyn Disk, folder: &OwnedFd, token: &OsStr) {
    let lock = OsStr::new(LOCK_NAME);
    let inner = || -> io::Result<()> {
        let inside = disk.open_at(folder.as_fd(), lock, OpenMode::Folder)?;
        disk.remove_folder_at(inside.as_fd(), token)
    };
    let is_gone = |result: &io::Result<()>| match result {
        Ok(()) => true,
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    if !is_gone(&inner()) {
        let _ = inner();
    }
    let outer = || disk.remove_folder_at(folder.as_fd(), lock);
    if !is_gone(&outer()) {
        let _ = outer();
    }
}

/// Removes a lock whose holder has ended.
fn remove_abandoned(disk: &dyn Disk, key: Key, folder: &OwnedFd) {
    let Ok(inside) = disk.open_at(folder.as_fd(), OsStr::new(LOCK_NAME), OpenMode::Folder) else {
        return;
    };
    let mut tokens = Vec::new();
    let listed = disk.list(inside.as_fd(), &mut |name, _| {
        tokens.push(name.to_owned());
        ControlFlow::Continue(())
    });
    if listed.is_err() {
        return;
    }
    if tokens.is_empty() {
        // Its holder is between two calls, or ended there.
        let made = disk.stat(inside.as_fd()).map(|stamp| stamp.mtime);
        let token = OsString::from(format!("{:?}", made.unwrap_or_default()));
        if is_holder_seen_for(NAMELESS_LOCK_TIMEOUT, key, &token)
            || is_lock_too_old(disk, &inside, None)
        {
            remove(disk, folder, OsStr::new(""));
        }
    }
    for token in tokens {
        let name = token.to_string_lossy();
        let holder = name.rsplit_once('-').map_or("", |(holder, _)| holder);
        let is_abandoned = match ProcessIdentity::liveness_of(holder) {
            Liveness::Ended => true,
            Liveness::Running => false,
            Liveness::Unknown => {
                is_holder_seen_for(SILENT_HOLDER_TIMEOUT, key, &token)
                    || is_lock_too_old(disk, &inside, Some(&token))
            }
        };
        if is_abandoned {
            remove(disk, folder, &token);
        }
    }
}

/// Returns whether this process saw the same holder that long ago; records when it is first seen.
fn is_holder_seen_for(time: Duration, key: Key, token: &OsStr) -> bool {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = seen.get_or_insert_default();
    let now = Instant::now();
    // One that was not seen for an hour has long been released.
    seen.retain(|_, first| now.duration_since(*first) < Duration::from_secs(3600));
    let first = seen.entry((key, token.to_owned())).or_insert(now);
    now.duration_since(*first) >= time
}

/// Returns whether the lock, or its holder's token, is old by the times of the file system.
fn is_lock_too_old(disk: &dyn Disk, inside: &OwnedFd, token: Option<&OsStr>) -> bool {
    let stamp = match token {
        None => disk.stat(inside.as_fd()),
        Some(token) => disk.stat_at(inside.as_fd(), token),
    };
    stamp.is_ok_and(|stamp| stamp.mtime.0 < disk.now().0.saturating_sub(ABANDONED_LOCK_SECONDS))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::time::SystemTime;

    use super::*;
    use crate::disk::RealDisk;

    const TEST_KEY: Key = (0, 0);

    fn folder() -> (tempfile::TempDir, Arc<dyn Disk>, Arc<OwnedFd>) {
        let folder = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let handle = Arc::new(disk.open_folder(folder.path()).unwrap());
        (folder, disk, handle)
    }

    /// Creates the lock of a holder.
    fn create_foreign_lock(folder: &Path, token: &str) -> PathBuf {
        let path = folder.join(LOCK_NAME).join(token);
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn only_one_holder_and_lock_is_removed_on_drop() {
        let (folder, disk, handle) = folder();
        let LockAttempt::Taken(first) = try_lock(&disk, &handle) else {
            panic!("it is free");
        };
        assert!(!first.has_expired());
        assert!(matches!(try_lock(&disk, &handle), LockAttempt::Held));
        remove_abandoned(&*disk, TEST_KEY, &handle);
        assert!(matches!(try_lock(&disk, &handle), LockAttempt::Held));
        drop(first);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(matches!(try_lock(&disk, &handle), LockAttempt::Taken(_)));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn removes_only_locks_of_ended_holders() {
        let (folder, disk, handle) = folder();
        let own = ProcessIdentity::of_current_process().to_string();
        let (process, start) = own.rsplit_once('-').unwrap();
        let earlier = format!("{process}-{}", start.parse::<u64>().unwrap() - 1);
        let elsewhere = "0123456789abcdef-1-1";
        for (holder, stays) in [(&*earlier, false), (&*own, true), (elsewhere, true)] {
            let token = create_foreign_lock(folder.path(), &format!("{holder}-0123456789abcdef"));
            remove_abandoned(&*disk, TEST_KEY, &handle);
            assert_eq!(token.exists(), stays, "{holder}");
            assert_eq!(folder.path().join(LOCK_NAME).exists(), stays, "{holder}");
            let _ = fs::remove_dir_all(folder.path().join(LOCK_NAME));
        }
    }

    #[test]
    fn removes_old_lock_of_other_machine() {
        let (folder, disk, handle) = folder();
        let token = create_foreign_lock(folder.path(), "0123456789abcdef-1-1-0123456789abcdef");
        let age = Duration::from_secs(ABANDONED_LOCK_SECONDS as u64 + 60);
        let directory = fs::File::open(&token).unwrap();
        directory.set_modified(SystemTime::now() - age).unwrap();
        remove_abandoned(&*disk, TEST_KEY, &handle);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// A process that was killed between the two calls that take a lock leaves a lock without a holder's name.
    #[test]
    fn removes_nameless_lock_after_timeout_only() {
        let (folder, disk, handle) = folder();
        let lock = folder.path().join(LOCK_NAME);
        let key = (0, 77);
        let make = |seconds: u64| {
            fs::create_dir(&lock).unwrap();
            let made = SystemTime::now() + Duration::from_secs(seconds);
            fs::File::open(&lock).unwrap().set_modified(made).unwrap();
        };
        make(1);
        remove_abandoned(&*disk, key, &handle);
        assert!(lock.exists(), "its holder may be about to name it");
        fs::remove_dir(&lock).unwrap();
        std::thread::sleep(NAMELESS_LOCK_TIMEOUT);
        make(2);
        remove_abandoned(&*disk, key, &handle);
        assert!(lock.exists(), "this is another lock");
        std::thread::sleep(NAMELESS_LOCK_TIMEOUT);
        remove_abandoned(&*disk, key, &handle);
        assert!(!lock.exists());
    }

    #[test]
    fn keeps_lock_taken_by_other_holder() {
        let (folder, disk, handle) = folder();
        let token = create_foreign_lock(folder.path(), "0123456789abcdef-1-1-00000000000000ff");
        remove(
            &*disk,
            &handle,
            OsStr::new("0123456789abcdef-1-1-0000000000000001"),
        );
        assert!(token.exists());
    }
}
