//! Checks the state folder: whether lancet can store its records there, and how to repair it if not.

use std::fs::Metadata;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use lancet::doors::{StoreFacts, format_size};
use lancet::history::HistoryError;
use lancet_install::quote_shell_word;
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;
use serde_json::{Value, json};

use super::Problem;
use crate::failure::Exit;

/// How many bytes must fit into the state folder; otherwise its disk counts as full.
const REQUIRED_BYTES: usize = 500_000;

/// The state folder as the doctor found it.
#[derive(Debug)]
pub(super) struct StateFacts {
    path: PathBuf,
    /// The permission bits of the folder; none where it does not exist.
    mode: Option<u32>,
    writable: bool,
    /// Counts and size of the database; none where there is no database or it cannot be read.
    store: Option<StoreFacts>,
}

/// Checks the state folder.
pub(super) fn inspect(path: &Path) -> (StateFacts, Vec<Problem>) {
    let metadata = std::fs::metadata(path).ok();
    let wrong = |(words, mend): (String, Option<String>)| Problem {
        exit: Exit::System,
        words,
        mend,
    };
    let folder =
        find_folder_problem(path, metadata.as_ref()).map(|(words, mend)| (words, Some(mend)));
    let folder = folder.or_else(|| check_free_space(path));
    let mut problems: Vec<Problem> = folder.map(wrong).into_iter().collect();
    let store = lancet::doors::examine_store(path).unwrap_or_else(|error| {
        // If the folder cannot be written or is full, that is the cause, and it has already been reported.
        let has_cause = !is_writable(path) || check_free_space(path).is_some();
        if !has_cause {
            problems.push(wrong(describe_database_problem(&error)));
        }
        None
    });
    problems
        .extend(describe_damaged_databases(path).map(|(words, mend)| wrong((words, Some(mend)))));
    let writable = match &metadata {
        Some(metadata) => metadata.is_dir() && is_writable(path),
        None => check_creatable(path).is_ok(),
    };
    let mode = metadata.map(|metadata| metadata.mode() & 0o7777);
    (
        StateFacts {
            path: path.to_path_buf(),
            mode,
            writable,
            store,
        },
        problems,
    )
}

/// Describes the problem with the folder, and the command that repairs it.
fn find_folder_problem(path: &Path, metadata: Option<&Metadata>) -> Option<(String, String)> {
    let (shown, word) = (path.display(), quote_shell_word(&path.to_string_lossy()));
    let Some(metadata) = metadata else {
        let above = check_creatable(path).err()?;
        let words = format!(
            "the state folder {shown} is not there and cannot be made below {}",
            above.display()
        );
        return Some((
            words,
            format!("sudo install -d -m 700 -o \"$(id -un)\" {word}"),
        ));
    };
    let mode = metadata.mode() & 0o7777;
    if !metadata.is_dir() {
        Some((
            format!("the state folder {shown} is not a folder"),
            format!("mv {word} {word}.old"),
        ))
    } else if metadata.uid() != rustix::process::geteuid().as_raw() {
        Some((
            format!("the state folder {shown} belongs to another user"),
            format!("sudo chown -R \"$(id -un)\" {word}"),
        ))
    } else if !is_writable(path) {
        Some((
            format!("the state folder {shown} is not writable"),
            format!("chmod 700 {word}"),
        ))
    } else if mode & 0o077 != 0 {
        Some((
            format!("the state folder {shown} is open to others (mode {mode:04o})"),
            format!("chmod 700 {word}"),
        ))
    } else {
        None
    }
}

/// Describes the damaged databases that lancet renamed when it started a new one, and the command that removes them.
fn describe_damaged_databases(path: &Path) -> Option<(String, String)> {
    let files = lancet::doors::files_set_aside(path);
    let first = files.first()?;
    let more = match files.len() {
        1 => String::new(),
        many => format!(" and {} more files beside it", many - 1),
    };
    let words = format!(
        "a damaged record of changes was set aside: {}{more}. Changes that could not be read from it are in no log and cannot be undone; the larger of their old contents are in {} as long as it lies there. Copy what you still need, then remove it",
        first.display(),
        path.join("contents").display()
    );
    Some((
        words,
        format!(
            "rm {}/lancet.db.damaged*",
            quote_shell_word(&path.to_string_lossy())
        ),
    ))
}

/// Describes the problem with the database, and the command that repairs it. A database that is in use or was made by a
/// newer lancet is intact, so there is no command for it.
fn describe_database_problem(error: &HistoryError) -> (String, Option<String>) {
    let words = format!("the record of sessions cannot be used: {error}");
    let Some(file) = error.affected_path() else {
        return (words, None);
    };
    let is_open = accessat(
        CWD,
        file,
        Access::READ_OK | Access::WRITE_OK,
        AtFlags::EACCESS,
    );
    let mend = match error {
        HistoryError::Busy { .. } | HistoryError::Newer { .. } => None,
        _ if is_open == Err(Errno::ACCESS) => Some(format!(
            "sudo chown \"$(id -un)\" {0} && chmod 600 {0}",
            quote_shell_word(&file.to_string_lossy())
        )),
        _ => Some(format!(
            "mv {0} {0}.old",
            quote_shell_word(&file.to_string_lossy())
        )),
    };
    (words, mend)
}

/// Reports a folder where [`REQUIRED_BYTES`] bytes cannot be written, as on a full disk.
fn check_free_space(path: &Path) -> Option<(String, Option<String>)> {
    let error = try_write(path).err()?;
    let words = format!(
        "the state folder {} does not take {} kB more ({error}): changes that cannot be kept are refused; make room on its disk, or name a folder on another one with LANCET_STATE_DIR",
        path.display(),
        REQUIRED_BYTES / 1000
    );
    Some((words, None))
}

/// Writes [`REQUIRED_BYTES`] bytes to a file without a name in the folder, which the kernel removes when it is closed.
#[cfg(target_os = "linux")]
fn try_write(path: &Path) -> io::Result<()> {
    use rustix::fs::{Mode, OFlags, openat};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    match openat(CWD, path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => std::fs::File::from(file).write_all(&[0; REQUIRED_BYTES]),
        Err(error @ (Errno::NOSPC | Errno::DQUOT)) => Err(error.into()),
        // The file system has no unnamed files, or the folder does not exist yet, so the free space remains unknown.
        Err(_) => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn try_bytes(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Checks that the folder can be created. The error is the path that is in the way.
fn check_creatable(path: &Path) -> Result<(), &Path> {
    let above = path
        .ancestors()
        .skip(1)
        .find(|above| above.symlink_metadata().is_ok())
        .unwrap_or(Path::new("/"));
    if above.is_dir() && is_writable(above) {
        Ok(())
    } else {
        Err(above)
    }
}

fn is_writable(folder: &Path) -> bool {
    accessat(
        CWD,
        folder,
        Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK,
        AtFlags::EACCESS,
    )
    .is_ok()
}

impl StateFacts {
    /// Returns the findings as text for people, line by line.
    pub(super) fn report_lines(&self) -> Vec<String> {
        let state = match (self.mode, self.writable) {
            (Some(mode), true) => format!("mode {mode:04o}, writable"),
            (Some(mode), false) => format!("mode {mode:04o}, not writable"),
            (None, true) => "not there yet; made at first need".to_owned(),
            (None, false) => "not there, and cannot be made".to_owned(),
        };
        let mut lines = vec![format!("{}  ({state})", self.path.display())];
        if let Some(store) = self.store {
            let plural = |number: u64| if number == 1 { "" } else { "s" };
            lines.push(format!(
                "record of {} named session{} and {} change{}",
                store.sessions,
                plural(store.sessions),
                store.operations,
                plural(store.operations),
            ));
            lines.push(format!(
                "the history takes {} (records and contents in use); on disk {}, with free pages and SQLite's log",
                format_size(store.used),
                format_size(store.on_disk)
            ));
        }
        lines
    }

    /// Returns the findings as JSON.
    pub(super) fn facts_json(&self) -> Value {
        json!({
            "path": self.path,
            "exists": self.mode.is_some(),
            "mode": self.mode.map(|mode| format!("{mode:04o}")),
            "writable": self.writable,
            "sessions": self.store.map(|store| store.sessions),
            "operations": self.store.map(|store| store.operations),
            "bytes": self.store.map(|store| store.used),
            "bytesOnDisk": self.store.map(|store| store.on_disk),
        })
    }
}
