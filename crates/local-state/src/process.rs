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

use crate::identity::{Identity, file_identity, identity_from_metadata};

/// The folder in the state folder with a file for each process.
const PROCESSES_FOLDER: &str = "processes";
/// The ending of the name of a file that its process has not locked yet.
const UNLOCKED_SUFFIX: &str = ".new";
/// How often a new file is tried if another process has just removed it as abandoned.
const MAX_LOCK_TRIES: usize = 8;
/// The number of digits of a name.
const NAME_DIGITS: usize = 16;

/// The state folders that this process uses.
static USED: Mutex<BTreeMap<PathBuf, UsedFolder>> = Mutex::new(BTreeMap::new());

/// One state folder that this process uses.
#[derive(Default)]
struct UsedFolder {
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
pub struct StateFolderUse {
    folder: PathBuf,
}

impl StateFolderUse {
    /// Begins the use of a state folder; touches no file.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        lock_used_folders()
            .entry(folder.to_owned())
            .or_default()
            .stores += 1;
        Self {
            folder: folder.to_owned(),
        }
    }
}

impl Drop for StateFolderUse {
    fn drop(&mut self) {
        let mut used = lock_used_folders();
        let Some(here) = used.get_mut(&self.folder) else {
            return;
        };
        here.stores = here.stores.saturating_sub(1);
        if here.stores == 0
            && let Some(lock) = used.remove(&self.folder).and_then(|here| here.lock)
        {
            let path = process_path(&self.folder, &lock.name);
            if file_identity(&path).is_ok_and(|found| found == lock.identity) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Returns the name of this process in a state folder. Its file is created and locked at the first call, and again if
/// it was removed, perhaps with the folder.
#[must_use]
pub fn own_name(state: &Path) -> String {
    let mut used = lock_used_folders();
    let here = used.entry(state.to_owned()).or_default();
    if let Some(lock) = &here.lock
        && file_identity(&process_path(state, &lock.name)).is_ok_and(|found| found == lock.identity)
    {
        return lock.name.clone();
    }
    // Records may have been copied into a new state folder, so the name stays.
    let name = here.lock.take().map(|lock| lock.name);
    match lock_process_file(state, name.unwrap_or_else(random_name)) {
        Ok(locked) => {
            let name = locked.name.clone();
            here.lock = Some(locked);
            name
        }
        Err(_) => own_numeric_name(),
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
    is_own(state, name) || !has_ended(&process_path(state, name))
}

/// Removes the files of processes that have ended.
pub fn remove_ended_processes(state: &Path) {
    let entries = fs::read_dir(state.join(PROCESSES_FOLDER));
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let is_ours = is_name(name.strip_suffix(UNLOCKED_SUFFIX).unwrap_or(name));
        if is_ours && !is_own(state, name) && has_ended(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_own(state: &Path, name: &str) -> bool {
    let used = lock_used_folders();
    let lock = used.get(state).and_then(|here| here.lock.as_ref());
    lock.is_some_and(|lock| lock.name == name)
}

fn lock_used_folders() -> MutexGuard<'static, BTreeMap<PathBuf, UsedFolder>> {
    USED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn process_path(state: &Path, name: &str) -> PathBuf {
    state.join(PROCESSES_FOLDER).join(name)
}

fn random_name() -> String {
    // The standard library seeds its hash keys from the system's random source and changes them each time.
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Returns whether this is a valid file name that cannot lead out of the folder.
fn is_name(name: &str) -> bool {
    name.len() == NAME_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Creates the file of this process. It gets its final name only once it is locked, so that no other process takes this
/// one for ended.
fn lock_process_file(state: &Path, name: String) -> io::Result<ProcessLock> {
    let folder = state.join(PROCESSES_FOLDER);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)?;
    for _ in 0..MAX_LOCK_TRIES {
        let new = folder.join(format!("{}{UNLOCKED_SUFFIX}", random_name()));
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
                    identity: identity_from_metadata(&file.metadata()?),
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
fn own_numeric_name() -> String {
    let number = std::process::id();
    format!("{number}:{}", start_time(number).unwrap_or_default())
}

/// Returns whether the process of this id and start time is running. Without `/proc` it is assumed to be.
fn is_number_alive(number: &str, at: &str) -> bool {
    let Ok(number) = number.parse::<u32>() else {
        return false;
    };
    at.is_empty() || start_time(number).is_some_and(|began| began == at)
}

/// Returns the start time of a process, field 22 of `/proc/PID/stat`. Field 2 is the program name in parentheses, which
/// may contain spaces and parentheses itself.
fn start_time(number: u32) -> Option<String> {
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
    fn has_ended_eventually(state: &Path, name: &str) -> bool {
        let deadline = Instant::now() + Duration::from_secs(5);
        while is_alive(state, name) && Instant::now() < deadline {
            sleep(Duration::from_millis(5));
        }
        !is_alive(state, name)
    }

    fn process_names(state: &Path) -> Vec<String> {
        let entries = fs::read_dir(state.join(PROCESSES_FOLDER))
            .into_iter()
            .flatten();
        let names = entries.map(|entry| entry.expect("entry").file_name());
        let mut names: Vec<_> = names
            .map(|name| name.into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn looks_up_old_format_name_by_process_number() {
        let state = tempfile::TempDir::new().expect("folder");
        assert!(is_alive(state.path(), &own_numeric_name()));
        let mut child = Command::new("true").spawn().expect("starts");
        let name = format!(
            "{}:{}",
            child.id(),
            start_time(child.id()).unwrap_or_default()
        );
        let _ = child.wait();
        assert!(!is_alive(state.path(), &name) || start_time(std::process::id()).is_none());
        for nonsense in ["", "nonsense", "../lancet.db", "nonsense:7"] {
            assert!(!is_alive(state.path(), nonsense), "{nonsense:?}");
        }
    }

    #[test]
    fn process_keeps_name_while_using_folder() {
        let state = tempfile::TempDir::new().expect("folder");
        let (one, other) = (
            StateFolderUse::new(state.path()),
            StateFolderUse::new(state.path()),
        );
        assert!(
            process_names(state.path()).is_empty(),
            "made when it is needed"
        );
        let name = own_name(state.path());
        assert!(is_name(&name));
        assert_eq!(own_name(state.path()), name);
        assert_eq!(process_names(state.path()), [name.as_str()]);
        drop(one);
        assert_eq!(process_names(state.path()), [name.as_str()]);
        drop(other);
        assert!(
            process_names(state.path()).is_empty(),
            "removed with the last use"
        );
        assert!(!is_alive(state.path(), &name));
    }

    #[test]
    fn locked_file_means_living_process() {
        let state = tempfile::TempDir::new().expect("folder");
        let held = lock_process_file(state.path(), "00000000000000aa".to_owned()).expect("locked");
        let ended = lock_process_file(state.path(), "00000000000000bb".to_owned()).expect("locked");
        drop(ended);
        fs::write(
            state
                .path()
                .join(PROCESSES_FOLDER)
                .join("00000000000000cc.new"),
            "killed",
        )
        .expect("written");
        fs::write(
            state.path().join(PROCESSES_FOLDER).join("notes"),
            "a person's",
        )
        .expect("written");
        assert!(is_alive(state.path(), &held.name));
        assert!(has_ended_eventually(state.path(), "00000000000000bb"));
        assert!(!is_alive(state.path(), "00000000000000dd"), "never there");
        remove_ended_processes(state.path());
        assert_eq!(process_names(state.path()), [held.name.as_str(), "notes"]);
    }

    #[test]
    fn concurrent_checks_all_detect_ended_process() {
        let state = tempfile::TempDir::new().expect("folder");
        drop(lock_process_file(state.path(), "00000000000000aa".to_owned()).expect("locked"));
        assert!(has_ended_eventually(state.path(), "00000000000000aa"));
        let path = process_path(state.path(), "00000000000000aa");
        let asking = File::open(&path).expect("opened");
        asking.try_lock_shared().expect("another that asks");
        assert!(has_ended(&path));
    }

    #[test]
    fn recreates_removed_file_under_same_name() {
        let state = tempfile::TempDir::new().expect("folder");
        let used = StateFolderUse::new(state.path());
        let name = own_name(state.path());
        fs::remove_dir_all(state.path()).expect("removed");
        assert_eq!(own_name(state.path()), name);
        assert_eq!(process_names(state.path()), [name.as_str()]);
        drop(used);
    }

    #[test]
    fn started_program_does_not_inherit_lock() {
        let state = tempfile::TempDir::new().expect("folder");
        let held = lock_process_file(state.path(), "00000000000000aa".to_owned()).expect("locked");
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .spawn()
            .expect("starts");
        drop(held);
        assert!(has_ended_eventually(state.path(), "00000000000000aa"));
        drop(child.stdin.take());
        let _ = child.wait();
    }

    #[test]
    fn uses_process_number_when_file_cannot_be_created() {
        let state = tempfile::TempDir::new().expect("folder");
        fs::write(state.path().join(PROCESSES_FOLDER), "no folder").expect("written");
        fs::set_permissions(
            state.path().join(PROCESSES_FOLDER),
            fs::Permissions::from_mode(0o400),
        )
        .expect("set");
        assert_eq!(own_name(state.path()), own_numeric_name());
        assert!(is_alive(state.path(), &own_name(state.path())));
    }
}
