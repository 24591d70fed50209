//! The address that is listened on. Beyond this machine it needs encryption, or the user's statement that none is
//! needed.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::PathBuf;
use std::sync::Arc;

use lancet::Lancet;
use lancet_mcp::Endpoint;
use lancet_serving::{Level, Log};
use tokio_rustls::TlsAcceptor;

use crate::access::Access;
use crate::connections::{Connections, Signals};
use crate::events::Events;
use crate::names::{HostRule, PublicUrl};
use crate::page::WebPage;
use crate::reached;
use crate::routes::{self, Services};
use crate::tls;
use crate::turned_away::RejectionLog;

/// The protection of connections to a server that listens beyond this machine.
#[derive(Clone, Debug)]
pub enum Protection {
    /// No protection: only addresses of this machine are listened on.
    None,
    /// A certificate and its key, in PEM files.
    Tls(PathBuf, PathBuf),
    /// A proxy at this address encrypts.
    Proxy(PublicUrl),
    /// The user says that none is needed.
    Waived,
}

/// The address to listen on.
#[derive(Clone, Debug)]
pub struct ListenOptions {
    /// Address and port.
    pub address: String,
    /// The protection of connections.
    pub protection: Protection,
}

/// The reason why a server does not listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The address cannot be understood.
    #[error("{0:?} is no address to listen on: give one such as 127.0.0.1:4747")]
    NoAddress(String),
    /// Other machines could read the traffic.
    #[error(
        "{0} can be reached from other machines, and tokens and files would go there unencrypted: give --tls CERT KEY, an https --public-url where a proxy encrypts, or --insecure"
    )]
    Unprotected(SocketAddr),
    /// Another program listens there.
    #[error(
        "{0} is taken: another program listens there, perhaps another `lancet serve`. Agents can share that one; for a second give another port with --listen"
    )]
    Taken(SocketAddr),
    /// The system refused.
    #[error("cannot listen on {0}: {1}")]
    System(SocketAddr, #[source] io::Error),
    /// The certificate or its key cannot be used.
    #[error("cannot encrypt: {0}")]
    Tls(#[source] io::Error),
}

/// Returns the page of an engine, if it has a state folder.
fn page_of_engine(lancet: &Lancet, public: Option<PublicUrl>) -> Option<WebPage> {
    let state = lancet.state_dir()?.to_owned();
    Some(WebPage::new(lancet.clone(), &state, public))
}

/// A server that listens, and serves when it is run.
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    public: Option<PublicUrl>,
}

impl Listening {
    /// Starts to listen; clients that connect now wait until the server is run.
    ///
    /// # Errors
    /// The address is invalid, unprotected or taken, or the certificate cannot be used.
    pub fn new(options: &ListenOptions) -> Result<Self, ListenError> {
        let no_address = || ListenError::NoAddress(options.address.clone());
        let addresses = options.address.to_socket_addrs();
        let wanted = addresses.ok().and_then(|mut all| all.next());
        let wanted = wanted.ok_or_else(no_address)?;
        let (tls, public) = match &options.protection {
            Protection::Tls(certificate, key) => {
                let tls = tls::load_acceptor(certificate, key).map_err(ListenError::Tls)?;
                (Some(tls), None)
            }
            Protection::Proxy(url) => (None, Some(url.clone())),
            Protection::None | Protection::Waived => (None, None),
        };
        let is_encrypted = tls.is_some() || public.as_ref().is_some_and(PublicUrl::is_encrypted);
        let is_waived = matches!(options.protection, Protection::Waived);
        if !wanted.ip().is_loopback() && !is_encrypted && !is_waived {
            return Err(ListenError::Unprotected(wanted));
        }
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AddrInUse => ListenError::Taken(wanted),
            _ => ListenError::System(wanted, error),
        };
        let listener = TcpListener::bind(wanted).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self {
            listener,
            address,
            tls,
            public,
        })
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of the endpoint for agents on this machine.
    pub fn url(&self) -> String {
        match self.tls.is_some() {
            true => format!("https://{}/mcp", self.address),
            false => format!("http://{}/mcp", self.address),
        }
    }

    /// Returns the address of the endpoint for others, if there is a proxy in front of it.
    pub fn public_url(&self) -> Option<String> {
        let public = self.public.as_ref();
        public.map(|url| format!("{}/mcp", url.text()))
    }

    /// Returns the address of the page, without a slash at its end; `names` are the names that requests may use for
    /// the server.
    pub fn page_url(&self, names: &[HostRule]) -> String {
        let public = self.public.as_ref().map(|url| url.text().to_owned());
        public.unwrap_or_else(|| reached::page_url(self.address, self.tls.is_some(), names))
    }

    /// Returns whether other machines can reach the page.
    pub fn is_on_network(&self) -> bool {
        self.public.is_some() || !self.address.ip().is_loopback()
    }

    /// Returns whether other machines can reach the address without the proxy that encrypts, and so without
    /// encryption.
    pub fn is_reachable_without_proxy(&self) -> bool {
        self.public.is_some() && self.tls.is_none() && !self.address.ip().is_loopback()
    }

    /// Serves until SIGINT, SIGTERM or SIGHUP. `endpoint` is called when these signals are handled, and `lancet` has
    /// the events that `/events` reports. Calls in progress are answered and writes that have begun are finished
    /// before it returns; a second signal ends the wait.
    ///
    /// # Errors
    /// The system refused threads, signals or random bytes.
    pub fn run(
        self,
        mut access: Access,
        lancet: Option<Lancet>,
        endpoint: impl FnOnce() -> io::Result<Endpoint>,
        log: Log,
    ) -> io::Result<()> {
        access.allow_address(self.address.ip());
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let reactor = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads.clamp(1, 4))
            .thread_name("lancet-serve")
            .enable_all()
            .build()?;
        let served = reactor.block_on(async {
            let mut signals = Signals::new()?;
            let endpoint = endpoint()?;
            let served = Arc::new(Services {
                access,
                endpoint,
                page: lancet
                    .as_ref()
                    .and_then(|lancet| page_of_engine(lancet, self.public.clone()))
                    .map(Arc::new),
                events: lancet.map(Events::new),
                turned_away: RejectionLog::new(log.clone()),
            });
            let router = routes::router(served.clone());
            let mut connections = Connections::new(self.listener, self.tls, router, log.clone())?;
            log.log(Level::Info, || format!("serves at {}", self.address));
            connections.accept_until(&mut signals).await;
            log.log(Level::Info, || "stops".to_owned());
            if let Some(events) = &served.events {
                events.end_streams();
            }
            if let Some(page) = &served.page {
                page.end_streams();
            }
            tokio::select! {
                finished = served.endpoint.stop() => {
                    if !finished {
                        log.log(Level::Warn, || "a call was still at work at the end".to_owned());
                    }
                    connections.finish_answers().await;
                }
                () = signals.wait_for_any() => {}
            }
            Ok(())
        });
        reactor.shutdown_background();
        served
    }
}
