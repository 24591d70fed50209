//! The servers of one process, as the host uses them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::{FileChange, Found, Options, ServerStarter, ServerState};

/// The servers of one process. All of them end when it is dropped.
pub struct Language {
    options: Options,
    _starter: Arc<dyn ServerStarter>,
}

/// A change whose problems have not been asked for. Dropping it leaves them to [`Language::take_late`].
#[must_use]
pub struct Pending {
    _session: String,
}

impl Language {
    /// No server is started before a file of its language is read or changed.
    #[must_use]
    pub fn new(options: Options, starter: Arc<dyn ServerStarter>) -> Language {
        Language {
            options,
            _starter: starter,
        }
    }

    /// The longest time that an answer is to wait for problems, as the options say.
    #[must_use]
    pub fn wait(&self) -> Duration {
        self.options.wait
    }

    /// Whether some server would be told of this file.
    #[must_use]
    pub fn serves(&self, path: &Path) -> bool {
        let _ = path;
        false
    }

    /// The roots are these from now on. Servers of folders that are below none of them end.
    pub fn set_roots(&self, roots: Vec<PathBuf>) {
        let _ = roots;
    }

    /// A file was shown, with this text: its servers are started where none runs, and told of it. Returns at once.
    pub fn read(&self, path: &Path, text: &str) {
        let _ = (path, text);
    }

    /// Files were changed on the disk by one call of a session: their servers are told. Returns at once.
    pub fn changed(&self, session: &str, changes: &[FileChange<'_>]) -> Pending {
        let _ = changes;
        Pending {
            _session: session.to_owned(),
        }
    }

    /// Waits for the problems of a change, until then at the latest. What comes later, of servers that knew the version
    /// before, is kept for [`Language::take_late`].
    pub fn problems(&self, pending: Pending, until: Instant) -> Found {
        let _ = (pending, until);
        Found::default()
    }

    /// The problems of earlier changes of this session that came after their answer. Each is given once; those of files
    /// that were changed again are withdrawn.
    pub fn take_late(&self, session: &str) -> Found {
        let _ = session;
        Found::default()
    }

    /// Forgets what is kept for a session.
    pub fn end_session(&self, session: &str) {
        let _ = session;
    }

    /// How the servers stand that were ever started.
    #[must_use]
    pub fn states(&self) -> Vec<ServerState> {
        Vec::new()
    }
}
