//! The time limit of a call from outside: when a call that was to stop has not done so, nobody waits for it any longer.

use std::time::Duration;

use lancet::Cancel;
use tokio::time::{sleep, sleep_until};

/// How often a call that waits for a person is checked.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Ends when a call has exceeded its time limit by the grace period; waits for a person do not count.
pub async fn overdue(call: &Cancel, grace: Duration) {
    loop {
        let Some(end) = call.end().and_then(|end| end.checked_add(grace)) else {
            return std::future::pending().await;
        };
        sleep_until(end.into()).await;
        let moved = call.end().and_then(|end| end.checked_add(grace)) != Some(end);
        if call.is_waiting() {
            sleep(LOOK_EVERY).await;
        } else if !moved {
            return;
        }
    }
}
