//! Finds the process that holds a lock of a file, from `/proc/locks`. A stopped process has to be named to the user,
//! since only resuming or ending it releases the lock.

use std::fmt;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The number of bytes of `/proc/locks` that are read.
const MAX_LOCKS_BYTES: u64 = 1 << 20;

/// A process that holds a lock of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// The process id.
    pub process: u32,
    /// Whether the process is stopped (SIGSTOP, Ctrl-Z); it keeps the lock until it continues or ends.
    pub stopped: bool,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = self.process;
        match self.stopped {
            true => write!(
                formatter,
                "process {process}, which is stopped (`kill -CONT {process}` lets it go on)"
            ),
            false => write!(formatter, "process {process}"),
        }
    }
}

impl LockHolder {
    /// Returns the process that holds a write lock on this byte of a file.
    #[must_use]
    pub fn holding_byte(file: &Path, byte: u64) -> Option<LockHolder> {
        let byte = byte.to_string();
        Self::find_holder(file, |kind, start| kind == "POSIX" && start == byte)
    }

    /// Returns the process that holds a lock file.
    #[must_use]
    pub fn holding_file(file: &Path) -> Option<LockHolder> {
        Self::find_holder(file, |kind, _| kind == "FLOCK")
    }

    fn find_holder(file: &Path, fits: impl Fn(&str, &str) -> bool) -> Option<LockHolder> {
        let inode = fs::metadata(file).ok()?.ino().to_string();
        let mut locks = String::new();
        let list = File::open("/proc/locks").ok()?;
        list.take(MAX_LOCKS_BYTES).read_to_string(&mut locks).ok()?;
        let process = locks.lines().find_map(|line| {
            // `1: POSIX  ADVISORY  WRITE 4711 fd:01:1234 120 120`; a waiting process has `->` after the number.
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let [_, kind, _, "WRITE", process, place, start, ..] = fields[..] else {
                return None;
            };
            let found = place.rsplit(':').next() == Some(&inode) && fits(kind, start);
            process.parse().ok().filter(|_| found)
        })?;
        Some(LockHolder {
            process,
            stopped: is_stopped(process),
        })
    }

    /// Returns whether the process was stopped and still is.
    #[must_use]
    pub fn is_still_stopped(self) -> bool {
        self.stopped && is_stopped(self.process)
    }
}

fn is_stopped(process: u32) -> bool {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = line.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    state.is_some_and(|state| state.starts_with(['T', 't']))
}
