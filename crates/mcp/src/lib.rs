//! A Model Context Protocol server for lancet, in both generations of the protocol, over standard input and output, any
//! pair of streams, or HTTP.
//!
//! [`serve`] runs until the client disconnects. [`Endpoint`] answers HTTP requests of any number of clients.
//! [`Options`] sets the session, the form of answers ([`AnswerFormat`]), who is prompted before a write ([`Ask`]) and the
//! [`Log`]. Calls run on threads of a pool and can be cancelled; a thread that is stuck in a system call is replaced.
//! No other crate names a type of the protocol library.
//!
//! # Limitations
//!
//! Over streams, one connection is one client. Listening for HTTP is left to another crate. A message is at most
//! [`MESSAGE_LIMIT`] bytes long.

mod announced;
mod answer;
mod clients;
mod connection;
mod elicit;
mod host;
mod http;
mod limited;
mod lines;
mod link;
mod listing;
mod message;
mod notices;
mod notify;
mod options;
mod patience;
mod process;
mod resources;
mod resting;
mod roots;
mod sandbox;
mod seal;
mod server;
mod subscriptions;
mod tasks;
mod unanswered;
mod underway;
mod wire;

use std::io;
use std::time::Duration;

use lancet::Lancet;
use lancet_serving::{Level, Log, idle};
use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};

pub use self::http::{Endpoint, HttpResponse};
pub use elicit::{Ask, Elicitation, QuestionRecording};
use link::Link;
pub use options::{
    AnswerFormat, CallApprover, DataExtent, MESSAGE_LIMIT, Options, QuestionNotifier,
};
use process::Process;
pub use roots::{LateRoots, RootsOrigin};
use server::Server;
use wire::LineTransport;

/// How long the end of a connection waits for a write that has begun.
const WRITE_SHUTDOWN_TIME: Duration = Duration::from_secs(10);

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
    let limit = options.message_limit;
    let process = Process::new(lancet, options).map_err(ServeError::Start)?;
    let ended = process.input_ended.clone();
    let wire = LineTransport::new(reader, writer, limit, ended, log.clone());
    let pool = process.pool.clone();
    let tidying = tokio::spawn(idle::maintain_history(
        process.lancet.clone(),
        pool.clone(),
        process.activity.clone(),
        quiet,
    ));
    log.log(Level::Info, || {
        format!("lancet {} serves", env!("CARGO_PKG_VERSION"))
    });
    let ended = match Server::new(process, Link::Streams).serve(wire).await {
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
    if !pool.finish_jobs(WRITE_SHUTDOWN_TIME).await {
        log.log(Level::Warn, || {
            "a call was still at work when the client left".to_owned()
        });
    }
    log.log(Level::Info, || "the client left".to_owned());
    ended
}

/// Replaces the panic hook of the process. A panic's message may quote the text of a file, so only its place is logged.
pub fn hush_panics(log: Log) {
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        log.log(Level::Error, || {
            format!("a fault of lancet's own at {place}; please report it")
        });
    }));
}
