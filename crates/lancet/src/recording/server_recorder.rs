//! The recorder of a root within a server. At rest it has a socket and a waiting thread; it reads and watches the root
//! from the first hook that asks for it on, until the hooks have ended.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lancet_local_state::{RecorderClaim, RecorderPlace, RecorderWork};
use lancet_recording::{RecorderRequest, read_request, write_reply};
use lancet_workspace::wait_for_input;

use super::remote::LimitedConnection;
use super::root_recorder::{REQUEST_PATIENCE, RootRecorder, ServedRoot};
use super::{first_workspace, recorder_key};
use crate::engine::Lancet;

/// How often a server finds out whether the recorder of the root has ended.
const TURN: Duration = Duration::from_secs(5);
/// A root that could not be watched is not tried again before this time.
const RETRY_DELAY: Duration = Duration::from_secs(600);

/// What a server at rest was woken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// It is to watch the root.
    Watch,
    /// It has to give the place up.
    End,
}

/// The recorder of a root that a server can be. It does not hold the server's engine open.
#[derive(Clone, Debug)]
#[must_use]
pub struct StandbyRecorder {
    state: PathBuf,
    /// Identifies the root in the state folder.
    key: String,
}

impl Lancet {
    /// Returns the recorder of the first root that a server with this engine can be; none without a state folder.
    pub fn standby_recorder(&self) -> Option<StandbyRecorder> {
        Some(StandbyRecorder {
            state: self.state_dir()?.to_path_buf(),
            key: recorder_key(first_workspace(&self.engine())),
        })
    }
}

impl StandbyRecorder {
    /// Serves the hooks of agents, whenever no other process does, until `stop` can be read. `open` opens the engine
    /// that reads the root, under the settings that the hooks have.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn serve(&self, stop: BorrowedFd<'_>, open: &dyn Fn() -> Option<Lancet>) -> io::Result<()> {
        loop {
            let claim = RecorderPlace::claim(&self.state, &self.key, RecorderWork::Server)?;
            if let RecorderClaim::Claimed(place) = claim {
                serve_place(place, &self.state, stop, open)?;
            }
            // Another recorder serves the root, or is about to.
            if wait_for_input(&[stop], Some(TURN))?.contains(&true) {
                return Ok(());
            }
        }
    }
}

/// Serves a place until it has to be given up, or until `stop` can be read.
fn serve_place(
    mut place: RecorderPlace,
    state: &Path,
    stop: BorrowedFd<'_>,
    open: &dyn Fn() -> Option<Lancet>,
) -> io::Result<()> {
    let mut not_before = Instant::now();
    while wait_until_wanted(&place, stop, not_before)? == Wanted::Watch {
        let lancet = open();
        let Some((lancet, recording)) = lancet.and_then(|lancet| {
            let recording = lancet.recording()?;
            Some((lancet, recording))
        }) else {
            not_before = Instant::now() + RETRY_DELAY;
            continue;
        };
        let recorder = RootRecorder::new(lancet, recording, place, state.to_path_buf());
        place = match recorder.serve_within_server(stop) {
            ServedRoot::GivenUp => return Ok(()),
            ServedRoot::Idle(place) => place,
            ServedRoot::Unwatched(place) => {
                not_before = Instant::now() + RETRY_DELAY;
                place
            }
        };
    }
    Ok(())
}

/// Waits for a hook that wants the root watched. Other hooks are answered with the end of the connection: they look at
/// the files themselves.
fn wait_until_wanted(
    place: &RecorderPlace,
    stop: BorrowedFd<'_>,
    not_before: Instant,
) -> io::Result<Wanted> {
    loop {
        let ready = wait_for_input(&[place.listener().as_fd(), stop], None)?;
        if ready.get(1).copied().unwrap_or(false) {
            return Ok(Wanted::End);
        }
        while let Ok((stream, _)) = place.listener().accept() {
            let mut connection = LimitedConnection {
                stream,
                until: Instant::now() + REQUEST_PATIENCE,
            };
            let wanted = match read_request(&mut connection) {
                Ok(RecorderRequest::Watch) if Instant::now() >= not_before => Wanted::Watch,
                Ok(RecorderRequest::End) => Wanted::End,
                _ => continue,
            };
            // The other side may have given up waiting.
            let _ = write_reply(&mut connection, None);
            return Ok(wanted);
        }
    }
}
