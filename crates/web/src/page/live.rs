//! `/live`: tells the browsers that show the page that something has happened, and how much there is to do. One thread follows
//! the events of the state folder for all of them, while there is at least one.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use http_body::Frame as BodyFrame;
use lancet::Lancet;
use lancet::history::{EventWait, EventsSince, Wake};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::visitor::Visitor;
use super::{Page, view};

/// How many browsers listen at most.
const MOST: usize = 64;
/// Browsers are told at most this often; what happens in between is told together.
const PAUSE: Duration = Duration::from_millis(150);
/// How often a line is sent that keeps the connection open on its way.
const ALIVE: Duration = Duration::from_secs(15);

/// What tells the browsers.
pub(super) struct LiveNews {
    lancet: Lancet,
    places: Arc<Semaphore>,
    end: CancellationToken,
    followed: Mutex<Option<Arc<Following>>>,
}

/// The thread that follows the events; it ends when this value goes.
struct Following {
    newest: watch::Receiver<i64>,
    _kept: UnixStream,
}

impl LiveNews {
    pub(super) fn new(lancet: Lancet) -> Self {
        Self {
            lancet,
            places: Arc::new(Semaphore::new(MOST)),
            end: CancellationToken::new(),
            followed: Mutex::default(),
        }
    }

    pub(super) fn end(&self) {
        self.end.cancel();
        *self.followed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The thread that follows the events: the one that runs, or a new one.
    fn following(&self) -> Option<Arc<Following>> {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = followed.as_ref()
            && running.newest.has_changed().is_ok()
        {
            return Some(Arc::clone(running));
        }
        let (kept, watched) = UnixStream::pair().ok()?;
        let (told, newest) = watch::channel(0);
        let lancet = self.lancet.clone();
        let thread = std::thread::Builder::new().name("lancet-live".to_owned());
        thread
            .spawn(move || follow(&lancet, &watched, &told))
            .ok()?;
        let running = Arc::new(Following {
            newest,
            _kept: kept,
        });
        *followed = Some(Arc::clone(&running));
        Some(running)
    }
}

/// Notes the number of each newest event until nobody needs it any more.
fn follow(lancet: &Lancet, watched: &UnixStream, told: &watch::Sender<i64>) -> Option<()> {
    let mut wait = EventWait::new(lancet.state_dir()?);
    let mut reader = lancet.history()?.events(&EventsSince::Now).ok()??;
    loop {
        while !reader.next_page().ok()?.is_empty() {}
        told.send(reader.position()).ok()?;
        match wait.wait(watched.as_fd()) {
            Ok(Wake::Look) => {}
            _ => return None,
        }
    }
}

/// Answers a browser with a stream of server-sent events.
pub(super) async fn stream(State(page): State<Arc<Page>>, visitor: Visitor) -> Response {
    let live = &page.live;
    let Ok(place) = Arc::clone(&live.places).try_acquire_owned() else {
        return view::said(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many browsers listen already.",
        );
    };
    let Some(following) = live.following() else {
        return view::broken();
    };
    let (sender, told) = mpsc::channel(4);
    let end = live.end.clone();
    let telling = tell(page, visitor, following, sender);
    tokio::spawn(async move { end.run_until_cancelled(telling).await });
    let mut response = Response::new(Body::new(Stream {
        told,
        _place: place,
    }));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Sends an event whenever something has happened, until the browser has left or its device is forgotten.
async fn tell(
    page: Arc<Page>,
    visitor: Visitor,
    following: Arc<Following>,
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
                    page.door.has(device.as_str()).then(|| page.counts())
                });
                let Ok(Some(counts)) = counted.await else {
                    return;
                };
                let (waiting, to_review) = (counts.waiting, counts.to_review);
                format!("data: {{\"seq\":{number},\"waiting\":{waiting},\"review\":{to_review}}}\n\n")
            }
            () = tokio::time::sleep(ALIVE) => ":\n\n".to_owned(),
            () = sender.closed() => return,
        };
        if sender.send(lines.into()).await.is_err() {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The body of the answer.
struct Stream {
    told: mpsc::Receiver<Bytes>,
    _place: OwnedSemaphorePermit,
}

impl http_body::Body for Stream {
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
