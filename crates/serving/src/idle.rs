//! Maintenance while the server is idle: compresses the history and removes old changes, in steps so short that a call
//! that arrives meanwhile is not delayed noticeably.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lancet::Lancet;
use tokio::sync::Notify;

use crate::pool::{JobProgress, Pool};

/// The longest duration of a step, and so the longest that a call may have to wait for one.
const STEP_TIME: Duration = Duration::from_millis(10);
/// The pause between two steps.
const STEP_PAUSE: Duration = Duration::from_millis(20);

/// Notifies the maintenance of calls, so that it runs only while there are none.
#[derive(Clone, Debug, Default)]
pub struct CallActivity(Arc<CallCounter>);

#[derive(Debug, Default)]
struct CallCounter {
    count: AtomicU64,
    came: Notify,
}

impl CallActivity {
    /// Records that a call arrived or was answered.
    pub fn note_call(&self) {
        self.0.count.fetch_add(1, Ordering::Relaxed);
        self.0.came.notify_one();
    }

    fn count(&self) -> u64 {
        self.0.count.load(Ordering::Relaxed)
    }
}

/// Maintains the history whenever there was a call and then none for `quiet`. It never returns; without calls it
/// sleeps.
pub async fn maintain_history(
    lancet: Lancet,
    pool: Arc<Pool>,
    activity: CallActivity,
    quiet: Duration,
) {
    loop {
        activity.0.came.notified().await;
        let mut before;
        loop {
            before = activity.count();
            tokio::time::sleep(quiet).await;
            if before == activity.count() {
                break;
            }
        }
        while activity.count() == before && run_maintenance_step(&lancet, &pool).await {
            tokio::time::sleep(STEP_PAUSE).await;
        }
    }
}

/// Runs one step on a thread of the pool; returns whether more is to be done.
async fn run_maintenance_step(lancet: &Lancet, pool: &Pool) -> bool {
    let lancet = lancet.clone();
    let work = move || {
        let tidied = lancet.history().map(|history| history.tidy(STEP_TIME));
        // If a step fails, the next quiet period tries again.
        matches!(tidied, Some(Ok((removed, sealed))) if removed.unfinished || sealed.left > 0)
    };
    pool.run(&JobProgress::default(), work)
        .await
        .unwrap_or(false)
}
