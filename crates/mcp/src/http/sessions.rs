//! The sessions of clients of the first generation: whose token began them, which of their requests have no answer yet, and
//! when they end. The protocol library keeps what belongs to their messages.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::BoxBody;
use lancet_serving::tokens::TokenKind;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::sync::watch;

/// How long a session without any request is kept: a person's break, not the end of the day.
const IDLE: Duration = Duration::from_secs(4 * 60 * 60);
/// How many sessions there are at most; beyond that the one that was unused the longest ends.
const MOST: usize = 1_000;

/// The sessions of an endpoint.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    known: Mutex<HashMap<String, Known>>,
    /// How many calls have no answer yet, over all sessions and without one.
    calls: watch::Sender<usize>,
}

struct Known {
    token: TokenKind,
    /// The ids of its requests that have no answer yet.
    unanswered: HashSet<RequestId>,
    /// How many requests and streams are open.
    open: usize,
    used: Instant,
}

/// A request that is open until this is dropped.
pub(super) struct Open {
    sessions: Arc<Sessions>,
    session: Option<String>,
    id: Option<RequestId>,
    is_call: bool,
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        Self {
            manager,
            known: Mutex::default(),
            calls: watch::Sender::new(0),
        }
    }

    /// Whether a session may be used with this token. One that is not known here is the library's to refuse.
    pub(super) fn is_of(&self, session: &str, token: TokenKind) -> bool {
        self.lock()
            .get(session)
            .is_none_or(|known| known.token == token)
    }

    /// Registers a session that a client has begun.
    pub(super) async fn begun(&self, session: &str, token: TokenKind) {
        let oldest = {
            let mut known = self.lock();
            let new = Known {
                token,
                unanswered: HashSet::new(),
                open: 0,
                used: Instant::now(),
            };
            known.insert(session.to_owned(), new);
            let unused = known
                .iter()
                .filter(|(name, one)| one.open == 0 && *name != session);
            let oldest = unused.min_by_key(|(_, one)| one.used);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.filter(|_| known.len() > MOST)
        };
        if let Some(oldest) = oldest {
            self.close(&oldest).await;
        }
    }

    /// Registers a request; gives its id back where it belongs to a request of the session that has no answer yet.
    pub(super) fn enter(
        self: &Arc<Self>,
        session: Option<&str>,
        id: Option<RequestId>,
    ) -> Result<Open, RequestId> {
        if let Some(known) = session.and_then(|session| {
            self.lock().get_mut(session).map(|known| {
                if let Some(id) = &id
                    && !known.unanswered.insert(id.clone())
                {
                    return Err(id.clone());
                }
                known.open += 1;
                known.used = Instant::now();
                Ok(())
            })
        }) {
            known?;
        }
        let is_call = id.is_some();
        if is_call {
            self.calls.send_modify(|calls| *calls += 1);
        }
        Ok(Open {
            sessions: Arc::clone(self),
            session: session.map(str::to_owned),
            id,
            is_call,
        })
    }

    /// Waits until every call is answered.
    pub(super) async fn no_calls(&self) {
        // The sender lives as long as this value.
        let _ = self.calls.subscribe().wait_for(|calls| *calls == 0).await;
    }

    /// Ends the sessions that were not used for long, and forgets those that the library has ended.
    pub(super) async fn close_idle(&self) {
        let names: Vec<(String, bool)> = {
            let known = self.lock();
            let idle = |one: &Known| one.open == 0 && one.used.elapsed() > IDLE;
            known
                .iter()
                .map(|(name, one)| (name.clone(), idle(one)))
                .collect()
        };
        for (name, is_idle) in names {
            let is_there = self.manager.has_session(&name.as_str().into()).await;
            if is_idle || !is_there.unwrap_or(false) {
                self.close(&name).await;
            }
        }
    }

    pub(super) async fn close_all(&self) {
        let names: Vec<String> = self.lock().keys().cloned().collect();
        for name in names {
            self.close(&name).await;
        }
    }

    async fn close(&self, session: &str) {
        self.lock().remove(session);
        // A session that has ended meanwhile is no error.
        let _ = self.manager.close_session(&session.into()).await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.is_call {
            self.sessions.calls.send_modify(|calls| *calls -= 1);
        }
        let Some(session) = &self.session else {
            return;
        };
        if let Some(known) = self.sessions.lock().get_mut(session) {
            if let Some(id) = &self.id {
                known.unanswered.remove(id);
            }
            known.open = known.open.saturating_sub(1);
            known.used = Instant::now();
        }
    }
}

/// The body of a response, which keeps its request open until it is sent or the client has left.
pub(super) struct OpenRequest {
    body: BoxBody<Bytes, Infallible>,
    open: Option<Open>,
}

impl OpenRequest {
    pub(super) fn until_sent(body: BoxBody<Bytes, Infallible>, open: Open) -> Self {
        Self {
            body,
            open: Some(open),
        }
    }
}

impl Body for OpenRequest {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(None) = polled {
            self.open = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
