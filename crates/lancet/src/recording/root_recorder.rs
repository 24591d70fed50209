//! The recorder of a root: the one process that watches it. It tells others what changed, so that they need not list the
//! root, and records changes itself where a person asked for that.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lancet_local_state::process;
use lancet_local_state::{RecorderClaim, RecorderPlace, RecorderWork, RunningRecorder};
use lancet_recording::{RecorderRequest, TreeError, WatchedTree, read_request, write_reply};
use lancet_search::WatchAllowance;
use lancet_workspace::{wait_for_input, watch_limit};

use super::remote::LimitedConnection;
use super::{RecordError, Recording};
use crate::engine::Lancet;

/// How long one request may take to arrive and its reply to leave.
pub(super) const REQUEST_PATIENCE: Duration = Duration::from_millis(100);
/// How long reports of changes are collected before they are taken.
const COLLECTING: Duration = Duration::from_millis(50);
/// A recorder that works for agents ends after this time without a request.
const LONGEST_IDLE: Duration = Duration::from_secs(600);
/// How often it finds out whether the agents have ended.
const AGENT_INTERVAL: Duration = Duration::from_secs(5);
/// How long a recorder of agents has to end when a person starts another one.
const TAKEOVER: Duration = Duration::from_secs(3);

/// Why a root has no recorder, or has it no longer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecorderError {
    /// There is no state folder.
    #[error("there is no state folder")]
    NoStateFolder,
    /// The state folder cannot be written, or a wait failed.
    #[error("{0}")]
    System(#[from] io::Error),
    /// The root cannot be watched.
    #[error("the folder cannot be watched: {0}")]
    Unwatched(#[from] TreeError),
    /// What changed cannot be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// The result of an attempt to become the recorder of a root.
#[must_use]
pub enum RecorderOffice {
    /// This process is the recorder now.
    Ours(Box<RootRecorder>),
    /// Another process is, and goes on.
    Theirs(RunningRecorder),
}

/// The recorder of a root.
pub struct RootRecorder {
    lancet: Lancet,
    place: RecorderPlace,
    state: PathBuf,
    pub(super) recording: Recording,
    pub(super) tree: Option<WatchedTree>,
    agents: BTreeSet<String>,
    last_request: Instant,
    /// Reports are not waited for before this time.
    collecting_until: Option<Instant>,
}

/// What a wait of the recorder ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Woken {
    /// It goes on.
    GoOn,
    /// It ends: it was stopped, or another one takes over.
    End,
}

/// Why a server has stopped watching a root.
pub(super) enum ServedRoot {
    /// The agents have ended, or there was no request for ten minutes.
    Idle(RecorderPlace),
    /// The root cannot be watched, so every hook looks itself.
    Unwatched(RecorderPlace),
    /// The server was stopped, or another recorder takes over.
    GivenUp,
}

impl Lancet {
    /// Makes this process the recorder of the first root. A recorder that works for agents, in a process of its own or
    /// within a server, gives way to one that a person starts.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn become_recorder(&self, work: RecorderWork) -> Result<RecorderOffice, RecorderError> {
        let state = self.state_dir().ok_or(RecorderError::NoStateFolder)?;
        let recording = self.recording().ok_or(RecorderError::NoStateFolder)?;
        let remote = recording.remote().ok_or(RecorderError::NoStateFolder)?;
        let until = Instant::now() + TAKEOVER;
        loop {
            match RecorderPlace::claim(state, &remote.key, work)? {
                RecorderClaim::Claimed(place) => {
                    let state = state.to_path_buf();
                    let recorder = RootRecorder::new(self.clone(), recording, place, state);
                    return Ok(RecorderOffice::Ours(Box::new(recorder)));
                }
                RecorderClaim::Taken(by) => {
                    let gives_way = by.work != RecorderWork::Watch && work == RecorderWork::Watch;
                    if !gives_way || Instant::now() >= until {
                        return Ok(RecorderOffice::Theirs(by));
                    }
                    // Another server may have taken the place since the last request, so each round asks.
                    let _ = remote.send(&RecorderRequest::End);
                    std::thread::sleep(COLLECTING);
                }
            }
        }
    }
}

impl RootRecorder {
    /// Returns a recorder that does not watch the root yet.
    pub(super) fn new(
        lancet: Lancet,
        recording: Recording,
        place: RecorderPlace,
        state: PathBuf,
    ) -> Self {
        RootRecorder {
            lancet,
            place,
            state,
            recording,
            tree: None,
            agents: BTreeSet::new(),
            last_request: Instant::now(),
            collecting_until: None,
        }
    }

    /// Works for the hooks of agents until the agents have ended, or until there was no request for ten minutes.
    ///
    /// # Errors
    /// The root cannot be watched.
    pub fn serve_hooks(mut self, agent: Option<&str>) -> Result<(), RecorderError> {
        self.agents.extend(agent.map(str::to_owned));
        self.serve_until_idle(None)?;
        Ok(())
    }

    /// Does the same within a server, until `stop` can be read.
    pub(super) fn serve_within_server(mut self, stop: BorrowedFd<'_>) -> ServedRoot {
        match self.serve_until_idle(Some(stop)) {
            Ok(Woken::End) => ServedRoot::GivenUp,
            Ok(Woken::GoOn) => ServedRoot::Idle(self.place),
            Err(_) => ServedRoot::Unwatched(self.place),
        }
    }

    /// Watches the root and answers requests until these have ended. `End` means that the place is to be given up.
    fn serve_until_idle(&mut self, stop: Option<BorrowedFd<'_>>) -> Result<Woken, RecorderError> {
        self.watch_root()?;
        loop {
            let is_idle = self.last_request.elapsed() >= LONGEST_IDLE;
            if is_idle || self.have_agents_ended() || !self.has_root() {
                return Ok(Woken::GoOn);
            }
            if self.wait(AGENT_INTERVAL, stop)? == Woken::End {
                return Ok(Woken::End);
            }
        }
    }

    /// Reads the root and watches it.
    pub(super) fn watch_root(&mut self) -> Result<(), RecorderError> {
        let allowance = WatchAllowance::open(&self.state, watch_limit());
        self.tree = None;
        let tree = self
            .recording
            .with_recorder(None, |recorder| recorder.watch_tree(&allowance))?;
        self.tree = Some(tree);
        Ok(())
    }

    /// Compares the tree with the disk, as far as changes were reported. Under other settings it is read again.
    pub(super) fn refresh(&mut self) -> Result<(), RecorderError> {
        let Some(now) = self.lancet.recording() else {
            return Ok(());
        };
        let is_same = now.has_same_rules(&self.recording);
        self.recording = now;
        if !is_same {
            return self.watch_root();
        }
        let Some(tree) = &mut self.tree else {
            return Ok(());
        };
        Ok(self
            .recording
            .with_recorder(None, |recorder| recorder.refresh_tree(tree))?)
    }

    /// Waits for reports of changes and for requests, and answers these. `stop` can be read when the work is to end.
    pub(super) fn wait(
        &mut self,
        limit: Duration,
        stop: Option<BorrowedFd<'_>>,
    ) -> Result<Woken, RecorderError> {
        let now = Instant::now();
        let collecting = self.collecting_until.filter(|until| *until > now);
        let limit = collecting.map_or(limit, |until| limit.min(until - now));
        let mut handles = vec![self.place.listener().as_fd()];
        handles.extend(stop);
        let tree = self.tree.as_ref().filter(|_| collecting.is_none());
        handles.extend(tree.map(WatchedTree::as_fd));
        let ready = wait_for_input(&handles, Some(limit))?;
        let is_ready = |at: usize| ready.get(at).copied().unwrap_or(false);
        let has_reports = tree.is_some() && is_ready(handles.len() - 1);
        let is_stopped = stop.is_some() && is_ready(1);
        if has_reports && let Some(tree) = &mut self.tree {
            tree.take_reports()?;
            self.collecting_until = Some(Instant::now() + COLLECTING);
        }
        if is_ready(0) {
            while let Ok((stream, _)) = self.place.listener().accept() {
                let mut connection = LimitedConnection {
                    stream,
                    until: Instant::now() + REQUEST_PATIENCE,
                };
                let Ok(request) = read_request(&mut connection) else {
                    continue;
                };
                if self.answer(&request, &mut connection)? == Woken::End {
                    return Ok(Woken::End);
                }
            }
        }
        Ok(match is_stopped {
            true => Woken::End,
            false => Woken::GoOn,
        })
    }

    fn answer(
        &mut self,
        request: &RecorderRequest,
        connection: &mut LimitedConnection,
    ) -> Result<Woken, RecorderError> {
        self.last_request = Instant::now();
        let changes = match request {
            RecorderRequest::Changes { since, agent } => {
                self.agents.extend(agent.clone());
                self.refresh()?;
                let Some(tree) = &self.tree else {
                    // The connection closes, and the other side looks itself.
                    return Ok(Woken::GoOn);
                };
                connection.until = Instant::now() + REQUEST_PATIENCE;
                Some(tree.report_changes(*since))
            }
            RecorderRequest::Checkpoint { number, position } => {
                if let Some(tree) = &mut self.tree {
                    tree.note_checkpoint(*number, *position);
                }
                None
            }
            RecorderRequest::Watch | RecorderRequest::End => None,
        };
        // The other side may have given up; then it looks itself.
        let _ = write_reply(connection, changes.as_ref());
        Ok(match request {
            RecorderRequest::End => Woken::End,
            RecorderRequest::Changes { .. }
            | RecorderRequest::Checkpoint { .. }
            | RecorderRequest::Watch => Woken::GoOn,
        })
    }

    /// Returns whether the root that is watched is still there.
    fn has_root(&self) -> bool {
        let recording = &self.recording;
        self.tree.as_ref().is_some_and(|tree| {
            recording.with_recorder_of(None, None, |recorder| recorder.is_root_of(tree))
        })
    }

    /// Returns whether the agents are known and have all ended.
    fn have_agents_ended(&mut self) -> bool {
        if self.agents.is_empty() {
            return false;
        }
        let state = &self.state;
        self.agents.retain(|agent| process::is_alive(state, agent));
        self.agents.is_empty()
    }
}
