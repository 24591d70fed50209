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

use crate::places::{Guest, Places};
use crate::stall::Unstalled;

/// The time limit for the head of the first request.
const FIRST_HEAD: Duration = Duration::from_secs(10);
/// The time limit for the head of a later request, and for an idle connection. Clients that keep idle connections
/// give them up sooner, so none is closed while a request is being sent on it.
const HEAD: Duration = Duration::from_secs(60);
/// The time limit for the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The time for which a client may receive nothing of what is sent to it.
const STALL: Duration = Duration::from_secs(30);
/// The time for which a stop waits for answers to be sent.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// The pause in accepting connections after the system refused one, for instance because too many files are open.
const PAUSE: Duration = Duration::from_millis(50);

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
    pub(crate) async fn any(&mut self) {
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
    places: Arc<Places>,
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
            places: Places::new(descriptors::raise_limit()),
            ending: GracefulShutdown::new(),
            log,
        })
    }

    /// Accepts connections until a signal comes, and then stops listening.
    pub(crate) async fn accept_until(&mut self, signals: &mut Signals) {
        tokio::select! {
            () = self.accept() => {}
            () = signals.any() => {}
        }
        self.listener = None;
    }

    async fn accept(&self) {
        let Some(listener) = &self.listener else {
            return;
        };
        loop {
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    self.log
                        .say(Level::Error, || format!("cannot accept: {error}"));
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            // Answers are short and clients wait for them.
            let _ = stream.set_nodelay(true);
            let guest = self.places.enter().await;
            let (router, watcher, tls) =
                (self.router.clone(), self.ending.watcher(), self.tls.clone());
            tokio::spawn(async move {
                let served = async {
                    match tls {
                        None => serve(stream, router, &guest, watcher).await,
                        Some(tls) => {
                            let shaken = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await;
                            if let Ok(Ok(stream)) = shaken {
                                serve(stream, router, &guest, watcher).await;
                            }
                        }
                    }
                };
                tokio::select! {
                    () = served => {}
                    () = guest.has_to_leave() => {}
                }
            });
        }
    }

    /// Lets answers that are being sent reach their clients, for a limited time.
    pub(crate) async fn close(self) {
        let _ = tokio::time::timeout(LAST_ANSWERS, self.ending.shutdown()).await;
    }
}

/// Serves one connection until the client leaves. A client that breaks the protocol or leaves early is not reported
/// as an error.
async fn serve<S>(
    stream: S,
    router: Router,
    guest: &Guest,
    watcher: hyper_util::server::graceful::Watcher,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let own = guest.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        own.asks();
        request.extensions_mut().insert(own.clone());
        TowerToHyperService::new(router.clone()).call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(Unstalled::new(stream, STALL)), service);
    let silent = async {
        tokio::time::sleep(FIRST_HEAD).await;
        if guest.has_asked() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        _ = watcher.watch(connection) => {}
        () = silent => {}
    }
}
