//! The limit of open files of the process, of which each connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The largest limit that is set. More is never needed here; programs that are started would take long to go through
/// millions of descriptors.
const MAX_LIMIT: u64 = 65_536;

/// Raises the limit of open files as far as the system allows, and returns the limit in force.
pub fn raise_open_file_limit() -> u64 {
    let before = getrlimit(Resource::Nofile);
    let current = before.current.unwrap_or(u64::MAX);
    let wanted = before.maximum.unwrap_or(u64::MAX).min(MAX_LIMIT);
    if wanted <= current {
        return current;
    }
    let raised = Rlimit {
        current: Some(wanted),
        maximum: before.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => wanted,
        // With the old limit fewer connections are possible.
        Err(_) => current,
    }
}
