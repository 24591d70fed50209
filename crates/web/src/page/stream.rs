//! `/live`: notifies a browser that something has happened, and how many items wait.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use http_body::Frame as BodyFrame;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::live::EventFollower;
use super::visitor::Visitor;
use super::{WebPage, view};

/// The minimum interval between notifications; events in between are combined. Counting uses the database that agents
/// write to, so it is not done for each of their changes.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// The interval at which an empty comment is sent, so that a proxy does not close the connection for lack of traffic.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Answers a browser with a stream of server-sent events.
pub(super) async fn stream_notifications(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
) -> Response {
    let live = &page.live;
    let Some(place) = live.acquire_slot() else {
        return view::message_page(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many browsers listen already.",
        );
    };
    let Some(following) = live.event_follower() else {
        return view::internal_error_response();
    };
    let (sender, told) = mpsc::channel(4);
    let end = live.end_token();
    let telling = send_notifications(page, visitor, following, sender);
    tokio::spawn(async move { end.run_until_cancelled(telling).await });
    let mut response = Response::new(Body::new(NotificationBody {
        told,
        _place: place,
    }));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Sends an event whenever something has happened, until the browser has left or its device is removed.
async fn send_notifications(
    page: Arc<WebPage>,
    visitor: Visitor,
    following: Arc<EventFollower>,
    sender: mpsc::Sender<Bytes>,
) {
    let device = visitor.device.to_hex();
    let mut newest = following.newest.clone();
    newest.mark_changed();
    loop {
        let lines = tokio::select! {
            changed = newest.changed() => {
                if changed.is_err() {
                    return;
                }
                let number = *newest.borrow_and_update();
                let page = Arc::clone(&page);
                let counted = tokio::task::spawn_blocking(move || {
                    page.door.has_device(device.as_str()).then(|| page.count_waiting())
                });
                let Ok(Some(counts)) = counted.await else {
                    return;
                };
                let (waiting, to_review) = (counts.waiting, counts.to_review);
                format!("data: {{\"seq\":{number},\"waiting\":{waiting},\"review\":{to_review}}}\n\n")
            }
            () = tokio::time::sleep(KEEP_ALIVE_INTERVAL) => ":\n\n".to_owned(),
            () = sender.closed() => return,
        };
        if sender.send(lines.into()).await.is_err() {
            return;
        }
        tokio::time::sleep(MIN_INTERVAL).await;
    }
}

/// The body of the answer.
struct NotificationBody {
    told: mpsc::Receiver<Bytes>,
    _place: OwnedSemaphorePermit,
}

impl http_body::Body for NotificationBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<BodyFrame<Bytes>, Self::Error>>> {
        let lines = self.told.poll_recv(context);
        lines.map(|lines| lines.map(|lines| Ok(BodyFrame::data(lines))))
    }
}
