//! The host's interface to the servers of one process.

mod conversation;
mod current;
mod plan;
mod shared;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::document::MAX_DOCUMENT_BYTES;
use crate::server::{AnnouncedChange, FileChangeKind, RoundStep, Server};
use crate::{
    ChangedText, LanguageOptions, MAX_REPORTED, NewProblems, Problem, ServerStarter, ServerState,
};
use shared::SharedServers;

/// The servers of one process. All of them end when it is dropped.
pub struct LanguageServers {
    shared: Arc<SharedServers>,
}

/// A change whose problems have not been collected yet. Dropping it leaves them to
/// [`LanguageServers::take_late_problems`].
#[must_use]
pub struct PendingChange {
    shared: Arc<SharedServers>,
    /// The changed files, which come first in the answer.
    changed: Vec<PathBuf>,
    /// The servers that were notified, and the number of the change.
    told: Vec<usize>,
    round: u64,
    not_ready: Vec<String>,
}

impl LanguageServers {
    /// Creates the interface. No server is started before a file of its language is read or changed.
    #[must_use]
    pub fn new(options: LanguageOptions, starter: Arc<dyn ServerStarter>) -> LanguageServers {
        LanguageServers {
            shared: Arc::new(SharedServers::new(options, starter)),
        }
    }

    /// Returns the longest time that an answer should wait for problems, as configured.
    #[must_use]
    pub fn answer_wait(&self) -> Duration {
        self.shared.wait
    }

    /// Returns whether any server would be notified of this file.
    #[must_use]
    pub fn serves_file(&self, path: &Path) -> bool {
        !self.shared.lock().places.servers_for_file(path).is_empty()
    }

    /// Replaces the roots. Servers whose folders are below none of them are ended.
    pub fn set_roots(&self, roots: Vec<PathBuf>) {
        let mut state = self.shared.lock();
        state.places.set_roots(roots);
        let state = &mut *state;
        for server in &mut state.servers {
            if server.is_running() && state.places.innermost_root(&server.folder).is_none() {
                server.shut_down();
            }
        }
        self.shared.news.notify_all();
    }

    /// Announces that a file was shown with this text: starts its servers if they are not running, and sends them the
    /// text. Returns at once.
    ///
    /// The text is that of the file, decoded, with its own line ends: servers read other files from the disk and must
    /// not see two texts of one file.
    pub fn announce_read(&self, path: &Path, text: &str) {
        let now = Instant::now();
        let mut state = self.shared.lock();
        let servers = self.shared.start_servers_for(&mut state, path, now);
        for server in &mut state.servers {
            if server.has_other_text(path, text) {
                server.withdraw_findings();
            }
        }
        if servers.is_empty() {
            return;
        }
        if text.len() > MAX_DOCUMENT_BYTES {
            for id in servers {
                state.servers[id].close_document(path);
            }
            return;
        }
        let text: Arc<str> = text.into();
        for id in servers {
            state.servers[id].update_text(path, &text, now);
        }
    }

    /// Notifies the servers of files that one call of a session changed on the disk. Returns at once. The texts are as
    /// for [`LanguageServers::announce_read`].
    pub fn announce_changes(&self, session: &str, changes: &[ChangedText<'_>]) -> PendingChange {
        let now = Instant::now();
        let mut state = self.shared.lock();
        let mut by_server: BTreeMap<usize, Vec<AnnouncedChange>> = BTreeMap::new();
        let mut not_ready = Vec::new();
        let mut watched = Vec::new();
        for change in changes {
            let became = FileChangeKind::between(change.before, change.after);
            if became != FileChangeKind::Changed {
                state.places.invalidate_if_root_file(change.path);
            }
            watched.push((change.path.to_path_buf(), became));
            let servers = self.shared.start_servers_for(&mut state, change.path, now);
            if [change.before, change.after]
                .into_iter()
                .flatten()
                .any(|text| text.len() > MAX_DOCUMENT_BYTES)
            {
                // Too large: it is not sent, and not even copied.
                for id in servers {
                    state.servers[id].withdraw_findings();
                    state.servers[id].close_document(change.path);
                    not_ready.push(state.servers[id].entry.name.clone());
                }
                continue;
            }
            let (before, after) = (change.before.map(Arc::from), change.after.map(Arc::from));
            for id in servers {
                by_server.entry(id).or_default().push(AnnouncedChange {
                    path: change.path.to_path_buf(),
                    before: before.clone(),
                    after: after.clone(),
                    revision: change.revision.to_owned(),
                });
            }
            not_ready.extend(self.shared.unavailable_servers_for(&mut state, change.path));
        }
        // Late problems are also stored for servers that are not running.
        for server in &mut state.servers {
            if watched
                .iter()
                .any(|(path, _)| path.starts_with(&server.folder))
            {
                server.withdraw_findings();
            }
        }
        state.rounds += 1;
        let round = state.rounds;
        // Files of other languages may be configuration files of a server.
        for (id, server) in state.servers.iter().enumerate() {
            if !by_server.contains_key(&id) {
                let below = watched
                    .iter()
                    .filter(|(path, _)| path.starts_with(&server.folder));
                server.send_watched_files(&below.cloned().collect::<Vec<_>>());
            }
        }
        let mut told = Vec::new();
        for (id, changes) in by_server {
            let server = &mut state.servers[id];
            if server.is_ready() {
                told.push(id);
            } else if changes.iter().any(|change| change.after.is_some()) {
                not_ready.push(server.entry.name.clone());
            }
            server.begin_round(round, session, changes, now);
        }
        drop(state);
        // Threads that wait for an earlier change of the same server can stop waiting.
        self.shared.news.notify_all();
        PendingChange {
            shared: self.shared.clone(),
            changed: changes.iter().map(|one| one.path.to_path_buf()).collect(),
            told,
            round,
            not_ready,
        }
    }

    /// Waits for the problems of a change, at most until the given time. Problems that arrive later, from servers that
    /// knew the version before, are stored for [`LanguageServers::take_late_problems`].
    pub fn wait_for_problems(&self, mut pending: PendingChange, until: Instant) -> NewProblems {
        let mut problems = Vec::new();
        let mut not_ready = std::mem::take(&mut pending.not_ready);
        let mut state = self.shared.lock();
        loop {
            let now = Instant::now();
            let mut wake = until;
            pending.told.retain(|&id| {
                let server = &mut state.servers[id];
                match server.poll_round(pending.round, now) {
                    Some(RoundStep::Waits(at)) => {
                        wake = wake.min(at.unwrap_or(until));
                        return true;
                    }
                    Some(RoundStep::Done {
                        problems: more,
                        is_ready,
                    }) => {
                        problems.extend(more);
                        if !is_ready {
                            not_ready.push(server.entry.name.clone());
                        }
                    }
                    None => not_ready.push(server.entry.name.clone()),
                }
                false
            });
            if pending.told.is_empty() || now >= until {
                break;
            }
            state = self.shared.wait_for_news(state, wake);
        }
        let now = Instant::now();
        for id in pending.told.drain(..) {
            let server = &mut state.servers[id];
            problems.extend(server.take_problems_and_leave(pending.round, now));
            not_ready.push(server.entry.name.clone());
        }
        drop(state);
        not_ready.sort();
        not_ready.dedup();
        collect_problems(problems, &pending.changed, not_ready)
    }

    /// Returns the problems of earlier changes of this session that arrived after their answer. Each is returned once;
    /// those of files that were changed again are dropped.
    pub fn take_late_problems(&self, session: &str) -> NewProblems {
        let now = Instant::now();
        let mut problems = Vec::new();
        for server in &mut self.shared.lock().servers {
            server.advance_round(now);
            problems.extend(server.take_late_problems(session));
        }
        collect_problems(problems, &[], Vec::new())
    }

    /// Discards what is stored for a session.
    pub fn end_session(&self, session: &str) {
        for server in &mut self.shared.lock().servers {
            server.forget_session(session);
        }
    }

    /// Returns the state of every server that was ever started.
    #[must_use]
    pub fn server_states(&self) -> Vec<ServerState> {
        let state = self.shared.lock();
        let servers = state.servers.iter();
        servers
            .map(|server| ServerState {
                name: server.entry.name.clone(),
                folder: server.folder.clone(),
                standing: server.standing,
            })
            .collect()
    }

    /// Waits until every running server has processed the files it was sent, at most until the given time; returns
    /// whether all have. Servers that ended are not waited for.
    #[must_use]
    pub fn wait_until_processed(&self, until: Instant) -> bool {
        let mut state = self.shared.lock();
        loop {
            let now = Instant::now();
            let servers = &mut state.servers;
            for server in servers.iter_mut() {
                server.advance_round(now);
            }
            let open =
                |server: &Server| server.is_running() && !server.has_processed_everything(now);
            if !servers.iter().any(open) {
                return true;
            }
            if now >= until {
                return false;
            }
            state = self
                .shared
                .wait_for_news(state, next_check_time(now, until));
        }
    }
}

impl Drop for LanguageServers {
    fn drop(&mut self) {
        self.shared.stop_all();
    }
}

impl Drop for PendingChange {
    fn drop(&mut self) {
        if self.told.is_empty() {
            return;
        }
        let now = Instant::now();
        let mut state = self.shared.lock();
        for id in self.told.drain(..) {
            state.servers[id].leave_problems_for_later(self.round, now);
        }
    }
}

/// Returns when to check again for changes that cause no notification: a server's silence, or the end of the caller's
/// wait.
fn next_check_time(now: Instant, until: Instant) -> Instant {
    until.min(now + Duration::from_millis(50))
}

/// Sorts problems into the order in which they are reported, and counts those over the limit.
fn collect_problems(
    mut problems: Vec<Problem>,
    changed: &[PathBuf],
    not_ready: Vec<String>,
) -> NewProblems {
    problems.sort_by_cached_key(|problem| {
        let is_other = !changed.contains(&problem.path);
        let place = (problem.path.clone(), problem.line, problem.column);
        (is_other, problem.severity, place)
    });
    let more = problems.len().saturating_sub(MAX_REPORTED);
    problems.truncate(MAX_REPORTED);
    NewProblems {
        new: problems,
        more,
        not_ready,
    }
}
