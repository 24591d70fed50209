//! The time limit of a call, enforced from outside: when a call that should have stopped has not done so, it is no
//! longer waited for.

use std::time::Duration;

use lancet::Cancel;
use tokio::time::{sleep, sleep_until};

/// The interval at which a call that waits for the user is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Completes when a call has exceeded its time limit by the grace period; time spent waiting for the user does not
/// count.
pub async fn wait_until_overdue(call: &Cancel, grace: Duration) {
    loop {
        let Some(end) = call.deadline().and_then(|end| end.checked_add(grace)) else {
            return std::future::pending().await;
        };
        sleep_until(end.into()).await;
        let moved = call.deadline().and_then(|end| end.checked_add(grace)) != Some(end);
        if call.is_waiting() {
            sleep(CHECK_INTERVAL).await;
        } else if !moved {
            return;
        }
    }
}
