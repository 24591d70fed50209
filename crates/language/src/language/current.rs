//! All current problems of files, new or old.

use std::path::Path;
use std::time::Instant;

use super::LanguageServers;
use crate::NewProblems;

/// The maximum number of problems in one list; the others are counted.
const MOST_LISTED: usize = 100;

impl LanguageServers {
    /// Returns the current problems of this file, or of every file that the servers know. Waits until the given time at
    /// most for the servers to process the last texts. Those that did not finish in time are listed as not ready.
    #[must_use]
    pub fn current_problems(&self, path: Option<&Path>, until: Instant) -> NewProblems {
        let _ = self.wait_until_processed(until);
        let now = Instant::now();
        let mut state = self.shared.lock();
        let mut problems = Vec::new();
        let mut not_ready = Vec::new();
        let wanted = path.map(|path| self.shared.start_servers_for(&mut state, path, now));
        for (id, server) in state.servers.iter().enumerate() {
            if wanted.as_ref().is_some_and(|wanted| !wanted.contains(&id)) {
                continue;
            }
            if server.has_processed_everything(now) {
                problems.extend(server.current_problems(path));
            } else if server.is_running() {
                not_ready.push(server.entry.name.clone());
            }
        }
        drop(state);
        problems.sort_by_cached_key(|problem| {
            let place = (problem.path.clone(), problem.line, problem.column);
            (problem.severity, place)
        });
        let more = problems.len().saturating_sub(MOST_LISTED);
        problems.truncate(MOST_LISTED);
        NewProblems {
            new: problems,
            more,
            not_ready,
        }
    }
}
