//! A call that is being carried out.

use std::pin::Pin;

use lancet::{Cancel, Reply};
use lancet_serving::pool::{JobError, JobProgress};
use tokio::time::Instant;

/// A call that is being carried out.
pub(crate) struct RunningCall {
    pub(crate) tool: String,
    pub(crate) cancel: Cancel,
    pub(crate) progress: JobProgress,
    pub(crate) began: Instant,
    /// The work on the pool. Dropped before a thread was free for it, it never starts.
    pub(crate) work: Pin<Box<dyn Future<Output = Result<Reply, JobError>> + Send>>,
}
