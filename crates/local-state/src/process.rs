//! Identifies processes across restarts and containers, so that the operations of an ended process can be recognised.
//!
//! Each process has a file in `processes/` of the state folder and holds its lock (`flock`) as long as it lives. The
//! name of the file, a random number, is the name of the process, since process ids mean nothing in another container
//! that uses the same state folder. A process that can lock the file of another one knows that the other has ended.
//! Where the file cannot be created or locked, and in records of earlier versions, a process is named `PID:START` and
//! looked up in `/proc`.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::identity::{Identity, identity, identity_of};

/// The folder in the state folder with a file for each process.
const FOLDER: &str = "processes";
/// The ending of the name of a file that its process has not locked yet.
const UNLOCKED: &str = ".new";
/// How often a new file is tried if another process has just removed it as abandoned.
const TRIES: usize = 8;
/// The number of digits of a name.
const DIGITS: usize = 16;

/// The state folders that this process uses.
static USED: Mutex<BTreeMap<PathBuf, Used>> = Mutex::new(BTreeMap::new());

/// One state folder that this process uses.
#[derive(Default)]
struct Used {
    stores: usize,
    lock: Option<ProcessLock>,
}

/// The locked file of this process; closing the handle releases the lock. The handle is not inherited by a program that
/// this process starts: the standard library opens all files with `O_CLOEXEC`.
struct ProcessLock {
    name: String,
    _file: File,
    identity: Identity,
}

/// A store's use of a state folder in this process. The file of the process is removed with the last one.
#[derive(Debug)]
pub struct Membership {
    folder: PathBuf,
}

impl Membership {
    /// Begins the use of a state folder; touches no file.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        used().entry(folder.to_owned()).or_default().stores += 1;
        Self {
            folder: folder.to_owned(),
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let mut used = used();
        let Some(here) = used.get_mut(&self.folder) else {
            return;
        };
        here.stores = here.stores.saturating_sub(1);
        if here.stores == 0
            && let Some(lock) = used.remove(&self.folder).and_then(|here| here.lock)
        {
            let path = file_of(&self.folder, &lock.name);
            if identity(&path).is_ok_and(|found| found == lock.identity) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Returns the name of this process in a state folder. Its file is created and locked at the first call, and again if
/// it was removed, perhaps with the folder.
#[must_use]
pub fn own(state: &Path) -> String {
    let mut used = used();
    let here = used.entry(state.to_owned()).or_default();
    if let Some(lock) = &here.lock
        && identity(&file_of(state, &lock.name)).is_ok_and(|found| found == lock.identity)
    {
        return lock.name.clone();
    }
    // Records may have been copied into a new state folder, so the name stays.
    let name = here.lock.take().map(|lock| lock.name);
    match lock(state, name.unwrap_or_else(random_name)) {
        Ok(locked) => {
            let name = locked.name.clone();
            here.lock = Some(locked);
            name
        }
        Err(_) => own_number(),
    }
}

/// Returns whether the process of that name is running. If this cannot be determined, the process counts as running.
#[must_use]
pub fn is_alive(state: &Path, name: &str) -> bool {
    if let Some((number, at)) = name.split_once(':') {
        return is_number_alive(number, at);
    }
    if !is_name(name) {
        return false;
    }
    is_own(state, name) || !has_ended(&file_of(state, name))
}

/// Removes the files of processes that have ended.
pub fn remove_ended(state: &Path) {
    let entries = fs::read_dir(state.join(FOLDER));
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let is_ours = is_name(name.strip_suffix(UNLOCKED).unwrap_or(name));
        if is_ours && !is_own(state, name) && has_ended(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_own(state: &Path, name: &str) -> bool {
    let used = used();
    let lock = used.get(state).and_then(|here| here.lock.as_ref());
    lock.is_some_and(|lock| lock.name == name)
}

fn used() -> MutexGuard<'static, BTreeMap<PathBuf, Used>> {
    USED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn file_of(state: &Path, name: &str) -> PathBuf {
    state.join(FOLDER).join(name)
}

fn random_name() -> String {
    // The standard library seeds its hash keys from the system's random source and changes them each time.
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Returns whether this is a valid file name that cannot lead out of the folder.
fn is_name(name: &str) -> bool {
    name.len() == DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Creates the file of this process. It gets its final name only once it is locked, so that no other process takes this
/// one for ended.
fn lock(state: &Path, name: String) -> io::Result<ProcessLock> {
    let folder = state.join(FOLDER);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)?;
    for _ in 0..TRIES {
        let new = folder.join(format!("{}{UNLOCKED}", random_name()));
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        match file.try_lock() {
            Ok(()) => {}
            // Another process is about to remove the file as abandoned.
            Err(TryLockError::WouldBlock) => continue,
            Err(TryLockError::Error(error)) => {
                let _ = fs::remove_file(&new);
                return Err(error);
            }
        }
        // The id is for people only; a full disk is no reason to do without the lock.
        let _ = writeln!(file, "{}", std::process::id());
        match fs::rename(&new, folder.join(&name)) {
            Ok(()) => {
                return Ok(ProcessLock {
                    name,
                    identity: identity_of(&file.metadata()?),
                    _file: file,
                });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder.exists() => {}
            Err(error) => {
                let _ = fs::remove_file(&new);
                return Err(error);
            }
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

/// Returns whether no process holds the lock of this file. A shared lock is tried, so that two processes that check at
/// once do not take each other for the owner.
fn has_ended(file: &Path) -> bool {
    match File::open(file) {
        Ok(file) => file.try_lock_shared().is_ok(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Returns the name of this process by its id and start time, since ids are reused.
fn own_number() -> String {
    let number = std::process::id();
    format!("{number}:{}", began(number).unwrap_or_default())
}

/// Returns whether the process of this id and start time is running. Without `/proc` it is assumed to be.
fn is_number_alive(number: &str, at: &str) -> bool {
    let Ok(number) = number.parse::<u32>() else {
        return false;
    };
    at.is_empty() || began(number).is_some_and(|began| began == at)
}

/// Returns the start time of a process, field 22 of `/proc/PID/stat`. Field 2 is the program name in parentheses, which
/// may contain spaces and parentheses itself.
fn began(number: u32) -> Option<String> {
    let line = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    let (_, rest) = line.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(19).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use super::*;

    /// Returns whether a process is found to have ended. A program that another test is just starting holds copies of
    /// all handles until it runs, so the check is repeated for a while.
    fn ends(state: &Path, name: &str) -> bool {
        let deadline = Instant::now() + Duration::from_secs(5);
        while is_alive(state, name) && Instant::now() < deadline {
            sleep(Duration::from_millis(5));
        }
        !is_alive(state, name)
    }

    fn names(state: &Path) -> Vec<String> {
        let entries = fs::read_dir(state.join(FOLDER)).into_iter().flatten();
        let names = entries.map(|entry| entry.expect("entry").file_name());
        let mut names: Vec<_> = names
            .map(|name| name.into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_name_of_an_earlier_version_is_looked_up_by_its_number() {
        let state = tempfile::TempDir::new().expect("folder");
        assert!(is_alive(state.path(), &own_number()));
        let mut child = Command::new("true").spawn().expect("starts");
        let name = format!("{}:{}", child.id(), began(child.id()).unwrap_or_default());
        let _ = child.wait();
        assert!(!is_alive(state.path(), &name) || began(std::process::id()).is_none());
        for nonsense in ["", "nonsense", "../lancet.db", "nonsense:7"] {
            assert!(!is_alive(state.path(), nonsense), "{nonsense:?}");
        }
    }

    #[test]
    fn a_process_has_one_name_as_long_as_it_uses_the_folder() {
        let state = tempfile::TempDir::new().expect("folder");
        let (one, other) = (Membership::new(state.path()), Membership::new(state.path()));
        assert!(names(state.path()).is_empty(), "made when it is needed");
        let name = own(state.path());
        assert!(is_name(&name));
        assert_eq!(own(state.path()), name);
        assert_eq!(names(state.path()), [name.as_str()]);
        drop(one);
        assert_eq!(names(state.path()), [name.as_str()]);
        drop(other);
        assert!(names(state.path()).is_empty(), "removed with the last use");
        assert!(!is_alive(state.path(), &name));
    }

    #[test]
    fn a_locked_file_is_a_living_process_and_any_other_an_ended_one() {
        let state = tempfile::TempDir::new().expect("folder");
        let held = lock(state.path(), "00000000000000aa".to_owned()).expect("locked");
        let ended = lock(state.path(), "00000000000000bb".to_owned()).expect("locked");
        drop(ended);
        fs::write(
            state.path().join(FOLDER).join("00000000000000cc.new"),
            "killed",
        )
        .expect("written");
        fs::write(state.path().join(FOLDER).join("notes"), "a person's").expect("written");
        assert!(is_alive(state.path(), &held.name));
        assert!(ends(state.path(), "00000000000000bb"));
        assert!(!is_alive(state.path(), "00000000000000dd"), "never there");
        remove_ended(state.path());
        assert_eq!(names(state.path()), [held.name.as_str(), "notes"]);
    }

    #[test]
    fn several_that_ask_at_once_all_find_out_that_a_process_ended() {
        let state = tempfile::TempDir::new().expect("folder");
        drop(lock(state.path(), "00000000000000aa".to_owned()).expect("locked"));
        assert!(ends(state.path(), "00000000000000aa"));
        let path = file_of(state.path(), "00000000000000aa");
        let asking = File::open(&path).expect("opened");
        asking.try_lock_shared().expect("another that asks");
        assert!(has_ended(&path));
    }

    #[test]
    fn a_removed_file_is_made_again_under_the_same_name() {
        let state = tempfile::TempDir::new().expect("folder");
        let used = Membership::new(state.path());
        let name = own(state.path());
        fs::remove_dir_all(state.path()).expect("removed");
        assert_eq!(own(state.path()), name);
        assert_eq!(names(state.path()), [name.as_str()]);
        drop(used);
    }

    #[test]
    fn a_program_that_is_started_does_not_hold_the_lock() {
        let state = tempfile::TempDir::new().expect("folder");
        let held = lock(state.path(), "00000000000000aa".to_owned()).expect("locked");
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .spawn()
            .expect("starts");
        drop(held);
        assert!(ends(state.path(), "00000000000000aa"));
        drop(child.stdin.take());
        let _ = child.wait();
    }

    #[test]
    fn without_a_place_for_the_file_the_number_is_the_name() {
        let state = tempfile::TempDir::new().expect("folder");
        fs::write(state.path().join(FOLDER), "no folder").expect("written");
        fs::set_permissions(state.path().join(FOLDER), fs::Permissions::from_mode(0o400))
            .expect("set");
        assert_eq!(own(state.path()), own_number());
        assert!(is_alive(state.path(), &own(state.path())));
    }
}
