//! The store in SQLite: one connection, opened when it is first needed and again when the file under it is gone.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::holder::Holder;
use super::ledgers::Writer;
use super::open::{Opened, PATIENCE, Reopening, file_in, is_damage, open, store_error};
use super::{SetAside, StoreError, process};

/// The database `lancet.db` in the state folder. Making a store touches no disk: folder and file are made at the first
/// load or save. Several threads may share one; several processes may open the same folder.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    writer: Writer,
    process: String,
    opened: Mutex<Option<Opened>>,
    aside: Mutex<Vec<SetAside>>,
    /// When others were last waited for in vain, and who it was.
    in_vain: Mutex<Option<(Instant, Option<Holder>)>>,
}

/// How long others are waited for where they were just waited for in vain: one call has several things to save, and waits
/// for the whole time only once.
const SHORT_PATIENCE: Duration = Duration::from_millis(50);
/// How long that holds, unless it is known that whoever holds the database is stopped.
const SHORTLY: Duration = Duration::from_millis(500);

impl Store {
    /// The store in this state folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            writer: Writer::new(),
            process: process::own(),
            opened: Mutex::default(),
            aside: Mutex::default(),
            in_vain: Mutex::default(),
        }
    }

    /// The state folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn writer(&self) -> Writer {
        self.writer
    }

    pub(super) fn process(&self) -> &str {
        &self.process
    }

    /// Does `work` on the open database. One that turns out to be damaged is set aside, and the work is done once more
    /// on the new one: `work` is a transaction and has left nothing behind.
    pub(super) fn run<T>(
        &self,
        work: impl Fn(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<(T, Option<SetAside>), StoreError> {
        let mut guard = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = self.patience();
        let mut set_aside = None;
        let reopening = guard.as_mut().map(|opened| opened.is_sound(&self.folder));
        match reopening {
            Some(Ok(())) => {}
            None => set_aside = self.open(&mut guard, None, patience)?,
            Some(Err(why)) => set_aside = self.open(&mut guard, Some(&why), patience)?,
        }
        let mut result = attempt(&mut guard, &work, patience);
        if let Err(error) = &result
            && is_damage(error)
        {
            let why = Reopening::Failed(error.to_string());
            let moved = self.open(&mut guard, Some(&why), patience)?;
            set_aside = moved.or(set_aside);
            result = attempt(&mut guard, &work, patience);
        }
        if let Some(opened) = &mut *guard {
            opened.settle(&self.folder);
        }
        match result {
            Ok(value) => Ok((value, set_aside)),
            Err(error) => Err(self.noted(store_error(&file_in(&self.folder), error))),
        }
    }

    fn patience(&self) -> Duration {
        let in_vain = self.in_vain.lock().unwrap_or_else(PoisonError::into_inner);
        match *in_vain {
            Some((at, holder))
                if at.elapsed() < SHORTLY || holder.is_some_and(Holder::is_still_stopped) =>
            {
                SHORT_PATIENCE
            }
            _ => PATIENCE,
        }
    }

    /// Remembers that others were waited for in vain.
    fn noted(&self, error: StoreError) -> StoreError {
        if let StoreError::Busy { holder, .. } = &error {
            let mut in_vain = self.in_vain.lock().unwrap_or_else(PoisonError::into_inner);
            *in_vain = Some((Instant::now(), *holder));
        }
        error
    }

    /// Every database that this store has set aside so far, whatever it was doing.
    pub(super) fn all_set_aside(&self) -> Vec<SetAside> {
        self.aside().clone()
    }

    /// How often the database was removed under this store, and its folder perhaps with it.
    #[must_use]
    pub fn losses(&self) -> usize {
        let aside = self.aside();
        aside
            .iter()
            .filter(|aside| aside.moved_to.is_none())
            .count()
    }

    /// Opens the database and remembers what was set aside: whoever asked may have no place to tell it. Where that fails the
    /// one before stays: it may know what its file no longer holds.
    fn open(
        &self,
        guard: &mut Option<Opened>,
        why: Option<&Reopening>,
        patience: Duration,
    ) -> Result<Option<SetAside>, StoreError> {
        let opened = open(&self.folder, guard.as_ref().zip(why), patience);
        let (opened, moved) = opened.map_err(|error| self.noted(error))?;
        *guard = Some(opened);
        self.aside().extend(moved.clone());
        Ok(moved)
    }

    fn aside(&self) -> MutexGuard<'_, Vec<SetAside>> {
        self.aside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn attempt<T>(
    opened: &mut Option<Opened>,
    work: impl Fn(&mut Connection) -> rusqlite::Result<T>,
    patience: Duration,
) -> rusqlite::Result<T> {
    let connection = match opened {
        Some(opened) => &mut opened.connection,
        None => return Err(rusqlite::Error::InvalidQuery),
    };
    connection.busy_timeout(patience)?;
    work(connection)
}
