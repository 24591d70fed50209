//! `lancet watch --record`: records what any program changes, in a thread beside the one that shows the changes.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::thread::{Builder, JoinHandle};

use lancet::Lancet;
use lancet::recording::{
    RecorderError, RecorderOffice, RecorderWork, RunningRecorder, WatchOptions,
};

use crate::arguments::WatchArguments;
use crate::failure::Failure;
use crate::terminal::{escape_for_terminal, print_error};

/// The thread that records changes.
pub(in crate::command) struct RecordingThread {
    thread: JoinHandle<Result<(), RecorderError>>,
    /// The thread ends when this is closed.
    stop: UnixStream,
}

impl RecordingThread {
    /// Begins to record the project of an engine. One process records a project: a second one fails.
    pub(in crate::command) fn begin(
        lancet: &Lancet,
        arguments: &WatchArguments,
    ) -> Result<Self, Failure> {
        let office = lancet.become_recorder(RecorderWork::Watch);
        let recorder = match office.map_err(|error| watch_failure(&error))? {
            RecorderOffice::Ours(recorder) => recorder,
            RecorderOffice::Theirs(by) => return Err(taken_failure(&by)),
        };
        let options = WatchOptions {
            client: arguments.client.as_ref().map(ToString::to_string),
            every: arguments.interval(),
        };
        let session = lancet.new_session();
        let system = |error: std::io::Error| watch_failure(&RecorderError::System(error));
        let (stop, stopped) = UnixStream::pair().map_err(system)?;
        let work = move || {
            let report = |error: &RecorderError| {
                let error = escape_for_terminal(&error.to_string()).into_owned();
                print_error(&format!(
                    "lancet: {error}; the files are looked at every few seconds instead\n"
                ));
            };
            recorder.record_changes(&options, &session, stopped.as_fd(), &report)
        };
        let thread = Builder::new().spawn(work).map_err(system)?;
        Ok(Self { thread, stop })
    }

    /// Returns whether recording has ended by itself, because it failed.
    pub(in crate::command) fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Records what has changed up to now and ends.
    pub(in crate::command) fn end(self) -> Result<(), Failure> {
        drop(self.stop);
        match self.thread.join() {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(watch_failure(&error)),
            Err(_) => Err(Failure::system("recording ended unexpectedly".to_owned())),
        }
    }
}

fn watch_failure(error: &RecorderError) -> Failure {
    Failure::system(format!(
        "changes cannot be recorded: {error}; `lancet doctor` says more"
    ))
}

fn taken_failure(by: &RunningRecorder) -> Failure {
    let whose = match by.process {
        Some(process) => format!("process {process} records"),
        None => "another process records".to_owned(),
    };
    Failure::refused(format!(
        "{whose} the changes of this project already; one at a time does, and nothing was begun"
    ))
}
