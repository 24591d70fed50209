//! The client's own roots: folders that narrow the roots lancet was started on, and never widen them. The server
//! requests them from clients that offer them (in the first generation of the protocol by a request, in the second by
//! the result of the first call), and again when the client says that they changed. Calls wait for the answer.
#![expect(
    deprecated,
    reason = "the protocol deprecates roots, and clients go on sending them"
)]

mod list;
mod origin;
mod place;
mod uri;
mod words;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lancet::{Lancet, Refusal, RefusalKind};
use lancet_serving::pool::Pool;
use lancet_serving::{Level, Log};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, InputRequest, InputRequests, ListRootsRequest,
    ListRootsResult, ProtocolVersion, RequestId,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use serde_json::Value;
use tokio::sync::watch;

use crate::link::{self, Link, RootsNews, is_modern};
use crate::options::Options;

use list::{request_roots, root_uris};
pub use origin::{LateRoots, RootsOrigin};
pub(crate) use uri::folder_from_uri as folder_of_uri;
use words::{ADVICE, NOT_WORKED_OUT};

/// The name of the roots in the input requests of a call that has to be repeated.
const NAME: &str = "roots";
/// The prefix of the state of such a call.
const STATE_PREFIX: &str = "roots-";

/// The roots of one client, as far as they are known.
pub(crate) struct ClientRoots {
    lancet: Lancet,
    pool: Arc<Pool>,
    log: Log,
    /// How long a call waits for the answer to `roots/list`.
    patience: Duration,
    origin: RootsOrigin,
    link: Link,
    known: watch::Sender<RootsState>,
    number: AtomicU64,
    /// How many of an HTTP client's messages about changed roots were taken into account.
    news: AtomicU64,
    /// A notice about the roots that the next answer carries.
    notice: Mutex<Option<String>>,
}

/// The present knowledge about the roots of the client.
#[derive(Clone)]
struct RootsState {
    phase: QueryPhase,
    patience: WaitPolicy,
    /// The place where calls may work; none before the first usable answer.
    place: Option<WorkScope>,
}

/// Where a call may work, as far as the client's roots decide it.
#[derive(Clone)]
enum WorkScope {
    /// On lancet's own roots: the client named no usable roots.
    Own,
    /// On the intersection of the client's roots and lancet's or, where lancet has none, on those that the client
    /// named.
    Client(Lancet),
    /// Nowhere, for this reason.
    Nowhere(String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QueryPhase {
    /// The client was not queried yet, has announced that its roots changed, or its first answer could not be resolved
    /// to folders.
    Unasked,
    /// The request of this number was sent.
    Asked(u64),
    Settled,
}

/// How long calls still wait for the answer to `roots/list`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitPolicy {
    /// No call has timed out; calls wait.
    Fresh,
    /// One call timed out and was refused with the advice to call again.
    TimedOutOnce,
    /// Two calls timed out, one after the other; calls no longer wait, until the client answers.
    GivenUp,
}

/// How a call continues after the roots of its client were looked up.
pub(crate) enum RootsDecision {
    /// Continue with this narrowed engine, or with lancet's own if there is none.
    Go(Option<Lancet>),
    /// Ask the client to repeat the call with its roots. The state identifies this request.
    Bring(InputRequests, String),
    /// Refuse the call, because the roots are not known yet.
    Refuse(Refusal),
}

/// Reports whether a client offers roots.
fn are_roots_offered(capabilities: Option<&ClientCapabilities>) -> bool {
    capabilities.is_some_and(|capabilities| capabilities.roots.is_some())
}

impl ClientRoots {
    pub(crate) fn new(lancet: Lancet, pool: Arc<Pool>, options: &Options, link: Link) -> Self {
        let unknown = RootsState {
            phase: QueryPhase::Unasked,
            patience: WaitPolicy::Fresh,
            place: None,
        };
        Self {
            lancet,
            pool,
            log: options.log.clone(),
            patience: options.roots_wait,
            origin: options.roots.clone(),
            link,
            notice: Mutex::default(),
            known: watch::Sender::new(unknown),
            number: AtomicU64::new(0),
            news: AtomicU64::new(0),
        }
    }

    /// Finds the engine that a call may use. `state` is the verified content of the call's state. The result is none
    /// where the call was cancelled while it waited.
    pub(crate) async fn decide_for_call(
        self: &Arc<Self>,
        request: &CallToolRequestParams,
        state: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Option<RootsDecision> {
        if !are_roots_offered(context.client_capabilities().as_ref()) {
            return Some(self.decide_for_scope(None));
        }
        if is_modern(context) {
            let responses = request.input_responses.as_ref();
            return Some(self.decide_for_repeated_call(state, responses).await);
        }
        if let Some(news) = link::roots_news(&context.extensions) {
            self.handle_reported_change(news);
        }
        tokio::select! {
            biased;
            verdict = self.wait_for_roots(context) => Some(verdict),
            () = context.ct.cancelled() => None,
        }
    }

    /// Handles a new client, or a change of its roots: requests them from the client, or makes its next call bring
    /// them.
    pub(crate) fn handle_change(self: &Arc<Self>, context: NotificationContext<RoleServer>) {
        if self.link == Link::Http {
            // The next call requests the roots, because only the answer to a call is sure to reach the client.
            if let Some(news) = link::roots_news(&context.extensions) {
                self.handle_reported_change(news);
            }
            return;
        }
        let peer = context.peer;
        let client = peer.peer_info();
        let (asks, offers) = client.map_or((false, false), |client| {
            let version = client.protocol_version.as_str();
            (
                version < ProtocolVersion::NO_INITIALIZE.as_str(),
                are_roots_offered(Some(&client.capabilities)),
            )
        });
        if asks && offers {
            self.request_roots(peer, None);
        } else if !asks {
            self.set_phase(QueryPhase::Unasked);
        }
    }

    /// Forgets the known roots if the client has said since that they changed. A call and the notification before it
    /// arrive in any order, and only the first of them counts.
    fn handle_reported_change(&self, news: RootsNews) {
        if self.news.fetch_max(news.0, Ordering::Relaxed) < news.0 {
            self.set_phase(QueryPhase::Unasked);
        }
    }

    /// Requests the roots from a client of the first generation, without waiting for the answer.
    fn request_roots(self: &Arc<Self>, peer: Peer<RoleServer>, call: Option<RequestId>) {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        self.set_phase(QueryPhase::Asked(number));
        let roots = Arc::clone(self);
        tokio::spawn(async move {
            let answer = request_roots(&peer, call).await;
            roots.apply_answer(answer, QueryPhase::Asked(number)).await;
        });
    }

    /// Decides about a call of a first-generation client: waits for the answer, for a limited time. Some clients offer
    /// roots and never send them; for those the roots that lancet was started on apply.
    async fn wait_for_roots(
        self: &Arc<Self>,
        context: &RequestContext<RoleServer>,
    ) -> RootsDecision {
        let mut known = self.known.subscribe();
        if known.borrow_and_update().phase == QueryPhase::Unasked {
            self.request_roots(context.peer.clone(), Some(context.id.clone()));
        }
        let before = known.borrow().patience;
        let answered = known.wait_for(|known| {
            !matches!(known.phase, QueryPhase::Asked(_)) || known.patience == WaitPolicy::GivenUp
        });
        match tokio::time::timeout(self.patience, answered).await {
            Ok(Ok(known)) if known.phase == QueryPhase::Unasked => unresolved_roots_decision(),
            Ok(Ok(known)) => self.decide_for_scope(known.place.as_ref()),
            Ok(Err(_)) | Err(_) => self.decide_after_timeout(before),
        }
    }

    /// Decides about a call that timed out. `before` is the patience when it began to wait. Roots that were narrowed
    /// stay narrowed, and a late answer is still applied.
    fn decide_after_timeout(&self, before: WaitPolicy) -> RootsDecision {
        let mut gives_up = false;
        self.known.send_if_modified(|known| {
            gives_up =
                (before, known.patience) == (WaitPolicy::TimedOutOnce, WaitPolicy::TimedOutOnce);
            known.patience = match known.patience {
                WaitPolicy::TimedOutOnce if gives_up => WaitPolicy::GivenUp,
                WaitPolicy::Fresh => WaitPolicy::TimedOutOnce,
                as_it_is => as_it_is,
            };
            gives_up
        });
        if gives_up {
            self.log.log(Level::Warn, || {
                "the client offers roots and does not tell them: calls no longer wait for them"
                    .to_owned()
            });
        }
        let known = self.known.borrow();
        if known.patience == WaitPolicy::GivenUp {
            return self.decide_for_scope(known.place.as_ref());
        }
        RootsDecision::Refuse(Refusal::new(
            RefusalKind::Timeout,
            "The client offers roots and has not yet said which they are (roots/list), so it is not known where work is allowed. Nothing was done; send the call again.",
        ))
    }

    /// Decides about a call of a second-generation client: where the roots are unknown, the call has to be repeated
    /// with them. `state` and `responses` are those of the call.
    async fn decide_for_repeated_call(
        &self,
        state: Option<&str>,
        responses: Option<&std::collections::BTreeMap<String, Value>>,
    ) -> RootsDecision {
        let number = state.and_then(|state| state.strip_prefix(STATE_PREFIX)?.parse().ok());
        let mut is_worked_out = None;
        if let Some(number) = number {
            if self.link == Link::Http {
                // This request has no connection to others; the state says which roots request it answers.
                self.set_phase(QueryPhase::Asked(number));
            }
            let response = responses.and_then(|responses| responses.get(NAME)).cloned();
            let answer = response
                .ok_or_else(|| "it brought none".to_owned())
                .and_then(|value| {
                    serde_json::from_value::<ListRootsResult>(value)
                        .map_err(|error| error.to_string())
                })
                .map(root_uris);
            is_worked_out = Some(self.apply_answer(answer, QueryPhase::Asked(number)).await);
        }
        let known = self.known.borrow().clone();
        let number = match known.phase {
            QueryPhase::Settled => return self.decide_for_scope(known.place.as_ref()),
            // Several calls may arrive before the first one brings the answer; each may bring it.
            QueryPhase::Asked(number) => number,
            QueryPhase::Unasked if is_worked_out == Some(false) => {
                return unresolved_roots_decision();
            }
            QueryPhase::Unasked => {
                let number = self.number.fetch_add(1, Ordering::Relaxed);
                self.set_phase(QueryPhase::Asked(number));
                number
            }
        };
        let mut requests = InputRequests::new();
        let request = InputRequest::ListRoots(ListRootsRequest::default());
        requests.insert(NAME.to_owned(), request);
        RootsDecision::Bring(requests, format!("{STATE_PREFIX}{number}"))
    }

    fn set_phase(&self, phase: QueryPhase) {
        self.known.send_modify(|known| {
            known.phase = phase;
            known.patience = WaitPolicy::Fresh;
        });
    }

    /// Applies an answer, unless the roots changed since they were requested. An unusable answer changes nothing:
    /// narrowed roots stay narrowed. The same applies where an answer could not be resolved to folders; the result is
    /// then false. If it was the first answer, the client is queried again, because its roots may be narrower than
    /// lancet's own.
    async fn apply_answer(&self, answer: Result<Vec<String>, String>, asked: QueryPhase) -> bool {
        let place = match answer {
            Ok(uris) => self.resolve_scope(uris).await.map(Some),
            Err(why) => {
                self.log.log(Level::Warn, || {
                    format!("the client did not tell its roots: {why}; they are not taken in")
                });
                Ok(None)
            }
        };
        self.known.send_if_modified(|known| {
            if known.phase != asked {
                return false;
            }
            known.phase = match (&place, &known.place) {
                (Err(_), None) => QueryPhase::Unasked,
                _ => QueryPhase::Settled,
            };
            if let Ok(Some(place)) = &place {
                known.place = Some(place.clone());
            }
            true
        });
        if let Err(error) = &place {
            self.log.log(Level::Warn, || {
                format!(
                    "the client's roots could not be worked out ({error:?}); they stay as they were"
                )
            });
        }
        place.is_ok()
    }

    /// Decides about a call by the place where it may work.
    fn decide_for_scope(&self, place: Option<&WorkScope>) -> RootsDecision {
        let nowhere =
            |words: String| RootsDecision::Refuse(Refusal::new(RefusalKind::Outside, words));
        match (place.unwrap_or(&WorkScope::Own), &self.origin) {
            (WorkScope::Client(lancet), _) => RootsDecision::Go(Some(lancet.clone())),
            (WorkScope::Nowhere(why), _) => nowhere(why.clone()),
            (WorkScope::Own, RootsOrigin::Wanted(late)) => nowhere(format!(
                "{} This client sent no roots. {ADVICE}",
                late.explain_missing_roots()
            )),
            (WorkScope::Own, RootsOrigin::Named | RootsOrigin::Found) => RootsDecision::Go(None),
        }
    }

    /// Takes the notice about the roots for the next answer.
    pub(crate) fn take_notice(&self) -> Option<String> {
        let mut notice = self.notice.lock().unwrap_or_else(PoisonError::into_inner);
        notice.take()
    }
}

fn unresolved_roots_decision() -> RootsDecision {
    RootsDecision::Refuse(Refusal::new(RefusalKind::Internal, NOT_WORKED_OUT))
}
