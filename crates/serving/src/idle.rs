//! Maintenance while the server is idle: compresses the history and removes old changes, in steps so short that a call
//! that arrives meanwhile is not delayed noticeably.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lancet::Lancet;
use tokio::sync::Notify;

use crate::pool::{Pool, Progress};

/// The longest duration of a step, and so the longest that a call may have to wait for one.
const STEP: Duration = Duration::from_millis(10);
/// The pause between two steps.
const PAUSE: Duration = Duration::from_millis(20);

/// Notifies the maintenance of calls, so that it runs only while there are none.
#[derive(Clone, Debug, Default)]
pub struct Activity(Arc<Calls>);

#[derive(Debug, Default)]
struct Calls {
    count: AtomicU64,
    came: Notify,
}

impl Activity {
    /// Records that a call arrived or was answered.
    pub fn note(&self) {
        self.0.count.fetch_add(1, Ordering::Relaxed);
        self.0.came.notify_one();
    }

    fn count(&self) -> u64 {
        self.0.count.load(Ordering::Relaxed)
    }
}

/// Maintains the history whenever there was a call and then none for `quiet`. It never returns; without calls it
/// sleeps.
pub async fn tidy(lancet: Lancet, pool: Arc<Pool>, activity: Activity, quiet: Duration) {
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
        while activity.count() == before && step(&lancet, &pool).await {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Runs one step on a thread of the pool; returns whether more is to be done.
async fn step(lancet: &Lancet, pool: &Pool) -> bool {
    let lancet = lancet.clone();
    let work = move || {
        let tidied = lancet.history().map(|history| history.tidy(STEP));
        // If a step fails, the next quiet period tries again.
        matches!(tidied, Some(Ok((removed, sealed))) if removed.unfinished || sealed.left > 0)
    };
    pool.run(&Progress::default(), work).await.unwrap_or(false)
}
