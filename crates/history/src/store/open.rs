//! Opens the database: creates the folder with its mode, locks out other processes meanwhile, and replaces a damaged
//! file.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use lancet_local_state::identity::file_identity;
use lancet_local_state::{LockHolder, SetAsideDatabase};
use rusqlite::{Connection, OpenFlags};

use super::connection::prepare_connection;
use super::error::{is_damage, is_missing_schema, not_writable_error, store_error};
use super::facts::Facts;
use super::files::{database_path, files_set_aside, log_path, move_aside, shared_memory_path};
use super::log_check::{LogIndex, LogState};
use super::probe::{DatabaseProbe, FileCheck, contains_file};
use super::schema::MigrateError;
use super::transaction::WriteTransaction;
use super::{HistoryError, events, salvage};

/// The longest time to wait for a lock of another process.
pub(super) const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// A log of more frames is emptied after a write. SQLite copies a log of a thousand frames into the database, but only the
/// next write of the same process starts the log again. Where each process writes once, all of them read, copy and flush
/// the same long log: a log of 12 MB took each hook of an agent 50 ms.
const MAX_LOG_FRAMES: u32 = 1_000;

/// The reason for setting a database aside whose log another program wrote into.
const LOG_OVERWRITTEN_REASON: &str = "its log was overwritten";

/// The open database, with what identifies its files.
#[derive(Debug)]
pub(super) struct OpenDatabase {
    pub(super) connection: Connection,
    /// Declared after the connection, since its handle must be closed later.
    probe: DatabaseProbe,
    files: DatabaseFiles,
    /// What is known of the database, and the index of the log for which it is known.
    facts: Option<(LogIndex, Facts)>,
    /// The index of the log in the last change's transaction, and what that transaction leaves, if it was committed.
    change: (Option<LogIndex>, Option<Facts>),
}

/// The paths of the database's files, which are checked before and after each use. Building them each time took 9,700
/// of the 549,521 instructions of an Edit of 10 KB.
#[derive(Debug)]
struct DatabaseFiles {
    database: PathBuf,
    log: PathBuf,
    shared_memory: PathBuf,
}

impl DatabaseFiles {
    fn for_database(database: &Path) -> Self {
        Self {
            database: database.to_owned(),
            log: log_path(database),
            shared_memory: shared_memory_path(database),
        }
    }
}

/// The reason why an open database has to be opened again.
pub(super) enum ReopenReason {
    /// A statement failed because of damage, so the file is set aside although it opens.
    Failed(String),
    /// Another program changed the file, so only the open connection may still have its content.
    Changed(&'static str),
    /// The path leads to another file, or to none.
    Elsewhere,
    /// The shared memory was truncated: the connection must be closed and not be used any more. The database itself
    /// is intact.
    SharedMemoryCut,
}

impl OpenDatabase {
    /// Checks that the files are still those that were opened: another program may have moved or truncated them, or
    /// removed the state folder.
    pub(super) fn check_is_unchanged(&mut self) -> Result<(), ReopenReason> {
        let files = &self.files;
        match self
            .probe
            .compare_with_expected(&files.database, &files.log, &files.shared_memory)
        {
            FileCheck::Same => Ok(()),
            FileCheck::LogWritten(written) => {
                let checked = self
                    .probe
                    .check_log(&files.log, &files.shared_memory, written);
                match checked {
                    Ok(LogState::Damaged) => Err(ReopenReason::Changed(LOG_OVERWRITTEN_REASON)),
                    // If the log cannot be read now, the statement that needs it fails.
                    Ok(LogState::Whole) | Err(_) => Ok(()),
                }
            }
            FileCheck::SharedMemoryCut => self
                .probe
                .lengthen_shared_memory(&self.files.shared_memory)
                .map_err(|_| ReopenReason::SharedMemoryCut),
            FileCheck::Elsewhere => Err(ReopenReason::Elsewhere),
            FileCheck::Damaged(reason) => Err(ReopenReason::Changed(reason)),
            FileCheck::Shorter => match self.is_whole() {
                true => Ok(()),
                false => Err(ReopenReason::Changed("it was cut while it was in use")),
            },
        }
    }

    /// Checks all pages, read from the disk. Called only if the file became shorter, which a vacuum also causes.
    fn is_whole(&self) -> bool {
        let _ = self.connection.release_memory();
        let checked = self
            .connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        checked.map_or_else(|error| !is_damage(&error), |found| found == "ok")
    }

    /// Begins a write transaction, and returns what is known of the database.
    pub(super) fn begin_change(&mut self) -> rusqlite::Result<(WriteTransaction<'_>, Facts)> {
        let transaction = WriteTransaction::lock(&mut self.connection)?;
        // No other process can commit now.
        let index = self.probe.read_index(&self.files.shared_memory);
        self.change = (index, None);
        let facts = match self.facts.take() {
            Some((at, facts)) if index == Some(at) => facts,
            _ => {
                transaction.check_version()?;
                Facts::default()
            }
        };
        Ok((transaction, facts))
    }

    /// Notes what is known after the transaction that [`OpenDatabase::begin_change`] began, which has been committed.
    pub(super) fn note(&mut self, facts: Facts) {
        self.change.1 = Some(facts);
    }

    /// Returns whether it is known that nothing waits: nothing was committed since the last change of this process.
    pub(super) fn nothing_waits(&mut self) -> bool {
        let known = self
            .facts
            .as_ref()
            .filter(|(_, facts)| facts.nothing_waits());
        let Some(at) = known.map(|(at, _)| *at) else {
            return false;
        };
        self.probe.read_index(&self.files.shared_memory) == Some(at)
    }

    /// Returns the number of rows that were changed through this connection.
    pub(super) fn changed_rows(&self) -> u64 {
        self.connection.total_changes()
    }

    /// Wakes the processes that watch the state folder for changes. After writing the log, which the kernel reports,
    /// SQLite makes the transaction visible through shared memory, which the kernel does not report.
    pub(super) fn wake_watchers(&self) {
        self.probe.touch_database();
    }

    /// Empties the log if it is long and no other process is using it.
    pub(super) fn shorten_log(&mut self) {
        let index = self.probe.index;
        if index.is_none_or(|index| index.frames() < MAX_LOG_FRAMES) {
            return;
        }
        // Another process that uses the log may empty it after its own next write. An error costs time and nothing else.
        // The next use of the connection sets its patience.
        let _ = self.connection.busy_timeout(Duration::ZERO);
        let _ = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        self.record_expected_state(true);
    }

    /// Records the state of the files after a statement as the expected one.
    pub(super) fn record_expected_state(&mut self, has_written: bool) {
        self.probe
            .record_expected_state(&self.files.log, &self.files.shared_memory, has_written);
        // If another process has committed by now, what it wrote is not known.
        if let (Some(before), Some(facts)) = std::mem::take(&mut self.change)
            && let Some(after) = self.probe.index.filter(|after| after.follows(before))
        {
            self.facts = Some((after, facts));
        }
    }
}

/// Opens the database and creates what is missing of folder, file and tables.
pub(super) fn open_database(
    folder: &Path,
    before: Option<(&OpenDatabase, &ReopenReason)>,
    patience: Duration,
) -> Result<(OpenDatabase, Option<SetAsideDatabase>), HistoryError> {
    make_folder(folder).map_err(|source| not_writable_error(folder, source))?;
    let _alone = lock_folder(folder, patience)?;
    let file = database_path(folder);
    let mut set_aside = None;
    if let Some((old, reopening)) = before
        && file_identity(&file).is_ok_and(|found| found == old.probe.identity)
    {
        let reason = match reopening {
            ReopenReason::Failed(reason) => reason.clone(),
            ReopenReason::Changed(reason) => (*reason).to_owned(),
            ReopenReason::Elsewhere => "it was moved while it was in use".to_owned(),
            ReopenReason::SharedMemoryCut => "its shared memory was cut".to_owned(),
        };
        set_aside = Some(move_aside(folder, reason)?);
    }
    let opened = match open_file(&file, patience) {
        Err(OpenFailure::Damaged(reason)) => {
            set_aside = Some(move_aside(folder, reason)?);
            open_file(&file, patience)
        }
        opened => opened,
    };
    let mut opened = match opened {
        Ok(opened) => opened,
        Err(OpenFailure::Error(error)) => return Err(error),
        Err(OpenFailure::Damaged(reason)) => {
            return Err(HistoryError::Damaged {
                store: file.into(),
                reason,
            });
        }
    };
    let to = &mut opened.connection;
    match (&mut set_aside, before) {
        (Some(aside), before) => {
            if let Some((old, ReopenReason::Changed(_))) = before {
                aside.brought_over = salvage::copy_from_damaged_database(&old.connection, to);
            }
            if aside.brought_over == 0
                && let Some(moved_to) = &aside.moved_to
            {
                aside.brought_over = salvage::copy_from_damaged_file(moved_to, to);
            }
        }
        // If another process has set it aside, that process reports it.
        (None, Some((old, ReopenReason::Elsewhere)))
            if !contains_file(old.probe.identity, &files_set_aside(folder)) =>
        {
            set_aside = Some(SetAsideDatabase {
                moved_to: None,
                reason:
                    "the database in the state folder was removed or replaced while it was in use"
                        .to_owned(),
                brought_over: match salvage::copy_from_damaged_database(&old.connection, to) {
                    0 => 0,
                    _ => salvage::remove_operations_without_files(to, folder).unwrap_or(0),
                },
            });
        }
        (None, _) => {}
    }
    if set_aside.is_some() {
        let file = &file;
        events::continue_numbers_after_loss(to).map_err(|error| store_error(file, error))?;
    }
    opened.record_expected_state(true);
    Ok((opened, set_aside))
}

/// The reason why a database file could not be opened: it is damaged and can be set aside, or another error.
enum OpenFailure {
    Damaged(String),
    Error(HistoryError),
}

fn open_file(file: &Path, patience: Duration) -> Result<OpenDatabase, OpenFailure> {
    let refused = |source| OpenFailure::Error(not_writable_error(file, source));
    // SQLite gives the `-wal` and `-shm` files the mode of this one.
    let mut probe = DatabaseProbe::open(file).map_err(refused)?;
    if probe.length() == 0 && fs::metadata(log_path(file)).is_ok_and(|log| log.len() > 0) {
        // SQLite would treat it as a new database and remove the log with its content.
        return Err(OpenFailure::Damaged(
            "it is empty, and its log is not".to_owned(),
        ));
    }
    if let Ok(LogState::Damaged) = probe.check_log_found(&log_path(file), &shared_memory_path(file))
    {
        return Err(OpenFailure::Damaged(LOG_OVERWRITTEN_REASON.to_owned()));
    }
    let mode = probe.metadata().map_err(refused)?.mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(file, Permissions::from_mode(0o600)).map_err(refused)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let prepared = Connection::open_with_flags(file, flags)
        .map_err(MigrateError::from)
        .and_then(|connection| prepare_connection(connection, patience));
    match prepared {
        Ok(connection) => Ok(OpenDatabase {
            connection,
            probe,
            files: DatabaseFiles::for_database(file),
            facts: None,
            change: (None, None),
        }),
        Err(MigrateError::Newer { found, known }) => Err(OpenFailure::Error(HistoryError::Newer {
            store: file.into(),
            found,
            known,
        })),
        // A missing table or column in a database of the right version is damage; SQLite has no error code for it.
        Err(MigrateError::Sqlite(error)) if is_damage(&error) || is_missing_schema(&error) => {
            Err(OpenFailure::Damaged(error.to_string()))
        }
        Err(MigrateError::Sqlite(error)) => Err(OpenFailure::Error(store_error(file, error))),
    }
}

/// Creates the folder with mode 0700. An existing folder keeps its mode unless it is empty, since one with other
/// files in it may be shared on purpose.
fn make_folder(folder: &Path) -> io::Result<()> {
    match fs::metadata(folder) {
        Ok(found) if !found.is_dir() => Err(io::ErrorKind::NotADirectory.into()),
        Ok(found) => {
            if found.mode() & 0o077 != 0 && fs::read_dir(folder)?.next().is_none() {
                // This fails on another user's folder, which is then used as it is.
                let _ = fs::set_permissions(folder, Permissions::from_mode(found.mode() & 0o700));
            }
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)
        }
        Err(error) => Err(error),
    }
}

/// Lets only one process at a time open, migrate or set aside. Without the lock, two processes that find a damaged
/// file would both set one aside: the second one would set aside the new database of the first.
fn lock_folder(folder: &Path, patience: Duration) -> Result<File, HistoryError> {
    let path = folder.join("lancet.db.lock");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path);
    let file = file.map_err(|source| not_writable_error(folder, source))?;
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(not_writable_error(&path, source)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                sleep(Duration::from_millis(5))
            }
            Err(TryLockError::WouldBlock) => {
                let holder = LockHolder::holding_file(&path);
                return Err(HistoryError::Busy {
                    store: path.into(),
                    holder,
                });
            }
        }
    }
}
