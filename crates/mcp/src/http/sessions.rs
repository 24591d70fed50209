//! The sessions of clients of the first generation: which token began them, which of their calls have not ended yet,
//! and when they end. The protocol library stores the state of their messages.
//!
//! The library continues a call of a session after its client has left. A [`MessageResources`] is therefore attached to the call
//! itself: the call's id and its place are free only when the call has ended.

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
use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::link::RootsNews;

/// How long a session without any request stays open: a person's break, not the end of the day.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4 * 60 * 60);
/// The most sessions of one kind of token. Beyond that, the least recently used of them ends.
const MAX_SESSIONS: usize = 1_000;
/// The most calls of one session.
const MAX_CALLS: usize = 64;
/// The most calls of one kind of token, over all sessions and without one.
const MAX_CALLS_OF_KIND: usize = 1_024;

/// The sessions of an endpoint.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    known: Mutex<HashMap<String, SessionRecord>>,
    /// The sessions of the library that were not known here at the last check.
    unknown: Mutex<HashSet<String>>,
    calls: watch::Sender<CallCounts>,
}

/// How many calls have not ended, over all sessions and without one.
#[derive(Default)]
struct CallCounts {
    write: usize,
    read: usize,
}

struct SessionRecord {
    token: TokenKind,
    /// The ids of its calls that have not ended.
    unanswered: HashSet<RequestId>,
    /// How many requests and streams are open.
    open: usize,
    used: Instant,
    roots_news: RootsNews,
}

/// The kind of a message, as far as it is distinguished before the library gets it.
#[derive(Debug)]
pub(super) enum MessageKind {
    /// A request with this id.
    Request(RequestId),
    /// The notification that the client's roots changed.
    RootsChanged,
    /// Anything else.
    Other,
}

/// A request that is open until this is dropped.
pub(super) struct OpenRequestGuard {
    sessions: Arc<Sessions>,
    session: Option<String>,
}

/// The resources of a message until it was handled; for a call, until it has ended.
#[derive(Clone)]
pub(super) struct MessageResources {
    _held: Arc<(Option<CountedCall>, Option<OwnedSemaphorePermit>)>,
}

/// A call that has not ended until this is dropped.
pub(super) struct CountedCall {
    sessions: Arc<Sessions>,
    session: Option<String>,
    id: RequestId,
    token: TokenKind,
}

/// Why a call is not carried out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CallError {
    /// A call of the session with this id has not ended.
    IdInUse(RequestId),
    /// The limit of calls is reached.
    TooMany,
}

impl CallCounts {
    fn count_mut(&mut self, token: TokenKind) -> &mut usize {
        match token {
            TokenKind::Write => &mut self.write,
            TokenKind::Read => &mut self.read,
        }
    }
}

impl MessageResources {
    pub(super) fn new(call: Option<CountedCall>, room: Option<OwnedSemaphorePermit>) -> Self {
        let _held = Arc::new((call, room));
        Self { _held }
    }
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        Self {
            manager,
            known: Mutex::default(),
            unknown: Mutex::default(),
            calls: watch::Sender::default(),
        }
    }

    /// Reports whether a session may be used with this token. The library refuses a session that is not known here.
    pub(super) fn is_allowed_for(&self, session: &str, token: TokenKind) -> bool {
        self.lock()
            .get(session)
            .is_none_or(|known| known.token == token)
    }

    /// Counts a message that says that the client's roots changed. Returns how often the session's client has said so
    /// by now.
    pub(super) fn count_roots_change(&self, session: &str, kind: &MessageKind) -> RootsNews {
        let mut known = self.lock();
        let Some(known) = known.get_mut(session) else {
            return RootsNews::default();
        };
        if matches!(kind, MessageKind::RootsChanged) {
            known.roots_news.0 += 1;
        }
        known.roots_news
    }

    /// Registers a session that a client has begun.
    pub(super) async fn add_session(&self, session: &str, token: TokenKind) {
        let oldest = {
            let mut known = self.lock();
            let new = SessionRecord {
                token,
                unanswered: HashSet::new(),
                open: 0,
                used: Instant::now(),
                roots_news: RootsNews::default(),
            };
            known.insert(session.to_owned(), new);
            // Sessions of one kind of token never end sessions of the other kind.
            let of_kind = || known.iter().filter(|(_, one)| one.token == token);
            let unused = of_kind().filter(|(name, one)| one.is_unused() && *name != session);
            let oldest = unused.min_by_key(|(_, one)| one.used);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.filter(|_| of_kind().count() > MAX_SESSIONS)
        };
        if let Some(oldest) = oldest {
            self.close_session(&oldest).await;
        }
    }

    /// Registers a request before its message is read, so that its session does not count as unused meanwhile.
    pub(super) fn register_request(self: &Arc<Self>, session: Option<&str>) -> OpenRequestGuard {
        if let Some(session) = session
            && let Some(known) = self.lock().get_mut(session)
        {
            known.open += 1;
            known.used = Instant::now();
        }
        OpenRequestGuard {
            sessions: Arc::clone(self),
            session: session.map(str::to_owned),
        }
    }

    /// Registers a call.
    pub(super) fn register_call(
        self: &Arc<Self>,
        session: Option<&str>,
        id: RequestId,
        token: TokenKind,
    ) -> Result<CountedCall, CallError> {
        let mut all = self.lock();
        let mut known = session.and_then(|session| all.get_mut(session));
        if let Some(known) = &known {
            if known.unanswered.contains(&id) {
                return Err(CallError::IdInUse(id));
            }
            if known.unanswered.len() >= MAX_CALLS {
                return Err(CallError::TooMany);
            }
        }
        let has_place = self.calls.send_if_modified(|calls| {
            let calls = calls.count_mut(token);
            let has_place = *calls < MAX_CALLS_OF_KIND;
            *calls += usize::from(has_place);
            has_place
        });
        if !has_place {
            return Err(CallError::TooMany);
        }
        if let Some(known) = &mut known {
            known.unanswered.insert(id.clone());
        }
        Ok(CountedCall {
            sessions: Arc::clone(self),
            session: session.map(str::to_owned),
            id,
            token,
        })
    }

    /// Waits until every call has ended.
    pub(super) async fn wait_until_idle(&self) {
        let is_quiet = |calls: &CallCounts| calls.write == 0 && calls.read == 0;
        // The sender lives as long as this value.
        let _ = self.calls.subscribe().wait_for(is_quiet).await;
    }

    /// Forgets a session that its client has ended.
    pub(super) fn remove_session(&self, session: &str) {
        self.lock().remove(session);
    }

    /// Ends the sessions that were not used for long, and forgets those that the library has ended. A session of the
    /// library that is unknown here in two successive checks also ends: its client left before it received the
    /// session's id.
    pub(super) async fn close_idle_sessions(&self) {
        let names: Vec<(String, bool)> = {
            let known = self.lock();
            let idle = |one: &SessionRecord| one.is_unused() && one.used.elapsed() > IDLE_TIMEOUT;
            known
                .iter()
                .map(|(name, one)| (name.clone(), idle(one)))
                .collect()
        };
        for (name, is_idle) in names {
            let is_there = self.manager.has_session(&name.as_str().into()).await;
            if is_idle || !is_there.unwrap_or(false) {
                self.close_session(&name).await;
            }
        }
        for name in self.leaked_sessions().await {
            self.close_session(&name).await;
        }
    }

    /// Returns the sessions of the library that were known here neither at the last check nor now.
    async fn leaked_sessions(&self) -> HashSet<String> {
        let there = self.manager.sessions.read().await;
        let there = there.keys().map(|name| name.to_string());
        let known = self.lock();
        let now: HashSet<String> = there.filter(|name| !known.contains_key(name)).collect();
        let mut before = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        let leaked = now.intersection(&before).cloned().collect();
        *before = now;
        leaked
    }

    pub(super) async fn close_all(&self) {
        let names: Vec<String> = self.lock().keys().cloned().collect();
        for name in names {
            self.close_session(&name).await;
        }
    }

    async fn close_session(&self, session: &str) {
        self.lock().remove(session);
        // A session that has ended meanwhile is no error.
        let _ = self.manager.close_session(&session.into()).await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, SessionRecord>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionRecord {
    /// Reports whether no request is open and no call is running.
    fn is_unused(&self) -> bool {
        self.open == 0 && self.unanswered.is_empty()
    }
}

impl Drop for OpenRequestGuard {
    fn drop(&mut self) {
        let Some(session) = &self.session else {
            return;
        };
        if let Some(known) = self.sessions.lock().get_mut(session) {
            known.open = known.open.saturating_sub(1);
            known.used = Instant::now();
        }
    }
}

impl Drop for CountedCall {
    fn drop(&mut self) {
        let sessions = &self.sessions;
        sessions
            .calls
            .send_modify(|calls| *calls.count_mut(self.token) -= 1);
        let Some(session) = &self.session else {
            return;
        };
        if let Some(known) = sessions.lock().get_mut(session) {
            known.unanswered.remove(&self.id);
            known.used = Instant::now();
        }
    }
}

/// The body of a response, which keeps its request open until it is sent or the client has left.
pub(super) struct OpenRequestBody {
    body: BoxBody<Bytes, Infallible>,
    open: Option<(OpenRequestGuard, MessageResources)>,
}

impl OpenRequestBody {
    pub(super) fn keep_open_until_sent(
        body: BoxBody<Bytes, Infallible>,
        open: OpenRequestGuard,
        carried: MessageResources,
    ) -> Self {
        let open = Some((open, carried));
        Self { body, open }
    }
}

impl Body for OpenRequestBody {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn new_sessions() -> Arc<Sessions> {
        Arc::new(Sessions::new(Arc::new(LocalSessionManager::default())))
    }

    fn request_id(number: usize) -> RequestId {
        RequestId::String(number.to_string().into())
    }

    #[tokio::test]
    async fn request_id_and_permit_are_released_when_the_call_ends() {
        let sessions = new_sessions();
        sessions.add_session("a", TokenKind::Read).await;
        let call = |number| sessions.register_call(Some("a"), request_id(number), TokenKind::Read);
        let open = sessions.register_request(Some("a"));
        let first = MessageResources::new(call(0).ok(), None);
        let with_the_handler = first.clone();
        drop((open, first));
        assert_eq!(call(0).err(), Some(CallError::IdInUse(request_id(0))));
        let others: Vec<_> = (1..MAX_CALLS).map(|number| call(number).ok()).collect();
        assert_eq!(call(MAX_CALLS).err(), Some(CallError::TooMany));
        drop(with_the_handler);
        assert!(call(0).is_ok());
        drop(others);
        sessions.wait_until_idle().await;
    }

    #[tokio::test]
    async fn call_limits_are_separate_for_each_token_kind() {
        let sessions = new_sessions();
        let call = |number, token| sessions.register_call(None, request_id(number), token);
        let numbers = 0..MAX_CALLS_OF_KIND;
        let all: Vec<_> = numbers.map(|n| call(n, TokenKind::Read).ok()).collect();
        assert!(all.iter().all(Option::is_some));
        assert_eq!(call(0, TokenKind::Read).err(), Some(CallError::TooMany));
        assert!(call(0, TokenKind::Write).is_ok());
    }

    #[tokio::test]
    async fn session_limits_are_separate_for_each_token_kind() {
        let sessions = new_sessions();
        sessions.add_session("writer", TokenKind::Write).await;
        for number in 0..=MAX_SESSIONS {
            sessions
                .add_session(&number.to_string(), TokenKind::Read)
                .await;
        }
        let known = sessions.lock();
        assert!(known.contains_key("writer"));
        assert!(!known.contains_key("0"), "the oldest of its kind ended");
        assert_eq!(known.len(), MAX_SESSIONS + 1);
    }

    #[tokio::test]
    async fn leaked_session_ends_at_the_second_check() {
        let sessions = new_sessions();
        let (name, _transport) = sessions.manager.create_session().await.expect("begun");
        sessions.close_idle_sessions().await;
        assert_eq!(sessions.manager.has_session(&name).await.ok(), Some(true));
        sessions.close_idle_sessions().await;
        assert_eq!(sessions.manager.has_session(&name).await.ok(), Some(false));
    }
}
