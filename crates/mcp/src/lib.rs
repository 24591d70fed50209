//! A Model Context Protocol server for lancet, in both generations of the protocol, over standard input and output or any
//! pair of streams.
//!
//! [`serve`] runs until the client disconnects; [`Options`] sets the session, the form of answers ([`Answers`]), who is
//! asked before a write ([`Ask`]) and the [`Log`]. Calls run on threads of a pool and can be cancelled; a thread that is
//! stuck in a system call is replaced. No other crate names a type of the protocol library.
//!
//! # Limitations
//!
//! One connection is one client; there is no HTTP transport. A message is at most [`MESSAGE_LIMIT`] bytes long.

mod answer;
mod clients;
mod conversation;
mod elicit;
mod host;
mod identity;
mod idle;
mod limited;
mod lines;
mod listing;
mod log;
mod message;
mod notices;
mod pool;
mod roots;
mod sandbox;
mod server;
mod unanswered;
mod underway;
mod wire;

use std::io;
use std::time::Duration;

use lancet::{Lancet, SessionName};
use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};

pub use conversation::{SESSION_VARIABLES, hook_session};
pub use elicit::Ask;
pub use log::{Level, Log};
pub use roots::{LateRoots, RootsOrigin};
use server::Server;
use wire::Wire;

/// The longest message a client may send, in bytes.
pub const MESSAGE_LIMIT: usize = 64 * 1024 * 1024;

/// How long the end of a connection waits for a write that has begun.
const PATIENCE: Duration = Duration::from_secs(10);

/// The form of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// Text for the model; data for programs in `_meta["lancet/result"]`.
    #[default]
    Text,
    /// The same, plus `structuredContent` with an output schema for every tool but Read.
    Structured,
}

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The session of all calls, whatever they name themselves; none where each call's own counts.
    pub session: Option<SessionName>,
    /// The variables of the environment that may name the session of calls that name none ([`SESSION_VARIABLES`]), with
    /// their values.
    pub environment: Vec<(String, String)>,
    /// The process of the agent, by its id and start time: the session that the agent's hooks last reported for it counts
    /// before the environment.
    pub agent_process: Option<String>,
    /// The form of answers.
    pub answers: Answers,
    /// Who is asked before a write.
    pub ask: Ask,
    /// The log of the server's own messages.
    pub log: Log,
    /// The longest time that a call may take.
    pub time_limit: Duration,
    /// How long a call that is to stop may take to do so, before its thread is replaced.
    pub grace: Duration,
    /// Where the roots come from, which decides what those of a client may do to them.
    pub roots: RootsOrigin,
    /// How long a call waits for the roots of a client that offers them.
    pub roots_wait: Duration,
    /// The longest message, in bytes.
    pub message_limit: usize,
    /// How long there must be no call before the history is maintained.
    pub quiet: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            session: None,
            environment: Vec::new(),
            agent_process: None,
            answers: Answers::Text,
            ask: Ask::Engine,
            log: Log::silent(),
            time_limit: lancet::call::TIME_LIMIT,
            grace: Duration::from_secs(5),
            roots: RootsOrigin::Named,
            roots_wait: Duration::from_secs(5),
            message_limit: MESSAGE_LIMIT,
            quiet: Duration::from_secs(20),
        }
    }
}

/// Why serving ended, other than because the client disconnected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The operating system refused the async reactor.
    #[error("cannot start: {0}")]
    Start(#[source] io::Error),
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Connection(String),
}

/// Serves one client over standard input and output until it closes them. Only the protocol is written to standard
/// output.
///
/// # Errors
/// The operating system refused the async reactor, or the connection broke.
pub fn serve_stdio(lancet: Lancet, options: Options) -> Result<(), ServeError> {
    hush_panics(options.log.clone());
    let reactor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ServeError::Start)?;
    let served = reactor.block_on(async {
        let (reader, writer) = rmcp::transport::stdio_pipes();
        serve(lancet, options, reader, writer).await
    });
    // Its threads are not awaited: one may still be in a read of standard input that never returns.
    reactor.shutdown_background();
    served
}

/// Serves one client over a pair of streams until it closes them.
///
/// # Errors
/// The connection broke.
pub async fn serve<R, W>(
    lancet: Lancet,
    options: Options,
    reader: R,
    writer: W,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (log, quiet) = (options.log.clone(), options.quiet);
    let wire = Wire::new(reader, writer, options.message_limit, log.clone());
    let server = Server::new(lancet, options);
    let pool = server.pool();
    let tidying = tokio::spawn(idle::tidy(
        server.lancet(),
        pool.clone(),
        server.activity(),
        quiet,
    ));
    log.say(Level::Info, || {
        format!("lancet {} serves", env!("CARGO_PKG_VERSION"))
    });
    let ended = match server.serve(wire).await {
        Ok(running) => match running.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => {
                Err(ServeError::Connection(error.to_string()))
            }
            Ok(_) => Ok(()),
        },
        // A client that disconnects before its first message is not an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ServeError::Connection(error.to_string())),
    };
    tidying.abort();
    if !pool.settle(PATIENCE).await {
        log.say(Level::Warn, || {
            "a call was still at work when the client left".to_owned()
        });
    }
    log.say(Level::Info, || "the client left".to_owned());
    ended
}

/// Replaces the panic hook: a panic's own message may quote the text of a file, so only its place is logged.
fn hush_panics(log: Log) {
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        log.say(Level::Error, || {
            format!("a fault of lancet's own at {place}; please report it")
        });
    }));
}
