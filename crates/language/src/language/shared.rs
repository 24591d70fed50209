//! State shared by the threads: one lock around all servers, the reader thread of each server, and the thread that ends
//! idle servers.

use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::flood::MessageLimiter;
use crate::outbox::Outbox;
use crate::place::ServerPlaces;
use crate::server::{MessageEffect, Server};
use crate::{LanguageOptions, ServerStarter, Severity, frame};

/// A server that was used within this time is not evicted for another.
const IN_USE_TIME: Duration = Duration::from_secs(30);

/// The maximum number of servers that are remembered; those that ended are dropped first.
const MAX_REMEMBERED: usize = 64;

/// The state shared by all threads.
pub(super) struct SharedServers {
    state: Mutex<ServersState>,
    /// Signals that a server reported something, or that a change was sent.
    pub(super) news: Condvar,
    /// Signals that a server was started, or that everything ends.
    keeping: Condvar,
    starter: Arc<dyn ServerStarter>,
    pub(super) wait: Duration,
    most: usize,
    idle: Duration,
    severity: Severity,
    pauses: Vec<Duration>,
}

/// The state behind the lock.
pub(super) struct ServersState {
    pub(super) servers: Vec<Server>,
    pub(super) places: ServerPlaces,
    /// The number of changes.
    pub(super) rounds: u64,
    has_keeper: bool,
    is_over: bool,
}

impl SharedServers {
    pub(super) fn new(options: LanguageOptions, starter: Arc<dyn ServerStarter>) -> SharedServers {
        SharedServers {
            state: Mutex::new(ServersState {
                servers: Vec::new(),
                places: ServerPlaces::new(options.entries, options.roots),
                rounds: 0,
                has_keeper: false,
                is_over: false,
            }),
            news: Condvar::new(),
            keeping: Condvar::new(),
            starter,
            wait: options.wait,
            most: options.most,
            idle: options.idle,
            severity: options.severity,
            pauses: options.pauses,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, ServersState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for news, at most until the given time.
    pub(super) fn wait_for_news<'a>(
        &self,
        state: MutexGuard<'a, ServersState>,
        until: Instant,
    ) -> MutexGuard<'a, ServersState> {
        let left = until.saturating_duration_since(Instant::now());
        let waited = self.news.wait_timeout(state, left);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Returns the servers of a file, started if they are not running. Those that may not be started are left out.
    pub(super) fn start_servers_for(
        self: &Arc<Self>,
        state: &mut ServersState,
        path: &Path,
        now: Instant,
    ) -> Vec<usize> {
        let mut servers = Vec::new();
        for entry in state.places.servers_for_file(path) {
            let Some(id) = self.find_or_add_server(state, entry, path, now) else {
                continue;
            };
            if state.servers[id].is_running() || self.start_server(state, id, now) {
                servers.push(id);
            }
        }
        servers
    }

    /// Returns the running servers of a file. None is started.
    pub(super) fn running_servers_for(&self, state: &mut ServersState, path: &Path) -> Vec<usize> {
        let mut running = Vec::new();
        for entry in state.places.servers_for_file(path) {
            let folder = state.places.server_folder(entry, path);
            let name = &state.places.entries[entry].0.name;
            let found = state.servers.iter().position(|server| {
                server.is_running()
                    && server.entry.name == *name
                    && Some(&server.folder) == folder.as_ref()
            });
            running.extend(found);
        }
        running
    }

    /// Returns the names of the servers of a file that are not running and may not be started now.
    pub(super) fn unavailable_servers_for(
        &self,
        state: &mut ServersState,
        path: &Path,
    ) -> Vec<String> {
        let mut names = Vec::new();
        for entry in state.places.servers_for_file(path) {
            let folder = state.places.server_folder(entry, path);
            let entry = &state.places.entries[entry].0;
            let runs = |server: &Server| {
                server.is_running()
                    && server.entry.name == entry.name
                    && Some(&server.folder) == folder.as_ref()
            };
            if !state.servers.iter().any(runs) {
                names.push(entry.name.clone());
            }
        }
        names
    }

    /// Returns the index of the server of an entry for a file.
    fn find_or_add_server(
        &self,
        state: &mut ServersState,
        entry: usize,
        path: &Path,
        now: Instant,
    ) -> Option<usize> {
        let folder = state.places.server_folder(entry, path)?;
        let entry = state.places.entries.get(entry)?.0.clone();
        let same = |server: &Server| server.entry.name == entry.name && server.folder == folder;
        if let Some(id) = state.servers.iter().position(same) {
            return Some(id);
        }
        if state.servers.len() >= MAX_REMEMBERED {
            // Indexes stay valid: a free slot is used again.
            let free = state
                .servers
                .iter()
                .position(|server| !server.is_running())?;
            let generation = state.servers[free].generation;
            state.servers[free] = Server::new(entry, folder, self.severity, now);
            state.servers[free].generation = generation + 1;
            return Some(free);
        }
        let server = Server::new(entry, folder, self.severity, now);
        state.servers.push(server);
        Some(state.servers.len() - 1)
    }

    /// Starts a server; returns whether that was possible.
    fn start_server(self: &Arc<Self>, state: &mut ServersState, id: usize, now: Instant) -> bool {
        let paused = state.servers[id].paused;
        if state.is_over || paused.is_some_and(|until| now < until) {
            return false;
        }
        let running = |server: &&mut Server| server.is_running();
        if state.servers.iter_mut().filter(running).count() >= self.most {
            let oldest = state
                .servers
                .iter_mut()
                .filter(running)
                .min_by_key(|server| server.used);
            match oldest {
                Some(server)
                    if now.duration_since(server.used) >= IN_USE_TIME
                        && !server.is_answer_awaited() =>
                {
                    server.shut_down();
                }
                _ => return false,
            }
        }
        let generation = state.servers[id].mark_starting(now);
        state.servers[id].used = now;
        let (entry, folder) = (
            state.servers[id].entry.clone(),
            state.servers[id].folder.clone(),
        );
        let shared = self.clone();
        let begun = std::thread::Builder::new()
            .name(format!("lsp-r-{}", entry.name))
            .spawn(move || shared.run_server_thread(id, generation, &entry.name, &folder));
        if begun.is_err() {
            state.servers[id].mark_crashed(now, &self.pauses);
            return false;
        }
        self.start_idle_thread(state);
        true
    }

    /// Runs the thread of a server: starts it and reads its messages until it ends.
    fn run_server_thread(&self, id: usize, generation: u64, name: &str, folder: &Path) {
        let started = self.starter.start(name, folder).and_then(|process| {
            let outbox = Outbox::start_writing(name, process.input, process.alive)?;
            Ok((outbox, process.output))
        });
        if let Ok((outbox, output)) = started {
            if self.initialize_server(id, generation, &outbox) {
                let mut from = BufReader::with_capacity(64 << 10, output);
                let mut flood = MessageLimiter::new();
                while let Ok(Some((message, length))) = frame::read_message(&mut from) {
                    let now = Instant::now();
                    if !flood.accept(length, now) {
                        break;
                    }
                    let mut state = self.lock();
                    let server = &mut state.servers[id];
                    if server.generation != generation {
                        // The server was requested to shut down, and may still send messages.
                        continue;
                    }
                    let heard = server.handle_message(&message, now);
                    if server.next_repeat_time().is_some() {
                        self.keeping.notify_all();
                    }
                    match heard {
                        MessageEffect::News => self.news.notify_all(),
                        MessageEffect::Nothing => {}
                        MessageEffect::Nonsense => break,
                    }
                }
            }
            outbox.end_now();
        }
        let mut state = self.lock();
        if state.servers[id].generation == generation {
            state.servers[id].mark_crashed(Instant::now(), &self.pauses);
        }
        drop(state);
        self.news.notify_all();
    }

    /// Sends the first message, if the server is still wanted.
    fn initialize_server(&self, id: usize, generation: u64, outbox: &Arc<Outbox>) -> bool {
        let mut state = self.lock();
        let is_wanted = !state.is_over && state.servers[id].generation == generation;
        if is_wanted {
            state.servers[id].mark_started(outbox.clone());
        }
        is_wanted
    }

    /// Starts the thread that ends idle servers, if it is not running.
    fn start_idle_thread(self: &Arc<Self>, state: &mut ServersState) {
        if state.has_keeper {
            self.keeping.notify_all();
            return;
        }
        let shared = self.clone();
        let keeper = std::thread::Builder::new().name("lsp-idle".to_owned());
        state.has_keeper = keeper.spawn(move || shared.end_idle_servers()).is_ok();
    }

    /// Ends servers that were idle for long, and repeats a request that a server put aside. While no server runs, it
    /// sleeps without a timeout.
    fn end_idle_servers(&self) {
        let mut state = self.lock();
        while !state.is_over {
            let now = Instant::now();
            let mut next = None::<Instant>;
            for server in state
                .servers
                .iter_mut()
                .filter(|server| server.is_running())
            {
                server.advance_round(now);
                let idle = server.used + self.idle;
                if idle <= now {
                    server.shut_down();
                } else {
                    let until = server.next_repeat_time().map_or(idle, |due| due.min(idle));
                    next = Some(next.map_or(until, |next| next.min(until)));
                }
            }
            state = match next {
                Some(next) => {
                    let left = next.saturating_duration_since(Instant::now());
                    let waited = self.keeping.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self
                    .keeping
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Ends everything.
    pub(super) fn stop_all(&self) {
        let mut state = self.lock();
        state.is_over = true;
        for server in &mut state.servers {
            server.kill();
        }
        drop(state);
        self.keeping.notify_all();
        self.news.notify_all();
    }
}
