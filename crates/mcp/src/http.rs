//! The server over streamable HTTP, in both generations of the protocol, for any number of clients at once. The
//! listening program passes in requests whose Host, Origin and token it has checked. This file handles sessions and
//! messages.
//!
//! A client of the first generation gets a session with its own [connection](crate::connection). A request of the
//! second generation needs no session. All share one engine and one set of threads.

mod body;
mod sessions;

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE};
use ::http::{HeaderValue, Method, Request, Response, StatusCode};
use bytes::Bytes;
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Empty, Full};
use lancet::Lancet;
use lancet_serving::tokens::TokenKind;
use lancet_serving::{Level, Log, idle};
use rmcp::ServerHandler;
use rmcp::model::{ClientNotification, GetExtensions as _, JsonRpcMessage, JsonRpcNotification};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;
use tokio_util::sync::CancellationToken;

use crate::link::Link;
use crate::message::{self, MessageError, OtherArguments, ParsedLine, UnreadableArguments};
use crate::options::Options;
use crate::process::Process;
use crate::server::Server;
use body::{BodyError, BodyLimits, ReservedBody};
use sessions::{CallError, MessageKind, MessageResources, OpenRequestBody, Sessions};

/// The header that names the session of a client of the first generation.
const SESSION_HEADER: &str = "mcp-session-id";
/// A message beyond this length takes long to parse.
const LONG_MESSAGE_BYTES: usize = 1024 * 1024;
/// How often a comment is sent on a stream without messages, so that no proxy takes it for dead.
const COMMENT_INTERVAL: Duration = Duration::from_secs(15);
/// How often unused sessions are looked for.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// How long a stop waits for calls that are being carried out, before it ends them.
const CALL_SHUTDOWN_TIME: Duration = Duration::from_secs(3);
/// How long a stop waits for writes that have begun.
const WRITE_SHUTDOWN_TIME: Duration = Duration::from_secs(10);

/// The response to a request.
pub type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

type Answering = Pin<Box<dyn Future<Output = HttpResponse> + Send>>;
type Library = Box<dyn Fn(Request<Full<Bytes>>) -> Answering + Send + Sync>;

/// An MCP endpoint that answers HTTP requests.
pub struct Endpoint {
    library: Library,
    sessions: Arc<Sessions>,
    process: Option<Arc<Process>>,
    limits: BodyLimits,
    reader_limits: BodyLimits,
    log: Log,
    /// Whether no further requests are answered.
    closing: AtomicBool,
    /// Ends every stream.
    end: CancellationToken,
}

impl Endpoint {
    /// Makes an endpoint for the tools of an engine. It has to be called within a tokio runtime, in which maintenance
    /// runs until the endpoint is stopped.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn new(lancet: Lancet, options: Options) -> io::Result<Self> {
        let (log, limit, quiet) = (options.log.clone(), options.message_limit, options.quiet);
        let process = Process::new(lancet, options)?;
        let shared = process.clone();
        let mut endpoint =
            Self::with_handler(move || Server::new(shared.clone(), Link::Http), limit, log);
        let tidying = idle::maintain_history(
            process.lancet.clone(),
            process.pool.clone(),
            process.activity.clone(),
            quiet,
        );
        tokio::spawn(run_until_cancelled(endpoint.end.clone(), tidying));
        let resting = process.clone();
        let look = async move {
            loop {
                tokio::time::sleep(CHECK_INTERVAL).await;
                resting.resting.free_idle_sessions();
            }
        };
        tokio::spawn(run_until_cancelled(endpoint.end.clone(), look));
        endpoint.process = Some(process);
        Ok(endpoint)
    }

    /// Makes an endpoint for another handler of the protocol library, with the same rules about bodies, messages and
    /// sessions. The tests of the protocol need it for tools that lancet does not have.
    #[doc(hidden)]
    pub fn with_handler<S: ServerHandler>(
        handler: impl Fn() -> S + Send + Sync + 'static,
        message_limit: usize,
        log: Log,
    ) -> Self {
        let end = CancellationToken::new();
        let mut manager = LocalSessionManager::default();
        // The library would end a session after five minutes without a message, also one whose call waits for a person.
        manager.session_config.keep_alive = None;
        let manager = Arc::new(manager);
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_json_response(true)
            .with_sse_keep_alive(Some(COMMENT_INTERVAL))
            .with_max_request_body_bytes(usize::MAX)
            .with_cancellation_token(end.clone());
        let sessions = Arc::new(Sessions::new(manager.clone()));
        let looking = sessions.clone();
        let look = async move {
            loop {
                tokio::time::sleep(CHECK_INTERVAL).await;
                looking.close_idle_sessions().await;
            }
        };
        tokio::spawn(run_until_cancelled(end.clone(), look));
        let service = StreamableHttpService::new(move || Ok(handler()), manager, config);
        Self {
            library: Box::new(move |request| {
                let service = service.clone();
                Box::pin(async move { service.handle(request).await })
            }),
            sessions,
            process: None,
            limits: BodyLimits::new(message_limit),
            reader_limits: BodyLimits::new(message_limit),
            log,
            closing: AtomicBool::new(false),
            end,
        }
    }

    /// Answers a request of a client that has this token.
    pub async fn answer<B>(&self, request: Request<B>, token: TokenKind) -> HttpResponse
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: std::fmt::Display,
    {
        if self.closing.load(Ordering::Relaxed) {
            return plain_text_response(StatusCode::SERVICE_UNAVAILABLE, "lancet is being stopped");
        }
        let Ok(session) = session_id(&request) else {
            let words = "Mcp-Session-Id is given twice, or is no text";
            return plain_text_response(StatusCode::BAD_REQUEST, words);
        };
        if let Some(session) = &session
            && !self.sessions.is_allowed_for(session, token)
        {
            return plain_text_response(StatusCode::NOT_FOUND, "there is no such session");
        }
        let open = self.sessions.register_request(session.as_deref());
        let is_message = request.method() == Method::POST;
        let (mut parts, body) = request.into_parts();
        // The library passes the request's headers on with the message. The credentials are of no use there.
        parts.headers.remove(AUTHORIZATION);
        parts.headers.remove(COOKIE);
        parts.extensions.insert(token);
        let (held, kind) = match is_message {
            false => (ReservedBody::default(), MessageKind::Other),
            true => match self.read_message(body, token, &mut parts.extensions).await {
                Ok(message) => message,
                Err(response) => return response,
            },
        };
        // The library handles each message in a separate task, so a call could overtake the notification before it.
        if let Some(session) = &session {
            let news = self.sessions.count_roots_change(session, &kind);
            parts.extensions.insert(news);
        }
        let id = match kind {
            MessageKind::Request(id) => Some(id),
            MessageKind::RootsChanged | MessageKind::Other => None,
        };
        let call = id.map(|id| self.sessions.register_call(session.as_deref(), id, token));
        let call = match call.transpose() {
            Ok(call) => call,
            Err(CallError::IdInUse(id)) => {
                return self.fault_response(&MessageError::id_in_use(id), StatusCode::BAD_REQUEST);
            }
            Err(CallError::TooMany) => {
                return plain_text_response(
                    StatusCode::TOO_MANY_REQUESTS,
                    "too many calls are at work; send this one again when some have ended",
                );
            }
        };
        let carried = MessageResources::new(call, held.room);
        parts.extensions.insert(carried.clone());
        let begins = session.is_none() && is_message;
        let ends = parts.method == Method::DELETE;
        let length = held.bytes.len();
        let request = Request::from_parts(parts, Full::new(held.bytes));
        let mut answering = (self.library)(request);
        // The library parses the message while it is polled.
        let polled =
            poll_fn(|context| run_blocking_if_long(length, || answering.as_mut().poll(context)));
        let mut response = polled.await;
        if ends && response.status() == StatusCode::ACCEPTED {
            // The library answers 202 Accepted to the end of a session, which some clients take for a failure.
            *response.status_mut() = StatusCode::NO_CONTENT;
            session
                .iter()
                .for_each(|ended| self.sessions.remove_session(ended));
        }
        if begins
            && let Some(new) = response.headers().get(SESSION_HEADER)
            && let Ok(new) = new.to_str()
        {
            self.sessions.add_session(new, token).await;
        }
        response.map(|body| OpenRequestBody::keep_open_until_sent(body, open, carried).boxed())
    }

    /// Reads a message, and returns its bytes as the library reads them and its kind. A message that the library could
    /// not read is answered here, as it is over standard input, or attached to the request.
    async fn read_message<B>(
        &self,
        body: B,
        token: TokenKind,
        beside: &mut ::http::Extensions,
    ) -> Result<(ReservedBody, MessageKind), HttpResponse>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: std::fmt::Display,
    {
        // Messages with one kind of token do not use up the memory limit of the other kind.
        let limits = match token {
            TokenKind::Write => &self.limits,
            TokenKind::Read => &self.reader_limits,
        };
        let ReservedBody { bytes, room } = match limits.read_body(body).await {
            Ok(held) => held,
            Err(BodyError::TooLong) => {
                let fault = MessageError::too_long(limits.most);
                return Err(self.fault_response(&fault, StatusCode::PAYLOAD_TOO_LARGE));
            }
            Err(BodyError::TooSlow) => {
                return Err(plain_text_response(
                    StatusCode::REQUEST_TIMEOUT,
                    "the message came too slowly",
                ));
            }
            Err(BodyError::Broken) => {
                return Err(plain_text_response(
                    StatusCode::BAD_REQUEST,
                    "the message broke off",
                ));
            }
        };
        let held = |bytes| ReservedBody { bytes, room };
        let mut message = match run_blocking_if_long(bytes.len(), || message::parse_line(&bytes)) {
            ParsedLine::Message(message) => message,
            ParsedLine::Fault(fault) => {
                return Err(self.fault_response(&fault, StatusCode::BAD_REQUEST));
            }
            ParsedLine::Nothing => {
                let mut response = Response::new(Empty::new().boxed());
                *response.status_mut() = StatusCode::ACCEPTED;
                return Err(response);
            }
        };
        let request = match &mut *message {
            JsonRpcMessage::Request(request) => request,
            JsonRpcMessage::Notification(JsonRpcNotification {
                notification: ClientNotification::RootsListChangedNotification(_),
                ..
            }) => {
                return Ok((
                    held(strip_byte_order_mark(bytes)),
                    MessageKind::RootsChanged,
                ));
            }
            _ => return Ok((held(strip_byte_order_mark(bytes)), MessageKind::Other)),
        };
        let id = MessageKind::Request(request.id.clone());
        let extensions = request.request.extensions_mut();
        let other = extensions.remove::<OtherArguments>();
        let unreadable = extensions.remove::<UnreadableArguments>();
        if other.is_none() && unreadable.is_none() {
            return Ok((held(strip_byte_order_mark(bytes)), id));
        }
        other.map(|other| beside.insert(other));
        unreadable.map(|unreadable| beside.insert(unreadable));
        match serde_json::to_vec(&message) {
            Ok(bytes) => Ok((held(bytes.into()), id)),
            Err(_) => Err(plain_text_response(
                StatusCode::BAD_REQUEST,
                "the message cannot be read",
            )),
        }
    }

    /// Returns the answer to a body that is not a message.
    fn fault_response(&self, fault: &MessageError, status: StatusCode) -> HttpResponse {
        let words = || format!("a message was not taken: {}", fault.log_message());
        self.log.log(Level::Warn, words);
        let mut response = Response::new(Full::new(fault.to_json_line().into()).boxed());
        *response.status_mut() = status;
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(CONTENT_TYPE, json);
        response
    }

    /// Stops answering requests, waits for calls that are being carried out, ends every stream, and finishes the writes
    /// that have begun. Reports whether all of them were finished.
    pub async fn stop(&self) -> bool {
        self.closing.store(true, Ordering::Relaxed);
        let _ = tokio::time::timeout(CALL_SHUTDOWN_TIME, self.sessions.wait_until_idle()).await;
        self.end.cancel();
        // Closing a session waits for the library's task for it, which may wait for its client.
        let _ = tokio::time::timeout(CALL_SHUTDOWN_TIME, self.sessions.close_all()).await;
        match &self.process {
            Some(process) => process.pool.finish_jobs(WRITE_SHUTDOWN_TIME).await,
            None => true,
        }
    }
}

/// Runs a future until a token is cancelled.
async fn run_until_cancelled(end: CancellationToken, work: impl Future<Output = ()>) {
    tokio::select! {
        () = end.cancelled() => {}
        () = work => {}
    }
}

/// Does work on the bytes of a message. For a long message the thread's other tasks move to another thread meanwhile.
fn run_blocking_if_long<T>(length: usize, work: impl FnOnce() -> T) -> T {
    let flavor = || Handle::current().runtime_flavor();
    match length > LONG_MESSAGE_BYTES && flavor() == RuntimeFlavor::MultiThread {
        true => block_in_place(work),
        false => work(),
    }
}

/// Returns the message without a byte order mark, which the library does not accept.
fn strip_byte_order_mark(bytes: Bytes) -> Bytes {
    match bytes.starts_with(b"\xEF\xBB\xBF") {
        true => bytes.slice(3..),
        false => bytes,
    }
}

fn plain_text_response(status: StatusCode, words: &'static str) -> HttpResponse {
    let mut response = Response::new(Full::new(Bytes::from_static(words.as_bytes())).boxed());
    *response.status_mut() = status;
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}

/// A session id that is given twice, or is not text.
struct UnclearSession;

/// Returns the session that a request names.
fn session_id<B>(request: &Request<B>) -> Result<Option<String>, UnclearSession> {
    let mut named = request.headers().get_all(SESSION_HEADER).iter();
    let (first, second) = (named.next(), named.next());
    match (first.map(HeaderValue::to_str), second) {
        (None, _) => Ok(None),
        (Some(Ok(name)), None) => Ok(Some(name.to_owned())),
        _ => Err(UnclearSession),
    }
}
