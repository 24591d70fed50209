//! Unrequested messages of the server to a client: the progress of a call, and changes of the files that the client has
//! subscribed to, in both generations of the protocol.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use tokio::sync::mpsc::Receiver;

/// Sends how long a call has been running, with a sentence for the user. It is sent in a separate task, so that a
/// client that does not read delays only its own notifications.
pub(crate) fn send_progress(
    context: &RequestContext<RoleServer>,
    token: ProgressToken,
    elapsed: Duration,
    message: String,
) {
    let progress =
        ProgressNotificationParam::new(token, elapsed.as_secs_f64()).with_message(message);
    let peer = context.peer.clone();
    tokio::spawn(async move { peer.notify_progress(progress).await });
}

/// Sends every change of a subscribed file, until the client is gone. This is the form for the generation with a
/// handshake.
pub(crate) fn send_changes(peer: Peer<RoleServer>, mut changed: Receiver<String>) {
    tokio::spawn(async move {
        while let Some(uri) = changed.recv().await {
            let update = ResourceUpdatedNotificationParam::new(uri);
            if peer.notify_resource_updated(update).await.is_err() {
                return;
            }
        }
    });
}

/// Sends every change in the stream that a client of the second generation listens to, until the stream ends.
pub(crate) async fn stream_changes(context: &SubscriptionContext, mut changed: Receiver<String>) {
    loop {
        tokio::select! {
            () = context.cancelled() => return,
            uri = changed.recv() => match uri {
                Some(uri) if context.sink().notify_resource_updated(uri.as_str()).await.is_ok() => {}
                _ => return,
            },
        }
    }
}
