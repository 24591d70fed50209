//! The store in SQLite: one connection, opened at first use and reopened if its file was moved or damaged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lancet_local_state::process::{self, StateFolderUse};
use lancet_local_state::{LockHolder, SetAsideDatabase};
use rusqlite::Connection;

use super::HistoryError;
use super::error::{is_damage, store_error};
use super::files::database_path;
use super::ledgers::WriterId;
use super::open::{LOCK_PATIENCE, OpenDatabase, ReopenReason, open_database};

/// The database `lancet.db` in the state folder. Creating a `Store` does not touch the disk: folder and file are
/// created at the first load or save. Several threads may share one; several processes may open the same folder.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    writer: WriterId,
    _membership: StateFolderUse,
    opened: Mutex<Option<OpenDatabase>>,
    aside: Mutex<Vec<SetAsideDatabase>>,
    /// The number of times that each session was begun and not ended.
    sessions: Mutex<BTreeMap<String, i64>>,
    /// The time at which the wait for a lock last timed out, and the process that held it.
    timed_out: Mutex<Option<(Instant, Option<LockHolder>)>>,
}

/// The time to wait for a lock shortly after a wait timed out: a tool call saves several things, and should wait for
/// the full time only once.
const SHORT_PATIENCE: Duration = Duration::from_millis(50);
/// The time for which the short wait applies; it applies longer if the holder of the lock is a stopped process.
const SHORT_PATIENCE_PERIOD: Duration = Duration::from_millis(500);

impl Store {
    /// Creates a store for this state folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self {
            _membership: StateFolderUse::new(&folder),
            folder,
            writer: WriterId::new(),
            opened: Mutex::default(),
            aside: Mutex::default(),
            sessions: Mutex::default(),
            timed_out: Mutex::default(),
        }
    }

    /// Returns the state folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether the database has been opened.
    pub(super) fn is_open(&self) -> bool {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.is_some()
    }

    pub(super) fn writer_id(&self) -> WriterId {
        self.writer
    }

    /// Returns the name of this process in the state folder.
    pub(super) fn process_name(&self) -> String {
        process::own_name(&self.folder)
    }

    /// Returns whether the process of this name is running.
    pub(super) fn is_alive(&self, process: &str) -> bool {
        process::is_alive(&self.folder, process)
    }

    /// Adds to the number of times that a session was begun, and returns the new number.
    pub(super) fn adjust_session_count(&self, session: &str, more: i64) -> i64 {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let count = sessions.entry(session.to_owned()).or_default();
        *count += more;
        let now = *count;
        if now <= 0 {
            sessions.remove(session);
        }
        now
    }

    /// Runs `work` on the connection to the open database, as [`Store::run_on`] does.
    pub(super) fn run_on_database<T>(
        &self,
        work: impl Fn(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<(T, Option<SetAsideDatabase>), HistoryError> {
        self.run_on(|opened| work(&mut opened.connection))
    }

    /// Returns whether it is known that no comment waits for a session and no write of several files is open: the last
    /// change of this process saw none, and nothing was committed since.
    pub(super) fn nothing_waits(&self) -> bool {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened
            .as_mut()
            .is_some_and(|opened| opened.check_is_unchanged().is_ok() && opened.nothing_waits())
    }

    /// Runs `work` on the open database. If the database turns out to be damaged, it is set aside and `work` runs
    /// again on the new one; `work` is a transaction, so the first attempt has left nothing behind.
    pub(super) fn run_on<T>(
        &self,
        work: impl Fn(&mut OpenDatabase) -> rusqlite::Result<T>,
    ) -> Result<(T, Option<SetAsideDatabase>), HistoryError> {
        let mut guard = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = self.lock_patience();
        let mut set_aside = None;
        let reopening = guard.as_mut().map(OpenDatabase::check_is_unchanged);
        match reopening {
            Some(Ok(())) => {}
            None => set_aside = self.open_database(&mut guard, None, patience)?,
            Some(Err(ReopenReason::SharedMemoryCut)) => {
                // Closing does not touch the shared memory; opening rebuilds it from the log.
                *guard = None;
                set_aside = self.open_database(&mut guard, None, patience)?;
            }
            Some(Err(why)) => set_aside = self.open_database(&mut guard, Some(&why), patience)?,
        }
        let before = guard.as_ref().map(OpenDatabase::changed_rows);
        let mut result = attempt_work(&mut guard, &work, patience);
        if let Err(error) = &result
            && is_damage(error)
        {
            let why = ReopenReason::Failed(error.to_string());
            let moved = self.open_database(&mut guard, Some(&why), patience)?;
            set_aside = moved.or(set_aside);
            result = attempt_work(&mut guard, &work, patience);
        }
        if let Some(opened) = &mut *guard {
            let has_written = before != Some(opened.changed_rows());
            opened.record_expected_state(has_written);
            if result.is_ok() && has_written {
                opened.wake_watchers();
                opened.shorten_log();
            }
        }
        match result {
            Ok(value) => Ok((value, set_aside)),
            Err(error) => Err(self.note_timeout(store_error(&database_path(&self.folder), error))),
        }
    }

    fn lock_patience(&self) -> Duration {
        let timed_out = self
            .timed_out
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match *timed_out {
            Some((at, holder))
                if at.elapsed() < SHORT_PATIENCE_PERIOD
                    || holder.is_some_and(LockHolder::is_still_stopped) =>
            {
                SHORT_PATIENCE
            }
            _ => LOCK_PATIENCE,
        }
    }

    /// Records that a wait for a lock timed out, if the error says so.
    fn note_timeout(&self, error: HistoryError) -> HistoryError {
        if let HistoryError::Busy { holder, .. } = &error {
            let mut timed_out = self
                .timed_out
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *timed_out = Some((Instant::now(), *holder));
        }
        error
    }

    /// Returns all databases that this store has set aside so far.
    pub(super) fn list_set_aside(&self) -> Vec<SetAsideDatabase> {
        self.lock_set_aside().clone()
    }

    /// Opens the database and records what was set aside, since the caller may be unable to report it. If opening
    /// fails, the old connection stays open: its page cache may contain what the file has lost.
    fn open_database(
        &self,
        guard: &mut Option<OpenDatabase>,
        why: Option<&ReopenReason>,
        patience: Duration,
    ) -> Result<Option<SetAsideDatabase>, HistoryError> {
        let opened = open_database(&self.folder, guard.as_ref().zip(why), patience);
        let (opened, moved) = opened.map_err(|error| self.note_timeout(error))?;
        *guard = Some(opened);
        self.lock_set_aside().extend(moved.clone());
        Ok(moved)
    }

    fn lock_set_aside(&self) -> MutexGuard<'_, Vec<SetAsideDatabase>> {
        self.aside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn attempt_work<T>(
    opened: &mut Option<OpenDatabase>,
    work: impl Fn(&mut OpenDatabase) -> rusqlite::Result<T>,
    patience: Duration,
) -> rusqlite::Result<T> {
    let Some(opened) = opened else {
        return Err(rusqlite::Error::InvalidQuery);
    };
    opened.connection.busy_timeout(patience)?;
    work(opened)
}
