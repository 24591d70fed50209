//! The commands that record what other programs change: `run`, `checkpoint` and `watch --record`, the list of
//! checkpoints, and the recorder within a server.

mod checkpoint;
mod exec;
mod list;
mod run;
mod server;
mod started;
mod watch;

use lancet::recording::RecordError;

pub(super) use checkpoint::checkpoint;
pub(super) use exec::{ProvenChange, Reversal, prove_change, prove_operations};
pub(super) use list::list_checkpoints;
pub(super) use run::run_recorded;
pub(super) use server::ServerRecorder;
pub(super) use started::run_to_end;
pub(super) use watch::RecordingThread;

use crate::failure::Failure;

/// Returns the failure where the files cannot be recorded.
fn recording_failure(error: &RecordError) -> Failure {
    Failure::system(format!(
        "the files cannot be recorded: {error}; `lancet doctor` says more"
    ))
}
