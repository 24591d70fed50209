//! Opens the database: creates the folder with its mode, locks out other processes meanwhile, and sets a damaged file aside.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::clock::now;
use super::holder::Holder;
use super::probe::{FileCheck, Probe, identity, is_among};
use super::schema::{MigrateError, STEPS, migrate};
use super::{SetAside, StoreError, ledgers, log, salvage};

/// The name of the database in the state folder.
const FILE: &str = "lancet.db";
/// How long a lock of another process is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// The size in bytes to which the write-ahead log is truncated after a checkpoint.
const LONGEST_LOG: i64 = 4 << 20;

/// The number of prepared statements that are cached.
const STATEMENTS: usize = 64;

/// The open database, with what identifies its files.
#[derive(Debug)]
pub(super) struct OpenDatabase {
    pub(super) connection: Connection,
    /// Declared after the connection, since its handle must be closed later.
    probe: Probe,
}

/// Why an open database has to be opened again.
pub(super) enum Reopening {
    /// A statement failed because of damage, so the file is set aside although it opens.
    Failed(String),
    /// Another program changed the file, so only the open connection may still have its content.
    Changed(&'static str),
    /// The path leads to another file, or to none.
    Elsewhere,
}

impl OpenDatabase {
    /// Checks that the files are still those that were opened: another program may have moved or cut them, or removed the
    /// state folder.
    pub(super) fn is_sound(&mut self, folder: &Path) -> Result<(), Reopening> {
        let file = file_in(folder);
        match self.probe.check(&file, &log_of(&file)) {
            FileCheck::Same => Ok(()),
            FileCheck::Elsewhere => Err(Reopening::Elsewhere),
            FileCheck::Damaged(reason) => Err(Reopening::Changed(reason)),
            FileCheck::Shorter => match self.is_whole() {
                true => Ok(()),
                false => Err(Reopening::Changed("it was cut while it was in use")),
            },
        }
    }

    /// Checks all pages, read from the disk. Called only if the file became shorter, as it does by a vacuum.
    fn is_whole(&self) -> bool {
        let _ = self.connection.release_memory();
        let checked = self
            .connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        checked.map_or_else(|error| !is_damage(&error), |found| found == "ok")
    }

    /// Records the state of the files after a statement as the expected one.
    pub(super) fn settle(&mut self, folder: &Path) {
        self.probe.settle(&log_of(&file_in(folder)));
    }
}

pub(super) fn file_in(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// The write-ahead log of a database.
pub(super) fn log_of(file: &Path) -> PathBuf {
    with_suffix(file, "-wal")
}

/// Opens the database and creates what is missing of folder, file and tables.
pub(super) fn open(
    folder: &Path,
    before: Option<(&OpenDatabase, &Reopening)>,
    patience: Duration,
) -> Result<(OpenDatabase, Option<SetAside>), StoreError> {
    make_folder(folder).map_err(|source| not_writable(folder, source))?;
    let _alone = lock(folder, patience)?;
    let file = file_in(folder);
    let mut set_aside = None;
    if let Some((old, reopening)) = before
        && identity(&file).is_ok_and(|found| found == old.probe.identity)
    {
        let reason = match reopening {
            Reopening::Failed(reason) => reason.clone(),
            Reopening::Changed(reason) => (*reason).to_owned(),
            Reopening::Elsewhere => "it was moved while it was in use".to_owned(),
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
        Err(OpenFailure::Damaged(reason)) => return Err(StoreError::Failed { path: file, reason }),
    };
    let to = &mut opened.connection;
    match (&mut set_aside, before) {
        (Some(aside), before) => {
            if let Some((old, Reopening::Changed(_))) = before {
                aside.brought_over = salvage::bring_over(&old.connection, to);
            }
            if aside.brought_over == 0
                && let Some(moved_to) = &aside.moved_to
            {
                aside.brought_over = salvage::bring_over_from_file(moved_to, to);
            }
        }
        // If another process has set it aside, that process reports it.
        (None, Some((old, Reopening::Elsewhere)))
            if !is_among(old.probe.identity, &files_set_aside(folder)) =>
        {
            set_aside = Some(SetAside {
                moved_to: None,
                reason:
                    "the database in the state folder was removed or replaced while it was in use"
                        .to_owned(),
                brought_over: match salvage::bring_over(&old.connection, to) {
                    0 => 0,
                    _ => salvage::without_missing_files(to, folder).unwrap_or(0),
                },
            });
        }
        (None, _) => {}
    }
    opened.settle(folder);
    Ok((opened, set_aside))
}

/// Why a database file could not be opened: it is damaged and can be set aside, or another error.
enum OpenFailure {
    Damaged(String),
    Error(StoreError),
}

fn open_file(file: &Path, patience: Duration) -> Result<OpenDatabase, OpenFailure> {
    let refused = |source| OpenFailure::Error(not_writable(file, source));
    // SQLite gives the `-wal` and `-shm` files the mode of this one.
    let probe = Probe::open(file).map_err(refused)?;
    if probe.length() == 0 && fs::metadata(log_of(file)).is_ok_and(|log| log.len() > 0) {
        // SQLite would treat it as a new database and remove the log with its content.
        return Err(OpenFailure::Damaged(
            "it is empty, and its log is not".to_owned(),
        ));
    }
    let mode = probe.metadata().map_err(refused)?.mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(file, Permissions::from_mode(0o600)).map_err(refused)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let prepared = Connection::open_with_flags(file, flags)
        .map_err(MigrateError::from)
        .and_then(|connection| prepare(connection, patience));
    match prepared {
        Ok(connection) => Ok(OpenDatabase { connection, probe }),
        Err(MigrateError::Newer { found, known }) => Err(OpenFailure::Error(StoreError::Newer {
            path: file.to_owned(),
            found,
            known,
        })),
        // A missing table or column in a database of the right version is damage; SQLite has no error code for it.
        Err(MigrateError::Sqlite(error)) if is_damage(&error) || is_plain(&error) => {
            Err(OpenFailure::Damaged(error.to_string()))
        }
        Err(MigrateError::Sqlite(error)) => Err(OpenFailure::Error(store_error(file, error))),
    }
}

fn prepare(mut connection: Connection, patience: Duration) -> Result<Connection, MigrateError> {
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // `auto_vacuum` must be set before the first table is created; it allows freed pages to be returned in small steps.
    // Setting it again would be a write with its flushes, which took most of the time of a `lancet log`.
    if connection.pragma_query_value(None, "page_count", |row| row.get::<_, i64>(0))? == 0 {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    let journal = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    if journal != "wal" {
        // A file system without shared memory, such as a network one, cannot use WAL; this mode is slower and as safe.
        connection.pragma_update_and_check(None, "journal_mode", "TRUNCATE", |row| {
            row.get::<_, String>(0)
        })?;
    }
    // By default the last connection to close checkpoints the log, with two flushes, and the next one begins a new log with
    // two more. Instead the log stays, and is checkpointed after compression (compress.rs) or at its thousandth page.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update_and_check(None, "journal_size_limit", LONGEST_LOG, |_| Ok(()))?;
    // The log is not flushed at each commit: after a power cut the last rows may be missing, and hashes still decide.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // A confined process may have no folder for SQLite's temporary files.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    migrate(&mut connection, STEPS)?;
    ledgers::check(&connection)?;
    log::check(&connection)?;
    ledgers::prune(&connection)?;
    Ok(connection)
}

/// Creates the folder with mode 0700. An existing folder keeps its mode unless it is empty, since one with other files in it
/// may be shared on purpose.
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

/// Lets one process at a time open, migrate or set aside. Without the lock two processes that find a damaged file would both
/// set one aside, the second one the new database of the first.
fn lock(folder: &Path, patience: Duration) -> Result<File, StoreError> {
    let path = folder.join("lancet.db.lock");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path);
    let file = file.map_err(|source| not_writable(folder, source))?;
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(not_writable(&path, source)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                sleep(Duration::from_millis(5))
            }
            Err(TryLockError::WouldBlock) => {
                let holder = Holder::of_file(&path);
                return Err(StoreError::Busy { path, holder });
            }
        }
    }
}

/// Renames the damaged file, its `-wal` and `-shm` files first, so that a new database does not find the log of the old one.
fn move_aside(folder: &Path, reason: String) -> Result<SetAside, StoreError> {
    let file = file_in(folder);
    let moved_to = (0..)
        .map(|more| folder.join(format!("{FILE}.damaged-{}", now() + more)))
        .find(|free| !free.exists())
        .unwrap_or_else(|| folder.join(format!("{FILE}.damaged")));
    for suffix in ["-wal", "-shm", ""] {
        match fs::rename(with_suffix(&file, suffix), with_suffix(&moved_to, suffix)) {
            Err(error) if suffix.is_empty() || error.kind() != io::ErrorKind::NotFound => {
                return Err(not_writable(folder, error));
            }
            _ => {}
        }
    }
    Ok(SetAside {
        moved_to: Some(moved_to),
        reason,
        brought_over: 0,
    })
}

/// Whether the state folder has a damaged database that was set aside.
pub(super) fn has_set_aside(folder: &Path) -> bool {
    !files_set_aside(folder).is_empty()
}

/// The files of damaged databases that were set aside in a state folder, with their `-wal` and `-shm` files, sorted by name.
#[must_use]
pub fn files_set_aside(folder: &Path) -> Vec<PathBuf> {
    let begin = format!("{FILE}.damaged");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&begin))
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

pub(super) fn not_writable(path: &Path, source: io::Error) -> StoreError {
    StoreError::NotWritable {
        path: path.to_owned(),
        source,
    }
}

/// Whether the error means that the file is damaged. A short read means that the file was truncated.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    const SHORT_READ: i32 = rusqlite::ffi::SQLITE_IOERR_SHORT_READ;
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    ) || error
        .sqlite_error()
        .is_some_and(|error| error.extended_code == SHORT_READ)
}

/// Whether the error is a plain SQL error, such as a missing table.
fn is_plain(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqlInputError { .. } => true,
        error => error
            .sqlite_error()
            .is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_ERROR),
    }
}

/// Converts an error of SQLite.
pub(super) fn store_error(file: &Path, error: rusqlite::Error) -> StoreError {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            return StoreError::Busy {
                path: file.to_owned(),
                holder: Holder::of_database(&with_suffix(file, "-shm")),
            };
        }
        Some(ErrorCode::ReadOnly) => io::ErrorKind::ReadOnlyFilesystem,
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            io::ErrorKind::PermissionDenied
        }
        Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
        _ => {
            return StoreError::Failed {
                path: file.to_owned(),
                reason: error.to_string(),
            };
        }
    };
    not_writable(file, io::Error::new(kind, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file system on which SQLite cannot share memory, as some over a network: locks by files beside the database.
    fn open_without_shared_memory(file: &Path) -> Connection {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let opened = Connection::open_with_flags_and_vfs(file, flags, c"unix-dotfile");
        prepare(opened.expect("opens"), PATIENCE).unwrap_or_else(|_| panic!("prepared"))
    }

    #[test]
    fn without_shared_memory_the_journal_is_a_plain_one() {
        let folder = tempfile::TempDir::new().expect("folder");
        let file = file_in(folder.path());
        for time in 0..3 {
            let mut connection = open_without_shared_memory(&file);
            let mode: String = connection
                .pragma_query_value(None, "journal_mode", |row| row.get(0))
                .expect("asked");
            assert_eq!(mode, "truncate");
            let insert = "INSERT INTO sessions (name, used, turn) VALUES (?1, unixepoch(), 0)";
            // One that is not brought to its end leaves nothing; one that is stays.
            let given_up = connection.transaction().expect("begun");
            given_up
                .execute(insert, [format!("given up {time}")])
                .expect("inserted");
            drop(given_up);
            connection
                .execute(insert, [format!("kept {time}")])
                .expect("inserted");
            let left = fs::read_dir(folder.path()).expect("listed").flatten();
            let names: Vec<_> = left.map(|entry| entry.file_name()).collect();
            assert!(
                !names
                    .iter()
                    .any(|name| name.to_string_lossy().ends_with("-wal")),
                "{names:?}"
            );
        }
        let connection = open_without_shared_memory(&file);
        let mut names = connection
            .prepare("SELECT name FROM sessions ORDER BY name")
            .expect("prepared");
        let names = names.query_map([], |row| row.get(0)).expect("asked");
        let names: Vec<String> = names.collect::<rusqlite::Result<_>>().expect("read");
        assert_eq!(names, ["kept 0", "kept 1", "kept 2"]);
    }
}
