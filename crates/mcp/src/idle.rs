//! What is put off until nobody waits: compressing the history and letting old changes go, in steps so short that a call
//! that comes meanwhile does not notice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lancet::Lancet;
use tokio::sync::Notify;

use crate::pool::{Pool, Progress};

/// The longest that a call may have to wait for a step.
const STEP: Duration = Duration::from_millis(10);
/// A pause between two steps.
const PAUSE: Duration = Duration::from_millis(20);

/// Counts the calls, so that quiet can be told from work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity(Arc<Calls>);

#[derive(Debug, Default)]
struct Calls {
    count: AtomicU64,
    came: Notify,
}

impl Activity {
    /// A call came, or was answered.
    pub(crate) fn note(&self) {
        self.0.count.fetch_add(1, Ordering::Relaxed);
        self.0.came.notify_one();
    }

    fn count(&self) -> u64 {
        self.0.count.load(Ordering::Relaxed)
    }
}

/// Tidies whenever there was a call and it then was quiet for so long. Never ends by itself; without calls it sleeps.
pub(crate) async fn tidy(lancet: Lancet, pool: Arc<Pool>, activity: Activity, quiet: Duration) {
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

/// One step on a thread for calls; whether there is more to do.
async fn step(lancet: &Lancet, pool: &Pool) -> bool {
    let lancet = lancet.clone();
    let work = move || {
        let tidied = lancet.history().map(|history| history.tidy(STEP));
        // What cannot be tidied now is tidied another time.
        matches!(tidied, Some(Ok((removed, sealed))) if removed.unfinished || sealed.left > 0)
    };
    pool.run(&Progress::default(), work).await.unwrap_or(false)
}
