//! Which process holds a lock of the database, as far as the system tells: one that was stopped in the middle has to be
//! named, since nobody else can let go of it.

use std::fmt;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// More of the system's list is not looked at.
const MOST_LOCKS: u64 = 1 << 20;
/// The byte of the file beside the database that whoever writes into its log locks.
const WRITER: &str = "120";

/// A process that holds the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub process: u32,
    /// Whether it was stopped (SIGSTOP, Ctrl-Z): it holds the database until it goes on or ends.
    pub stopped: bool,
}

impl fmt::Display for Holder {
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

impl Holder {
    /// Whoever writes into the database; `shared` is the file beside it that its users share.
    pub(super) fn of_database(shared: &Path) -> Option<Holder> {
        Self::of(shared, |kind, start| kind == "POSIX" && start == WRITER)
    }

    /// Whoever holds a lock file.
    pub(super) fn of_file(file: &Path) -> Option<Holder> {
        Self::of(file, |kind, _| kind == "FLOCK")
    }

    fn of(file: &Path, fits: impl Fn(&str, &str) -> bool) -> Option<Holder> {
        let inode = fs::metadata(file).ok()?.ino().to_string();
        let mut locks = String::new();
        let list = File::open("/proc/locks").ok()?;
        list.take(MOST_LOCKS).read_to_string(&mut locks).ok()?;
        let process = locks.lines().find_map(|line| {
            // `1: POSIX  ADVISORY  WRITE 4711 fd:01:1234 120 120`; whoever waits has an arrow after the number.
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let [_, kind, _, "WRITE", process, place, start, ..] = fields[..] else {
                return None;
            };
            let found = place.rsplit(':').next() == Some(&inode) && fits(kind, start);
            process.parse().ok().filter(|_| found)
        })?;
        Some(Holder {
            process,
            stopped: is_stopped(process),
        })
    }

    /// Whether it is stopped by now.
    pub(super) fn is_still_stopped(self) -> bool {
        self.stopped && is_stopped(self.process)
    }
}

fn is_stopped(process: u32) -> bool {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = line.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    state.is_some_and(|state| state.starts_with(['T', 't']))
}
