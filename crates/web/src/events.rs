//! `/events`: the events of the state folder, one JSON object per line, for as long as the client listens. Each
//! client has a thread, because the history is read with blocking calls; their number is limited.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use http_body::Frame;
use lancet::Lancet;
use lancet::history::{EventWait, EventsSince, WakeReason};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::plain::plain_text_response;

/// The largest number of clients that listen.
const MAX_CLIENTS: usize = 64;
/// The number of pages of events that wait for a slow client.
const QUEUED_PAGES: usize = 4;

/// The source of the events of a state folder.
pub(crate) struct Events {
    lancet: Lancet,
    places: Arc<Semaphore>,
    end: CancellationToken,
}

/// Returns the position at which a client wants to begin: after the event that `since` names, otherwise with the next
/// event.
fn parse_since(query: Option<&str>) -> Option<EventsSince> {
    let mut fields = query.unwrap_or_default().split('&');
    let Some(typed) = fields.find_map(|field| field.strip_prefix("since=")) else {
        return Some(EventsSince::Now);
    };
    let number = typed.parse().ok().filter(|number| *number >= 0);
    number.map(EventsSince::Sequence)
}

impl Events {
    pub(crate) fn new(lancet: Lancet) -> Self {
        Self {
            lancet,
            places: Arc::new(Semaphore::new(MAX_CLIENTS)),
            end: CancellationToken::new(),
        }
    }

    /// Ends every stream.
    pub(crate) fn end_streams(&self) {
        self.end.cancel();
    }

    /// Answers a request with a stream of lines.
    pub(crate) async fn stream_events(&self, query: Option<&str>) -> Response {
        let Some(since) = parse_since(query) else {
            return plain_text_response(
                StatusCode::BAD_REQUEST,
                "`since` is the number of an event, 0 or more\n",
            );
        };
        let unreadable = || {
            plain_text_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the events cannot be read\n",
            )
        };
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return plain_text_response(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many clients listen already\n",
            );
        };
        // The thread notices by the other end of this pair that the client has left.
        let Ok((kept, watched)) = UnixStream::pair() else {
            return unreadable();
        };
        let (lines, receiver) = mpsc::channel(QUEUED_PAGES);
        let (begins, begun) = oneshot::channel();
        let lancet = self.lancet.clone();
        let thread = std::thread::Builder::new().name("lancet-events".to_owned());
        let follow = move || send_events(&lancet, &since, &watched, begins, &lines);
        if thread.spawn(follow).is_err() || begun.await.is_err() {
            return unreadable();
        }
        let body = EventLines {
            lines: receiver,
            end: Box::pin(self.end.clone().cancelled_owned()),
            _kept: kept,
            _place: place,
        };
        let mut response = Response::new(Body::new(body));
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/x-ndjson"),
        );
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// Reads events and passes them on until the client has left, or they cannot be read any more.
fn send_events(
    lancet: &Lancet,
    since: &EventsSince,
    watched: &UnixStream,
    begins: oneshot::Sender<()>,
    lines: &mpsc::Sender<Bytes>,
) -> Option<()> {
    // Created before the first read, so that no event is missed in between.
    let mut wait = EventWait::new(lancet.state_dir()?);
    let mut reader = lancet.history()?.events(since).ok()??;
    begins.send(()).ok()?;
    loop {
        loop {
            let page = reader.next_page().ok()?;
            if page.is_empty() {
                break;
            }
            let text: String = page
                .iter()
                .map(|event| format!("{}\n", event.to_json()))
                .collect();
            lines.blocking_send(text.into()).ok()?;
        }
        match wait.wait(watched.as_fd()) {
            Ok(WakeReason::Look) => {}
            _ => return None,
        }
    }
}

/// The body of a response: the lines, until the thread or the server ends.
struct EventLines {
    lines: mpsc::Receiver<Bytes>,
    end: Pin<Box<WaitForCancellationFutureOwned>>,
    _kept: UnixStream,
    _place: OwnedSemaphorePermit,
}

impl http_body::Body for EventLines {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.end.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        let line = self.lines.poll_recv(context);
        line.map(|line| line.map(|line| Ok(Frame::data(line))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_starts_at_requested_event_or_now() {
        assert!(matches!(parse_since(None), Some(EventsSince::Now)));
        assert!(matches!(parse_since(Some("x=1")), Some(EventsSince::Now)));
        assert!(matches!(
            parse_since(Some("since=7")),
            Some(EventsSince::Sequence(7))
        ));
        assert!(matches!(
            parse_since(Some("x=1&since=0")),
            Some(EventsSince::Sequence(0))
        ));
        for wrong in ["since=", "since=-1", "since=x", "since=1.5"] {
            assert!(parse_since(Some(wrong)).is_none(), "{wrong}");
        }
    }
}
