//! A call that is being carried out.

use lancet::{Cancel, Reply};
use lancet_serving::pool::{JobError, Progress};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// A call that is being carried out.
pub(crate) struct Underway {
    pub(crate) tool: String,
    pub(crate) cancel: Cancel,
    pub(crate) progress: Progress,
    pub(crate) began: Instant,
    pub(crate) work: JoinHandle<Result<Reply, JobError>>,
}
