//! Answers the requests of a client: the list of tools, and calls, which the library carries out on the threads of a
//! pool. `handler.rs` contains the requests one by one. This file adds time limits, cancellation, progress reports,
//! protection against panics and the form of answers.

mod handler;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use lancet::{Caller, Cancel, Conversation, RawCall, Refusal, RefusalKind, Reply, Session};
use lancet_serving::Level;
use lancet_serving::conversation::{self, AskedCall};
use lancet_serving::deadline::overdue;
use lancet_serving::identity::Identity;
use lancet_serving::pool::{JobError, Progress};
use lancet_serving::sub_agents::SubAgentClient;
use lancet_serving::tokens::TokenKind;
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, Implementation, InputRequiredResult};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::answer;
use crate::clients::ClientProfile;
use crate::connection::Connection;
use crate::host::HostNotices;
use crate::link::{self, Link};
use crate::message::{OtherArguments, Unreadable};
use crate::notify;
use crate::patience::{self, AskRoute, Brought, Waited};
use crate::process::Process;
use crate::roots::RootsDecision;
use crate::seal::{Bound, BoundTo};
use crate::underway::Underway;

/// After this time progress is reported, if the client requested it.
const PROGRESS_AFTER: Duration = Duration::from_millis(500);
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// Added to the refusal of an unread file, where the call has no session.
const NO_SESSION: &str = "[lancet: this call came without a session, so what was read before is not known; it needs `revision`, which the last line of Read's answer names]";

/// The request that a call came with.
struct CallRequest<'r> {
    client: ClientProfile,
    /// The call that a question's state is bound to; none in the first generation, which has no states.
    bound: Option<Bound>,
    /// Whether the client's dialog was closed without an answer.
    is_dismissed: bool,
    context: &'r RequestContext<RoleServer>,
}

/// Takes the arguments of a call, which need not be an object.
fn sent_arguments(
    request: &mut CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Value {
    match (request.arguments.take(), link::other_arguments(context)) {
        (Some(arguments), _) => Value::Object(arguments),
        (None, Some(OtherArguments(other))) => other.as_ref().clone(),
        (None, None) => Value::Object(serde_json::Map::new()),
    }
}

fn unreadable_arguments(reason: &str) -> Refusal {
    let words = format!(
        "The arguments of this call cannot be read: {reason}. Nothing was done; send the call again."
    );
    Refusal::new(RefusalKind::Invalid, words)
}

/// Returns the caller, by the client's own name for itself.
fn caller(
    client: Option<Implementation>,
    identity: Identity,
    shared_by: Option<&'static SubAgentClient>,
) -> Caller {
    let mut caller = client.map_or_else(Caller::default, |client| {
        Caller::self_named(client.name, client.version)
    });
    caller.turn = identity.turn;
    caller.call = identity.call;
    if shared_by.is_some() {
        caller.conversation = Conversation::MayBeSeveral;
    }
    caller
}

/// The server of one connection.
pub(crate) struct Server {
    process: Arc<Process>,
    link: Link,
    /// Made when it is first needed: over HTTP many requests need no connection state.
    connection: OnceLock<Connection>,
}

impl Server {
    pub(crate) fn new(process: Arc<Process>, link: Link) -> Self {
        Self {
            process,
            link,
            connection: OnceLock::new(),
        }
    }

    /// Reports whether a call has no session that lasts beyond it: it is an independent request and names no session.
    fn is_without_session(&self, context: &RequestContext<RoleServer>) -> bool {
        let client = context.client_info();
        let name = client.as_ref().map(|client| client.name.as_str());
        self.link == Link::Http
            && link::is_modern(context)
            && Identity::read(&context.meta, name).session.is_none()
    }

    fn connection(&self) -> &Connection {
        let new = || Connection::new(&self.process, self.link);
        self.connection.get_or_init(new)
    }

    /// Looks up the profile of the client that sent a request.
    fn manners(&self, context: &RequestContext<RoleServer>) -> ClientProfile {
        let client = context.client_info();
        let name = client.as_ref().map(|client| client.name.as_str());
        ClientProfile::for_client(
            name,
            &context.meta,
            &self.process.lancet.settings().read.clients,
            self.process.options.data,
        )
    }

    /// Converts a reply to the form that its client accepts.
    fn answered(&self, reply: Reply, tool: &str, client: &ClientProfile) -> CallToolResponse {
        answer::result(reply, self.process.form(tool), client).into()
    }

    async fn call(
        &self,
        mut request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResponse> {
        let manners = self.manners(context);
        let refused = |refusal: &Refusal, tool: &str| {
            let reply = answer::refused(refusal, tool);
            Some(self.answered(reply, tool, &manners))
        };
        let token = link::token(context);
        if token == TokenKind::Read && !self.process.only_reads(&request.name) {
            return refused(&answer::read_only(&request.name), &request.name);
        }
        let client = context.client_info();
        let name = client.as_ref().map(|client| client.name.as_str());
        let mut identity = Identity::read(&context.meta, name);
        let arguments = sent_arguments(&mut request, context);
        // A state is bound to the call. The first generation has no states.
        let bound_to = BoundTo {
            session: identity.session.as_deref(),
            client: name,
            tool: &request.name,
            arguments: &arguments,
        };
        let bound = link::is_modern(context).then(|| bound_to.hash());
        let state = request.request_state.take();
        let state = state
            .as_deref()
            .and_then(|state| self.process.seal.open(state, bound?));
        let mut is_dismissed = false;
        if let (Some(state), Some(bound)) = (state, bound) {
            let responses = request.input_responses.as_ref();
            let taken = patience::take_answer(&self.process, state, responses, bound, context);
            match taken.await {
                Brought::Decided => {}
                Brought::Dismissed => is_dismissed = true,
                Brought::Required(required) => return Some((*required).into()),
            }
        }
        let joined = self.join_conversation(&mut identity, name, &request.name, &arguments);
        let shared_by = joined.await;
        let decision = self.connection().roots.decide(&request, state, context);
        let lancet = match decision.await? {
            RootsDecision::Go(None) => self.process.lancet.clone(),
            RootsDecision::Go(Some(narrowed)) => narrowed,
            RootsDecision::Bring(requests, name) => {
                let state = bound.map(|bound| self.process.seal.close(&name, bound));
                return Some(InputRequiredResult::new(Some(requests), state).into());
            }
            RootsDecision::Refuse(refusal) => return refused(&refusal, &request.name),
        };
        let (lancet, notice) = self.connection().views.view_for(lancet, &context.meta);
        self.connection().notices.keep(notice);
        let session = match self.connection().session(&identity, &lancet, token) {
            Ok(session) => session,
            Err(refusal) => return refused(&refusal, &request.name),
        };
        if let Some(Unreadable(reason)) = link::unreadable(context) {
            return refused(&unreadable_arguments(&reason), &request.name);
        }
        // A call without a session has no record that could be shared.
        if let Some(client) = shared_by.filter(|_| !self.is_without_session(context)) {
            self.connection().tell_shared(session.key(), client);
        }
        let mut caller = caller(client, identity, shared_by);
        caller.handed_on = manners.handed_on(&arguments);
        let cancel = Cancel::within(self.process.options.time_limit);
        let call = RawCall::new(request.name, arguments)
            .with_caller(caller)
            .with_cancel(cancel);
        let request = CallRequest {
            client: manners,
            bound,
            is_dismissed,
            context,
        };
        let notices = HostNotices::read(&context.meta);
        self.run(session, call, notices, &request).await
    }

    /// Gives a call that names no session the session of its conversation. Returns the client whose sub-agents may use
    /// the same one.
    async fn join_conversation(
        &self,
        identity: &mut Identity,
        client: Option<&str>,
        tool: &str,
        arguments: &Value,
    ) -> Option<&'static SubAgentClient> {
        if identity.session.is_some() || !self.connection().is_open_to_names() {
            return None;
        }
        let process = self.process.options.agent_process.as_deref();
        let environment = &self.process.options.environment;
        let (lancet, pool) = (&self.process.lancet, &self.process.pool);
        let asked = AskedCall {
            client,
            id: identity.call.as_deref(),
            tool,
            arguments,
        };
        let found = conversation::of_call(process, environment, lancet, pool, &asked).await;
        identity.session = found.session;
        found.shared_by
    }

    /// Runs a call on the pool and supervises it. A call that waits for a person runs again after the decision.
    async fn run(
        &self,
        session: Session,
        mut call: RawCall,
        told: HostNotices,
        request: &CallRequest<'_>,
    ) -> Option<CallToolResponse> {
        let (client, bound, context) = (&request.client, request.bound, request.context);
        let asked = match patience::prepare(&self.process, &mut call, self.link, context) {
            AskRoute::Client if request.is_dismissed => AskRoute::Page,
            asked => asked,
        };
        let began = Instant::now();
        let log = self.process.options.log.clone();
        let mut told = Some(told);
        // Over HTTP each request of the second generation is a separate connection, and begins no session.
        let lasts = self.link == Link::Streams || !link::is_modern(context);
        loop {
            let (session, told, log) = (session.clone(), told.take(), log.clone());
            let again = call.clone();
            let announced = lasts.then(|| self.connection().announced.clone());
            let work = move || {
                if let Some(told) = told {
                    told.tell(&session, &log);
                }
                if let Some(announced) = announced {
                    announced.announce(&session, &again.caller);
                }
                session.call(again)
            };
            let reply = self.follow(self.start(&call, work), context).await?;
            let Some(waiting) = reply.waiting() else {
                return Some(self.answered(reply, &call.tool, client));
            };
            let waited = patience::wait(&self.process, waiting, asked, bound, began, context);
            match waited.await {
                Waited::Again => {
                    patience::waited_on(&mut call, waiting.question());
                    call.cancel = Cancel::within(self.process.options.time_limit);
                }
                Waited::Over => return Some(self.answered(reply, &call.tool, client)),
                Waited::Required(required) => return Some((*required).into()),
                Waited::Task(task) => return Some(CallToolResponse::Task(*task)),
                Waited::Cancelled => return None,
            }
        }
    }

    /// Starts a call on the pool.
    fn start(&self, call: &RawCall, work: impl FnOnce() -> Reply + Send + 'static) -> Underway {
        let progress = Progress::default();
        let (pool, at_work) = (self.process.pool.clone(), progress.clone());
        Underway {
            tool: call.tool.clone(),
            cancel: call.cancel.clone(),
            progress,
            began: Instant::now(),
            work: Box::pin(async move { pool.run(&at_work, work).await }),
        }
    }

    /// Waits for a call. None where it was cancelled, so that no answer is expected.
    async fn follow(
        &self,
        mut call: Underway,
        context: &RequestContext<RoleServer>,
    ) -> Option<Reply> {
        let token = context.meta.get_progress_token();
        let mut ticks = interval_at(call.began + PROGRESS_AFTER, PROGRESS_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                outcome = &mut call.work => {
                    return Some(self.outcome(outcome, &call.tool, &call.cancel));
                }
                () = context.ct.cancelled() => {
                    call.cancel.cancel();
                    self.process.options.log.say(Level::Debug, || format!("{} was cancelled", call.tool));
                    self.process.replace_if_stuck(call.progress.clone());
                    return None;
                }
                _ = ticks.tick(), if token.is_some() => {
                    if let Some(token) = token.clone() {
                        let elapsed = call.began.elapsed();
                        let message = match call.cancel.so_far() {
                            Some(so_far) => format!("{}: {so_far}", call.tool),
                            None => format!("{} has been at work for {:.1} s", call.tool, elapsed.as_secs_f64()),
                        };
                        notify::send_progress(context, token, elapsed, message);
                    }
                }
                () = overdue(&call.cancel, self.process.options.grace) => {
                    call.cancel.cancel();
                    self.process.pool.replace_stuck(&call.progress);
                    self.process.options.log.say(Level::Error, || format!("{} did not stop at its time limit", call.tool));
                    return Some(answer::timed_out(&call.tool, self.process.options.time_limit, &call.progress));
                }
            }
        }
    }

    fn outcome(&self, outcome: Result<Reply, JobError>, tool: &str, call: &Cancel) -> Reply {
        match outcome {
            Ok(reply) => reply,
            Err(JobError::Panicked) => {
                self.process
                    .options
                    .log
                    .say(Level::Error, || format!("{tool} panicked"));
                Reply::internal("it reached a state that should not be possible", call)
            }
            Err(JobError::NoThread) => Reply::internal("the system gave no thread for it", call),
        }
    }
}
