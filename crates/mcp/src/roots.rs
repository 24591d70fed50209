//! The client's own roots: the folders that it lets servers work in narrow the ones that lancet was started on, and never
//! widen them. Asked for where the client offers them: in the first generation by a request of the server's own, in the
//! second by what the first call needs; again when the client says that they changed. Calls wait for the answer.
#![expect(
    deprecated,
    reason = "the protocol deprecates roots, and clients go on sending them"
)]

mod uri;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lancet::{Lancet, Refusal, RefusalKind};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientResult, InputRequest, InputRequests,
    InputRequiredResult, ListRootsRequest, ListRootsResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext};
use serde_json::Value;
use tokio::sync::watch;

use crate::Options;
use crate::log::{Level, Log};
use crate::pool::{Pool, Progress};

/// No client has more roots; the rest are passed over.
const MOST: usize = 1_000;
/// The name of the request in a call that is to be sent again.
const NAME: &str = "roots";
/// What the state of such a call begins with.
const STATE: &str = "roots-";

/// What is known of one client's roots.
pub(crate) struct ClientRoots {
    lancet: Lancet,
    pool: Arc<Pool>,
    log: Log,
    /// How long a call waits for the client to say what its roots are.
    patience: Duration,
    known: watch::Sender<Known>,
    number: AtomicU64,
}

#[derive(Clone)]
struct Known {
    phase: Phase,
    wait: Wait,
    /// The engine on what the roots leave; none where they are ignored, or never came.
    narrowed: Option<Lancet>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nobody has asked, or the client said that they changed since.
    Unasked,
    /// Asked, for the time of this number.
    Asked(u64),
    Settled,
}

/// How the wait for an answer stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// No call has waited in vain.
    On,
    /// One has, and was told to come again.
    Long,
    /// So has another that came after: the client is taken for one that tells no roots, until it does.
    Over,
}

/// What a call is to do about the roots of its client.
pub(crate) enum Verdict {
    /// Go on with this engine, or with lancet's own where there is none.
    Go(Option<Lancet>),
    /// End with this: the client is to call again, and to bring its roots along.
    Bring(InputRequiredResult),
    /// It does not know where it may work.
    Refuse(Refusal),
}

/// Whether a request is of the generation without a handshake, in which a server asks nothing by itself.
pub(crate) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::NO_INITIALIZE.as_str())
}

/// Whether a client tells its roots.
fn are_offered(capabilities: Option<&ClientCapabilities>) -> bool {
    capabilities.is_some_and(|capabilities| capabilities.roots.is_some())
}

impl ClientRoots {
    pub(crate) fn new(lancet: Lancet, pool: Arc<Pool>, options: &Options) -> Self {
        let unknown = Known {
            phase: Phase::Unasked,
            wait: Wait::On,
            narrowed: None,
        };
        Self {
            lancet,
            pool,
            log: options.log.clone(),
            patience: options.roots_wait,
            known: watch::Sender::new(unknown),
            number: AtomicU64::new(0),
        }
    }

    /// Where a call may work. None: it was cancelled while it waited.
    pub(crate) async fn decide(
        self: &Arc<Self>,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<Verdict> {
        if !are_offered(context.client_capabilities().as_ref()) {
            return Some(Verdict::Go(None));
        }
        if is_modern(context) {
            let state = request.request_state.as_deref();
            let responses = request.input_responses.as_ref();
            return Some(self.brought(state, responses).await);
        }
        tokio::select! {
            biased;
            verdict = self.awaited(&context.peer) => Some(verdict),
            () = context.ct.cancelled() => None,
        }
    }

    /// The client has just come, or its roots changed: asks it, or has its next call bring them.
    pub(crate) fn are_news(self: &Arc<Self>, peer: Peer<RoleServer>) {
        let client = peer.peer_info();
        let (asks, offers) = client.map_or((false, false), |client| {
            let version = client.protocol_version.as_str();
            (
                version < ProtocolVersion::NO_INITIALIZE.as_str(),
                are_offered(Some(&client.capabilities)),
            )
        });
        if asks && offers {
            self.ask(peer);
        } else if !asks {
            self.enter(Phase::Unasked);
        }
    }

    /// Asks a client of the first generation, without waiting for the answer.
    fn ask(self: &Arc<Self>, peer: Peer<RoleServer>) {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        self.enter(Phase::Asked(number));
        let roots = Arc::clone(self);
        tokio::spawn(async move {
            let answer = answer_of(&peer).await;
            roots.take_in(answer, Phase::Asked(number)).await;
        });
    }

    /// What a call of a client of the first generation is to do: wait for the answer, within a bound. Some clients offer
    /// roots and never tell them; the roots that lancet was started on hold for those as for all others.
    async fn awaited(self: &Arc<Self>, peer: &Peer<RoleServer>) -> Verdict {
        let mut known = self.known.subscribe();
        if known.borrow_and_update().phase == Phase::Unasked {
            self.ask(peer.clone());
        }
        let before = known.borrow().wait;
        let settled =
            known.wait_for(|known| known.phase == Phase::Settled || known.wait == Wait::Over);
        if let Ok(Ok(known)) = tokio::time::timeout(self.patience, settled).await {
            return Verdict::Go(known.narrowed.clone());
        }
        self.waited_in_vain(before)
    }

    /// What a call is to do that found the wait as `before` and got no answer either. What was narrowed stays so, and an
    /// answer that comes late counts.
    fn waited_in_vain(&self, before: Wait) -> Verdict {
        let mut gives_up = false;
        self.known.send_if_modified(|known| {
            gives_up = (before, known.wait) == (Wait::Long, Wait::Long);
            known.wait = match known.wait {
                Wait::Long if gives_up => Wait::Over,
                Wait::On => Wait::Long,
                as_it_is => as_it_is,
            };
            gives_up
        });
        if gives_up {
            self.log.say(Level::Warn, || {
                "the client offers roots and does not tell them: calls no longer wait for them"
                    .to_owned()
            });
        }
        let known = self.known.borrow();
        if known.wait == Wait::Over {
            return Verdict::Go(known.narrowed.clone());
        }
        Verdict::Refuse(Refusal::new(
            RefusalKind::Timeout,
            "The client offers roots and has not yet said which they are (roots/list), so it is not known where work is allowed. Nothing was done; send the call again.",
        ))
    }

    /// What a call of a client of the second generation is to do: bring the roots along, where they are not known.
    /// `state` and `responses` are what it brings.
    async fn brought(
        &self,
        state: Option<&str>,
        responses: Option<&std::collections::BTreeMap<String, Value>>,
    ) -> Verdict {
        let number = state.and_then(|state| state.strip_prefix(STATE)?.parse().ok());
        if let Some(number) = number {
            let response = responses.and_then(|responses| responses.get(NAME)).cloned();
            let answer = response
                .ok_or_else(|| "it brought none".to_owned())
                .and_then(|value| {
                    serde_json::from_value::<ListRootsResult>(value)
                        .map_err(|error| error.to_string())
                })
                .map(uris);
            self.take_in(answer, Phase::Asked(number)).await;
        }
        let known = self.known.borrow().clone();
        let number = match known.phase {
            Phase::Settled => return Verdict::Go(known.narrowed),
            // Several calls may come before the first brings the answer: each is as good.
            Phase::Asked(number) => number,
            Phase::Unasked => {
                let number = self.number.fetch_add(1, Ordering::Relaxed);
                self.enter(Phase::Asked(number));
                number
            }
        };
        let mut requests = InputRequests::new();
        let request = InputRequest::ListRoots(ListRootsRequest::default());
        requests.insert(NAME.to_owned(), request);
        let state = format!("{STATE}{number}");
        Verdict::Bring(InputRequiredResult::new(Some(requests), Some(state)))
    }

    fn enter(&self, phase: Phase) {
        self.known.send_modify(|known| {
            known.phase = phase;
            known.wait = Wait::On;
        });
    }

    /// Takes in an answer, unless the roots changed since it was asked for. None that can be used leaves things as they
    /// were: what was narrowed stays so.
    async fn take_in(&self, answer: Result<Vec<String>, String>, asked: Phase) {
        let narrowed = match answer {
            Ok(uris) => Ok(self.narrow(uris).await),
            Err(why) => {
                self.log.say(Level::Warn, || {
                    format!("the client did not tell its roots: {why}; they are not taken in")
                });
                Err(())
            }
        };
        self.known.send_if_modified(|known| {
            let wanted = known.phase == asked;
            if wanted {
                known.phase = Phase::Settled;
                if let Ok(narrowed) = narrowed {
                    known.narrowed = narrowed;
                }
            }
            wanted
        });
    }

    /// The engine on what these leave of its roots.
    async fn narrow(&self, uris: Vec<String>) -> Option<Lancet> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for given in uris.iter().take(MOST) {
            match uri::folder(given) {
                Some(folder) => folders.push(folder),
                None => self.log.say(Level::Warn, || {
                    format!("a root of the client is no folder of this machine and is passed over: {given:?}")
                }),
            }
        }
        let lancet = self.lancet.clone();
        // On a thread for calls: the folders may be on a file system that does not answer.
        let work = move || lancet.narrowed(&folders);
        let narrowed = self
            .pool
            .run(&Progress::default(), work)
            .await
            .ok()
            .flatten();
        match &narrowed {
            Some(narrowed) => self.log.say(Level::Info, || {
                format!(
                    "the client's roots narrow lancet's to {:?}",
                    narrowed.roots()
                )
            }),
            None => self.log.say(Level::Warn, || {
                format!(
                    "the client's roots ({}) have nothing in common with lancet's and are ignored",
                    uris.len()
                )
            }),
        }
        narrowed
    }
}

async fn answer_of(peer: &Peer<RoleServer>) -> Result<Vec<String>, String> {
    let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    let options = PeerRequestOptions::no_options();
    let asked = peer.send_cancellable_request(request, options).await;
    let handle = asked.map_err(|error| error.to_string())?;
    match handle.rx.await {
        Ok(Ok(ClientResult::ListRootsResult(result))) => Ok(uris(result)),
        Ok(Ok(_)) => Err("its answer is no list of roots".to_owned()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("it left".to_owned()),
    }
}

fn uris(result: ListRootsResult) -> Vec<String> {
    result.roots.into_iter().map(|root| root.uri).collect()
}
