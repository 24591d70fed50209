//! The host's settings for all servers.

use std::path::PathBuf;
use std::time::Duration;

use crate::{ServerEntry, Severity};

/// The settings of [`crate::LanguageServers`].
#[derive(Debug, Clone)]
pub struct LanguageOptions {
    /// The servers that may be started, as returned by [`crate::choose_entries`].
    pub entries: Vec<ServerEntry>,
    /// The folders that contain the files. A server's folder is the nearest folder with a root file of its entry, not
    /// above these; without one, the root itself. Files outside are not sent to any server.
    pub roots: Vec<PathBuf>,
    /// The longest time that an answer waits for problems.
    pub wait: Duration,
    /// The maximum number of servers that run at once. A further one replaces the least recently used one, if that is
    /// idle.
    pub most: usize,
    /// A server that was unused for this time is ended.
    pub idle: Duration,
    /// The least severe problems that are reported.
    pub severity: Severity,
    /// The pauses before a server that ended unexpectedly is started again: after its first end, its second and so on.
    /// During the last one it counts as given up, and after that the count starts over.
    pub pauses: Vec<Duration>,
}

impl LanguageOptions {
    /// Returns the defaults for these entries and roots: 1.5 s, three servers, ten minutes, errors only.
    #[must_use]
    pub fn new(entries: Vec<ServerEntry>, roots: Vec<PathBuf>) -> LanguageOptions {
        LanguageOptions {
            entries,
            roots,
            wait: Duration::from_millis(1500),
            most: 3,
            idle: Duration::from_secs(600),
            severity: Severity::Error,
            pauses: [1, 5, 30, 600].map(Duration::from_secs).to_vec(),
        }
    }
}
