//! The commands that record what other programs change: `run` and `checkpoint`, and the list of checkpoints.

mod checkpoint;
mod list;
mod run;
mod started;

use lancet::recording::RecordError;

pub(super) use checkpoint::checkpoint;
pub(super) use list::list_checkpoints;
pub(super) use run::run_recorded;

use crate::failure::Failure;

/// Returns the failure where the files cannot be recorded.
fn recording_failure(error: &RecordError) -> Failure {
    Failure::system(format!(
        "the files cannot be recorded: {error}; `lancet doctor` says more"
    ))
}
