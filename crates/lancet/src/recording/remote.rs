//! Asks the recorder of a root, if there is one, what changed since a checkpoint.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lancet_local_state::{RecorderPlace, RunningRecorder};
use lancet_recording::{ChangeSource, RecorderRequest, ReportedChanges, send_request};

/// How long an answer is waited for. Without one the files are looked at.
const PATIENCE: Duration = Duration::from_millis(100);

/// The recorder of a root, which may not exist.
pub(super) struct RemoteRecorder {
    /// The state folder.
    pub(super) state: PathBuf,
    /// Identifies the root in the state folder.
    pub(super) key: String,
    /// The process of the agent that this process works for.
    pub(super) agent: Option<String>,
}

impl RemoteRecorder {
    /// Returns the running recorder; none if there is none.
    pub(super) fn find(&self) -> Option<RunningRecorder> {
        RecorderPlace::find(&self.state, &self.key)
    }

    /// Sends a request and returns the reply.
    pub(super) fn send(&self, request: &RecorderRequest) -> io::Result<Option<ReportedChanges>> {
        let mut connection = LimitedConnection {
            stream: RecorderPlace::connect(&self.state, &self.key)?,
            until: Instant::now() + PATIENCE,
        };
        send_request(&mut connection, request)
    }
}

impl ChangeSource for RemoteRecorder {
    fn changes_since(&self, checkpoint: Option<i64>) -> Option<ReportedChanges> {
        let request = RecorderRequest::Changes {
            since: checkpoint,
            agent: self.agent.clone(),
        };
        self.send(&request).ok().flatten()
    }

    fn note_checkpoint(&self, number: i64, position: u64) {
        // If this is lost, the next look reads everything.
        let _ = self.send(&RecorderRequest::Checkpoint { number, position });
    }
}

/// A connection that is given up at a time.
pub(super) struct LimitedConnection {
    pub(super) stream: UnixStream,
    pub(super) until: Instant,
}

impl LimitedConnection {
    fn time_left(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(ErrorKind::TimedOut.into()),
            false => Ok(Some(left)),
        }
    }
}

impl Read for LimitedConnection {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.time_left()?)?;
        self.stream.read(into)
    }
}

impl Write for LimitedConnection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.time_left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
