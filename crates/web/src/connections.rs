//! The connections of clients: a limited number at once, each with time limits for slow senders and receivers.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use lancet_serving::{Level, Log, descriptors};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_rustls::TlsAcceptor;

use crate::places::{ConnectionSlot, ConnectionSlots};
use crate::stall::StallGuard;

/// The time limit for the head of the first request.
const FIRST_HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for the head of a later request, and for an idle connection. Clients that keep idle connections
/// give them up sooner, so none is closed while a request is being sent on it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
/// The time limit for the TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The time for which a client may receive nothing of what is sent to it.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);
/// The time for which a stop waits for answers to be sent.
const SHUTDOWN_TIME: Duration = Duration::from_secs(2);
/// The pause in accepting connections after the system refused one, for instance because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The signals that stop a server.
pub(crate) struct Signals([Signal; 3]);

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    /// Waits for any of them.
    pub(crate) async fn wait_for_any(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// Accepts and serves connections.
pub(crate) struct Connections {
    listener: Option<tokio::net::TcpListener>,
    tls: Option<TlsAcceptor>,
    router: Router,
    places: Arc<ConnectionSlots>,
    ending: GracefulShutdown,
    log: Log,
}

impl Connections {
    pub(crate) fn new(
        listener: TcpListener,
        tls: Option<TlsAcceptor>,
        router: Router,
        log: Log,
    ) -> io::Result<Self> {
        Ok(Self {
            listener: Some(tokio::net::TcpListener::from_std(listener)?),
            tls,
            router,
            places: ConnectionSlots::new(descriptors::raise_open_file_limit()),
            ending: GracefulShutdown::new(),
            log,
        })
    }

    /// Accepts connections until a signal comes, and then stops listening.
    pub(crate) async fn accept_until(&mut self, signals: &mut Signals) {
        tokio::select! {
            () = self.accept_one() => {}
            () = signals.wait_for_any() => {}
        }
        self.listener = None;
    }

    async fn accept_one(&self) {
        let Some(listener) = &self.listener else {
            return;
        };
        loop {
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    self.log
                        .log(Level::Error, || format!("cannot accept: {error}"));
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            // Answers are short and clients wait for them.
            let _ = stream.set_nodelay(true);
            let guest = self.places.add_connection().await;
            let (router, watcher, tls) =
                (self.router.clone(), self.ending.watcher(), self.tls.clone());
            tokio::spawn(async move {
                let served = async {
                    match tls {
                        None => serve_connection(stream, router, &guest, watcher).await,
                        Some(tls) => {
                            let shaken =
                                tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await;
                            if let Ok(Ok(stream)) = shaken {
                                serve_connection(stream, router, &guest, watcher).await;
                            }
                        }
                    }
                };
                tokio::select! {
                    () = served => {}
                    () = guest.wait_for_eviction() => {}
                }
            });
        }
    }

    /// Lets answers that are being sent reach their clients, for a limited time.
    pub(crate) async fn finish_answers(self) {
        let _ = tokio::time::timeout(SHUTDOWN_TIME, self.ending.shutdown()).await;
    }
}

/// Serves one connection until the client leaves. A client that breaks the protocol or leaves early is not reported
/// as an error.
async fn serve_connection<S>(
    stream: S,
    router: Router,
    guest: &ConnectionSlot,
    watcher: hyper_util::server::graceful::Watcher,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let own = guest.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        own.record_request();
        request.extensions_mut().insert(own.clone());
        TowerToHyperService::new(router.clone()).call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(
            TokioIo::new(StallGuard::new(stream, STALL_TIMEOUT)),
            service,
        );
    let silent = async {
        tokio::time::sleep(FIRST_HEAD_TIMEOUT).await;
        if guest.has_sent_request() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        _ = watcher.watch(connection) => {}
        () = silent => {}
    }
}
